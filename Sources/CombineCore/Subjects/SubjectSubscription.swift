import Synchronization

/// The subscribers of one subject. They keep the subject alive.
@usableFromInline
class SubjectTable: SubscriberTable {

  /// The description of the subscriptions.
  @usableFromInline
  final let name: String

  /// Whether any request opens a subscription for all values, which come without demand, as those of `objectWillChange` do.
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

  /// Outstanding demand. Its end is the end of the subscription: nothing more is delivered.
  @usableFromInline
  final let demand = DemandCounter()

  /// The table. It lives as long as the subscription, unlike the subject, so it needs no lock.
  @usableFromInline
  final let table: SubjectTable

  @usableFromInline
  final var _gate: UnsafeRawPointer? { gate.address }

  @inlinable
  init(table: SubjectTable) {
    self.table = table
  }

  @usableFromInline
  final func request(_ demand: Subscribers.Demand) {
    if !table.ignoresDemand { demand.assertNonZero(table.name) }
    if !self.demand.hasEnded { table.request(demand, from: self) }
  }

  @usableFromInline
  final func cancel() {
    if demand.end() {
      gate.releaseWaiting()
      table.remove(self)
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
    if table.ignoresDemand { return ["downstream": (isOpen ? reflectedDownstream : nil) as Any] }
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
