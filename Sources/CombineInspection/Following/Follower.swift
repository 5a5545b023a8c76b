import CombineThreads
import CombineExtras

/// A handler that records every pipeline of the process.
///
/// A stage of its record is one subscriber of one publisher. An `inspect` stage records itself, under its own name.
///
/// `@unchecked Sendable`: the lock guards the tables.
final class Follower: _Introspection, @unchecked Sendable {

  static let shared = Follower()

  private let lock = Lock()

  @exclusivity(unchecked)  // These two: only with the lock held.
  private var bySubscriber: [CombineIdentifier: Stage] = [:]

  /// Stateless operators pass their upstream's subscription on, so that several stages have the same one.
  @exclusivity(unchecked)
  private var bySubscription: [CombineIdentifier: [Stage]] = [:]

  private func stage(of subscriber: some Subscriber) -> Stage? {
    let id = subscriber.combineIdentifier
    return lock.withLock { bySubscriber[id] }
  }

  func forget(_ stage: Stage) {
    lock.withLock {
      if bySubscriber[stage.subscriberID] === stage { bySubscriber[stage.subscriberID] = nil }
      guard let subscription = stage.subscriptionID else { return }
      bySubscription[subscription]?.removeAll { $0 === stage }
      if bySubscription[subscription]?.isEmpty == true { bySubscription[subscription] = nil }
    }
  }

  // MARK: Subscriptions

  func willReceive<P: Publisher, S: Subscriber>(publisher: P, subscriber: S)
  where P.Failure == S.Failure, P.Output == S.Input {
    guard !Inspection.isIgnoring, !(publisher is any RecordsItself) else { return }
    let stack = Inspector.shared.thread
    let name = shortName(ofType: (publisher as? any Eraser)?.erasedType ?? P.self)
    if let stage = stack.subscribed, stage.subscriberID == subscriber.combineIdentifier {
      // `Deferred` and others pass their subscriber to another publisher.
      Inspector.shared.rename(stage, name)
      return stack.push(.subscribing(stage))
    }
    // The calls are worth their price only where a person reads them: at the subscriber that a user's code makes.
    let origin = stack.subscribed == nil ? Caller.capture().map(Origin.called) ?? .unknown : .unknown
    let stage = Inspector.shared.addStage(name: name, origin: origin, subscriber: subscriber)
    let replaced = lock.withLock { bySubscriber.updateValue(stage, forKey: stage.subscriberID) }
    // The identifier of an object is its address, which a later object may have.
    if let replaced { Inspector.shared.end(replaced, .released) }
    stack.push(.subscribing(stage))
  }

  func didReceive<P: Publisher, S: Subscriber>(publisher: P, subscriber: S)
  where P.Failure == S.Failure, P.Output == S.Input {
    let stack = Inspector.shared.thread
    if let stage = stack.subscribed, stage.subscriberID == subscriber.combineIdentifier { stack.pop() }
  }

  func willReceive<S: Subscriber>(subscriber: S, subscription: any Subscription) {
    guard let stage = stage(of: subscriber) else { return }
    Inspector.shared.setSubscription(subscription, of: stage)
    let id = subscription.combineIdentifier
    lock.withLock { bySubscription[id, default: []].append(stage) }
  }

  func willRequest(subscription: any Subscription, _ demand: Subscribers.Demand) {
    for stage in stages(of: subscription) { Inspector.shared.add(demand, to: stage) }
  }

  func willCancel(subscription: any Subscription) {
    for stage in stages(of: subscription) { Inspector.shared.end(stage, .cancelled) }
  }

  /// The identifier may be code of a user, which is called with no lock held.
  private func stages(of subscription: any Subscription) -> [Stage] {
    let id = subscription.combineIdentifier
    return lock.withLock { bySubscription[id] ?? [] }
  }

  // MARK: Events

  func willReceive<S: Subscriber>(subscriber: S, input: S.Input) {
    guard let stage = stage(of: subscriber) else { return }
    Inspector.shared.willDeliver(stage) { $0(input) }
  }

  func didReceive<S: Subscriber>(subscriber: S, input: S.Input, resultingDemand: Subscribers.Demand) {
    guard case .delivering(let stage, _) = Inspector.shared.thread.last,
      stage.subscriberID == subscriber.combineIdentifier
    else { return }
    Inspector.shared.didDeliver(stage, resultingDemand)
  }

  func willReceive<S: Subscriber>(subscriber: S, completion: Subscribers.Completion<S.Failure>) {
    guard let stage = stage(of: subscriber) else { return }
    _ = Inspector.shared.willComplete(stage, completion)
  }

  func didReceive<S: Subscriber>(subscriber: S, completion: Subscribers.Completion<S.Failure>) {
    let stack = Inspector.shared.thread
    guard case .failing(let stage, _) = stack.last, stage.subscriberID == subscriber.combineIdentifier else { return }
    stack.pop()
  }
}

/// A publisher that records its own subscriptions.
protocol RecordsItself {}

extension ExtraPublishers.Inspect: RecordsItself {}

/// A publisher that stands for another one.
private protocol Eraser {
  var erasedType: any Publisher.Type { get }
}

extension AnyPublisher: Eraser {}
