import CombineCore

extension SpecModels {

  /// Merge, of any number of publishers: `mixing.md`, "Publishers.Merge, Merge3 … Merge8, MergeMany".
  public struct Merge<Output, Failure: Error>: Publisher {

    private let upstreams: [any Publisher<Output, Failure>]

    public init(_ upstreams: [any Publisher<Output, Failure>]) {
      self.upstreams = upstreams
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let inner = Inner(downstream: subscriber, slotCount: upstreams.count)
      // "1. downstream ← subscription `Merge` (it may request right there). 2. Each upstream is subscribed in index
      // order."
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

  /// "All arities share one implementation with N slots; each slot has: subscription?, one buffered value?."
  private struct Slot {
    var subscription: (any Subscription)?
    var value: Output?
  }

  private final class Inner: Subscription, CustomStringConvertible {

    let description = "Merge"
    let downstream: any Subscriber<Output, Failure>

    var slots: [Slot]
    var demand = Subscribers.Demand.none

    /// The slot that a finite request serves first. Issue 15 overrides the specification here, which always starts with
    /// the first slot and so starves the later ones.
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
      // "if terminated, or the slot is occupied → cancel it."
      if isTerminated || slots[index].subscription != nil { return subscription.cancel() }
      // "Else store it and request from it `.unlimited` if the downstream demand is already unlimited, otherwise
      // `.max(1)` — at once, even when the downstream has requested nothing."
      slots[index].subscription = subscription
      subscription.request(demand == .unlimited ? .unlimited : .max(1))
    }

    // MARK: Request

    func request(_ demand: Subscribers.Demand) {
      // "terminated, finished, demand `.none`, or accumulated demand already unlimited: ignored"
      if isTerminated || demand == .none || self.demand == .unlimited { return }
      // "called while the downstream is inside a callback of this operator (value delivery): only accumulated as
      // *pending*"
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
        // "`.unlimited`: … all buffered values are delivered in index order (returned demand ignored) and the slots
        // emptied"; "finite: … in index order, while demand > 0, take each buffered value and decrement; deliver the taken
        // values in that order". But finite demand begins "from the slot after the one served last". With demand left
        // over, the upstream that receives the first request may use it up, so it begins after that slot.
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
        // "if all upstreams have finished and no buffered value is left → completion sequence with `.finished` right
        // after them". Requests made inside them have no effect then.
        if finishedCount >= slots.count, !hasBufferedValue {
          pending = .none
          return complete(.finished)
        }
        // "else demand += sum of the returned demands + pending, and `req(1)` to each upstream whose value was taken
        // (skipping finished ones)"
        addToDemand(returned)
        if isFinite { ask(indices.map { slots[$0].subscription }, for: .max(1)) }
        // "Returned demand does not flush further slots in the same call (u)". Here it does. Otherwise a value could
        // wait forever, because a downstream that has returned its demand may make no further request.
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

    /// "`.unlimited`: … `req(∞)` to each live upstream in index order"; "A downstream `req(∞)` made inside a value callback
    /// while demand is finite: … telling the live upstreams `req(∞)` then is allowed and advisable (u)". Once.
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
      // "u: upstream events after a cancel should not reach the downstream." They have no other effect either. But:
      // "There is NO check for 'terminated/completed' here".
      if isCancelled { return .none }
      // "unlimited: delivered; returns what the downstream returned"
      if demand == .unlimited { return deliver(value) }
      // "0: stored in slot i, replacing an older value there (latest wins); returns `.none`". After the end the
      // stored value is never delivered, and does not delay a completion.
      if demand == .none {
        if !isTerminated { slots[index].value = value }
        return .none
      }
      // "finite > 0: delivered; demand := demand − 1 + returned + pending; returns `.max(1)`"; "Decrement before
      // delivering".
      demand -= 1
      addToDemand(deliver(value))
      // Buffered values and pending requests (both as above) are handled after the outermost delivery.
      if deliveries == 0, !isTerminated { flush() }
      return .max(1)
    }

    // MARK: Completion

    func receive(_ completion: Subscribers.Completion<Failure>, _ index: Int) {
      // "After termination: failures ignored … Ignore late `.finished` too".
      if isTerminated { return }
      // ".failure: … Else at once: buffered values are discarded, completion sequence with that failure."
      guard case .finished = completion else { return complete(completion) }
      // ".finished: the finished COUNT is incremented for every such event … and slot i's subscription is dropped …
      // When count == N exactly and no slot holds a value → completion sequence".
      finishedCount += 1
      slots[index].subscription = nil
      if finishedCount == slots.count, !hasBufferedValue { complete(.finished) }
    }

    func complete(_ completion: Subscribers.Completion<Failure>) {
      if isTerminated { return }
      // "Completion sequence: mark terminated; empty all slots; `cancel()` every still stored subscription in index
      // order …; then downstream ← completion."
      cancelUpstreams()
      if !isCancelled { downstream.receive(completion: completion) }
    }

    // MARK: Cancel

    func cancel() {
      // "Terminates: slots emptied, every stored subscription cancelled in index order. Second cancel: nothing."
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
