import CombineCore

extension SpecModels {

  /// `catch(_:)` and `tryCatch(_:)`. Rows `catch.states`, `catch.demand`, `catch.failure` and `catch.throws`.
  public struct Catch<Upstream: Publisher, Replacement: Publisher>: Publisher
  where Upstream.Output == Replacement.Output {

    public typealias Output = Upstream.Output
    public typealias Failure = Replacement.Failure

    private let name: String
    private let upstream: Upstream
    private let handler: (Upstream.Failure) -> Replacement

    public init(_ name: String, _ upstream: Upstream, handler: @escaping (Upstream.Failure) -> Replacement) {
      self.name = name
      self.upstream = upstream
      self.handler = handler
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(Inner(name, handler, downstream: subscriber).originalSide())
    }
  }
}

extension SpecModels.Catch {

  private final class Inner: Subscription, CustomStringConvertible {

    enum State {
      case waiting
      case original(any Subscription)
      case replacing
      case replacement(any Subscription)
      case ended
    }

    let description: String
    let handler: (Upstream.Failure) -> Replacement
    let downstream: any Subscriber<Output, Failure>
    var state = State.waiting
    var demand = Subscribers.Demand.none

    init(
      _ name: String,
      _ handler: @escaping (Upstream.Failure) -> Replacement,
      downstream: any Subscriber<Output, Failure>
    ) {
      description = name
      self.handler = handler
      self.downstream = downstream
    }

    func originalSide() -> SpecModels.Constituent<Output, Upstream.Failure> {
      let side = SpecModels.Constituent<Output, Upstream.Failure>()
      side.onSubscription = { [self] subscription in
        guard case .waiting = state else { return subscription.cancel() }
        state = .original(subscription)
        downstream.receive(subscription: self)
      }
      side.onValue = { [self] value in
        demand -= 1
        var wasOriginal = false
        if case .original = state { wasOriginal = true }
        let returned = downstream.receive(value)
        demand += returned
        // The original has failed inside the delivery: row `catch.demand`.
        if wasOriginal, returned > .none, case .replacement(let subscription) = state { subscription.request(returned) }
        return returned
      }
      side.onCompletion = { [self] completion in
        guard case .original = state else { return }
        switch completion {
        case .finished:
          state = .ended
          downstream.receive(completion: .finished)
        case .failure(let error):
          state = .replacing
          handler(error).subscribe(replacementSide())
        }
      }
      return side
    }

    func replacementSide() -> SpecModels.Constituent<Output, Failure> {
      let side = SpecModels.Constituent<Output, Failure>()
      side.onSubscription = { [self] subscription in
        guard case .replacing = state else { return subscription.cancel() }
        state = .replacement(subscription)
        if demand > .none { subscription.request(demand) }
      }
      side.onValue = { [self] in downstream.receive($0) }
      side.onCompletion = { [self] completion in
        guard case .replacement = state else { return }
        state = .ended
        downstream.receive(completion: completion)
      }
      return side
    }

    func request(_ demand: Subscribers.Demand) {
      switch state {
      case .original(let subscription):
        self.demand += demand
        subscription.request(demand)
      case .replacing: self.demand += demand
      case .replacement(let subscription): subscription.request(demand)
      case .waiting, .ended: break
      }
    }

    func cancel() {
      // Row `mixing.cancel-inside-closure`.
      let last = state
      if case .waiting = last { return }
      state = .ended
      switch last {
      case .original(let subscription), .replacement(let subscription): subscription.cancel()
      case .waiting, .replacing, .ended: break
      }
    }
  }
}
