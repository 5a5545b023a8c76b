import CombineThreads
import CombineCore

/// What a replay subject shares with its subscriptions: the last values, and the table of the subscriptions.
@usableFromInline
final class ReplayCore<Output, Failure: Error> {

  @usableFromInline
  typealias Entry = SubscriberTableEntry<QueuedReceiver<Output, Failure>>

  /// Its lock is held while values are put into the queues of the receivers, which have locks of their own.
  @usableFromInline
  let table = SubscriberTable()

  @usableFromInline
  let limit: Int
  @usableFromInline
  let order: CompletionOrder

  /// The clock, if the age of the values is limited. It is used with no lock held.
  @usableFromInline
  let ages: ReplayAges?

  @exclusivity(unchecked)  // These four: only with the lock held.
  @usableFromInline
  var values = Deque<Output>()

  /// The dates of the values, if their age is limited.
  @exclusivity(unchecked)
  @usableFromInline
  var dates = Deque<Any>()

  /// The number of values with dates that were dropped.
  @exclusivity(unchecked)
  @usableFromInline
  var droppedCount = 0

  @exclusivity(unchecked)
  @usableFromInline
  var completion: Subscribers.Completion<Failure>?

  @usableFromInline
  init(limit: Int, order: CompletionOrder, ages: ReplayAges? = nil) {
    self.limit = limit
    self.order = order
    self.ages = ages
  }

  var subscriptionIdentifiers: [CombineIdentifier] {
    var identifiers: [CombineIdentifier] = []
    table.lock.withLock { forEachReceiver { identifiers.append(CombineIdentifier($0)) } }
    return identifiers.reversed()
  }

  @inlinable
  func send(_ value: Output) {
    if let ages { return send(value, ages) }
    var dropped: Output?
    deliver(value) {
      guard limit > 0 else { return }
      values.append(value)
      if values.count > limit { dropped = values.popFirst() }
    }
    withExtendedLifetime(dropped) {}
  }

  /// Sends a value and drops those that are too old.
  @inlinable
  @inline(never)
  func send(_ value: Output, _ ages: ReplayAges) {
    let now = ages.now()
    dropExpired(ages, at: now)
    var dropped: (Output?, Any?)
    deliver(value) {
      guard limit > 0 else { return }
      values.append(value)
      dates.append(now)
      if values.count > limit { dropped = dropFirst() }
    }
    withExtendedLifetime(dropped) {}
  }

  /// Sends a value to all receivers.
  ///
  /// It enters the buffer and all queues in one step, so that they all have the values in one order. A receiver that comes
  /// after that step has found it in the buffer.
  ///
  /// - Parameter keep: A closure that puts the value into the buffer.
  @inlinable
  @inline(__always)
  func deliver(_ value: Output, keep: () -> Void) {
    table.send {
      guard completion == nil else { return false }
      keep()
      forEachReceiver { $0.handle($0, .enqueue(value)) }
      return true
    } _: {
      use($0) { $0.handle($0, .deliver) }
    }
  }

  @usableFromInline
  func send(completion: Subscribers.Completion<Failure>) {
    var isFirst = false
    table.send {
      guard self.completion == nil else { return false }
      self.completion = completion
      isFirst = true
      return true
    } _: {
      use($0) { $0.handle($0, .complete(completion)) }
    }
    // Another one may be sent while the first one is being delivered.
    if isFirst { table.removeAll() }
  }

  /// Puts the last values into the queue of a new receiver, and registers it, in one step against ``send(_:)``.
  ///
  /// - Returns: The completion, if it has come before. The receiver is not registered then.
  @inlinable
  func add(_ entry: Entry) -> Subscribers.Completion<Failure>? {
    if let ages { dropExpired(ages, at: ages.now()) }
    var present: Subscribers.Completion<Failure>?
    table.add(entry) {
      entry.use { receiver in
        for value in values.elements { receiver.handle(receiver, .enqueue(value)) }
      }
      present = completion
      return completion == nil
    }
    return present
  }

  /// Calls `body` with each receiver, from the newest to the oldest. The table's lock is held.
  @inlinable
  func forEachReceiver(_ body: (QueuedReceiver<Output, Failure>) -> Void) {
    table.forEachLocked { use($0, body) }
  }

  @inlinable
  func use(_ element: SubscriberListElement, _ body: (QueuedReceiver<Output, Failure>) -> Void) {
    _unsafeUncheckedDowncast(element, to: Entry.self).use(body)
  }

  @usableFromInline
  func releaseReceivers() {
    table.removeAll()
  }

  /// Drops the values that are too old.
  ///
  /// Dates are compared with no lock held. Meanwhile another call may drop the same value.
  @inlinable
  func dropExpired(_ ages: ReplayAges, at now: Any) {
    while let (date, number) = table.lock.withLock({ dates.first.map { ($0, droppedCount) } }) {
      guard ages.isExpired(date, at: now) else { return }
      let dropped = table.lock.withLock { droppedCount == number ? dropFirst() : (nil, nil) }
      withExtendedLifetime(dropped) {}
    }
  }

  /// Drops the first value and its date. The caller holds the lock, and releases them when it has released that.
  @inlinable
  func dropFirst() -> (Output?, Any?) {
    droppedCount &+= 1
    return (values.popFirst(), dates.popFirst())
  }
}

/// The clock of a replay subject, and the maximum age of its values. It erases the type of the scheduler.
///
/// It calls code of a user: the scheduler, and the arithmetic of its time. No lock is held.
@usableFromInline
class ReplayAges {

  @usableFromInline
  func now() -> Any { fatalError("ReplayAges is abstract") }

  /// Returns whether a value of a date is too old.
  @usableFromInline
  func isExpired(_ date: Any, at now: Any) -> Bool { fatalError("ReplayAges is abstract") }
}

final class SchedulerReplayAges<S: Scheduler>: ReplayAges {

  private let scheduler: S
  private let maximum: S.SchedulerTimeType.Stride

  init(scheduler: S, maximum: S.SchedulerTimeType.Stride) {
    self.scheduler = scheduler
    self.maximum = maximum
  }

  override func now() -> Any { scheduler.now }

  override func isExpired(_ date: Any, at now: Any) -> Bool {
    guard let now = now as? S.SchedulerTimeType, let date = date as? S.SchedulerTimeType else { return false }
    return date.distance(to: now) > maximum
  }
}

extension ExtraConduits {

  /// The subscription of a replay subject.
  @usableFromInline
  final class Replay<Downstream: Subscriber>: QueuedConduit<Downstream>, DescribedByName {

    @usableFromInline
    typealias Core = ReplayCore<Downstream.Input, Downstream.Failure>

    @usableFromInline
    let core: Core

    /// The entry in the core's table. Only with the lock held.
    @exclusivity(unchecked)
    @usableFromInline
    var entry: Core.Entry?

    @inlinable
    init(downstream: Downstream, core: Core) {
      self.core = core
      super.init(downstream: downstream, completion: core.order)
    }

    /// Receives the last values, and gives the downstream its subscription.
    @inlinable
    func start() {
      // Kept before it is registered: a completion or a cancellation removes it, perhaps at once.
      let entry = Core.Entry(self)
      lock.withLock { self.entry = entry }
      if let completion = core.add(entry) {
        lock.withLock { self.entry = nil }
        send(completion: completion)
      }
      open()
    }

    @usableFromInline
    override func receive(demand: Subscribers.Demand) {}

    @usableFromInline
    override func didEnd() {
      if let entry = lock.withLock({ exchange(&entry, with: nil) }) { core.table.remove(entry) }
    }

    @usableFromInline
    var description: String { "ReplaySubject" }
  }
}
