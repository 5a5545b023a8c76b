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
      var hasClosed = close(change.expired)
      if change.opens { arrays.append([]) }
      if let input {
        for index in arrays.indices { arrays[index].append(input) }
      }
      if close(change.filled) { hasClosed = true }
      if change.reopens { arrays.append([]) }
      return hasClosed ? queue.drain() : .nothing
    }

    @inlinable
    override func apply(_ completion: Completion) -> Machine.Delivery {
      guard !isClosedLocked else { return .nothing }
      if case .finished = completion { _ = close(arrays.count) }
      return queue.send(completion: completion)
    }

    /// Puts the oldest arrays into the queue, without the empty ones.
    ///
    /// - Returns: Whether an array was put there.
    @inlinable
    func close(_ count: Int) -> Bool {
      guard count > 0 else { return false }
      var hasEnqueued = false
      for array in arrays.prefix(count) where !array.isEmpty {
        queue.enqueue(array)
        hasEnqueued = true
      }
      arrays.removeFirst(count)
      return hasEnqueued
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
