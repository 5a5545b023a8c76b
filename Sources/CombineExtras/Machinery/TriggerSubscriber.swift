import CombineThreads
import CombineCore

/// The subscriber to a publisher that only triggers something, such as the sampler of `sample(by:)`.
///
/// The operator holds the ``connection``, and not this subscriber, whose closures hold the operator. So an abandoned
/// publisher releases them all.
@usableFromInline
struct TriggerSubscriber<Input, Failure: Error>: Subscriber {

  @usableFromInline
  let combineIdentifier = CombineIdentifier()

  @usableFromInline
  let connection: TriggerConnection

  private let demand: Subscribers.Demand
  private let receiveValue: () -> Void
  private let receiveCompletion: (Subscribers.Completion<Failure>) -> Void

  /// Creates a subscriber.
  ///
  /// - Parameters:
  ///   - connection: The subscription that the operator holds.
  ///   - demand: The demand that is requested once.
  ///   - receiveValue: A closure that is called for each value.
  ///   - receiveCompletion: A closure that is called with the completion.
  @usableFromInline
  init(
    connection: TriggerConnection = TriggerConnection(),
    demand: Subscribers.Demand,
    receiveValue: @escaping () -> Void,
    receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void
  ) {
    self.connection = connection
    self.demand = demand
    self.receiveValue = receiveValue
    self.receiveCompletion = receiveCompletion
  }

  @usableFromInline
  func receive(subscription: any Subscription) {
    if connection.accept(subscription) {
      subscription.request(demand)
    } else {
      subscription.cancel()
    }
  }

  @usableFromInline
  func receive(_ input: Input) -> Subscribers.Demand {
    if connection.isSubscribed { receiveValue() }
    return .none
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    if connection.finish() { receiveCompletion(completion) }
  }
}

/// The subscription of a ``TriggerSubscriber``.
///
/// The first one counts. A subscription that arrives after ``cancel()`` or the completion is cancelled.
@usableFromInline
final class TriggerConnection: Cancellable {

  private let lock = Lock()

  @exclusivity(unchecked)  // Only with the lock held.
  private var upstream = UpstreamState.awaiting

  @usableFromInline
  init() {}

  func accept(_ subscription: any Subscription) -> Bool {
    lock.withLock { upstream.accept(subscription) }
  }

  var isSubscribed: Bool { lock.withLock { upstream.isSubscribed } }

  /// Notes a completion.
  ///
  /// - Returns: Whether it is the first end.
  func finish() -> Bool {
    let (isFirst, subscription) = lock.withLock { (!upstream.isTerminal, upstream.terminate()) }
    withExtendedLifetime(subscription) {}
    return isFirst
  }

  /// Takes no subscription any more. A ``cancel()`` follows.
  ///
  /// An operator that ends calls it before it cancels its upstream, which may make the publisher hand its subscription
  /// over.
  @usableFromInline
  func close() {
    lock.withLock { if !upstream.isSubscribed { _ = upstream.terminate() } }
  }

  @usableFromInline
  func cancel() {
    lock.withLock { upstream.terminate() }?.cancel()
  }
}
