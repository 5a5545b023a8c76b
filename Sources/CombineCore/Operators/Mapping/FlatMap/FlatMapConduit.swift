import CombineThreads
import Synchronization

/// The part of a flat-map's conduit that is not generic.
@usableFromInline
class FlatMapCore: GatedConduit<FlatMapMachine> {

  @usableFromInline
  final let end = EndThread()

  private final let maxPublishers: Subscribers.Demand

  /// Whether the completion is being delivered. Only inside the gate.
  @exclusivity(unchecked)
  @usableFromInline
  final var isCompleting = false

  /// Delivers the values that wait. It is made where the types are known. A method, called through the existential that
  /// the downstream holds, would look up every type at run time.
  private final let drain: (FlatMapCore) -> Void

  @usableFromInline
  init(maxPublishers: Subscribers.Demand, drain: @escaping (FlatMapCore) -> Void) {
    self.maxPublishers = maxPublishers
    self.drain = drain
    super.init(FlatMapMachine())
  }

  @usableFromInline
  final func accept(_ subscription: any Subscription) {
    if step({ $0.accept(subscription) }) {
      subscription.request(maxPublishers)
    } else {
      subscription.cancel()
    }
  }

  @usableFromInline
  final func addInner() -> InnerSubscriptions.Key? {
    step { $0.addInner() }
  }

  @usableFromInline
  final func accept(_ subscription: any Subscription, for key: InnerSubscriptions.Key) {
    answer(subscription, with: keep(subscription, for: key))
  }

  /// Keeps an inner subscription.
  ///
  /// - Returns: The demand to request from it; `nil` if it is to be cancelled.
  @usableFromInline
  final func keep(_ subscription: any Subscription, for key: InnerSubscriptions.Key) -> Subscribers.Demand? {
    step { $0.accept(subscription, for: key) }
  }

  /// - Returns: Whether the downstream is to receive `.finished`.
  @usableFromInline
  final func finishUpstream() -> Bool {
    var dropped: (any Subscription)?
    let isFinished = step { machine in
      dropped = machine.finishUpstream()
      return machine.endIfFinished(on: Platform.currentThread)
    }
    _ = dropped  // Released with the lock free.
    return isFinished
  }

  /// - Returns: Whether the downstream is to receive the failure of the upstream.
  @usableFromInline
  final func failUpstream() -> Bool {
    var dropped: (any Subscription)?
    let cancelled = step { machine in
      let cancelled = machine.failUpstream(thread: Platform.currentThread, dropped: &dropped)
      if cancelled != nil { end.note() }
      return cancelled
    }
    _ = dropped  // Released with the lock free.
    guard let cancelled else { return false }
    defer { step { $0.didCancelInners() } }
    return cancelBeforeCompletion(cancelled)
  }

  /// - Returns: Whether the downstream is to receive `.finished`.
  @usableFromInline
  final func finishInner(_ key: InnerSubscriptions.Key) -> Bool {
    var isFinished = false
    let dropped = step { machine in
      let dropped = machine.finishInner(key)
      isFinished = machine.endIfFinished(on: Platform.currentThread)
      return dropped
    }
    _ = consume dropped  // With the lock free.
    if !isFinished && !maxPublishers.isUnlimited { step { $0.upstream }?.request(.max(1)) }
    return isFinished
  }

  /// - Returns: Whether the downstream is to receive the failure of an inner publisher.
  @usableFromInline
  final func failInner(_ key: InnerSubscriptions.Key) -> Bool {
    var dropped: (inner: (any Subscription)?, upstream: (any Subscription)?)
    let cancelled = step { machine in
      let cancelled = machine.failInner(key, dropped: &dropped)
      if cancelled != nil { end.note() }
      return cancelled
    }
    // What was dropped is released with the lock free.
    guard let cancelled else { return false }
    if cancelBeforeCompletion(cancelled) { return true }
    // The downstream has cancelled meanwhile. That concerns the upstream, too.
    dropped.upstream?.cancel()
    return false
  }

