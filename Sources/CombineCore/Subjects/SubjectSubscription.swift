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
/// The class is not generic. A request and a cancel come through an existential, and would look up types at run time. A
/// subclass, which knows the downstream's type, does its work in a closure that was made, and so specialized, where the type
/// was known. An overridden method would not be specialized: the method table of a generic class leads to code that looks up
/// every type at run time, which costs more than the rest of a send or of a cancel.
///
/// The closure receives this object's address, since a debug build retains an object for each cast of a reference.
@usableFromInline
class SubjectSubscription: SubscriberTableElement, Subscription {

  /// What the closure does. Values and the completion come by their addresses, as this class does not know their types.
  @usableFromInline
  enum Call {

    /// Delivers a value if there is demand for it. Otherwise the value is dropped, or missed. It is called only during a
    /// traversal, which keeps the downstream alive. The number is that of a current value, and zero elsewhere.
    case offer(UnsafeRawPointer, number: Int)

    /// Delivers a value, inside the gate and during a traversal.
    case deliver(UnsafeRawPointer)

    /// Delivers the current value for a request. It is called inside the gate, and only if there is a current value.
    ///
    /// The thread is the one that made the request, or zero if it is another one.
    case answerRequest(thread: UInt)

    /// Delivers a completion, unless the downstream was released.
    case complete(UnsafeRawPointer)

    /// See ``SubscriberTableElement/releaseContents(leavesGate:)``.
    case releaseContents(leavesGate: Bool)
  }

  /// Outstanding demand. Its end is the end of the subscription: nothing more is delivered.
  @usableFromInline
  final let demand = DemandCounter()

  /// The table. It lives as long as the subscription, unlike the subject, so it needs no lock.
  @usableFromInline
  final let table: SubjectTable

  @usableFromInline
  final let perform: (UnsafeRawPointer, Call) -> Void

  @usableFromInline
  final var _gate: UnsafeRawPointer? { gate.address }

  @inlinable
  init(table: SubjectTable, perform: @escaping (UnsafeRawPointer, Call) -> Void) {
    self.table = table
    self.perform = perform
  }

  @inlinable
  @inline(__always)
  final func call(_ call: Call) {
    perform(UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()), call)
  }

  @inlinable
  @inline(__always)
  final func offer(_ value: UnsafeRawPointer, number: Int = 0) {
    call(.offer(value, number: number))
  }

  /// Delivers the current value for a request.
  ///
  /// - Parameter thread: The thread that made the request, or zero if it is another one.
  final func answerRequest(on thread: UInt) {
    call(.answerRequest(thread: thread))
  }

  @usableFromInline
  final override func releaseContents(leavesGate: Bool) {
    call(.releaseContents(leavesGate: leavesGate))
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
