import CombineThreads
import CombineCore

/// The subscription of an operator that begins work for each element and publishes the results as they come, with a
/// bounded number of elements in work.
///
/// A result counts as in work until it is delivered. ``WorkWindow`` says how many elements the upstream is asked for, and
/// which ones wait because those in work weigh too much.
///
/// It is inlinable, so that other modules of the package specialize it: without that, each element looks types up at run time.
///
/// `@unchecked Sendable`: the lock guards the numbers, and the queue makes one call to the downstream at a time.
@usableFromInline
final class WorkConduit<Input, Downstream: Subscriber>: QueuedConduit<Downstream>, Subscriber,
  CustomStringConvertible, @unchecked Sendable
{

  @usableFromInline
  typealias Failure = Downstream.Failure

  @usableFromInline
  typealias Work = (_ input: Input, _ end: @escaping (Result<Downstream.Input, Failure>) -> Void) -> Void

  @usableFromInline
  let description: String

  @usableFromInline
  let work: Work

  /// A closure that returns what an element weighs.
  @usableFromInline
  let weigh: ((Input) -> Int)?

  /// Called once, after the end.
  @usableFromInline
  let end: () -> Void

  @exclusivity(unchecked)  // These two: only with the lock held.
  @usableFromInline
  var window: WorkWindow<Input>

  @exclusivity(unchecked)
  @usableFromInline
  var hasUpstreamFinished = false

  @inlinable
  init(
    name: String,
    window: Int,
    weight: WorkWeight<Input>?,
    downstream: Downstream,
    work: @escaping Work,
    end: @escaping () -> Void
  ) {
    description = name
    self.window = WorkWindow(maximumCount: window, maximumWeight: weight?.maximum)
    weigh = weight?.weigh
    self.work = work
    self.end = end
    super.init(downstream: downstream)
  }

  // MARK: Upstream

  @inlinable
  func receive(subscription: any Subscription) {
    if accept(subscription) { refill() }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    let weight = weigh?(input) ?? 0
    let (isTaken, first) = lock.withLock { () -> (Bool, WorkWindow<Input>.Beginning?) in
      guard !isClosedLocked else {
        window.refuse()
        return (false, nil)
      }
      return (true, window.receive(input, weight: weight))
    }
    guard isTaken else {
      DeliveryReceipt.refuse()
      return .none
    }
    begin(first)
    // The size of the next portion depends on what this element weighs. Without weights, results ask for it.
    return weigh == nil ? .none : .max(nextPortion())
  }

  /// Begins the work of an element, and of those that wait and for which there is room.
  @inlinable
  func begin(_ first: WorkWindow<Input>.Beginning?) {
    var next = first
    while let beginning = next {
      work(beginning.input) { self.receive($0, weight: beginning.weight) }
      next = weigh == nil ? nil : lock.withLock { isClosedLocked ? nil : window.next() }
    }
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard finishUpstream() else { return }
    switch completion {
    case .finished:
      let isLast = lock.withLock {
        hasUpstreamFinished = true
        return window.workingCount == 0
      }
      if isLast { send(completion: .finished) }
    case .failure:
      sendImmediately(completion: completion)
    }
  }

  /// Asks for elements, when half of the window is free.
  @inlinable
  func refill() {
    let count = nextPortion()
    if count > 0 { requestUpstream(.max(count)) }
  }

  @inlinable
  func nextPortion() -> Int {
    lock.withLock {
      guard upstream.isSubscribed, !isClosedLocked else { return 0 }
      return window.refill(undeliveredCount: queue.undeliveredCount)
    }
  }

  // MARK: Results

  /// Takes the result of an element's work. An error ends all.
  @inlinable
  func receive(_ result: Result<Downstream.Input, Failure>, weight: Int) {
    switch result {
    case .success(let value):
      let delivery = lock.withLock { () -> Machine.Delivery in
        window.end(weight: weight)
        // The finish enters the queue in the same step, so that it follows the last value.
        guard hasUpstreamFinished, window.workingCount == 0 else { return queue.send(value) }
        return queue.send(last: value, .finished)
      }
      if weigh != nil { begin(lock.withLock { isClosedLocked ? nil : window.beginNext() }) }
      _ = deliver(delivery, didDeliver: refill)
      refill()
    case .failure(let error):
      cancelUpstream()
      sendImmediately(completion: .failure(error))
    }
  }

  // MARK: Downstream

  @inlinable
  override func receive(demand: Subscribers.Demand) {
    refill()
  }

  @inlinable
  override func didEnd() {
    super.didEnd()
    let dropped = lock.withLock { window.removeAll() }
    withExtendedLifetime(dropped) { end() }
  }
}

/// What elements in work weigh, and how much of it there may be.
@usableFromInline
package struct WorkWeight<Input> {

  /// The maximum weight of the elements in work. A heavier element is in work alone.
  @usableFromInline
  let maximum: Int

  /// A closure that returns what an element weighs. It is not negative.
  @usableFromInline
  let weigh: (Input) -> Int

  @inlinable
  package init(maximum: Int, _ weigh: @escaping (Input) -> Int) {
    self.maximum = maximum
    self.weigh = weigh
  }
}

extension Publisher {

  /// Subscribes a subscriber to the results of work that begins for each element. The results come in any order.
  ///
  /// - Parameters:
  ///   - subscriber: The subscriber. It receives a failure of the upstream or of the work at once, and the finish after the
  ///     last result.
  ///   - name: The description of the subscription.
  ///   - window: The maximum number of elements in work.
  ///   - weight: What elements weigh, and the maximum weight of those in work. With `nil`, the number alone counts.
  ///   - work: A closure that begins the work for an element. It calls the closure that it receives once, on any thread.
  ///   - end: A closure that is called once, after the completion or the cancellation.
  @inlinable
  package func subscribe<S: Subscriber>(
    _ subscriber: S,
    name: String,
    window: Int,
    weight: WorkWeight<Output>? = nil,
    work: @escaping (_ input: Output, _ end: @escaping (Result<S.Input, Failure>) -> Void) -> Void,
    end: @escaping () -> Void
  ) where S.Failure == Failure {
    let conduit = WorkConduit(name: name, window: window, weight: weight, downstream: subscriber, work: work, end: end)
    if conduit.open() { subscribe(conduit) }
  }
}
