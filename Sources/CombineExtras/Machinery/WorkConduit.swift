import CombineCore

/// The subscription of an operator that begins work for each element and publishes the results as they come, with a
/// bounded number of elements in work.
///
/// A result counts as in work until it is delivered. The upstream is asked for elements in portions of
/// half a window, so that switches of threads and writes to a socket are shared by many.
///
/// `@unchecked Sendable`: the lock guards the numbers, and the queue makes one call to the downstream at a time.
final class WorkConduit<Input, Downstream: Subscriber>: QueuedConduit<Downstream>, Subscriber,
  CustomStringConvertible, @unchecked Sendable
{

  typealias Failure = Downstream.Failure

  typealias Work = (_ input: Input, _ end: @escaping (Result<Downstream.Input, Failure>) -> Void) -> Void

  let description: String

  private let window: Int
  private let work: Work

  /// Called once, after the end.
  private let end: () -> Void

  /// The numbers of elements that were asked for and have not come, and of those in work.
  @exclusivity(unchecked)  // These three: only with the lock held.
  private var requestedCount = 0

  @exclusivity(unchecked)
  private var workingCount = 0

  @exclusivity(unchecked)
  private var hasUpstreamFinished = false

  init(
    name: String,
    window: Int,
    downstream: Downstream,
    work: @escaping Work,
    end: @escaping () -> Void
  ) {
    description = name
    self.window = window
    self.work = work
    self.end = end
    super.init(downstream: downstream)
  }

  // MARK: Upstream

  func receive(subscription: any Subscription) {
    if accept(subscription) { refill() }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    let isTaken = lock.withLock {
      requestedCount -= 1
      guard !isClosedLocked else { return false }
      workingCount += 1
      return true
    }
    if isTaken { work(input) { self.receive($0) } } else { DeliveryReceipt.refuse() }
    return .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    guard finishUpstream() else { return }
    switch completion {
    case .finished:
      let isLast = lock.withLock {
        hasUpstreamFinished = true
        return workingCount == 0
      }
      if isLast { send(completion: .finished) }
    case .failure:
      sendImmediately(completion: completion)
    }
  }

  /// Asks for elements, when half of the window is free.
  private func refill() {
    let count = lock.withLock { () -> Int in
      guard upstream.isSubscribed, !isClosedLocked else { return 0 }
      let free = window - requestedCount - workingCount - queue.undeliveredCount
      guard free > 0, free >= window / 2 else { return 0 }
      requestedCount += free
      return free
    }
    if count > 0 { requestUpstream(.max(count)) }
  }

  // MARK: Results

  /// Takes the result of an element's work. An error ends all.
  func receive(_ result: Result<Downstream.Input, Failure>) {
    switch result {
    case .success(let value):
      let delivery = lock.withLock { () -> Machine.Delivery in
        workingCount -= 1
        // The finish enters the queue in the same step, so that it follows the last value.
        guard hasUpstreamFinished, workingCount == 0 else { return queue.send(value) }
        return queue.send(last: value, .finished)
      }
      _ = deliver(delivery, didDeliver: refill)
      refill()
    case .failure(let error):
      cancelUpstream()
      sendImmediately(completion: .failure(error))
    }
  }

  // MARK: Downstream

  override func receive(demand: Subscribers.Demand) {
    refill()
  }

  override func didEnd() {
    super.didEnd()
    end()
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
  ///   - work: A closure that begins the work for an element. It calls the closure that it receives once, on any thread.
  ///   - end: A closure that is called once, after the completion or the cancellation.
  package func subscribe<S: Subscriber>(
    _ subscriber: S,
    name: String,
    window: Int,
    work: @escaping (_ input: Output, _ end: @escaping (Result<S.Input, Failure>) -> Void) -> Void,
    end: @escaping () -> Void
  ) where S.Failure == Failure {
    let conduit = WorkConduit(name: name, window: window, downstream: subscriber, work: work, end: end)
    if conduit.open() { subscribe(conduit) }
  }
}
