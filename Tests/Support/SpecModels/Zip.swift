import CombineCore

extension SpecModels {

  /// `zip`, of any number of publishers of one type, with a transform of the values. Rows `zip.values`, `zip.request`,
  /// `zip.finish`, `zip.failure`, `zip.early-completion` and `zip.cancel`.
  public struct Zip<Input, Output, Failure: Error>: Publisher {

    private let upstreams: [any Publisher<Input, Failure>]
    private let row: ([Input]) -> Output

    public init(_ upstreams: [any Publisher<Input, Failure>], row: @escaping ([Input]) -> Output) {
      self.upstreams = upstreams
      self.row = row
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let inner = Inner(downstream: subscriber, row: row, slotCount: upstreams.count)
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
      // A subscription after the end is cancelled, too.
      if isCancelled || isEnded && hasStarted || slots[index].subscription != nil { return subscription.cancel() }
      slots[index].subscription = subscription
      if hasStarted || slots.contains(where: { $0.subscription == nil }) { return }
      callback { downstream.receive(subscription: self) }
      hasStarted = true
      let requested = takePending()
      if let heldCompletion {
        complete(heldCompletion)
      } else if requested > .none {
        forward(requested, to: slots.indices)
      }
    }

    func forward(_ demand: Subscribers.Demand, to indices: some Sequence<Int>) {
      for subscription in indices.map({ slots[$0].subscription }) { subscription?.request(demand) }
    }

    func request(_ demand: Subscribers.Demand) {
      precondition(demand > .none)
      if callbacks > 0 {
        pending += demand
      } else if !isCancelled, !isEnded {
        forward(demand, to: slots.indices)
      }
    }

    func receive(_ value: Input, _ index: Int) -> Subscribers.Demand {
      if isCancelled || isEnded { return .none }
      slots[index].values.append(value)
      if slots.contains(where: \.values.isEmpty) { return .none }
      let heads = slots.indices.map { slots[$0].values.removeFirst() }
      let isLast = slots.contains { $0.isFinished && $0.values.isEmpty }
      let returned = callback { downstream.receive(row(heads)) }
      let demand = returned + takePending()
      if isLast {
        end(.finished)
        return .none
      }
      // After an end meanwhile nothing is requested.
      if demand > .none, !isEnded { forward(demand, to: slots.indices.filter { $0 != index }) }
      return demand
    }

    func receive(_ completion: Subscribers.Completion<Failure>, _ index: Int) {
      if isCancelled || isEnded { return }
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
      if hasStarted { complete(completion) } else { heldCompletion = completion }
    }

    func complete(_ completion: Subscribers.Completion<Failure>) {
      let live = slots.filter { !$0.isFinished }.map(\.subscription)
      let all = slots
      for index in slots.indices { slots[index].subscription = nil }
      for subscription in live { subscription?.cancel() }
      if !isCancelled { callback { downstream.receive(completion: completion) } }
      withExtendedLifetime(all) {}
    }

    func cancel() {
      isCancelled = true
      heldCompletion = nil
      let stored = slots.map(\.subscription)
      slots = Array(repeating: Slot(), count: slots.count)
      for subscription in stored { subscription?.cancel() }
    }
  }
}
