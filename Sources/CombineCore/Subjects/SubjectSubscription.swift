import Synchronization

/// The subscribers of one subject, which they keep alive.
@usableFromInline
class SubjectTable: SubscriberTable {

  /// What the subscriptions describe themselves as.
  @usableFromInline
  final let name: String

  @exclusivity(unchecked)  // Only with the lock held.
  private final var overtakenValues = OvertakenValues()

  /// Whether there are any, to be read without the lock.
  @usableFromInline
  final let hasOvertakenValues = Atomic<Bool>(false)

  /// Whether several sends of a current value are running, to be read without the lock of the value.
  @usableFromInline
  final let hasSendings = Atomic<Bool>(false)

  @usableFromInline
  init(name: String) {
    self.name = name
  }

  /// Adds demand to one subscriber's.
  func request(_ demand: Subscribers.Demand, from subscription: SubjectSubscription) {
    fatalError("SubjectTable is abstract")
  }

  /// Answers requests that were made while the calling thread was inside the gate.
  @usableFromInline
  func answerRequests(from subscription: SubjectSubscription) {}

  /// Changes what is owed to subscribers that have a newer value.
  final func changeOvertakenValues<Result>(_ body: (inout OvertakenValues) -> Result) -> Result {
    lock.withLock {
      let result = body(&overtakenValues)
      hasOvertakenValues.store(!overtakenValues.isEmpty, ordering: .relaxed)
      return result
    }
  }

  /// Forgets who is owed a value that was sent to all.
  @usableFromInline
  final func finishOvertakenValues(of number: Int) {
    guard hasOvertakenValues.load(ordering: .relaxed) else { return }
    // Once nobody sends, nobody is owed anything.
    changeOvertakenValues { if traversals.areRunning { $0.finish(number) } else { $0 = OvertakenValues() } }
  }

  /// Withholds a completion that came before the subscription was handed over: it was cancelled.
  func withholdCompletion(from subscription: SubjectSubscription) {}
}

/// One subscriber of a subject, as the subject's table holds it, and the subscription that it was handed.
///
/// Both are one object, as there may be very many. The downstream is let go on completion and on cancel though somebody
/// still holds the subscription: when the table has removed it, and no send can be inside.
///
/// What is here concerns no type of the subject's, so that a request and a cancel, which come through an existential,
/// need not look up any.
@usableFromInline
class SubjectSubscription: SubscriberTableElement, Subscription {

  /// Demand not used up yet. Its end is the subscription's: nothing more goes downstream.
  @usableFromInline
  final let demand = DemandCounter()

  /// It stays for as long as the subscription is held, and so needs no lock; the subject does not.
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
    } else {
      table.withholdCompletion(from: self)
    }
  }

  /// The downstream, for a mirror; nothing once it was let go.
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
