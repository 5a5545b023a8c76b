import CombineCore

extension SpecModels {

  /// `prefix(untilOutputFrom:)`: `reducing.md`, the table of that section.
  public struct PrefixUntilOutput<Upstream: Publisher, Other: Publisher>: Publisher {

    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    private let upstream: Upstream
    private let other: Other

    public init(_ upstream: Upstream, _ other: Other) {
      self.upstream = upstream
      self.other = other
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let inner = Inner(downstream: subscriber)
      // "(1) a second small subscriber is subscribed to `other`; (2) the inner is subscribed to `upstream`."
      other.subscribe(Trigger(inner: inner))
      upstream.subscribe(inner)
    }
  }
}

extension SpecModels.PrefixUntilOutput {

  private struct Trigger: Subscriber {

    let inner: Inner

    var combineIdentifier: CombineIdentifier { inner.combineIdentifier }

    func receive(subscription: any Subscription) {
      // "awaiting: stored; `O.request(.max(1))`. Otherwise: `O.cancel()`."
      guard inner.other.accept(subscription) else { return subscription.cancel() }
      subscription.request(.max(1))
    }

    func receive(_ input: Other.Output) -> Subscribers.Demand {
      // "subscribed: both phases terminal; O released, not cancelled; `S.cancel()` if S is held; then D receives
      // `.finished`, even if D has never received a subscription; → .none. Otherwise: Ignored → .none."
      guard inner.other.subscription != nil else { return .none }
      inner.other = .ended
      inner.upstream.end()?.cancel()
      if !inner.isCancelled { inner.downstream.receive(completion: .finished) }
      return .none
    }

    func receive(completion: Subscribers.Completion<Other.Failure>) {
      // "always: other phase terminal, O released. Nothing else."
      inner.other = .ended
    }
  }

  /// A subscriber without a description, as "neither the inner nor the second subscriber conforms to
  /// CustomStringConvertible".
  private final class Inner: Subscriber, Subscription {

    typealias Input = Upstream.Output

    let downstream: any Subscriber<Output, Failure>
    var upstream = SpecModels.Slot.awaiting
    var other = SpecModels.Slot.awaiting

    /// No event follows a cancel, which may come during another cancel.
    var isCancelled = false

    init(downstream: any Subscriber<Output, Failure>) {
      self.downstream = downstream
    }

    func receive(subscription: any Subscription) {
      // "awaiting: subscribed; D receives the inner; nothing is requested. Otherwise: `S.cancel()`; D hears nothing."
      guard upstream.accept(subscription) else { return subscription.cancel() }
      downstream.receive(subscription: self)
    }

    func receive(_ input: Input) -> Subscribers.Demand {
      // "subscribed: D receives it; → whatever D returns. Otherwise: Ignored → .none."
      upstream.subscription == nil ? .none : downstream.receive(input)
    }

    func receive(completion: Subscribers.Completion<Failure>) {
      // "always: both phases terminal; `O.cancel()` first if O is held; then, only if the upstream phase was subscribed,
      // D receives the completion. S not cancelled."
      let wasSubscribed = upstream.end() != nil
      other.end()?.cancel()
      if wasSubscribed, !isCancelled { downstream.receive(completion: completion) }
    }

    func request(_ demand: Subscribers.Demand) {
      // "subscribed: Forwarded unchanged; zero is forwarded too, no trap. Otherwise: Ignored, forgotten."
      upstream.subscription?.request(demand)
    }

    func cancel() {
      // "always: both phases terminal; `S.cancel()`, then `O.cancel()`, those that are held."
      isCancelled = true
      let subscriptions = [upstream.end(), other.end()]
      for subscription in subscriptions { subscription?.cancel() }
    }
  }
}
