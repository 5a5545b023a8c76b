import CombineCore

extension SpecModels {

  /// `prefix(untilOutputFrom:)`. Rows `prefix-until-output.subscription` and `prefix-until-output.events`.
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
      guard inner.other.accept(subscription) else { return subscription.cancel() }
      subscription.request(.max(1))
    }

    func receive(_ input: Other.Output) -> Subscribers.Demand {
      guard inner.other.subscription != nil else { return .none }
      inner.other = .ended
      inner.upstream.end()?.cancel()
      if !inner.isCancelled { inner.downstream.receive(completion: .finished) }
      return .none
    }

    func receive(completion: Subscribers.Completion<Other.Failure>) {
      inner.other = .ended
    }
  }

  /// A subscriber without a description: row `until-output.reflection`.
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
      guard upstream.accept(subscription) else { return subscription.cancel() }
      downstream.receive(subscription: self)
    }

    func receive(_ input: Input) -> Subscribers.Demand {
      upstream.subscription == nil ? .none : downstream.receive(input)
    }

    func receive(completion: Subscribers.Completion<Failure>) {
      let wasSubscribed = upstream.end() != nil
      other.end()?.cancel()
      if wasSubscribed, !isCancelled { downstream.receive(completion: completion) }
    }

    func request(_ demand: Subscribers.Demand) {
      upstream.subscription?.request(demand)
    }

    func cancel() {
      isCancelled = true
      let subscriptions = [upstream.end(), other.end()]
      for subscription in subscriptions { subscription?.cancel() }
    }
  }
}
