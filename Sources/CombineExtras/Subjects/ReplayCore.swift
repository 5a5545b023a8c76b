import CombineCore
import Synchronization

/// A subscription of a replay subject, as the subject sees it.
///
/// Its closures are made where the type of the downstream is known. A call through a protocol would reach code that is not
/// specialized.
@usableFromInline
final class ReplayReceiver<Output, Failure: Error> {

  @usableFromInline
  let identifier: CombineIdentifier

  /// A closure that puts a value into the queue, with the subject's lock held. Its second argument numbers the send.
  @usableFromInline
  let enqueue: (Output, Int) -> Void

  /// A closure that delivers the value, if putting it into the queue has made this send the delivering one.
  @usableFromInline
  let deliver: (Output, Int) -> Void

  @usableFromInline
  let complete: (Subscribers.Completion<Failure>) -> Void

  @inlinable
  init(
    identifier: CombineIdentifier,
    enqueue: @escaping (Output, Int) -> Void,
    deliver: @escaping (Output, Int) -> Void,
    complete: @escaping (Subscribers.Completion<Failure>) -> Void
  ) {
    self.identifier = identifier
    self.enqueue = enqueue
    self.deliver = deliver
    self.complete = complete
  }
}

/// What a replay subject shares with its subscriptions: the last values, and the subscriptions.
@usableFromInline
final class ReplayCore<Output, Failure: Error> {

  @usableFromInline
  typealias Receiver = ReplayReceiver<Output, Failure>

  /// It is held while values are put into the queues of the receivers, which have locks of their own.
  @usableFromInline
  let lock = ValueLock()

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

  @exclusivity(unchecked)  // Only with the lock held.
  @usableFromInline
  var receivers = ReceiverList<Output, Failure>()

  /// The number of sends, which tells a receiver's deliveries apart. Only with the lock held.
  @exclusivity(unchecked)
  @usableFromInline
  var sendCount = 0

  /// The number of sends that read an array of receivers with the lock free. It grows with the lock held.
  @usableFromInline
  let sending = Atomic<Int>(0)

  @usableFromInline
  init(limit: Int, order: CompletionOrder, ages: ReplayAges? = nil) {
    self.limit = limit
    self.order = order
    self.ages = ages
  }

  var subscriptionIdentifiers: [CombineIdentifier] {
    lock.withLock { receivers.entries }.compactMap { $0.receiver?.identifier }
  }

  @inlinable
  func send(_ value: Output) {
    if let ages { return send(value, ages) }
    var dropped: Output?
    let sent = lock.withLock { () -> ([ReceiverList<Output, Failure>.Entry], Int)? in
      guard completion == nil else { return nil }
      if limit > 0 {
        values.append(value)
        if values.count > limit { dropped = values.popFirst() }
      }
      return enqueue(value)
    }
    if let (entries, number) = sent { deliver(value, number, to: entries) }
    withExtendedLifetime(dropped) {}
  }

  /// Sends a value and drops those that are too old.
  @inlinable
  @inline(never)
  func send(_ value: Output, _ ages: ReplayAges) {
    let now = ages.now()
    var dropped: [Output] = []
    let sent = lock.withLock { () -> ([ReceiverList<Output, Failure>.Entry], Int)? in
      guard completion == nil else { return nil }
      if limit > 0 {
        values.append(value)
        ages.append(now)
        if values.count > limit { dropFirst(ages, to: &dropped) }
      }
      dropExpired(ages, at: now, to: &dropped)
      return enqueue(value)
    }
    if let (entries, number) = sent { deliver(value, number, to: entries) }
    withExtendedLifetime(dropped) {}
  }

  /// Puts a value into the queues of all receivers, with the lock held, so that all get the values in one order.
  @inlinable
  func enqueue(_ value: Output) -> ([ReceiverList<Output, Failure>.Entry], Int) {
    sendCount &+= 1
    sending.wrappingAdd(1, ordering: .relaxed)
    let (entries, number) = (receivers.entries, sendCount)
    entries.forEachReceiver { $0.enqueue(value, number) }
    return (entries, number)
  }

  @inlinable
  func deliver(_ value: Output, _ number: Int, to entries: [ReceiverList<Output, Failure>.Entry]) {
    entries.forEachReceiver { $0.deliver(value, number) }
    sending.wrappingSubtract(1, ordering: .releasing)
  }

  /// Prepares the list for a change. The lock is held.
  ///
  /// A send that is under way still reads the array, and the thread sanitizer does not see that array's reference count.
  @inlinable
  func unshareReceivers() {
    if sending.load(ordering: .acquiring) > 0 { receivers.replaceEntries() }
  }

  @usableFromInline
  func send(completion: Subscribers.Completion<Failure>) {
    let entries = lock.withLock { () -> [ReceiverList<Output, Failure>.Entry] in
      guard self.completion == nil else { return [] }
      self.completion = completion
      return receivers.removeAll()
    }
    for entry in entries { entry.receiver?.complete(completion) }
  }

