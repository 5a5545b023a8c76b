import CombineCore
import Synchronization

/// A publisher that any thread may send through, with nothing between it and its subscriber.
///
/// Subscribe one subscriber at a time, while no thread sends.
public final class ConcurrentPublisher<Output: Sendable, Failure: Error>: Publisher, @unchecked Sendable {

  private let cancelCount = Atomic<Int>(0)
  private let subscribeCount = Atomic<Int>(0)

  // Set before the threads start (see above), and then only read. That makes the class `Sendable`.
  private var subscriber: (any Subscriber<Output, Failure>)?

  private struct CountingSubscription: Subscription {
    let combineIdentifier = CombineIdentifier()
    let publisher: ConcurrentPublisher
    func request(_ demand: Subscribers.Demand) {}
    func cancel() { publisher.cancelCount.wrappingAdd(1, ordering: .relaxed) }
  }

  public init() {}

  /// The number of times that its subscriptions were cancelled.
  public var cancellations: Int { cancelCount.load(ordering: .relaxed) }

  /// The number of times that it was subscribed to.
  public var subscriptions: Int { subscribeCount.load(ordering: .relaxed) }

  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    subscribeCount.wrappingAdd(1, ordering: .relaxed)
    self.subscriber = subscriber
    subscriber.receive(subscription: CountingSubscription(publisher: self))
  }

  public func send(_ value: Output) {
    _ = subscriber?.receive(value)
  }

  public func send(completion: Subscribers.Completion<Failure>) {
    subscriber?.receive(completion: completion)
  }
}
