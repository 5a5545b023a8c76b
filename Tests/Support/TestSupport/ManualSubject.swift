import CombineCore

/// A subject that records the events it receives, requests nothing, and forwards nothing.
///
/// The test sends its events through ``downstream``. For one subscriber, on one thread at a time.
public final class ManualSubject<Output, Failure: Error>: Subject {

  /// The events that it received.
  public private(set) var events: [Event<Output>] = []

  /// The upstream subscriptions that it received.
  public private(set) var upstreams: [any Subscription] = []

  /// Receives a completion before it is recorded.
  public var onCompletion: (Subscribers.Completion<Failure>) -> Void = { _ in }

  /// The publisher that sends the events of its subscriber.
  public let downstream: ManualPublisher<Output, Failure>

  private let onDeinit: () -> Void

  public init(subscription: ManualSubscription? = ManualSubscription(), onDeinit: @escaping () -> Void = {}) {
    downstream = ManualPublisher(subscription: subscription)
    self.onDeinit = onDeinit
  }

  deinit {
    onDeinit()
  }

  public func send(_ value: Output) {
    events.append(.value(value))
  }

  public func send(completion: Subscribers.Completion<Failure>) {
    onCompletion(completion)
    switch completion {
    case .finished: events.append(.finished)
    case .failure(let error): events.append(.failure(error))
    }
  }

  public func send(subscription: any Subscription) {
    upstreams.append(subscription)
    events.append(.subscription(String(describing: subscription)))
  }

  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    downstream.subscribe(subscriber)
  }
}
