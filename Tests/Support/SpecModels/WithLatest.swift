import CombineCore

extension SpecModels {

  /// `withLatestFrom` and `withLatest(from:)`, which differ in what is subscribed to first. Rows
  /// `with-latest-from.order`, `with-latest-from.end` and `with-latest.order`.
  public struct WithLatest<Upstream: Publisher, Other: Publisher, Output>: Publisher
  where Upstream.Failure == Other.Failure {

    public typealias Failure = Upstream.Failure

    private let upstream: Upstream
    private let other: Other
    private let isUpstreamFirst: Bool
    private let transform: (Upstream.Output, Other.Output) -> Output

    public init(
      _ upstream: Upstream,
      _ other: Other,
      isUpstreamFirst: Bool,
      _ transform: @escaping (Upstream.Output, Other.Output) -> Output
    ) {
      self.upstream = upstream
      self.other = other
      self.isUpstreamFirst = isUpstreamFirst
      self.transform = transform
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let inner = Inner(self, downstream: subscriber)
      if isUpstreamFirst {
        upstream.subscribe(inner)
      } else {
        inner.subscribeToOther()
      }
      inner.start()
    }

    private final class Inner: Queued<Upstream.Output, Failure, Output, Failure> {

      private let operation: WithLatest
      private var latest: Other.Output?
      private var otherSubscription: (any Subscription)?
      private var isOtherOver = false
      private var isUpstreamSubscribedTo = false

      init(_ operation: WithLatest, downstream: any Subscriber<Output, Failure>) {
        self.operation = operation
        super.init(name: "WithLatestFrom.Subscription<\(Output.self), \(Failure.self)>", downstream: downstream)
      }

      func subscribeToOther() {
        let side = Constituent<Other.Output, Failure>()
        side.onSubscription = { [self] subscription in
          guard !isClosed, !isOtherOver, otherSubscription == nil else { return subscription.cancel() }
          otherSubscription = subscription
          subscription.request(.unlimited)
        }
        side.onValue = { [self] value in
          if isClosed || otherSubscription == nil { return .none }
          latest = value
          subscribeToUpstream()
          return .none
        }
        side.onCompletion = { [self] _ in
          if isOtherOver { return }
          isOtherOver = true
          otherSubscription = nil
          if !isClosed { subscribeToUpstream() }
        }
        operation.other.subscribe(side)
      }

      func subscribeToUpstream() {
        guard !operation.isUpstreamFirst, !isUpstreamSubscribedTo else { return }
        isUpstreamSubscribedTo = true
        operation.upstream.subscribe(self)
      }

      override func receive(subscription: any Subscription) {
        guard accept(subscription) else { return }
        if operation.isUpstreamFirst { subscribeToOther() }
        askEarly()
      }

      override func receive(_ input: Upstream.Output) -> Subscribers.Demand {
        // A value before the subscription belongs to none.
        if isClosed || isUpstreamOver || upstream == nil { return .none }
        guard let latest else { return .max(1) }
        return send(operation.transform(input, latest))
      }

      override func upstreamCompleted(_ completion: Subscribers.Completion<Failure>) {
        // What the other sends inside its cancel is ignored.
        if isClosed { return }
        cancelOther()
        complete(completion)
      }

      override func didEnd() {
        cancelUpstream()
        cancelOther()
      }

      private func cancelOther() {
        isOtherOver = true
        let other = otherSubscription
        otherSubscription = nil
        other?.cancel()
      }
    }
  }
}
