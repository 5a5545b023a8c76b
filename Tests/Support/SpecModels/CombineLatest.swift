import CombineCore

extension SpecModels {

  /// CombineLatest, of any number of publishers of one type, with a transform of the latest values: `mixing.md`,
  /// "Publishers.CombineLatest, CombineLatest3, CombineLatest4".
  public struct CombineLatest<Input, Output, Failure: Error>: Publisher {

    private let upstreams: [any Publisher<Input, Failure>]
    private let row: ([Input]) -> Output

    public init(_ upstreams: [any Publisher<Input, Failure>], row: @escaping ([Input]) -> Output) {
      self.upstreams = upstreams
      self.row = row
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let inner = Inner(downstream: subscriber, row: row, slotCount: upstreams.count)
      // "Subscribe: upstreams in index order, then downstream ← subscription `CombineLatest`."
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
      // "A completion that was decided before that moment is held and delivered right after `receive(subscription:)`
      // returns."
      if let heldCompletion, !isCancelled { downstream.receive(completion: heldCompletion) }
    }

    func receive(subscription: any Subscription, _ index: Int) {
      // "cancelled or slot occupied → cancel it; else stored." A completed one wants no subscription either.
      if isCancelled || isCompleted || subscriptions[index] != nil { return subscription.cancel() }
      subscriptions[index] = subscription
      // "u: if it arrives after the downstream already requested, requesting the outstanding demand from it is
      // advisable."
      if demand > .none { subscription.request(demand) }
    }

    func request(_ demand: Subscribers.Demand) {
      // "zero traps; ignored if cancelled or completed; demand += d; d is forwarded unchanged to every live upstream, in
      // index order, immediately — also from inside a value callback."
      precondition(demand > .none)
      if isCancelled || isCompleted { return }
      self.demand += demand
      let live = subscriptions
      for subscription in live { subscription?.request(demand) }
    }

    func receive(_ value: Input, _ index: Int) -> Subscribers.Demand {
      // "cancelled/completed → dropped, returns none. Otherwise replaces slot i's latest."
      if isCancelled || isCompleted { return .none }
      latest[index] = value
      // "If the downstream is currently inside a value delivery, or demand is 0, or some slot has no value yet → returns
      // none."
      let values = latest.compactMap { $0 }
      if isDelivering || demand == .none || values.count < latest.count { return .none }
      // "Else demand −= 1, deliver the tuple of latest values, demand += returned, and RETURN the downstream's returned
      // demand to the sender (the other upstreams are told nothing)".
      demand -= 1
      isDelivering = true
      let returned = downstream.receive(row(values))
      isDelivering = false
      demand += returned
      return returned
    }

    func receive(_ completion: Subscribers.Completion<Failure>, _ index: Int) {
      // "ignored if completed"; "u: completions after cancel should be dropped".
      if isCancelled || isCompleted { return }
      switch completion {
      case .finished:
        // "Counts finish events; drops slot i's subscription but keeps its latest value usable. When the count reaches
        // N: completed, stored values cleared, downstream ← `.finished` (no demand needed, no upstream is cancelled)".
        finishedCount += 1
        subscriptions[index] = nil
        guard finishedCount == subscriptions.count else { return }
        isCompleted = true
      case .failure:
        // "completed; values cleared; every OTHER live upstream is cancelled in index order (not the failing one); then
        // downstream ← failure".
        isCompleted = true
        subscriptions[index] = nil
        cancelUpstreams()
      }
      latest = Array(repeating: nil, count: latest.count)
      if isCancelled { return }
      if hasStarted { downstream.receive(completion: completion) } else { heldCompletion = completion }
    }

    func cancel() {
      // "all live upstreams cancelled in index order, values dropped; later subscriptions are cancelled; again: nothing."
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
