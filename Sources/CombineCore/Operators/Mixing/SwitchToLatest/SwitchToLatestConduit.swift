import CombineThreads
import Synchronization

/// The part of a switch-to-latest's conduit that is not generic.
@usableFromInline
class SwitchToLatestCore: GatedConduit<SwitchToLatestMachine> {

  /// The number of the latest inner publisher that sends without a subscription. Only on the thread that it sends on.
  @usableFromInline
  final let unsubscribed = Atomic<Int>(0)

  @usableFromInline
  final let end = EndThread()

  /// The number of the inner publisher whose value is being delivered; zero between deliveries. Only inside the gate.
  @exclusivity(unchecked)
  @usableFromInline
  final var delivering = 0

  @usableFromInline
  init() {
    super.init(SwitchToLatestMachine())
  }

  @usableFromInline
  final func accept(_ subscription: any Subscription) {
    if step({ $0.accept(subscription) }) {
      subscription.request(.unlimited)
    } else {
      subscription.cancel()
    }
  }

  /// Cancels the latest inner publisher.
  ///
  /// - Returns: The number of the next one; `nil` if it is not to be subscribed to.
  @usableFromInline
  final func nextInner() -> Int? {
    var replaced: (any Subscription)?
    let next = step { $0.nextInner(on: Platform.currentThread, replaced: &replaced) }
    // The values of the inner publisher before are dropped from now on.
    gate.releaseWaiting()
    replaced?.cancel()
    return next
  }

  @usableFromInline
  final func accept(_ subscription: any Subscription, of number: Int) {
    answer(subscription, with: keep(subscription, of: number))
  }

  /// Keeps an inner subscription.
  ///
  /// - Returns: The demand to request from it; `nil` if it is to be cancelled.
  @usableFromInline
  final func keep(_ subscription: any Subscription, of number: Int) -> Subscribers.Demand? {
    step { $0.accept(subscription, of: number) }
  }

  @usableFromInline
  final func takeDemand(of number: Int) -> SwitchToLatestMachine.Arrival {
    step { $0.receiveValue(of: number) }
  }

  /// Adds the demand that the delivery of a value has brought. It is called inside the gate if the delivery was nested.
  @usableFromInline
  final func didDeliver(_ more: Subscribers.Demand, of number: Int, isOutermost: Bool) {
    request(more, inside: isOutermost ? nil : number) { $0.didDeliver(more, of: number) }
  }

  /// Adds demand by a step of the machine, which says which inner publisher to request it from.
  ///
  /// Inside a delivery another thread may have sent the next inner publisher. That publisher may be a merge, or anything
  /// else with a gate, in which that thread waits for this one. So the demand is ``GatedConduit/pending`` until this
  /// thread has left the gate.
  private final func request(
    _ more: Subscribers.Demand,
    inside number: Int?,
    _ add: (inout SwitchToLatestMachine) -> (any Subscription)?
  ) {
    let (inner, isDeferred) = step { machine in
      if let number, number != 0, machine.isReplaced(number, elsewhereThanOn: Platform.currentThread) {
        return (nil as (any Subscription)?, true)
      }
      return (add(&machine), false)
    }
    if isDeferred { pending += more } else { inner?.request(more) }
  }

  // These two are methods of this class, as an object that uses an inherited property retains itself in a debug build.

  /// Notes that a value is being delivered. Called inside the gate.
  ///
  /// - Returns: What was noted before.
  @inlinable
  @inline(__always)
  final func beginDelivery(of number: Int) -> (number: Int, delivery: UnsafeRawPointer?) {
    let outer = delivering
    delivering = number
    return (outer, CurrentDelivery.begin(gate.address))
  }

  @inlinable
  @inline(__always)
  final func endDelivery(_ outer: (number: Int, delivery: UnsafeRawPointer?)) {
    CurrentDelivery.end(outer.delivery)
    delivering = outer.number
  }

  /// Leaves the gate, and requests pending demand.
  @inlinable
  final func leaveGate() {
    if !leaveGateUnlessPending() { leaveGateAndRequest() }
  }

  @inline(never)
  @usableFromInline
  final func leaveGateAndRequest() {
    let demand = takePending()
    let isDelegated = gate.leave()
    request(demand, inside: nil) { $0.request(demand) }
    if isDelegated { completeIfDue() }
  }

  /// - Returns: Whether the downstream is to complete.
  @usableFromInline
  final func finishUpstream() -> Bool {
    var dropped: (any Subscription)?
    return step { $0.finishUpstream(dropped: &dropped) }
  }

  /// - Returns: Whether the downstream is to complete.
  @usableFromInline
  final func failUpstream() -> Bool {
    var dropped: (any Subscription)?
    var cancelled: (any Subscription)?
    let isFirst = step { machine in
      let isFirst = machine.failUpstream(dropped: &dropped, cancelled: &cancelled)
      if isFirst { end.note() }
      return isFirst
    }
    return cancelBeforeCompletion(cancelled.map { [$0] } ?? []) && isFirst
  }

  /// - Returns: Whether the downstream is to complete.
  @usableFromInline
  final func finishInner(_ number: Int) -> Bool {
    var dropped: (any Subscription)?
    let mayBeAwaited = unsubscribed.load(ordering: .relaxed) == number
    return step { $0.finishInner(number, mayBeAwaited: mayBeAwaited, dropped: &dropped) }
  }

