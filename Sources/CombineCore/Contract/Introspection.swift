import Synchronization

/// A protocol for objects that watch, in the whole process, what publishers, subscribers and subscriptions say to each
/// other.
///
/// A handler sees the pipelines that are built with ``Publisher/subscribe(_:)->()`` while any handler is enabled. It
/// gets the original subscribers and subscriptions. Every requirement has an empty default implementation.
///
/// ```swift
/// final class Log: _Introspection {
///   func willReceive<S: Subscriber>(subscriber: S, input: S.Input) { print("\(subscriber) gets \(input)") }
/// }
/// let log = Log()
/// log.enable()
/// let cancellable = Just(1).sink { _ in }  // prints "Sink gets 1"
/// log.disable()
/// ```
public protocol _Introspection: AnyObject {

  /// Called before a publisher is handed a subscriber.
  func willReceive<P: Publisher, S: Subscriber>(publisher: P, subscriber: S)
  where P.Failure == S.Failure, P.Output == S.Input

  /// Called after a publisher was handed a subscriber.
  func didReceive<P: Publisher, S: Subscriber>(publisher: P, subscriber: S)
  where P.Failure == S.Failure, P.Output == S.Input

  /// Called before a subscriber gets a subscription.
  func willReceive<S: Subscriber>(subscriber: S, subscription: any Subscription)

  /// Called after a subscriber got a subscription.
  func didReceive<S: Subscriber>(subscriber: S, subscription: any Subscription)

  /// Called before a subscriber gets a value.
  func willReceive<S: Subscriber>(subscriber: S, input: S.Input)

  /// Called after a subscriber got a value, with the demand that it returned.
  func didReceive<S: Subscriber>(subscriber: S, input: S.Input, resultingDemand: Subscribers.Demand)

  /// Called before a subscriber gets a completion.
  func willReceive<S: Subscriber>(subscriber: S, completion: Subscribers.Completion<S.Failure>)

  /// Called after a subscriber got a completion.
  func didReceive<S: Subscriber>(subscriber: S, completion: Subscribers.Completion<S.Failure>)

  /// Called before a subscription is asked for values.
  func willRequest(subscription: any Subscription, _ demand: Subscribers.Demand)

  /// Called after a subscription was asked for values.
  func didRequest(subscription: any Subscription, _ demand: Subscribers.Demand)

  /// Called before a subscription is cancelled.
  func willCancel(subscription: any Subscription)

  /// Called after a subscription was cancelled.
  func didCancel(subscription: any Subscription)
}

extension _Introspection {

  /// Does nothing.
  public func willReceive<P: Publisher, S: Subscriber>(publisher: P, subscriber: S)
  where P.Failure == S.Failure, P.Output == S.Input {}

  /// Does nothing.
  public func didReceive<P: Publisher, S: Subscriber>(publisher: P, subscriber: S)
  where P.Failure == S.Failure, P.Output == S.Input {}

  /// Does nothing.
  public func willReceive<S: Subscriber>(subscriber: S, subscription: any Subscription) {}

  /// Does nothing.
  public func didReceive<S: Subscriber>(subscriber: S, subscription: any Subscription) {}

  /// Does nothing.
  public func willReceive<S: Subscriber>(subscriber: S, input: S.Input) {}

  /// Does nothing.
  public func didReceive<S: Subscriber>(subscriber: S, input: S.Input, resultingDemand: Subscribers.Demand) {}

  /// Does nothing.
  public func willReceive<S: Subscriber>(subscriber: S, completion: Subscribers.Completion<S.Failure>) {}

  /// Does nothing.
  public func didReceive<S: Subscriber>(subscriber: S, completion: Subscribers.Completion<S.Failure>) {}

  /// Does nothing.
  public func willRequest(subscription: any Subscription, _ demand: Subscribers.Demand) {}

  /// Does nothing.
  public func didRequest(subscription: any Subscription, _ demand: Subscribers.Demand) {}

  /// Does nothing.
  public func willCancel(subscription: any Subscription) {}

  /// Does nothing.
  public func didCancel(subscription: any Subscription) {}

  /// Starts to watch. Enabling a handler twice counts once; it is kept alive while enabled.
  public func enable() { Introspection.enable(self) }

  /// Ceases to watch.
  public func disable() { Introspection.disable(self) }

  /// Whether this handler is watching.
  public var isEnabled: Bool { Introspection.handlers.contains { $0 === self } }
}

