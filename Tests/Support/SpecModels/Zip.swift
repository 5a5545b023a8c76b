import CombineCore

extension SpecModels {

  /// Zip, of any number of publishers of one type, with a transform of the values: `mixing.md`, "Publishers.Zip, Zip3,
  /// Zip4".
  public struct Zip<Input, Output, Failure: Error>: Publisher {

    private let upstreams: [any Publisher<Input, Failure>]
    private let row: ([Input]) -> Output

    public init(_ upstreams: [any Publisher<Input, Failure>], row: @escaping ([Input]) -> Output) {
      self.upstreams = upstreams
      self.row = row
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let inner = Inner(downstream: subscriber, row: row, slotCount: upstreams.count)
      // "Subscribe: upstreams in index order."
      for (index, upstream) in upstreams.enumerated() { attach(upstream, Constituent(index: index, inner: inner)) }
    }

    private func attach<P: Publisher<Input, Failure>>(_ upstream: P, _ constituent: Constituent) {
      upstream.subscribe(constituent)
    }
  }
}

extension SpecModels.Zip {

  /// The subscriber of one upstream.
  private struct Constituent: Subscriber {

    let combineIdentifier = CombineIdentifier()
    let index: Int
    let inner: Inner

    func receive(subscription: any Subscription) { inner.receive(subscription: subscription, index) }
    func receive(_ input: Input) -> Subscribers.Demand { inner.receive(input, index) }
    func receive(completion: Subscribers.Completion<Failure>) { inner.receive(completion, index) }
  }

  private struct Slot {
    var subscription: (any Subscription)?
    var values: [Input] = []
    var isFinished = false
  }

  private final class Inner: Subscription, CustomStringConvertible {

    let description = "Zip"
    let downstream: any Subscriber<Output, Failure>
    let row: ([Input]) -> Output
    var slots: [Slot]

    /// The demand requested inside a callback, and the number of nested callbacks.
    var pending = Subscribers.Demand.none
    var callbacks = 0

    /// Whether the downstream has its subscription, and the completion that is held back until then.
    var hasStarted = false
    var heldCompletion: Subscribers.Completion<Failure>?
    var isEnded = false
    var isCancelled = false

    init(downstream: any Subscriber<Output, Failure>, row: @escaping ([Input]) -> Output, slotCount: Int) {
      self.downstream = downstream
      self.row = row
      slots = Array(repeating: Slot(), count: slotCount)
    }

    func callback<R>(_ body: () -> R) -> R {
      callbacks += 1
      defer { callbacks -= 1 }
      return body()
    }

    func takePending() -> Subscribers.Demand {
      defer { pending = .none }
      return pending
    }

    func receive(subscription: any Subscription, _ index: Int) {
      // "Each subscription is stored (cancelled instead if the operator is cancelled or the slot is occupied)." A
      // subscription after the end is cancelled too.
      if isCancelled || isEnded && hasStarted || slots[index].subscription != nil { return subscription.cancel() }
      slots[index].subscription = subscription
      if hasStarted || slots.contains(where: { $0.subscription == nil }) { return }
      // "When the last slot fills: downstream ← subscription `Zip`; requests made inside that callback are summed and
      // then forwarded as ONE request to every upstream in index order."
      callback { downstream.receive(subscription: self) }
      hasStarted = true
      let requested = takePending()
      if let heldCompletion {
        // "remaining upstreams cancelled, downstream ← completion; nothing is ever requested."
        complete(heldCompletion)
      } else if requested > .none {
        forward(requested, to: slots.indices)
      }
    }

    func forward(_ demand: Subscribers.Demand, to indices: some Sequence<Int>) {
      for subscription in indices.map({ slots[$0].subscription }) { subscription?.request(demand) }
    }

    func request(_ demand: Subscribers.Demand) {
      // "zero traps. Inside a downstream callback (subscription, value, completion) → added to pending. Otherwise ignored
      // if cancelled/failed/finished; else forwarded unchanged to every stored upstream in index order".
      precondition(demand > .none)
      if callbacks > 0 {
        pending += demand
      } else if !isCancelled, !isEnded {
        forward(demand, to: slots.indices)
      }
    }

    func receive(_ value: Input, _ index: Int) -> Subscribers.Demand {
      // "cancelled/failed/finished → returns none. Append to FIFO i. If some FIFO is empty → returns none."
      if isCancelled || isEnded { return .none }
      slots[index].values.append(value)
      if slots.contains(where: \.values.isEmpty) { return .none }
      // "Else take one head from each FIFO; note now whether some *already finished* upstream has an empty FIFO; deliver
      // the tuple."
      let heads = slots.indices.map { slots[$0].values.removeFirst() }
      let isLast = slots.contains { $0.isFinished && $0.values.isEmpty }
      let returned = callback { downstream.receive(row(heads)) }
      let demand = returned + takePending()
      // "If noted: completion sequence with `.finished`, returns none (returned and pending demand discarded)."
      if isLast {
        end(.finished)
        return .none
      }
      // "Otherwise n = returned + pending; if n is zero → returns none; else `request(n)` to every upstream EXCEPT i, in
      // index order, and return n to i". After an end meanwhile "nothing is ever requested".
      if demand > .none, !isEnded { forward(demand, to: slots.indices.filter { $0 != index }) }
      return demand
    }

    func receive(_ completion: Subscribers.Completion<Failure>, _ index: Int) {
      // "ignored if already ended."
      if isCancelled || isEnded { return }
      // ".finished: … Slot i marked finished. If FIFO i is empty → completion sequence with `.finished` at once; else
      // wait". ".failure: … Completion sequence with the failure at once".
      if case .finished = completion {
        slots[index].isFinished = true
        if !slots[index].values.isEmpty { return }
      }
      end(completion)
    }

    func end(_ completion: Subscribers.Completion<Failure>) {
      if isCancelled || isEnded { return }
      isEnded = true
      for index in slots.indices { slots[index].values = [] }
      // "Completion before all subscriptions have arrived …: it is held".
      if hasStarted { complete(completion) } else { heldCompletion = completion }
    }

    func complete(_ completion: Subscribers.Completion<Failure>) {
      // "Completion sequence: FIFOs cleared; every upstream not marked finished is cancelled, in index order (on failure
      // this includes the failing upstream itself); then downstream ← completion; then all stored subscriptions are
      // dropped." ("an upstream may see `cancel()` twice here; once suffices.")
      let live = slots.filter { !$0.isFinished }.map(\.subscription)
      let all = slots
      for index in slots.indices { slots[index].subscription = nil }
      for subscription in live { subscription?.cancel() }
      if !isCancelled { callback { downstream.receive(completion: completion) } }
      withExtendedLifetime(all) {}
    }

    func cancel() {
      // "once only: FIFOs dropped, every stored subscription cancelled in index order; later subscriptions are
      // cancelled".
      isCancelled = true
      heldCompletion = nil
      let stored = slots.map(\.subscription)
      slots = Array(repeating: Slot(), count: slots.count)
      for subscription in stored { subscription?.cancel() }
    }
  }
}
