import CombineCore

extension SpecModels {

  /// `merge`, of any number of publishers. Rows `merge.upstream-request`, `merge.values`, `merge.request`,
  /// `merge.finish`, `merge.failure` and `merge.cancel`.
  public struct Merge<Output, Failure: Error>: Publisher {

    private let upstreams: [any Publisher<Output, Failure>]

    public init(_ upstreams: [any Publisher<Output, Failure>]) {
      self.upstreams = upstreams
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let inner = Inner(downstream: subscriber, slotCount: upstreams.count)
      subscriber.receive(subscription: inner)
      for (index, upstream) in upstreams.enumerated() { attach(upstream, Constituent(index: index, inner: inner)) }
    }

    private func attach<P: Publisher<Output, Failure>>(_ upstream: P, _ constituent: Constituent) {
      upstream.subscribe(constituent)
    }
  }
}

extension SpecModels.Merge {

  /// The subscriber of one upstream.
  private struct Constituent: Subscriber {

    typealias Input = Output

    let combineIdentifier = CombineIdentifier()
    let index: Int
    let inner: Inner

    func receive(subscription: any Subscription) { inner.receive(subscription: subscription, index) }
    func receive(_ input: Output) -> Subscribers.Demand { inner.receive(input, index) }
    func receive(completion: Subscribers.Completion<Failure>) { inner.receive(completion, index) }
  }

  private struct Slot {
    var subscription: (any Subscription)?
    var value: Output?
  }

  private final class Inner: Subscription, CustomStringConvertible {

    let description = "Merge"
    let downstream: any Subscriber<Output, Failure>

    var slots: [Slot]
    var demand = Subscribers.Demand.none

    /// The slot that a finite request serves first: row `merge.turns`.
    var turn = 0

    /// The demand requested inside the delivery of a value.
    var pending = Subscribers.Demand.none

    /// The number of nested value deliveries.
    var deliveries = 0

    /// The number of values that were removed from their slots but not delivered yet. They still count as buffered.
    var taken = 0

    var finishedCount = 0
    var hasAskedForUnlimited = false
    var isTerminated = false
    var isCancelled = false

    init(downstream: any Subscriber<Output, Failure>, slotCount: Int) {
      self.downstream = downstream
      slots = Array(repeating: Slot(), count: slotCount)
    }

    // MARK: Upstream subscription

    func receive(subscription: any Subscription, _ index: Int) {
      if isTerminated || slots[index].subscription != nil { return subscription.cancel() }
      slots[index].subscription = subscription
      subscription.request(demand == .unlimited ? .unlimited : .max(1))
    }

    // MARK: Request

    func request(_ demand: Subscribers.Demand) {
      if isTerminated || demand == .none || self.demand == .unlimited { return }
      if deliveries > 0 {
        pending += demand
        return
      }
      self.demand += demand
      flush()
    }

    /// Delivers buffered values while there is demand, and requests more.
    func flush() {
      while true {
        // Finite demand begins after the slot that was served last. With demand left over, the upstream that receives
        // the first request may use it up, so it begins after that slot.
        let isFinite = demand != .unlimited
        var indices: [Int] = []
        let start = isFinite ? turn : 0
        for index in Array(slots.indices[start...]) + Array(slots.indices[..<start])
        where demand > .none && slots[index].value != nil {
          if isFinite { demand -= 1 }
          indices.append(index)
        }
        if let first = indices.first, let last = indices.last {
          turn = ((demand > .none ? first : last) + 1) % slots.count
        }
        let returned = deliver(indices)
        // Requests made inside the last values have no effect.
        if finishedCount >= slots.count, !hasBufferedValue {
          pending = .none
          return complete(.finished)
        }
        addToDemand(returned)
        if isFinite { ask(indices.map { slots[$0].subscription }, for: .max(1)) }
        // A value must not wait forever, because a downstream that has returned its demand may make no further request:
        // row `merge.request-inside`.
        if indices.isEmpty || isTerminated { break }
      }
      askForUnlimited()
    }

    /// Delivers the values of these slots, and returns the sum of the returned demands.
    func deliver(_ indices: [Int]) -> Subscribers.Demand {
      let values = indices.map { slots[$0].value! }
      for index in indices { slots[index].value = nil }
      taken += values.count
      var returned = Subscribers.Demand.none
      for value in values {
        // A failure drops buffered values, and a cancel empties the slots.
        if !isTerminated { returned += deliver(value) }
        taken -= 1
      }
      return returned
    }

    func deliver(_ value: Output) -> Subscribers.Demand {
      deliveries += 1
      let returned = downstream.receive(value)
      deliveries -= 1
      return returned
    }

    func addToDemand(_ returned: Subscribers.Demand) {
      demand += returned
      demand += pending
      pending = .none
    }

    func askForUnlimited() {
      if demand != .unlimited || hasAskedForUnlimited { return }
      hasAskedForUnlimited = true
      ask(slots.map(\.subscription), for: .unlimited)
    }

    func ask(_ subscriptions: [(any Subscription)?], for demand: Subscribers.Demand) {
      for subscription in subscriptions { subscription?.request(demand) }
    }

    var hasBufferedValue: Bool { taken > 0 || slots.contains { $0.value != nil } }

    // MARK: Value

    func receive(_ value: Output, _ index: Int) -> Subscribers.Demand {
      // Values after the completion are delivered, too.
      if isCancelled { return .none }
      if demand == .unlimited { return deliver(value) }
      // After the end the stored value is never delivered, and does not delay a completion.
      if demand == .none {
        if !isTerminated { slots[index].value = value }
        return .none
      }
      demand -= 1
      addToDemand(deliver(value))
      // Buffered values and pending requests are handled after the outermost delivery.
      if deliveries == 0, !isTerminated { flush() }
      return .max(1)
    }

    // MARK: Completion

    func receive(_ completion: Subscribers.Completion<Failure>, _ index: Int) {
      if isTerminated { return }
      guard case .finished = completion else { return complete(completion) }
      finishedCount += 1
      slots[index].subscription = nil
      if finishedCount == slots.count, !hasBufferedValue { complete(.finished) }
    }

    func complete(_ completion: Subscribers.Completion<Failure>) {
      if isTerminated { return }
      cancelUpstreams()
      if !isCancelled { downstream.receive(completion: completion) }
    }

    // MARK: Cancel

    func cancel() {
      isCancelled = true
      cancelUpstreams()
    }

    func cancelUpstreams() {
      isTerminated = true
      let subscriptions = slots.map(\.subscription)
      slots = Array(repeating: Slot(), count: slots.count)
      for subscription in subscriptions { subscription?.cancel() }
    }
  }
}
