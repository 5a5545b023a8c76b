import CombineCore

/// A publisher whose every event the test sends, right or wrong. For one subscriber, on one thread at a time.
public final class ManualPublisher<Output, Failure: Error>: Publisher {

  /// The subscription that a new subscriber receives at once, if any.
  public let subscription: ManualSubscription?

  /// The number of times that it was subscribed to.
  public private(set) var subscribeCount = 0

  /// Runs when a subscriber subscribes, before it receives ``subscription``.
  public var onSubscribe: () -> Void = {}

  /// The last subscriber, until ``dropSubscriber()``.
  public private(set) var subscriber: (any Subscriber<Output, Failure>)?

  /// The value being sent, or the innermost one if sends are nested. Set only with ``notesValueBeingSent``.
  public private(set) var valueBeingSent: Output?

  /// Whether ``valueBeingSent`` is kept. Without it a send only reads, and several threads may send.
  public var notesValueBeingSent = false

  public init(subscription: ManualSubscription? = ManualSubscription()) {
    self.subscription = subscription
  }

  /// The calls that ``subscription`` received.
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
