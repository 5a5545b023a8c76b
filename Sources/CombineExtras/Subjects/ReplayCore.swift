import CombineCore

/// What a replay subject shares with its subscriptions: the last values, and the table of the subscriptions.
@usableFromInline
final class ReplayCore<Output, Failure: Error> {

  @usableFromInline
  typealias Entry = SubscriberTableEntry<QueuedReceiver<Output, Failure>>

  @usableFromInline
  let table = SubscriberTable()

  /// It is held while values are put into the queues of the receivers, which have locks of their own.
  @usableFromInline
  let lock = Lock()

  @usableFromInline
  let limit: Int
  @usableFromInline
  let order: CompletionOrder

  /// The times of the values, if their age is limited. Only with the lock held, but for its clock.
  @usableFromInline
  let ages: ReplayAges?

  @exclusivity(unchecked)  // Only with the lock held.
  @usableFromInline
  var values = Deque<Output>()

  @exclusivity(unchecked)  // Only with the lock held.
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
    table.forEach(Entry.self) { $0.use { identifiers.append(CombineIdentifier($0)) } }
    return identifiers
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
    var dropped: [Output] = []
    deliver(value) {
      if limit > 0 {
        values.append(value)
        ages.append(now)
        if values.count > limit { dropFirst(ages, to: &dropped) }
      }
      dropExpired(ages, at: now, to: &dropped)
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
    table.traverse {
      let isOpen = lock.withLock {
        guard completion == nil else { return false }
        keep()
        table.visit(Entry.self) { $0.use { $0.handle($0, .enqueue(value)) } }
        return true
      }
      if isOpen { table.visit(Entry.self) { $0.use { $0.handle($0, .deliver) } } }
    }
  }

  @usableFromInline
  func send(completion: Subscribers.Completion<Failure>) {
    let isFirst = lock.withLock {
      guard self.completion == nil else { return false }
      self.completion = completion
      return true
    }
    if isFirst { table.removeAll(Entry.self) { $0.use { $0.handle($0, .complete(completion)) } } }
  }

  /// Puts the last values into the queue of a new receiver, and registers it, in one step against ``send(_:)``.
  ///
  /// - Returns: The completion, if it has come before. The receiver is not registered then.
  @inlinable
  func add(_ entry: Entry) -> Subscribers.Completion<Failure>? {
    let now = ages?.now()
    var dropped: [Output] = []
    defer { withExtendedLifetime(dropped) { table.tidy() } }
    return lock.withLock {
      if let ages, let now { dropExpired(ages, at: now, to: &dropped) }
      entry.use { receiver in
        for value in values.elements { receiver.handle(receiver, .enqueue(value)) }
      }
      if completion == nil { table.add(entry) }
      return completion
    }
  }

  @usableFromInline
  func releaseReceivers() {
    table.removeAll(Entry.self) { _ in }
  }

  @inlinable
  func dropExpired(_ ages: ReplayAges, at now: Any, to dropped: inout [Output]) {
    while !values.isEmpty, ages.isFirstExpired(at: now) { dropFirst(ages, to: &dropped) }
  }

  @inlinable
  func dropFirst(_ ages: ReplayAges, to dropped: inout [Output]) {
    if let value = values.popFirst() { dropped.append(value) }
    ages.dropFirst()
  }
}

/// The times at which the values of a replay subject were sent. It erases the type of the scheduler.
@usableFromInline
class ReplayAges {

  /// The current time. It is read with no lock held.
  @usableFromInline
  func now() -> Any { fatalError("ReplayAges is abstract") }

  @usableFromInline
  func append(_ now: Any) { fatalError("ReplayAges is abstract") }

  @usableFromInline
  func dropFirst() { fatalError("ReplayAges is abstract") }

  @usableFromInline
  func isFirstExpired(at now: Any) -> Bool { fatalError("ReplayAges is abstract") }
}

final class SchedulerReplayAges<S: Scheduler>: ReplayAges {

  private let scheduler: S
  private let maximum: S.SchedulerTimeType.Stride

  @exclusivity(unchecked)  // Only with the lock of the core held.
  private var times = Deque<S.SchedulerTimeType>()

  init(scheduler: S, maximum: S.SchedulerTimeType.Stride) {
    self.scheduler = scheduler
    self.maximum = maximum
  }

  override func now() -> Any { scheduler.now }

  override func append(_ now: Any) {
    if let now = now as? S.SchedulerTimeType { times.append(now) }
  }

  override func dropFirst() {
    _ = times.popFirst()
  }

  override func isFirstExpired(at now: Any) -> Bool {
    guard let now = now as? S.SchedulerTimeType, let first = times.first else { return false }
    return first.distance(to: now) > maximum
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
