import CombineCore

/// A subject that records what it is sent, requests nothing, and passes nothing on by itself: the test plays its part
/// through ``downstream``. For one subscriber, on one thread at a time.
public final class ManualSubject<Output, Failure: Error>: Subject {

  /// What it was sent.
  public private(set) var events: [Event<Output>] = []

  /// The upstream subscriptions it was sent.
  public private(set) var upstreams: [any Subscription] = []

  /// Called with a completion before it is recorded.
  public var onCompletion: (Subscribers.Completion<Failure>) -> Void = { _ in }

  /// What its subscriber sees.
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
