import CombineCore

extension SpecModels {

  /// `amb(_:)`. Rows `amb.decision` and `amb.demand`.
  public struct Amb<Output, Failure: Error>: Publisher {

    private let candidates: [any Publisher<Output, Failure>]

    public init(_ first: any Publisher<Output, Failure>, _ second: any Publisher<Output, Failure>) {
      candidates = [first, second]
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let inner = Inner(downstream: subscriber)
      for (index, candidate) in candidates.enumerated() where inner.winner == nil {
        attach(candidate, inner.side(index))
      }
      inner.start()
    }

    private func attach<P: Publisher<Output, Failure>>(_ publisher: P, _ side: Constituent<Output, Failure>) {
      publisher.subscribe(side)
    }

    private final class Inner: Queued<Output, Failure, Output, Failure> {

      private var subscriptions: [(any Subscription)?] = [nil, nil]
      private var isOver = [false, false]
      private(set) var winner: Int?

      /// What was requested before the decision.
      private var sum = Subscribers.Demand.none
      private var isOneAskedInAdvance = true

      init(downstream: any Subscriber<Output, Failure>) { super.init(name: "Amb", downstream: downstream) }

      func side(_ index: Int) -> Constituent<Output, Failure> {
        let side = Constituent<Output, Failure>()
        side.onSubscription = { [self] subscription in
          guard !isClosed, subscriptions[index] == nil, !isOver[index], winner == nil || winner == index else {
            return subscription.cancel()
          }
          subscriptions[index] = subscription
          subscription.request(.max(1))
        }
        side.onValue = { [self] value in
          if isClosed || isOver[index] { return .none }
          let more = decide(index)
          guard winner == index else { return .none }
          return more + mapped(send(value))
        }
        side.onCompletion = { [self] completion in
          if isClosed || isOver[index] { return }
          _ = decide(index)
          guard winner == index else { return }
          isOver[index] = true
          subscriptions[index] = nil
          complete(completion)
        }
        return side
      }

      /// - Returns: The demand for the winner.
      private func decide(_ index: Int) -> Subscribers.Demand {
        guard winner == nil else { return .none }
        winner = index
        let more = mapped(sum)
        sum = .none
        let loser = subscriptions[1 - index]
        subscriptions[1 - index] = nil
        isOver[1 - index] = true
        loser?.cancel()
        return more
      }

      private func mapped(_ demand: Subscribers.Demand) -> Subscribers.Demand {
        guard isOneAskedInAdvance, demand > .none else { return demand }
        isOneAskedInAdvance = false
        return demand - 1
      }

      override func ask(_ demand: Subscribers.Demand) {
        guard let winner else { return sum += demand }
        let demand = mapped(demand)
        if demand > .none { subscriptions[winner]?.request(demand) }
      }

      override func didEnd() {
        let live = subscriptions
        subscriptions = [nil, nil]
        for subscription in live { subscription?.cancel() }
      }
    }
  }
}
