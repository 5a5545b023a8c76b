import CombineCore

/// A publisher whose every event the test sends by hand, right or wrong. For one subscriber, on one thread at a time.
public final class ManualPublisher<Output, Failure: Error>: Publisher {

  /// What a new subscriber gets at once; nothing if there is none.
  public let subscription: ManualSubscription?

  /// How many times it was subscribed to.
  public private(set) var subscribeCount = 0

  /// Called when a subscriber is attached, before it gets ``subscription``.
  public var onSubscribe: () -> Void = {}

  /// The last subscriber, until ``dropSubscriber()``.
  public private(set) var subscriber: (any Subscriber<Output, Failure>)?

  /// The value that is being sent, the innermost if one send runs inside another; only if ``notesValueBeingSent``.
  public private(set) var valueBeingSent: Output?

  /// Whether ``valueBeingSent`` is kept. Without it a send only reads, and may be made on several threads.
  public var notesValueBeingSent = false

  public init(subscription: ManualSubscription? = ManualSubscription()) {
    self.subscription = subscription
  }

  /// What was asked of ``subscription``.
  public var history: [ManualSubscription.Call] { subscription?.history ?? [] }

  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    subscribeCount += 1
    self.subscriber = subscriber
    onSubscribe()
    if let subscription { subscriber.receive(subscription: subscription) }
  }

  public func send(subscription: any Subscription) {
    subscriber!.receive(subscription: subscription)
  }

  @discardableResult
  public func send(_ value: Output) -> Subscribers.Demand {
    guard notesValueBeingSent else { return subscriber!.receive(value) }
    let outer = exchange(&valueBeingSent, with: value)
    defer { valueBeingSent = outer }
    return subscriber!.receive(value)
  }

  public func send(completion: Subscribers.Completion<Failure>) {
    subscriber!.receive(completion: completion)
  }

  public func dropSubscriber() {
    subscriber = nil
  }
}
