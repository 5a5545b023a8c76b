import CombineThreads

/// One subscriber of a subject: the element of the subject's table, and the subscription that the subscriber received.
///
/// They are one object, as there may be very many. On completion and on cancellation the downstream is released, though
/// other code may still hold the subscription.
///
/// The class is not generic. A request and a cancel come through an existential, and would look up types at run time.
@usableFromInline
final class SubjectSubscription: SubscriberListElement, Subscription {

  /// What a subscriber has of the current value.
  enum Presence: UInt8 {
    case present

    /// It has missed the value. Its next request is answered with the current one.
    case lacking

    /// It has requested something since, and was not answered.
    case asking
  }

  // Small properties first: a program may have very many subscriptions.

  @exclusivity(unchecked)  // These three: only with the table's lock held.
  var presence = Presence.lacking

  /// Whether it has requested anything since a sender has waited.
  @exclusivity(unchecked)
  var hasRequested = false

  /// Whether the subscribing thread is delivering the subscription, or the first current value with it.
  @exclusivity(unchecked)
  var isAnnouncing = false

  /// The table. It lives as long as the subscription, unlike the subject, so it needs no lock.
  @usableFromInline
  let table: SubjectTable

  /// Written with the table's lock held, after the end, when no call is running.
  @exclusivity(unchecked)
  private var downstream: HeldSubscriber

  /// Outstanding demand, and after the end the last one.
  @exclusivity(unchecked)  // All that follow: only with the table's lock held.
  var demand = Subscribers.Demand.none

  /// The thread that subscribes.
  @exclusivity(unchecked)
  var thread: UInt = 0

  /// The address of the send whose value it has received as its first one, before that send has met it.
  @exclusivity(unchecked)
  var firstSending: UnsafeMutableRawPointer?

  @exclusivity(unchecked)
  var hasEnded = false

  /// Whether the completion waits for the delivery of the subscription. It counts as a call.
  @exclusivity(unchecked)
  var holdsCompletion = false

  /// Whether a send whose value is stored later has passed it by, because its subscription was being delivered.
  @exclusivity(unchecked)
  var isLate = false

  @usableFromInline
  var _gate: UnsafeRawPointer? { address }

  /// Identifies the deliveries of this subscription.
  private var address: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

  @usableFromInline
  init(table: SubjectTable, downstream: consuming HeldSubscriber) {
    self.table = table
    self.downstream = downstream
    super.init()
  }

  @inline(never)  // Otherwise the compiler (6.3) retains and releases the object that is being deinitialized.
  deinit {}

  // MARK: With the table's lock held

  /// Whether a send needs to look at more than the demand.
  @inline(__always)
  var isNew: Bool { isAnnouncing ? true : firstSending != nil }  // `||` makes a closure in a debug build.

  /// Whether another thread is delivering the subscription.
  func isAnnouncing(besides thread: UInt) -> Bool { isAnnouncing && self.thread != thread }

  /// Takes an element of demand, if there is any, and notes whether the current value is received.
  @inline(__always)
  func takesValue() -> Bool {
    if demand == .unlimited {
      presence = .present
      return true
    }
    return receives(takeDemand())
  }

  @inline(__always)
  func takeDemand() -> Bool {
    if demand == .unlimited { return true }
    if demand == .none { return false }
    demand -= .max(1)
    return true
  }

  /// Notes whether it receives the current value.
  @inline(__always)
  func receives(_ isReceived: Bool) -> Bool {
    if isReceived { presence = .present } else if presence == .present { presence = .lacking }
    return isReceived
  }

  /// Notes that it has missed the current value. If it has demand, it asks for the value.
  func missesValue() { presence = demand == .none ? .lacking : .asking }

  // MARK: In a call, with the lock free

  @inline(__always)
  func deliver(_ value: UnsafeRawPointer, withoutDemand isWithoutDemand: Bool) -> Subscribers.Demand {
    let outer = CurrentDelivery.begin(address)
    let more: Subscribers.Demand
    if isWithoutDemand {
      let mark = UnrequestedDelivery.announcement.begin()
      more = downstream.deliver(value)
      UnrequestedDelivery.end(mark)
    } else {
      more = downstream.deliver(value)
    }
    CurrentDelivery.end(outer)
    return more
  }

  func deliver(completion: UnsafeRawPointer) {
    let outer = CurrentDelivery.begin(address)
    _ = downstream.function(.complete(completion))
    CurrentDelivery.end(outer)
  }

  @usableFromInline
  override func releaseContents() {
    var taken: HeldSubscriber.Function?
    table.lock.withLock { taken = downstream.take() }
    _ = consume taken  // With the lock free.
  }

  // MARK: The downstream's calls

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    if demand == .none, !table.ignoresDemand { Self.assertNonZero(demand, table.name) }
    table.request(demand, from: self)
  }

  @inline(never)
  private static func assertNonZero(_ demand: Subscribers.Demand, _ name: String) { demand.assertNonZero(name) }

  @usableFromInline
  func cancel() { table.cancel(self) }

  @usableFromInline
  var _isDelivering: Bool { table.isCalling(self) }
}

extension SubjectSubscription: DescribedByName {

  @usableFromInline
  var description: String { table.name }

  @usableFromInline
  var reflectedChildren: KeyValuePairs<String, Any> {
    var isOpen = false
    var demand = Subscribers.Demand.none
    var function: HeldSubscriber.Function?
    var sustained: AnyObject?
    table.lock.withLock {
      isOpen = !hasEnded
      demand = self.demand
      function = self.downstream.function
      sustained = table.sustained
    }
    let downstream = isOpen ? function.flatMap(HeldSubscriber.reflection) : nil
    if table.ignoresDemand { return ["downstream": downstream as Any] }
    let subject = isOpen ? sustained : nil
    return [
      "parent": subject as Any,
      "downstream": downstream as Any,
      "demand": demand,
      "subject": subject as Any,
    ]
  }
}
