import CombineCore

/// The subscriber to a publisher that only triggers something, such as the sampler of `sample(by:)`.
///
/// Its first subscription counts. A subscription that arrives after ``cancel()`` or the completion is cancelled.
@usableFromInline
final class TriggerSubscriber<Input, Failure: Error>: Subscriber, Cancellable {

  private let lock = Lock()

  @exclusivity(unchecked)  // These three: only with the lock held.
  private var upstream = UpstreamState.awaiting

  @exclusivity(unchecked)
  private var receiveValue: (() -> Void)?

  @exclusivity(unchecked)
  private var receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)?

  private let demand: Subscribers.Demand

  /// Creates a subscriber.
  ///
  /// - Parameters:
  ///   - demand: The demand that is requested once.
  ///   - receiveValue: A closure that is called for each value.
  ///   - receiveCompletion: A closure that is called with the completion.
  @usableFromInline
  init(
    demand: Subscribers.Demand,
    receiveValue: @escaping () -> Void,
    receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void
  ) {
    self.demand = demand
    self.receiveValue = receiveValue
    self.receiveCompletion = receiveCompletion
  }

  @usableFromInline
  func receive(subscription: any Subscription) {
    if lock.withLock({ upstream.accept(subscription) }) {
      subscription.request(demand)
    } else {
      subscription.cancel()
    }
  }

  @usableFromInline
  func receive(_ input: Input) -> Subscribers.Demand {
    lock.withLock { upstream.isSubscribed ? receiveValue : nil }?()
    return .none
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    let (subscription, receiveValue, receiveCompletion) = end()
    receiveCompletion?(completion)
    withExtendedLifetime((subscription, receiveValue)) {}
  }

  @usableFromInline
  func cancel() {
    let (subscription, receiveValue, receiveCompletion) = end()
    subscription?.cancel()
    withExtendedLifetime((receiveValue, receiveCompletion)) {}
  }

  private func end() -> (
    (any Subscription)?, (() -> Void)?, ((Subscribers.Completion<Failure>) -> Void)?
  ) {
    lock.withLock {
      (upstream.terminate(), exchange(&receiveValue, with: nil), exchange(&receiveCompletion, with: nil))
    }
  }
}
