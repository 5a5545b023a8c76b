import CombineCore

/// A subscriber that records its events and responds with its closures. For one thread at a time.
public final class RecordingSubscriber<Input, Failure: Error>: Subscriber, CustomStringConvertible {

  public private(set) var events: [Event<Input>] = []

  /// The last subscription received, kept until ``dropSubscription()`` or, if so configured, a completion.
  public private(set) var subscription: (any Subscription)?

  public var onSubscription: (any Subscription) -> Void
  public var onValue: (Input) -> Subscribers.Demand
  public var onCompletion: (Subscribers.Completion<Failure>) -> Void

  /// Whether a completion makes it drop its subscription, as the built-in subscribers do.
  public var dropsSubscriptionOnCompletion = false

  private let onDeinit: () -> Void

  public init(
    onSubscription: @escaping (any Subscription) -> Void = { _ in },
    onValue: @escaping (Input) -> Subscribers.Demand = { _ in .none },
    onCompletion: @escaping (Subscribers.Completion<Failure>) -> Void = { _ in },
    onDeinit: @escaping () -> Void = {}
  ) {
    self.onSubscription = onSubscription
    self.onValue = onValue
    self.onCompletion = onCompletion
    self.onDeinit = onDeinit
  }

  /// Makes a subscriber that requests `initial` on each subscription.
  ///
  /// It returns the demands of `returning` for its first values, in order, and `.none` after them.
  public convenience init(requesting initial: Subscribers.Demand, returning: [Subscribers.Demand] = []) {
    var rest = returning[...]
    self.init(
      onSubscription: { $0.request(initial) },
      onValue: { _ in rest.popFirst() ?? .none }
    )
  }

  deinit {
    onDeinit()
  }

  public var values: [Input] {
    events.compactMap { if case .value(let value) = $0 { value } else { nil } }
  }

  public func clear() {
    events = []
  }

  public func dropSubscription() {
    subscription = nil
  }

  public func request(_ demand: Subscribers.Demand) {
    subscription?.request(demand)
  }

  public func cancel() {
    subscription?.cancel()
  }

  public func receive(subscription: any Subscription) {
    self.subscription = subscription
    events.append(.subscription(String(describing: subscription)))
    onSubscription(subscription)
  }

  public func receive(_ input: Input) -> Subscribers.Demand {
    events.append(.value(input))
    return onValue(input)
  }

  public func receive(completion: Subscribers.Completion<Failure>) {
    events.append(Event(completion))
    if dropsSubscriptionOnCompletion { subscription = nil }
    onCompletion(completion)
  }

  public var description: String { "RecordingSubscriber" }
}
