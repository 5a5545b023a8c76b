import CombineCore

extension SpecModels {

  /// `retry(_:)`. Rows `retry.count`, `retry.failure`, `retry.demand` and `retry.end`.
  public struct Retry<Upstream: Publisher>: Publisher {

    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    private let upstream: Upstream
    private let retries: Int?

    public init(_ upstream: Upstream, _ retries: Int?) {
      self.upstream = upstream
      self.retries = retries
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      Inner(upstream, retries, downstream: subscriber).subscribe()
    }
  }
}

extension SpecModels.Retry {

  private final class Inner: Subscriber, Subscription, CustomStringConvertible {

    typealias Input = Output

    let description = "Retry"
    let publisher: Upstream
    let downstream: any Subscriber<Output, Failure>
    var remaining: Int?
    var upstream: (any Subscription)?
    var demand = Subscribers.Demand.none
    var hasSentSubscription = false
    var hasEnded = false

    var isSubscribing = false
    var mustSubscribe = false

    init(_ publisher: Upstream, _ retries: Int?, downstream: any Subscriber<Output, Failure>) {
      self.publisher = publisher
      self.downstream = downstream
      remaining = retries
    }

    /// Subscribes again, in a loop and not recursively.
    func subscribe() {
      mustSubscribe = true
      if isSubscribing { return }
      isSubscribing = true
      while mustSubscribe, !hasEnded {
        mustSubscribe = false
        publisher.subscribe(self)
      }
      isSubscribing = false
    }

    func receive(subscription: any Subscription) {
      if hasEnded || upstream != nil { return subscription.cancel() }
      upstream = subscription
      let outstanding = demand
      if !hasSentSubscription {
        hasSentSubscription = true
        downstream.receive(subscription: self)
      }
      if outstanding > .none { upstream?.request(outstanding) }
    }

    func receive(_ input: Output) -> Subscribers.Demand {
      if hasEnded { return .none }
      demand -= 1
      let returned = downstream.receive(input)
      if returned > .none { request(returned) }
      return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
      if hasEnded { return }
      upstream = nil
      if case .failure = completion, remaining != 0 {
        remaining = remaining.map { $0 - 1 }
        subscribe()
      } else {
        hasEnded = true
        downstream.receive(completion: completion)
      }
    }

    func request(_ demand: Subscribers.Demand) {
      if hasEnded { return }
      self.demand += demand
      upstream?.request(demand)
    }

    func cancel() {
      if hasEnded { return }
      hasEnded = true
      upstream?.cancel()
    }
  }
}
