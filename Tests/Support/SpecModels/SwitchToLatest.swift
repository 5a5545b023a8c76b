import CombineCore

extension SpecModels {

  /// `switchToLatest()`. Rows `switch-to-latest.upstream`, `switch-to-latest.demand`, `switch-to-latest.values`,
  /// `switch-to-latest.outer-completion`, `switch-to-latest.inner-completion` and `switch-to-latest.cancel`.
  public struct SwitchToLatest<Upstream: Publisher>: Publisher
  where Upstream.Output: Publisher, Upstream.Output.Failure == Upstream.Failure {

    public typealias Output = Upstream.Output.Output
    public typealias Failure = Upstream.Failure

    private let upstream: Upstream

    public init(_ upstream: Upstream) {
      self.upstream = upstream
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let inner = Inner(downstream: subscriber)
      subscriber.receive(subscription: inner)
      upstream.subscribe(inner)
    }
  }
}

extension SpecModels.SwitchToLatest {

  private final class Inner: Subscriber, Subscription, CustomStringConvertible {

    typealias Input = Upstream.Output

    let description = "SwitchToLatest"
    let downstream: any Subscriber<Output, Failure>

    var upstream: (any Subscription)?
    var child: (any Subscription)?
    var index = 0
    var demand = Subscribers.Demand.none
    var isCancelled = false

    /// No event follows a cancel, which may come from inside the cancel of an upstream.
    var hasDownstreamCancelled = false
    var isOuterFinished = false
    var isCompletionSent = false
    var isAwaiting = false

    init(downstream: any Subscriber<Output, Failure>) { self.downstream = downstream }

    // MARK: Upstream

    func receive(subscription: any Subscription) {
      if isCancelled || upstream != nil { return subscription.cancel() }
      upstream = subscription
      subscription.request(.unlimited)
    }

    func receive(_ input: Input) -> Subscribers.Demand {
      if isCancelled || isOuterFinished { return .none }
      index += 1
      isAwaiting = true
      let index = index
      takeChild()?.cancel()
      let side = SpecModels.Constituent<Output, Failure>()
      side.onSubscription = { [self] in receive(child: $0, index) }
      side.onValue = { [self] in receive($0, index) }
      side.onCompletion = { [self] in receive(child: $0, index) }
      input.subscribe(side)
      return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
      upstream = nil
      if isCancelled { return }
      isOuterFinished = true
      if case .finished = completion {
        if isAwaiting || child != nil { return }
      } else {
        isCompletionSent = true
        takeChild()?.cancel()
        if hasDownstreamCancelled { return }
      }
      complete(completion)
    }

    // MARK: Children

    func receive(child subscription: any Subscription, _ index: Int) {
      if index != self.index || isCancelled || child != nil { return subscription.cancel() }
      child = subscription
      isAwaiting = false
      if demand > .none { subscription.request(demand) }
    }

    func receive(_ value: Output, _ index: Int) -> Subscribers.Demand {
      if index != self.index || isCancelled { return .none }
      demand -= 1
      let returned = downstream.receive(value)
      demand += returned
      // If the inner publisher was replaced meanwhile, the new one is asked, too.
      if index != self.index, returned > .none, demand != .unlimited { child?.request(returned) }
      return returned
    }

    func receive(child completion: Subscribers.Completion<Failure>, _ index: Int) {
      if index != self.index || isCancelled { return }
      precondition(!isAwaiting)
      child = nil
      if isCompletionSent { return }
      switch completion {
      case .finished:
        if isOuterFinished { complete(.finished) }
      case .failure:
        isCancelled = true
        isCompletionSent = true
        takeUpstream()?.cancel()
        if !hasDownstreamCancelled { complete(completion) }
      }
    }

    // MARK: Downstream

    func request(_ demand: Subscribers.Demand) {
      self.demand += demand
      child?.request(demand)
    }

    func cancel() {
      isCancelled = true
      hasDownstreamCancelled = true
      let upstream = takeUpstream()
      takeChild()?.cancel()
      upstream?.cancel()
    }

    func complete(_ completion: Subscribers.Completion<Failure>) {
      isCompletionSent = true
      downstream.receive(completion: completion)
    }

    func takeChild() -> (any Subscription)? {
      defer { child = nil }
      return child
    }

    func takeUpstream() -> (any Subscription)? {
      defer { upstream = nil }
      return upstream
    }
  }
}