  @usableFromInline
  final override func request(_ demand: Subscribers.Demand) {
    demand.assertNonZero("FlatMap")
    let isInsideDelivery = gate.isEntered && !isCompleting
    if step({ $0.request(demand, isInsideDelivery: isInsideDelivery) }) { drain(self) }
  }

  @usableFromInline
  override func cancel() {
    cancelUpstreams { machine in
      if !machine.isEnded { end.note() }
      return machine.cancel()
    }
  }

  @usableFromInline
  final func didDeliver(_ more: Subscribers.Demand, isOutermost: Bool) -> Bool {
    step { $0.didDeliver(more, isOutermost: isOutermost) }
  }

  /// Enters the gate to deliver a value. It never waits: while another thread is inside the downstream, that thread
  /// delivers the rest.
  @usableFromInline
  final func enterToDrain() -> Bool {
    if gate.enterIfFree() { return true }
    step { $0.stopDraining(on: Platform.currentThread) }
    return gate.enterOrDelegate()
  }

  /// Asks an inner publisher for its next value, after one that waited was delivered.
  @usableFromInline
  final func didDrain(_ key: InnerSubscriptions.Key, _ more: Subscribers.Demand, isCounted: Bool) {
    step { $0.didDrain(key, more, isCounted: isCounted, on: Platform.currentThread) }?.request(.max(1))
  }

  /// Ends a drain: requests unlimited demand if the downstream has, and checks for the end.
  ///
  /// - Returns: Whether the downstream is to receive `.finished`.
  @usableFromInline
  final func endDrain() -> Bool {
    for inner in step({ $0.takeUnlimitedRequest() }) { inner.request(.unlimited) }
    return step { $0.endIfFinished(on: Platform.currentThread) }
  }
}

extension Conduits {

  /// The downstream half of a flat-map's conduit. The inner publishers send to it.
  @usableFromInline
  class FlatMapMerge<Downstream: Subscriber>: FlatMapCore, ConstituentParent {

    @usableFromInline
    typealias ConstituentInput = Downstream.Input

    @usableFromInline
    typealias ConstituentFailure = Downstream.Failure

    @usableFromInline
    typealias ConstituentKey = InnerSubscriptions.Key

    @usableFromInline
    final let downstream: Downstream

    /// The values that wait for demand, in the order of arrival, and the inner publisher of each.
    @exclusivity(unchecked)  // Only with the lock held.
    @usableFromInline
    final var waiting = Deque<(key: InnerSubscriptions.Key, value: Downstream.Input)>()

    @inlinable
    init(downstream: Downstream, maxPublishers: Subscribers.Demand) {
      self.downstream = downstream
      super.init(maxPublishers: maxPublishers) {
        _unsafeUncheckedDowncast($0, to: FlatMapMerge<Downstream>.self).drain()
      }
    }

    @inlinable
    final func receive(subscription: any Subscription, at key: InnerSubscriptions.Key) {
      accept(subscription, for: key)
    }

    @inlinable
    @inline(__always)
    final func receiveAll(
      at key: InnerSubscriptions.Key,
      until subscription: () -> SubscriptionObject?,
      _ send: () -> Void
    ) -> Bool {
      // Demand that is unlimited stays so.
      let mirror = mirror
      guard mirror.isUnlimited, !mirror.hasEnded else { return false }
      if let subscription = subscription(), keep(subscription, for: key) == nil {
        subscription.cancel()
      } else {
        send()
      }
      return true
    }

    @inlinable
    @inline(__always)  // Into the loop of an inner sequence: `flat-map-thousands`.
    final func receive(_ input: Downstream.Input, at key: InnerSubscriptions.Key) -> Subscribers.Demand {
      guard mirror.isUnlimited else { return receiveCounted(input, at: key) }
      _ = gate.pass(input, to: downstream, unless: end.isElsewhere) { drain() }
      return .none
    }