  /// - Returns: Whether the downstream is to complete.
  @usableFromInline
  final func failInner(_ number: Int) -> Bool {
    var dropped: (any Subscription)?
    var cancelled: (any Subscription)?
    let isFirst = step { $0.failInner(number, dropped: &dropped, cancelled: &cancelled) }
    return cancelBeforeCompletion(cancelled.map { [$0] } ?? []) && isFirst
  }

  @usableFromInline
  final override func request(_ demand: Subscribers.Demand) {
    demand.assertNonZero("SwitchToLatest")
    request(demand, inside: gate.isEntered ? delivering : nil) { $0.request(demand) }
  }

  @usableFromInline
  final override func cancel() {
    cancelUpstreams { $0.cancel() }
  }

  /// Whether the values of an inner publisher are dropped. Asked by threads that wait for the gate, and inside it.
  @inlinable
  @inline(__always)
  final func dropsValues(of number: Int) -> Bool {
    if mirror.current != number { return true }
    return end.isElsewhere
  }
}

extension Conduits {

  /// The downstream half of a switch-to-latest's conduit. The inner publishers send to it.
  @usableFromInline
  class SwitchToLatestMerge<Downstream: Subscriber>: SwitchToLatestCore, ConstituentParent {

    @usableFromInline
    typealias ConstituentInput = Downstream.Input

    @usableFromInline
    typealias ConstituentFailure = Downstream.Failure

    @usableFromInline
    typealias ConstituentKey = Int

    @usableFromInline
    final let downstream: Downstream

    /// Set with a value beyond the demand, for those that follow.
    @usableFromInline
    final let unrequested = UnrequestedDeliveryMark()

    @inlinable
    init(downstream: Downstream) {
      self.downstream = downstream
      super.init()
    }

    @inlinable
    final func receive(subscription: any Subscription, at number: Int) {
      accept(subscription, of: number)
    }

    @inlinable
    @inline(__always)
    final func receiveAll(
      at number: Int,
      until subscription: () -> SubscriptionObject?,
      _ send: () -> Void
    ) -> Bool {
      // Demand that is unlimited stays so.
      let mirror = mirror
      guard mirror.isUnlimited, mirror.current == number else { return false }
      if let subscription = subscription() {
        if keep(subscription, of: number) == nil {
          subscription.cancel()
          return true
        }
      } else {
        unsubscribed.store(number, ordering: .relaxed)
      }
      send()
      return true
    }

    // The number is checked inside the gate, so no value of an inner publisher follows one of the next.
    @inlinable
    final func receive(_ input: Downstream.Input, at number: Int) -> Subscribers.Demand {
      // Demand that is unlimited stays so.
      guard mirror.isUnlimited, enterGateIfFree() else { return receiveOtherwise(input, at: number) }
      let returned = dropsValues(of: number) ? .none : deliver(input, of: number)
      leaveGate()
      return returned
    }

    /// Receives a value if the demand is finite, or while a thread is inside the gate, maybe this one. Apart, so that the usual
    /// way is short.
    @inlinable
    @inline(never)
    final func receiveOtherwise(_ input: Downstream.Input, at number: Int) -> Subscribers.Demand {
      let entry = gate.enter(unless: { dropsValues(of: number) })
      if entry == .refused { return .none }
      let isOutermost = entry == .outermost
      if mirror.isUnlimited {
        let returned = dropsValues(of: number) ? .none : deliver(input, of: number)
        if isOutermost { leaveGate() }
        return returned
      }
      let arrival = end.isElsewhere ? .drop : takeDemand(of: number)
      guard arrival != .drop else {
        if isOutermost { leaveGate() }
        return .none
      }
      if arrival == .deliverUnrequested { unrequested.note() }
      let answer = unrequested.mark { deliver(input, of: number) }
      let returned = arrival == .deliverUnrequested ? answer.afterUnrequestedValue : answer
      if isOutermost { leaveGate() }
      if returned.rawValue != 0 { didDeliver(returned, of: number, isOutermost: isOutermost) }
      return returned
    }

    @inlinable
    @inline(__always)
    final func deliver(_ input: Downstream.Input, of number: Int) -> Subscribers.Demand {
      let outer = beginDelivery(of: number)
      let returned = downstream.receive(input)
      endDelivery(outer)
      return returned
    }

    @inlinable
    final func receive(completion: Subscribers.Completion<Downstream.Failure>, at number: Int) {
      let isFirst =
        switch completion {
        case .finished: finishInner(number)
        case .failure: failInner(number)
        }
      if isFirst { complete(downstream, with: completion) }
    }
  }

  /// The subscription of a switch-to-latest. It subscribes to each inner publisher that the upstream sends.
  @usableFromInline
  final class SwitchToLatest<Inner: Publisher, Downstream: Subscriber>: SwitchToLatestMerge<Downstream>, Subscriber
  where Inner.Output == Downstream.Input, Inner.Failure == Downstream.Failure {

    @usableFromInline
    typealias Failure = Downstream.Failure

    @inlinable
    override init(downstream: Downstream) {
      super.init(downstream: downstream)
    }

    @inlinable
    func receive(subscription: any Subscription) {
      accept(subscription)
    }

    @inlinable
    func receive(_ input: Inner) -> Subscribers.Demand {
      guard let number = nextInner() else { return .none }
      input.subscribeLater(Constituent(of: self as SwitchToLatestMerge<Downstream>, key: number))
      return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Downstream.Failure>) {
      let isFirst =
        switch completion {
        case .finished: finishUpstream()
        case .failure: failUpstream()
        }
      if isFirst { complete(downstream, with: completion) }
    }
  }
}

extension Conduits.SwitchToLatestMerge: DescribedByName {

  @usableFromInline
  var description: String { "SwitchToLatest" }
}
