import CombineThreads
import CombineCore

extension ExtraConduits {

  /// The conduit of windows as arrays.
  @usableFromInline
  final class CollectWindows<Input, Downstream: Subscriber>: WindowConduit<Input, Downstream>, Subscriber,
    DescribedByName
  where Downstream.Input == [Input] {

    @exclusivity(unchecked)  // Only with the lock held.
    @usableFromInline
    var arrays: [[Input]] = []

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      elements(for: receiveElement { apply($0, input) })
    }

    @inlinable
    override func apply(_ change: WindowChange) -> Machine.Delivery {
      apply(change, nil)
    }

    @inlinable
    func apply(_ change: WindowChange, _ input: Input?) -> Machine.Delivery {
      // A closed queue would release an array with the lock held.
      guard !isClosedLocked else { return .nothing }
      let expired = close(change.expired)
      if change.opens { arrays.append([]) }
      if let input {
        for index in arrays.indices { arrays[index].append(input) }
      }
      let filled = close(change.filled)
      if change.reopens { arrays.append([]) }
      return expired ?? filled ?? .nothing
    }

    @inlinable
    override func apply(_ completion: Completion) -> Machine.Delivery {
      guard !isClosedLocked else { return .nothing }
      let rest = if case .finished = completion { close(arrays.count) } else { Machine.Delivery?.none }
      let last = queue.send(completion: completion)
      return rest ?? last
    }

    /// Puts the oldest arrays into the queue, without the empty ones.
    ///
    /// - Returns: What to deliver, or `nil` if no array was put there.
    @inlinable
    func close(_ count: Int) -> Machine.Delivery? {
      guard count > 0 else { return nil }
      var first: Machine.Delivery?
      for array in arrays.prefix(count) where !array.isEmpty {
        let delivery = queue.send(array)
        // While the first one is delivered, the others wait.
        if first == nil { first = delivery }
      }
      arrays.removeFirst(count)
      return first
    }

    @inlinable
    override func didEnd() {
      super.didEnd()
      let dropped = lock.withLock { exchange(&arrays, with: []) }
      withExtendedLifetime(dropped) {}
    }

    @usableFromInline
    var description: String { "CollectWindows" }
  }
}
