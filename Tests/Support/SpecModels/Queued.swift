import CombineCore

extension SpecModels {

  /// An operator with a queue in front of its downstream. Rows `queued.values`, `queued.waiting`, `queued.overtaking`
  /// and `queued.end`.
  ///
  /// A subclass says what it does with each event. What is here is what all have in common.
  class Queued<Input, InputFailure: Error, Output, Failure: Error>: Subscriber, Subscription, CustomStringConvertible {

    var description: String { name }
    let name: String

    /// Whether a completion overtakes the values for which there is no demand, or waits for them.
    let overtakes: Bool

    private(set) var downstream: (any Subscriber<Output, Failure>)?
    private(set) var demand = Subscribers.Demand.none
    private var values: [Output] = []
    private var completion: Subscribers.Completion<Failure>?
    private var hasRequested = false
    private var isDraining = false
    private var isStarted = false

    private(set) var upstream: (any Subscription)?
    private(set) var hasUpstream = false
    private(set) var isUpstreamOver = false

    /// What the upstream is asked for when its subscription comes.
    var early = Subscribers.Demand.none

    init(name: String, overtakes: Bool = false, downstream: any Subscriber<Output, Failure>) {
      self.name = name
      self.overtakes = overtakes
      self.downstream = downstream
    }

    /// Whether a completion has come, or the downstream has cancelled.
    var isClosed: Bool { completion != nil || downstream == nil }

    // MARK: Downstream

    func start() {
      downstream?.receive(subscription: self)
      isStarted = true
      passOn(drain())
    }

    func request(_ demand: Subscribers.Demand) {
      guard downstream != nil else { return }
      hasRequested = true
      // A downstream that requests has its subscription.
      isStarted = true
      let new = add(demand)
      let returned = drain()
      passOn(new + returned)
    }

    /// - Returns: The new demand. There is none after unlimited demand, and none after the end.
    private func add(_ demand: Subscribers.Demand) -> Subscribers.Demand {
      if downstream == nil || self.demand == .unlimited { return .none }
      self.demand += demand
      return completion == nil ? demand : .none
    }

    func cancel() {
      guard downstream != nil else { return }
      downstream = nil
      values = []
      completion = nil
      didEnd()
    }

    func passOn(_ demand: Subscribers.Demand) {
      if demand > .none, !isClosed { ask(demand) }
    }

    /// What happens at the end: after a cancel, or after the completion.
    func didEnd() { cancelUpstream() }

    @discardableResult
    func send(_ value: Output) -> Subscribers.Demand {
      keep(value)
      return drain()
    }

    /// Puts a value into the queue only.
    func keep(_ value: Output) {
      if !isClosed { values.append(value) }
    }

    func complete(_ completion: Subscribers.Completion<Failure>) {
      if isClosed { return }
      self.completion = completion
      _ = drain()
    }

    func completeAtOnce(_ completion: Subscribers.Completion<Failure>) {
      if isClosed { return }
      values = []
      complete(completion)
    }

    /// Delivers what waits, within the demand.
    ///
    /// - Returns: The demand that the downstream has returned. There is none after the end.
    func drain() -> Subscribers.Demand {
      guard isStarted, !isDraining else { return .none }
      isDraining = true
      defer { isDraining = false }
      var returned = Subscribers.Demand.none
      while let downstream {
        if !values.isEmpty, demand > .none {
          demand -= 1
          let more = downstream.receive(values.removeFirst())
          returned += add(more)
        } else if let completion, values.isEmpty || overtakes && hasRequested {
          self.downstream = nil
          values = []
          downstream.receive(completion: completion)
          didEnd()
        } else {
          break
        }
      }
      return downstream == nil ? .none : returned
    }

    /// The demand for which no value has come.
    var unserved: Subscribers.Demand { demand.max.map { .max(Swift.max($0 - values.count, 0)) } ?? .unlimited }

    // MARK: Upstream

    func receive(subscription: any Subscription) {
      guard accept(subscription) else { return }
      if !isStarted, !hasRequested { start() }
      askEarly()
    }

    func accept(_ subscription: any Subscription) -> Bool {
      guard !hasUpstream, !isUpstreamOver, !isClosed else {
        subscription.cancel()
        return false
      }
      hasUpstream = true
      upstream = subscription
      return true
    }

    func askEarly() {
      let demand = early
      early = .none
      if demand > .none { upstream?.request(demand) }
    }

    func ask(_ demand: Subscribers.Demand) {
      if let upstream { upstream.request(demand) } else if !hasUpstream { early += demand }
    }

    func receive(_ input: Input) -> Subscribers.Demand { fatalError("\(name) takes no value") }

    func receive(completion: Subscribers.Completion<InputFailure>) {
      guard !isUpstreamOver else { return }
      isUpstreamOver = true
      upstream = nil
      upstreamCompleted(completion)
    }

    func upstreamCompleted(_ completion: Subscribers.Completion<InputFailure>) {
      fatalError("\(name) takes no completion")
    }

    /// What a cancelled upstream sends is ignored.
    func cancelUpstream() {
      isUpstreamOver = true
      let upstream = upstream
      self.upstream = nil
      hasUpstream = true
      upstream?.cancel()
    }
  }

  /// A subscriber that calls closures, for an operator's second upstream.
  final class Constituent<Input, Failure: Error>: Subscriber {

    var onSubscription: (any Subscription) -> Void = { _ in }
    var onValue: (Input) -> Subscribers.Demand = { _ in .none }
    var onCompletion: (Subscribers.Completion<Failure>) -> Void = { _ in }

    func receive(subscription: any Subscription) { onSubscription(subscription) }
    func receive(_ input: Input) -> Subscribers.Demand { onValue(input) }
    func receive(completion: Subscribers.Completion<Failure>) { onCompletion(completion) }
  }
}