    @usableFromInline
    final func receiveCounted(_ input: Downstream.Input, at key: InnerSubscriptions.Key) -> Subscribers.Demand {
      let arrival = step { machine in
        let arrival = machine.receiveValue()
        if case .keep = arrival { waiting.append((key, input)) }
        return arrival
      }
      switch arrival {
      case .deliver:
        _ = gate.pass(input, to: downstream, unless: end.isElsewhere) { drain() }
        return .none
      case .deliverCounted:
        let entry = gate.enter(unless: { end.isElsewhere })
        if entry == .refused { return .max(1) }
        let demand = end.isElsewhere ? .none : gate.deliver(input, to: downstream)
        let isDelegated = entry == .outermost && gate.leave()
        if didDeliver(demand, isOutermost: entry == .outermost) || isDelegated { drain() }
        return .max(1)
      case .keep, .drop:
        return .none
      }
    }

    /// Delivers the values that wait, as far as there is demand, and then a completion that is due. One thread at a time does
    /// it.
    @usableFromInline
    final func drain() {
      drainValues()
      completeIfDue()
    }

    @usableFromInline
    final func drainValues() {
      while enterToDrain() {
        let (next, taken) = takeWaiting()
        var demand = Subscribers.Demand.none
        if let taken, !end.isElsewhere { demand = gate.deliver(taken.value, to: downstream) }
        let isDelegated = gate.leave()
        switch next {
        case .deliver(let isCounted):
          if let taken { didDrain(taken.key, demand, isCounted: isCounted) }
        case .leave: return
        case .end:
          if isDelegated { break }
          if endDrain() { complete(.finished) }
          return
        }
      }
    }

    /// Called inside the gate.
    @usableFromInline
    final func takeWaiting() -> (FlatMapMachine.DrainStep, (key: InnerSubscriptions.Key, value: Downstream.Input)?) {
      step { machine in
        let next = machine.takeWaiting(on: Platform.currentThread)
        if case .deliver = next { return (next, waiting.popFirst()) }
        return (next, nil)
      }
    }

    @usableFromInline
    final func receive(completion: Subscribers.Completion<Downstream.Failure>, at key: InnerSubscriptions.Key) {
      switch completion {
      case .finished:
        if finishInner(key) { complete(.finished) }
      case .failure:
        if failInner(key) { fail(completion) }
      }
    }

    @usableFromInline
    final func complete(_ completion: Subscribers.Completion<Downstream.Failure>) {
      complete { [unowned self] in
        isCompleting = true
        downstream.receive(completion: completion)
        isCompleting = false
      }
    }

    @usableFromInline
    final func fail(_ completion: Subscribers.Completion<Downstream.Failure>) {
      dropWaiting()
      complete(completion)
    }

    @usableFromInline
    final override func cancel() {
      super.cancel()
      dropWaiting()
    }

    private func dropWaiting() {
      var dropped = Deque<(key: InnerSubscriptions.Key, value: Downstream.Input)>()
      step { machine in
        if machine.isEnded { swap(&waiting, &dropped) }
      }
      _ = consume dropped  // With the lock free.
    }
  }

  /// The subscription of a flat-map. It subscribes to an inner publisher for each value of the upstream.
  @usableFromInline
  final class FlatMap<Input, Inner: Publisher, Downstream: Subscriber>: FlatMapMerge<Downstream>, Subscriber
  where Inner.Output == Downstream.Input, Inner.Failure == Downstream.Failure {

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let transform: (Input) -> Inner

    @inlinable
    init(downstream: Downstream, maxPublishers: Subscribers.Demand, transform: @escaping (Input) -> Inner) {
      self.transform = transform
      super.init(downstream: downstream, maxPublishers: maxPublishers)
    }

    @inlinable
    func receive(subscription: any Subscription) {
      accept(subscription)
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      guard !mirror.hasEnded else { return .none }
      let inner = transform(input)
      guard let key = addInner() else { return .none }
      inner.subscribeLater(Constituent(of: self as FlatMapMerge<Downstream>, key: key))
      return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Downstream.Failure>) {
      switch completion {
      case .finished:
        if finishUpstream() { complete(.finished) }
      case .failure:
        if failUpstream() { fail(completion) }
      }
    }
  }
}

extension Conduits.FlatMapMerge: DescribedByName {

  @usableFromInline
  var description: String { "FlatMap" }
}
