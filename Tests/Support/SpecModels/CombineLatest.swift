import CombineCore

extension SpecModels {

  /// `combineLatest`, of any number of publishers of one type, with a transform of the latest values. Rows
  /// `combine-latest.request`, `combine-latest.values`, `combine-latest.finish`, `combine-latest.failure` and
  /// `combine-latest.early`.
  public struct CombineLatest<Input, Output, Failure: Error>: Publisher {

    private let upstreams: [any Publisher<Input, Failure>]
    private let row: ([Input]) -> Output

    public init(_ upstreams: [any Publisher<Input, Failure>], row: @escaping ([Input]) -> Output) {
      self.upstreams = upstreams
      self.row = row
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let inner = Inner(downstream: subscriber, row: row, slotCount: upstreams.count)
      for (index, upstream) in upstreams.enumerated() { attach(upstream, Constituent(index: index, inner: inner)) }
      inner.start()
    }

    private func attach<P: Publisher<Input, Failure>>(_ upstream: P, _ constituent: Constituent) {
      upstream.subscribe(constituent)
    }
  }
}

extension SpecModels.CombineLatest {

  /// The subscriber of one upstream.
  private struct Constituent: Subscriber {

    let combineIdentifier = CombineIdentifier()
    let index: Int
    let inner: Inner

    func receive(subscription: any Subscription) { inner.receive(subscription: subscription, index) }
    func receive(_ input: Input) -> Subscribers.Demand { inner.receive(input, index) }
    func receive(completion: Subscribers.Completion<Failure>) { inner.receive(completion, index) }
  }

  private final class Inner: Subscription, CustomStringConvertible {

    let description = "CombineLatest"
    let downstream: any Subscriber<Output, Failure>
    let row: ([Input]) -> Output

    var subscriptions: [(any Subscription)?]
    var latest: [Input?]
    var demand = Subscribers.Demand.none
    var finishedCount = 0
    var isDelivering = false
    var isCompleted = false
    var isCancelled = false

    /// Whether the downstream has its subscription, and the completion that is held back until then.
    var hasStarted = false
    var heldCompletion: Subscribers.Completion<Failure>?

    init(downstream: any Subscriber<Output, Failure>, row: @escaping ([Input]) -> Output, slotCount: Int) {
      self.downstream = downstream
      self.row = row
      subscriptions = Array(repeating: nil, count: slotCount)
      latest = Array(repeating: nil, count: slotCount)
    }

    func start() {
      downstream.receive(subscription: self)
      hasStarted = true
      if let heldCompletion, !isCancelled { downstream.receive(completion: heldCompletion) }
    }

    func receive(subscription: any Subscription, _ index: Int) {
      // A completed one wants no subscription either.
      if isCancelled || isCompleted || subscriptions[index] != nil { return subscription.cancel() }
      subscriptions[index] = subscription
      if demand > .none { subscription.request(demand) }
    }

    func request(_ demand: Subscribers.Demand) {
      precondition(demand > .none)
      if isCancelled || isCompleted { return }
      self.demand += demand
      let live = subscriptions
      for subscription in live { subscription?.request(demand) }
    }

    func receive(_ value: Input, _ index: Int) -> Subscribers.Demand {
      if isCancelled || isCompleted { return .none }
      latest[index] = value
      let values = latest.compactMap { $0 }
      if isDelivering || demand == .none || values.count < latest.count { return .none }
      demand -= 1
      isDelivering = true
      let returned = downstream.receive(row(values))
      isDelivering = false
      demand += returned
      return returned
    }

    func receive(_ completion: Subscribers.Completion<Failure>, _ index: Int) {
      if isCancelled || isCompleted { return }
      switch completion {
      case .finished:
        finishedCount += 1
        subscriptions[index] = nil
        guard finishedCount == subscriptions.count else { return }
        isCompleted = true
      case .failure:
        isCompleted = true
        subscriptions[index] = nil
        cancelUpstreams()
      }
      latest = Array(repeating: nil, count: latest.count)
      if isCancelled { return }
      if hasStarted { downstream.receive(completion: completion) } else { heldCompletion = completion }
    }

    func cancel() {
      isCancelled = true
      latest = Array(repeating: nil, count: latest.count)
      cancelUpstreams()
    }

    func cancelUpstreams() {
      let live = subscriptions
      subscriptions = Array(repeating: nil, count: live.count)
      for subscription in live { subscription?.cancel() }
    }
  }
}
