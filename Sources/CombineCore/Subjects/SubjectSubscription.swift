import Synchronization

/// The subscribers of one subject. They keep the subject alive.
@usableFromInline
class SubjectTable: SubscriberTable {

  /// The description of the subscriptions.
  @usableFromInline
  final let name: String

  /// Whether any request opens a subscription for all values, which come without demand, as those of `objectWillChange` do.
  @usableFromInline
  final let ignoresDemand: Bool

  @usableFromInline
  init(name: String, ignoresDemand: Bool = false) {
    self.name = name
    self.ignoresDemand = ignoresDemand
  }

  /// Adds to the demand of one subscriber.
  func request(_ demand: Subscribers.Demand, from subscription: SubjectSubscription) {
    subscription.demand.add(ignoresDemand ? .unlimited : demand)
  }

  /// Withholds a completion that waits for the delivery of the subscription, which was cancelled.
  func withholdCompletion(from subscription: SubjectSubscription) {}
}

/// One subscriber of a subject: the element of the subject's table, and the subscription that the subscriber received.
///
/// They are one object, as there may be very many. On completion and on cancellation the downstream is released, though
/// other code may still hold the subscription. That happens when the table has removed it and no send can be inside.
///
/// The class is not generic. A request and a cancel come through an existential, and would look up types at run time.
@usableFromInline
class SubjectSubscription: SubscriberTableElement, Subscription {

  /// A copy of ``SubjectTable/ignoresDemand``, which each value reads. It shares a word with the index.
  @usableFromInline
  final let ignoresDemand: Bool

  /// Whether it was cancelled after the subject had completed. The completion may still wait for another thread's delivery.
  private final let isCancelled = Atomic<Bool>(false)

  /// Outstanding demand. Its end is the end of the subscription: nothing more is delivered.
  @usableFromInline
  final let demand = DemandCounter()

  /// The table. It lives as long as the subscription, unlike the subject, so it needs no lock.
  @usableFromInline
  final let table: SubjectTable

  /// Written with the table's lock held, after the end, when no traversal can be inside the gate. Read inside the gate
  /// before the end, in a traversal, or else with that lock held.
  @exclusivity(unchecked)
  @usableFromInline
  final var downstream: HeldSubscriber

  @usableFromInline
  final var _gate: UnsafeRawPointer? { gate.address }

  @inlinable
  init(table: SubjectTable, downstream: consuming HeldSubscriber) {
    self.table = table
    self.downstream = downstream
    ignoresDemand = table.ignoresDemand
  }

  @inline(never)  // Otherwise the compiler (6.3) retains and releases the object that is being deinitialized.
  deinit {}

  /// Delivers a value if there is demand for it. Called in a traversal.
  @inlinable
  @inline(__always)
  final func offer(_ value: UnsafeRawPointer) {
    // Demand is decided when a value is sent, before another thread's delivery may change it.
    guard takeDemand() else { return }
    guard enterGateIfFree() else { return offerToOccupied(value) }
    let outer = beginDelivery()
    deliverUnlessEnded(value)
    CurrentDelivery.end(outer)
    leaveGate()
  }

  /// Delivers a value while a thread is inside the gate, maybe this one. Apart, so that the usual way is short.
  @inlinable
  @inline(never)
  final func offerToOccupied(_ value: UnsafeRawPointer) {
    if !gate.pass(unless: { demand.hasEnded }, { deliverUnlessEnded(value) }) { DeliveryReceipt.refuse() }
  }

  @inlinable
  @inline(__always)
  final func deliverUnlessEnded(_ value: UnsafeRawPointer) {
    if hasEnded() { return }
    guard ignoresDemand else { return deliver(value) }
    let outer = UnrequestedDelivery.announcement.begin()
    _ = downstream.deliver(value)
    UnrequestedDelivery.end(outer)
  }

  /// Delivers a value before the end, inside the gate, in a traversal, which keeps the downstream alive.
  @inlinable
  @inline(__always)
  final func deliver(_ value: UnsafeRawPointer) {
    addDemand(downstream.deliver(value))
  }

  /// Calls the downstream, unless it was released, where no traversal keeps it alive.
  final func call(_ call: HeldSubscriber.Call) -> Subscribers.Demand {
    function(call)
  }

  /// Delivers the completion, after the end, unless the downstream cancels while another thread is inside.
  final func deliver(completion: UnsafeRawPointer) {
    gate.pass(unless: { isCancelled.load(ordering: .acquiring) }) {
      if !isCancelled.load(ordering: .acquiring) { _ = call(.complete(completion)) }
    }
  }

  /// The function of the downstream, which stays alive with it.
  private final var function: HeldSubscriber.Function { table.lock.withLock { downstream.function } }

  @usableFromInline
  final override func releaseContents(leavesGate: Bool) {
    var taken: HeldSubscriber.Function?
    table.lock.withLock { taken = downstream.take() }
    if leavesGate { gate.leave() }
    _ = consume taken  // With the lock free.
  }

  @inlinable
  @inline(__always)
  final func takeDemand() -> Bool { demand.take() }

  @inlinable
  @inline(__always)
  final func addDemand(_ more: Subscribers.Demand) { demand.add(more) }

  @inlinable
  @inline(__always)
  final func hasUnlimitedDemand() -> Bool { demand.isUnlimited }

  @inlinable
  @inline(__always)
  final func hasEnded() -> Bool { demand.hasEnded }

  @usableFromInline
  final func request(_ demand: Subscribers.Demand) {
    // Not without the first condition: the closure retains this object.
    if demand.rawValue == 0, !ignoresDemand { demand.assertNonZero(table.name) }
    if !self.demand.hasEnded { table.request(demand, from: self) }
  }

  @usableFromInline
  final func cancel() {
    if demand.end() {
      gate.releaseWaiting()
      table.remove(self)
    } else {
      isCancelled.store(true, ordering: .releasing)
      gate.releaseWaiting()
      table.withholdCompletion(from: self)
    }
  }
}

extension SubjectSubscription: DescribedByName {

  @usableFromInline
  var description: String { table.name }

  @usableFromInline
  var reflectedChildren: KeyValuePairs<String, Any> {
    let isOpen = !demand.hasEnded
    let downstream = isOpen ? HeldSubscriber.reflection(of: function) : nil
    if ignoresDemand { return ["downstream": downstream as Any] }
    let subject = isOpen ? table.lock.withLock { table.sustainedObject } : nil
    return [
      "parent": subject as Any,
      "downstream": downstream as Any,
      "demand": demand.value,
      "subject": subject as Any,
    ]
  }
}
