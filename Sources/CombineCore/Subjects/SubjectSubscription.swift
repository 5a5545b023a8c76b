import Synchronization

/// The subscribers of one subject. They keep the subject alive.
@usableFromInline
class SubjectTable: SubscriberTable {

  /// The description of the subscriptions.
  @usableFromInline
  final let name: String

  @exclusivity(unchecked)  // Only with the lock held.
  private final var overtakenValues = OvertakenValues()

  @exclusivity(unchecked)  // Only with the lock held.
  private final var decisions = SendDecisions()

  /// Whether there are decisions, to be read without the lock.
  @usableFromInline
  final let hasDecisions = Atomic<Bool>(false)

  /// Whether there are overtaken values, to be read without the lock.
  @usableFromInline
  final let hasOvertakenValues = Atomic<Bool>(false)

  /// Whether several sends of a current value are running, to be read without the lock of the value.
  @usableFromInline
  final let hasSendings = Atomic<Bool>(false)

  @usableFromInline
  init(name: String) {
    self.name = name
  }

  /// Adds to the demand of one subscriber.
  func request(_ demand: Subscribers.Demand, from subscription: SubjectSubscription) {
    fatalError("SubjectTable is abstract")
  }

  /// Answers requests that were made while the calling thread was inside the gate.
  @usableFromInline
  func answerRequests(from subscription: SubjectSubscription) {}

  /// Changes the overtaken values.
  final func changeOvertakenValues<Result>(_ body: (inout OvertakenValues) -> Result) -> Result {
    lock.withLock {
      let result = body(&overtakenValues)
      hasOvertakenValues.store(!overtakenValues.isEmpty, ordering: .relaxed)
      return result
    }
  }

  /// Changes the decisions. The lock is held.
  final func changeDecisionsLocked<Result>(_ body: (inout SendDecisions) -> Result) -> Result {
    let result = body(&decisions)
    hasDecisions.store(!decisions.isEmpty, ordering: .relaxed)
    return result
  }

  /// Changes the decisions, if there are any.
  final func changeDecisions<Result>(_ body: (inout SendDecisions) -> Result?) -> Result? {
    guard hasDecisions.load(ordering: .relaxed) else { return nil }
    return lock.withLock { changeDecisionsLocked(body) }
  }

  /// Removes the notes of a value that was sent to all.
  @usableFromInline
  final func finishOvertakenValues(of number: Int) {
    if !traversals.areRunning { _ = changeDecisions { $0.forgetRejected() } }
    guard hasOvertakenValues.load(ordering: .relaxed) else { return }
    // When no send is running, no value is overtaken.
    changeOvertakenValues { if traversals.areRunning { $0.finish(number) } else { $0 = OvertakenValues() } }
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

  /// Outstanding demand. Its end is the end of the subscription: nothing more is delivered.
  @usableFromInline
  final let demand = DemandCounter()

  /// The table. It lives as long as the subscription, unlike the subject, so it needs no lock.
  @usableFromInline
  final let table: SubjectTable

  @inlinable
  init(table: SubjectTable) {
    self.table = table
  }

  @usableFromInline
  final func request(_ demand: Subscribers.Demand) {
    demand.assertNonZero(table.name)
    if !self.demand.hasEnded { table.request(demand, from: self) }
  }

  @usableFromInline
  final func cancel() {
    if demand.end() {
      gate.releaseWaiting()
      table.remove(self)
      if table.hasOvertakenValues.load(ordering: .relaxed) {
        table.changeOvertakenValues { $0.remove(ObjectIdentifier(self)) }
      }
      _ = table.changeDecisions { $0.remove(ObjectIdentifier(self)) }
    } else {
      table.withholdCompletion(from: self)
    }
  }

  /// The downstream, for a mirror; `nil` after its release.
  var reflectedDownstream: Any? {
    fatalError("SubjectSubscription is abstract")
  }
}

extension SubjectSubscription: DescribedByName {

  @usableFromInline
  var description: String { table.name }

  @usableFromInline
  var reflectedChildren: KeyValuePairs<String, Any> {
    let isOpen = !demand.hasEnded
    let subject = isOpen ? table.lock.withLock { table.sustainedObject } : nil
    let downstream = isOpen ? reflectedDownstream : nil
    return [
      "parent": subject as Any,
      "downstream": downstream as Any,
      "demand": demand.value,
      "subject": subject as Any,
    ]
  }
}
