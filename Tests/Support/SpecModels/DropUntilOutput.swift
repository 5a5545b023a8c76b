import CombineCore

extension SpecModels {

  /// `drop(untilOutputFrom:)`. Rows `drop-until-output.subscription`, `drop-until-output.events` and
  /// `drop-until-output.trap`.
  public struct DropUntilOutput<Upstream: Publisher, Other: Publisher>: Publisher
  where Upstream.Failure == Other.Failure {

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
      subscriber.receive(subscription: inner)
      let side = Constituent<Other.Output, Failure>()
      side.onSubscription = { inner.receive(other: $0) }
      side.onValue = { _ in
        inner.isTriggered = true
        inner.other = nil
        return .none
      }
      side.onCompletion = { inner.receive(other: $0) }
      other.subscribe(side)
      upstream.subscribe(inner)
    }
  }
}

extension SpecModels.DropUntilOutput {

  private final class Inner: Subscriber, Subscription, CustomStringConvertible {

    typealias Input = Output

    let description = "DropUntilOutput"
    let downstream: any Subscriber<Output, Failure>
    var upstream: (any Subscription)?
    var other: (any Subscription)?
    var isTriggered = false

    /// Set by a cancel, and by the completion of the upstream.
    var isCancelled = false

    /// Nothing is delivered after a cancel: row `drop-until-output.after-cancel`.
    var hasDownstreamCancelled = false
    var pending = Subscribers.Demand.none

    init(downstream: any Subscriber<Output, Failure>) { self.downstream = downstream }

    func receive(subscription: any Subscription) {
      if upstream != nil || isCancelled { return subscription.cancel() }
      upstream = subscription
      if pending > .none { subscription.request(pending) }
    }

    func receive(other subscription: any Subscription) {
      if other != nil { return subscription.cancel() }
      other = subscription
      subscription.request(.max(1))
    }

    func receive(_ input: Output) -> Subscribers.Demand {
      if isTriggered, !isCancelled { return downstream.receive(input) }
      // After the end nobody counts: where Combine traps, nothing happens.
      if !isCancelled { pending -= 1 }
      return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
      if isCancelled { return }
      isCancelled = true
      downstream.receive(completion: completion)
    }

    func receive(other completion: Subscribers.Completion<Failure>) {
      if isTriggered {
        other = nil
        return
      }
      let upstream = upstream
      self.upstream = nil
      upstream?.cancel()
      if !hasDownstreamCancelled { downstream.receive(completion: completion) }
    }

    func request(_ demand: Subscribers.Demand) {
      pending += demand
      upstream?.request(demand)
    }

    func cancel() {
      isCancelled = true
      hasDownstreamCancelled = true
      let held = (upstream, other)
      (upstream, other) = (nil, nil)
      held.0?.cancel()
      held.1?.cancel()
    }
  }
}