  /// Puts the last values into the queue of a new receiver, and registers it, in one step against ``send(_:)``.
  ///
  /// - Returns: The token for ``remove(_:)``, or the completion.
  @inlinable
  func add(_ receiver: Receiver) -> (token: Int?, completion: Subscribers.Completion<Failure>?) {
    let now = ages?.now()
    var dropped: [Output] = []
    defer { withExtendedLifetime(dropped) {} }
    return lock.withLock {
      if let ages, let now { dropExpired(ages, at: now, to: &dropped) }
      for value in values.elements { receiver.enqueue(value, 0) }
      if let completion { return (nil, completion) }
      unshareReceivers()
      return (receivers.append(receiver), nil)
    }
  }

  @usableFromInline
  func remove(_ token: Int) {
    let removed = lock.withLock {
      unshareReceivers()
      return receivers.remove(token)
    }
    withExtendedLifetime(removed) {}
  }

  @usableFromInline
  func releaseReceivers() {
    let removed = lock.withLock { receivers.removeAll() }
    withExtendedLifetime(removed) {}
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

/// A place in the list of receivers.
@usableFromInline
struct ReplayEntry<Output, Failure: Error> {

  @usableFromInline
  let token: Int

  @usableFromInline
  var receiver: ReplayReceiver<Output, Failure>?

  @inlinable
  init(token: Int, receiver: ReplayReceiver<Output, Failure>) {
    self.token = token
    self.receiver = receiver
  }
}

extension Array {

  /// Calls a closure with each receiver. This array keeps them alive meanwhile, so they are not retained one by one.
  @inlinable
  @inline(__always)
  func forEachReceiver<Output, Failure>(_ body: (ReplayReceiver<Output, Failure>) -> Void)
  where Element == ReplayEntry<Output, Failure> {
    withUnsafeBufferPointer { entries in
      for index in entries.indices {
        guard let receiver = entries[index].receiver else { continue }
        Unmanaged.passUnretained(receiver)._withUnsafeGuaranteedRef(body)
      }
    }
  }
}

/// Receivers in the order of their subscriptions. A removal takes logarithmic time.
@usableFromInline
struct ReceiverList<Output, Failure: Error> {

  @usableFromInline
  typealias Entry = ReplayEntry<Output, Failure>

  /// The receivers by ascending token. A removed one leaves a gap.
  @usableFromInline
  var entries: [Entry] = []

  @usableFromInline
  var gapCount = 0
  @usableFromInline
  var lastToken = 0

  @inlinable
  init() {}

  @inlinable
  mutating func append(_ receiver: ReplayReceiver<Output, Failure>) -> Int {
    lastToken += 1
    entries.append(Entry(token: lastToken, receiver: receiver))
    return lastToken
  }

  /// Replaces the array by a new one, without the gaps.
  @usableFromInline
  mutating func replaceEntries() {
    entries = entries.filter { $0.receiver != nil }
    gapCount = 0
  }

  /// Removes a receiver.
  ///
  /// - Returns: The receiver, to be released with no lock held.
  @usableFromInline
  mutating func remove(_ token: Int) -> ReplayReceiver<Output, Failure>? {
    var range = entries.indices
    while !range.isEmpty {
      let middle = (range.lowerBound + range.upperBound) / 2
      if entries[middle].token == token {
        let removed = exchange(&entries[middle].receiver, with: nil)
        if removed != nil { gapCount += 1 }
        if gapCount * 2 > entries.count {
          entries.removeAll { $0.receiver == nil }
          gapCount = 0
        }
        return removed
      }
      range = entries[middle].token < token ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return nil
  }

  @usableFromInline
  mutating func removeAll() -> [Entry] {
    gapCount = 0
    return exchange(&entries, with: [])
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
    typealias Output = Downstream.Input
    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let core: ReplayCore<Output, Failure>

    @exclusivity(unchecked)  // Only with the lock held.
    @usableFromInline
    var token: Int?

    /// The number of the send that has become the delivering call.
    @usableFromInline
    let claim = Atomic<Int>(0)

    @inlinable
    init(downstream: Downstream, core: ReplayCore<Output, Failure>) {
      self.core = core
      super.init(downstream: downstream, completion: core.order)
    }

    /// Receives the last values, and gives the downstream its subscription.
    @inlinable
    func start() {
      let receiver = ReplayReceiver<Output, Failure>(
        identifier: combineIdentifier,
        enqueue: { self.enqueue($0, number: $1) },
        deliver: { self.deliver($0, number: $1) },
        complete: { self.send(completion: $0) }
      )
      let (token, completion) = core.add(receiver)
      lock.withLock { self.token = token }
      if let completion { send(completion: completion) }
      open()
    }

    @inlinable
    func enqueue(_ value: Output, number: Int) {
      lock.withLock {
        // The value comes back if none is before it, so the send that is under way delivers this one.
        if case .value = queue.send(value) { claim.store(number, ordering: .relaxed) }
      }
    }

    @inlinable
    func deliver(_ value: Output, number: Int) {
      guard claim.load(ordering: .relaxed) == number else { return waitForDelivery() }
      // Another subscriber may have cancelled this one meanwhile, when it received the value.
      send(lock.withLock { queue.hasEnded ? queue.next() : .value(value) })
    }

    @inlinable
    func send(_ delivery: Machine.Delivery) {
      _ = deliver(delivery)
    }

    @usableFromInline
    override func receive(demand: Subscribers.Demand) {}

    @usableFromInline
    override func didEnd() {
      if let token = lock.withLock({ token }) { core.remove(token) }
    }

    @usableFromInline
    var description: String { "ReplaySubject" }
  }
}
