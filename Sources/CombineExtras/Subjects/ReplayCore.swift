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
    let now = ages?.now()
    var dropped: Output?
    var expired: [Output] = []
    var number = 0
    let entries = lock.withLock { () -> [ReceiverList<Output, Failure>.Entry] in
      guard completion == nil else { return [] }
      if limit > 0 {
        values.append(value)
        if let now { ages?.append(now) }
        if values.count > limit {
          dropped = values.popFirst()
          ages?.dropFirst()
        }
      }
      if let now { dropExpired(at: now, to: &expired) }
      sendCount &+= 1
      number = sendCount
      // In this step, so that all receivers get the values in one order.
      for entry in receivers.entries { entry.receiver?.enqueue(value, number) }
      return receivers.entries
    }
    for entry in entries { entry.receiver?.deliver(value, number) }
    withExtendedLifetime((dropped, expired)) {}
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
      if let now { dropExpired(at: now, to: &dropped) }
      for value in values.elements { receiver.enqueue(value, 0) }
      if let completion { return (nil, completion) }
      return (receivers.append(receiver), nil)
    }
  }

  @usableFromInline
  func remove(_ token: Int) {
    let removed = lock.withLock { receivers.remove(token) }
    withExtendedLifetime(removed) {}
  }

  @usableFromInline
  func releaseReceivers() {
    let removed = lock.withLock { receivers.removeAll() }
    withExtendedLifetime(removed) {}
  }

  @inlinable
  func dropExpired(at now: Any, to dropped: inout [Output]) {
    while !values.isEmpty, ages?.isFirstExpired(at: now) == true {
      if let value = values.popFirst() { dropped.append(value) }
      ages?.dropFirst()
    }
  }
}

/// Receivers in the order of their subscriptions. A removal takes logarithmic time.
@usableFromInline
struct ReceiverList<Output, Failure: Error> {

  @usableFromInline
  typealias Entry = (token: Int, receiver: ReplayReceiver<Output, Failure>?)

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
    entries.append((lastToken, receiver))
    return lastToken
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
      if claim.load(ordering: .relaxed) == number { send(.value(value)) }
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
