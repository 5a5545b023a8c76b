import CombineThreads
import Synchronization

/// A protocol for objects that observe the calls between publishers, subscribers and subscriptions in the whole
/// process.
///
/// A handler observes the pipelines that are built with ``Publisher/subscribe(_:)->()`` while any handler is enabled.
/// It receives the original subscribers and subscriptions. Every requirement has an empty default implementation.
///
/// ```swift
/// final class Log: _Introspection {
///   func willReceive<S: Subscriber>(subscriber: S, input: S.Input) { print("\(subscriber) gets \(input)") }
/// }
/// let log = Log()
/// log.enable()
/// let cancellable = Just(1).sink { _ in }  // prints Sink gets 1
/// log.disable()
/// ```
public protocol _Introspection: AnyObject {

  /// Called before a publisher receives a subscriber.
  func willReceive<P: Publisher, S: Subscriber>(publisher: P, subscriber: S)
  where P.Failure == S.Failure, P.Output == S.Input

  /// Called after a publisher has received a subscriber.
  func didReceive<P: Publisher, S: Subscriber>(publisher: P, subscriber: S)
  where P.Failure == S.Failure, P.Output == S.Input

  /// Called before a subscriber receives a subscription.
  func willReceive<S: Subscriber>(subscriber: S, subscription: any Subscription)

  /// Called after a subscriber has received a subscription.
  func didReceive<S: Subscriber>(subscriber: S, subscription: any Subscription)

  /// Called before a subscriber receives a value.
  func willReceive<S: Subscriber>(subscriber: S, input: S.Input)

  /// Called after a subscriber has received a value. `resultingDemand` is the demand that the subscriber returned.
  func didReceive<S: Subscriber>(subscriber: S, input: S.Input, resultingDemand: Subscribers.Demand)

  /// Called before a subscriber receives a completion.
  func willReceive<S: Subscriber>(subscriber: S, completion: Subscribers.Completion<S.Failure>)

  /// Called after a subscriber has received a completion.
  func didReceive<S: Subscriber>(subscriber: S, completion: Subscribers.Completion<S.Failure>)

  /// Called before demand is requested from a subscription.
  func willRequest(subscription: any Subscription, _ demand: Subscribers.Demand)

  /// Called after demand was requested from a subscription.
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

  /// Starts to observe.
  ///
  /// Enabling a handler twice counts once. The process keeps the handler alive while it is enabled.
  public func enable() { Introspection.enable(self) }

  /// Stops observing.
  public func disable() { Introspection.disable(self) }

  /// Whether this handler is enabled.
  public var isEnabled: Bool { Introspection.handlers.contains { $0 === self } }
}

/// The enabled handlers, and the wrappers around the subscribers and subscriptions that they observe.
@usableFromInline
enum Introspection {

  /// Whether any handler is enabled. While none is, a pipeline pays for introspection only by reading this flag.
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

  /// Subscribes a subscriber to a publisher and reports the events to the handlers.
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
    // The wrapper itself is passed on, so that its events are reported once.
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

/// A wrapper around a subscriber of any type.
private protocol IntrospectionWrapper {

  /// The wrapped subscriber, as an ``AnySubscriber``.
  var erasedBase: Any { get }
}

private struct IntrospectedSubscriber<Base: Subscriber>: Subscriber, IntrospectionWrapper, CustomStringConvertible {

  let base: Base

  var combineIdentifier: CombineIdentifier { base.combineIdentifier }

  var description: String { String(describing: base) }

  var erasedBase: Any { AnySubscriber(base) }

  func receive(subscription: any Subscription) {
    // A subscription that an operator has passed through is wrapped already.
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
