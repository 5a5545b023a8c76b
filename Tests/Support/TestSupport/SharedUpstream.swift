import CombineCore
import Synchronization

/// A publisher that many threads may send through at once, without serialization. For one subscriber.
public final class SharedUpstream<Output>: Publisher, @unchecked Sendable {
  // Sendable: `subscriber` is set before the threads start, and the rest is atomic.

  public typealias Failure = TestError

  private var subscriber: (any Subscriber<Output, TestError>)?
  private let subscription = CountingSubscription()

  public init() {}

  /// The number of times that the subscription was cancelled.
  public var cancelCount: Int { subscription.cancelCount.load(ordering: .acquiring) }

  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == TestError {
    self.subscriber = subscriber
    subscriber.receive(subscription: subscription)
  }

  public func send(_ value: Output) {
    _ = subscriber!.receive(value)
  }

  public func finish() {
    subscriber!.receive(completion: .finished)
  }

  /// Releases the subscriber. No thread may be sending.
  public func forget() {
    subscriber = nil
  }

  private final class CountingSubscription: Subscription {
    let cancelCount = Atomic<Int>(0)
    func request(_ demand: Subscribers.Demand) {}
    func cancel() { cancelCount.add(1, ordering: .acquiringAndReleasing) }
  }
}

/// A subscriber that counts overlapping calls of two threads, and values after the completion.
public final class ExclusiveSubscriber<Input>: Subscriber, @unchecked Sendable {
  // Sendable only if its callers serialize their calls, which it is there to test. Its records are not guarded, so that
  // the thread sanitizer detects overlaps too.

  public typealias Failure = TestError

  public private(set) var values: [Input] = []
  public private(set) var completionCount = 0

  /// The number of calls that came during another call.
  public private(set) var overlapCount = 0

  /// The number of values that came after the completion.
  public private(set) var lateCount = 0

  private var subscription: (any Subscription)?
  private let callers = Atomic<Int>(0)
  private let initialDemand: Subscribers.Demand

  public init(requesting initial: Subscribers.Demand = .unlimited) {
    initialDemand = initial
  }

  public func request(_ demand: Subscribers.Demand) {
    subscription?.request(demand)
  }

  public func cancel() {
    subscription?.cancel()
  }

  private func exclusively(_ body: () -> Void) {
    if callers.add(1, ordering: .relaxed).oldValue != 0 { overlapCount += 1 }
    body()
    callers.subtract(1, ordering: .relaxed)
  }

  public func receive(subscription: any Subscription) {
    self.subscription = subscription
    subscription.request(initialDemand)
  }

  public func receive(_ input: Input) -> Subscribers.Demand {
    exclusively {
      values.append(input)
      if completionCount > 0 { lateCount += 1 }
    }
    return .none
  }

  public func receive(completion: Subscribers.Completion<TestError>) {
    exclusively { completionCount += 1 }
  }
}
