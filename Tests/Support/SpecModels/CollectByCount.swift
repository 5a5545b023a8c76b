import CombineCore

extension SpecModels {

  /// `collect(_:)`. Rows `collect-by-count.request`, `collect-by-count.values`, `collect-by-count.finish` and
  /// `collect-by-count.out-of-order`.
  public struct CollectByCount<Upstream: Publisher>: Publisher {

    public typealias Output = [Upstream.Output]
    public typealias Failure = Upstream.Failure

    private let upstream: Upstream
    private let count: Int

    public init(_ upstream: Upstream, _ count: Int) {
      self.upstream = upstream
      self.count = count
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(Inner(count, downstream: subscriber))
    }

    private final class Inner: Subscriber, Subscription, CustomStringConvertible {

      let description = "CollectByCount"
      let count: Int
      let downstream: any Subscriber<Output, Failure>
      var upstream: (any Subscription)?
      var isFinished = false
      var buffer: [Upstream.Output] = []

      /// A completion does not follow a cancel inside the delivery of the rest: row `slicing.cancel-inside`.
      var isRestWanted = false

      init(_ count: Int, downstream: any Subscriber<Output, Failure>) {
        self.count = count
        self.downstream = downstream
      }

      func receive(subscription: any Subscription) {
        if upstream != nil || isFinished { return subscription.cancel() }
        upstream = subscription
        downstream.receive(subscription: self)
      }

      func receive(_ input: Upstream.Output) -> Subscribers.Demand {
        if upstream == nil { return .none }
        buffer.append(input)
        if buffer.count != count { return .none }
        let full = buffer
        buffer = []
        return downstream.receive(full) * count
      }

      func receive(completion: Subscribers.Completion<Failure>) {
        upstream = nil
        isFinished = true
        let rest = buffer
        buffer = []
        isRestWanted = true
        if case .finished = completion, !rest.isEmpty { _ = downstream.receive(rest) }
        if isRestWanted { downstream.receive(completion: completion) }
      }

      func request(_ demand: Subscribers.Demand) { upstream?.request(demand * count) }

      func cancel() {
        isRestWanted = false
        guard let subscription = upstream else { return }
        upstream = nil
        isFinished = true
        buffer = []
        subscription.cancel()
      }
    }
  }
}