/// The handlers that are enabled, and the wrapping of what they watch.
@usableFromInline
enum Introspection {

  /// Whether any handler is enabled: all that a pipeline costs while none is.
  @usableFromInline
  static let isActive = Atomic<Bool>(false)

  private static let registry = Registry()

  private final class Registry: @unchecked Sendable {  // `handlers` is touched only with the lock held.
    let lock = Lock()

    @exclusivity(unchecked)
    var handlers: [any _Introspection] = []
  }

  static var handlers: [any _Introspection] {
    registry.lock.withLock { registry.handlers }
  }

  static func enable(_ handler: any _Introspection) {
    registry.lock.withLock {
      guard !registry.handlers.contains(where: { $0 === handler }) else { return }
      registry.handlers.append(handler)
      isActive.store(true, ordering: .releasing)
    }
  }

  static func disable(_ handler: any _Introspection) {
    let removed = registry.lock.withLock { () -> (any _Introspection)? in
      guard let index = registry.handlers.firstIndex(where: { $0 === handler }) else { return nil }
      let removed = registry.handlers.remove(at: index)
      isActive.store(!registry.handlers.isEmpty, ordering: .releasing)
      return removed
    }
    _ = removed  // Released with the lock free.
  }

  /// Attaches a subscriber to a publisher under the eyes of the handlers.
  @inline(never)
  @usableFromInline
  static func subscribe<P: Publisher, S: Subscriber>(_ subscriber: S, to publisher: P)
  where S.Input == P.Output, S.Failure == P.Failure {
    guard let wrapper = subscriber as? any IntrospectionWrapper else {
      report { $0.willReceive(publisher: publisher, subscriber: subscriber) }
      publisher.receive(subscriber: IntrospectedSubscriber(base: subscriber))
      report { $0.didReceive(publisher: publisher, subscriber: subscriber) }
      return
    }
    // Handed on as it is, so that its events are reported once.
    guard let original = wrapper.erasedBase as? AnySubscriber<P.Output, P.Failure> else {
      return publisher.receive(subscriber: subscriber)
    }
    report { $0.willReceive(publisher: publisher, subscriber: original) }
    publisher.receive(subscriber: subscriber)
    report { $0.didReceive(publisher: publisher, subscriber: original) }
  }

  fileprivate static func report(_ event: (any _Introspection) -> Void) {
    for handler in handlers { event(handler) }
  }
}

/// A subscriber that another one is wrapped in, whatever the types.
private protocol IntrospectionWrapper {

  /// The subscriber inside, as an ``AnySubscriber``.
  var erasedBase: Any { get }
}

private struct IntrospectedSubscriber<Base: Subscriber>: Subscriber, IntrospectionWrapper, CustomStringConvertible {

  let base: Base

  var combineIdentifier: CombineIdentifier { base.combineIdentifier }

  var description: String { String(describing: base) }

  var erasedBase: Any { AnySubscriber(base) }

  func receive(subscription: any Subscription) {
    // One that an operator has passed through is a wrapper already.
    let wrapped = subscription as? IntrospectedSubscription ?? IntrospectedSubscription(base: subscription)
    Introspection.report { $0.willReceive(subscriber: base, subscription: wrapped.base) }
    base.receive(subscription: wrapped)
    Introspection.report { $0.didReceive(subscriber: base, subscription: wrapped.base) }
  }

  func receive(_ input: Base.Input) -> Subscribers.Demand {
    Introspection.report { $0.willReceive(subscriber: base, input: input) }
    let demand = base.receive(input)
    Introspection.report { $0.didReceive(subscriber: base, input: input, resultingDemand: demand) }
    return demand
  }

  func receive(completion: Subscribers.Completion<Base.Failure>) {
    Introspection.report { $0.willReceive(subscriber: base, completion: completion) }
    base.receive(completion: completion)
    Introspection.report { $0.didReceive(subscriber: base, completion: completion) }
  }
}

private struct IntrospectedSubscription: Subscription, CustomStringConvertible {

  let base: any Subscription

  var combineIdentifier: CombineIdentifier { base.combineIdentifier }

  var description: String { String(describing: base) }

  func request(_ demand: Subscribers.Demand) {
    Introspection.report { $0.willRequest(subscription: base, demand) }
    base.request(demand)
    Introspection.report { $0.didRequest(subscription: base, demand) }
  }

  func cancel() {
    Introspection.report { $0.willCancel(subscription: base) }
    base.cancel()
    Introspection.report { $0.didCancel(subscription: base) }
  }
}
