import CombineCore
import CombineThreads
import Synchronization
import TestSupport

/// A subscriber that checks the contract of every publisher, with any number of threads.
///
/// Two threads never call it at once, but one thread may make nested calls. It receives one subscription, before any
/// other event, and at most one completion. No value follows the completion, and none arrives on a thread on which
/// `cancel()` has returned. There are never more values than it has requested. Its rules list the other checks.
///
/// It drops its subscription when it completes and when it cancels, as the built-in subscribers do.
final class CheckingSubscriber<Input, Failure: Error>: Subscriber, CustomStringConvertible, CustomReflectable,
  @unchecked Sendable
{
  // Sendable: atomics and guarded state, except `last` and `counts`, which the calling thread uses alone. The
  // publishers' contract ensures that, not this class. The atomics are relaxed so as not to hide a race from the thread
  // sanitizer.

  /// The required order of the values of one source.
  enum Order: Sendable {

    /// Each value is the direct successor of the previous one.
    case gapless

    /// Each value comes after the previous one.
    case ascending

    /// No value comes before the previous one: a value may be a part of several combinations.
    case rising
    case any
  }

  let name: String

  private let order: Order
  private let initialDemand: Subscribers.Demand
  private let items: (Input) -> [Item]
  private let respond: @Sendable (CheckingSubscriber, Input) -> Subscribers.Demand
  private let token: Tally.Token

  private let owner = Atomic<UInt>(0)
  private let requested = Atomic<Int>(0)
  private let delivered = Atomic<Int>(0)
  private let subscriptions = Atomic<Int>(0)
  private let completions = Atomic<Int>(0)
  private let lastRequest = Atomic<UInt>(0)
  private let subscription = Guarded<(any Subscription)?>(nil)
  private let cancelled = Guarded<Set<UInt>>([])
  private let hasCancelled = Atomic<Bool>(false)
  private let found = Guarded<[String]>([])
  private let end = Guarded<Subscribers.Completion<Failure>?>(nil)

  private let last: UnsafeMutablePointer<Int>
  private let counts: UnsafeMutablePointer<Int>

  private static var sourceCount: Int { 16 }
  private static var unlimited: Int { 1 << 40 }

  /// - Parameters:
  ///   - round: The round in which it takes part.
  ///   - name: The name under which problems are reported.
  ///   - initial: The demand to request when the subscription arrives, if not zero.
  ///   - order: The required order of the values of one source.
  ///   - items: A closure that returns the sent items of a value.
  ///   - respond: A closure that receives each value and returns the demand for it.
  init(
    _ round: Round,
    named name: String = "downstream",
    requesting initial: Subscribers.Demand,
    order: Order = .ascending,
    items: @escaping (Input) -> [Item],
    respond: @escaping @Sendable (CheckingSubscriber, Input) -> Subscribers.Demand = { _, _ in .none }
  ) {
    self.name = name
    self.order = order
    initialDemand = initial
    self.items = items
    self.respond = respond
    token = Tally.Token(round.tally)
    last = .allocate(capacity: Self.sourceCount)
    last.initialize(repeating: -1, count: Self.sourceCount)
    counts = .allocate(capacity: Self.sourceCount)
    counts.initialize(repeating: 0, count: Self.sourceCount)
    round.involve(name, self)
  }

  deinit {
    last.deallocate()
    counts.deallocate()
  }

  // MARK: Calls of threads

  /// Requests more, if there is a subscription.
  func request(_ demand: Subscribers.Demand) {
    guard let subscription = subscription.withLock({ $0 }) else { return }
    grant(demand)
    lastRequest.store(demand.rawValueForNote, ordering: .relaxed)
    subscription.request(demand)
  }

  /// Cancels, if there is a subscription.
  func cancel() {
    guard let subscription = subscription.withLock({ $0 }) else { return }
    subscription.cancel()
    _ = cancelled.withLock { $0.insert(Platform.currentThread) }
    hasCancelled.store(true, ordering: .relaxed)
    releaseContents()
  }

  /// Releases the subscription without a cancel.
  func releaseContents() {
    let dropped = subscription.withLock { exchange(&$0, with: nil) }
    withExtendedLifetime(dropped) {}
  }

  // MARK: Results

  var hasCompleted: Bool { completions.load(ordering: .relaxed) > 0 }
  var hasEnded: Bool { hasCompleted || hasCancelled.load(ordering: .relaxed) }
  var hasSubscription: Bool { subscriptions.load(ordering: .relaxed) > 0 }
  var valueCount: Int { delivered.load(ordering: .relaxed) }
  var completionCount: Int { completions.load(ordering: .relaxed) }
  var completion: Subscribers.Completion<Failure>? { end.withLock { $0 } }

  /// The number of received items of a source. Valid once the threads have ended.
  func count(of source: Int) -> Int { counts[source] }

  /// The number of the last item of a source. Valid once the threads have ended.
  func lastNumber(of source: Int) -> Int { last[source] }

  /// The problems found.
  var problems: [String] { found.withLock { $0 }.map { "\(name): \($0)" } }

  // MARK: Subscriber

  func receive(subscription: any Subscription) {
    let number = subscriptions.wrappingAdd(1, ordering: .relaxed).newValue
    if number > 1 { note("subscription number \(number)") }
    self.subscription.withLock { $0 = subscription }
    if hasCompleted { note("a subscription after the completion") }
    // This does not count as a nested call. After a request, another thread may deliver a value at once.
    if initialDemand > .none { request(initialDemand) }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    let isOutermost = enter()
    defer { if isOutermost { leave() } }
    if !hasSubscription { note("a value before the subscription") }
    if hasCompleted { note("a value after the completion") }
    noteIfCancelledHere("a value")
    let count = delivered.wrappingAdd(1, ordering: .relaxed).newValue
    let allowed = requested.load(ordering: .relaxed)
    if count > allowed { note("value number \(count) where \(allowed) were asked for") }
    for item in items(input) { check(item) }
    let more = respond(self, input)
    grant(more)
    return more
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    let isOutermost = enter()
    defer { if isOutermost { leave() } }
    let number = completions.wrappingAdd(1, ordering: .relaxed).newValue
    if !hasSubscription { note("a completion before the subscription") }
    if number > 1 { note("completion number \(number)") }
    noteIfCancelledHere("a completion")
    end.withLock { $0 = completion }
    releaseContents()
  }

  // MARK: Checks

  private func enter() -> Bool {
    let thread = Platform.currentThread
    let (isFirst, other) = owner.compareExchange(expected: 0, desired: thread, ordering: .relaxed)
    if !isFirst && other != thread { note("entered by two threads at once") }
    return isFirst
  }

  private func leave() {
    owner.store(0, ordering: .relaxed)
  }

  private func noteIfCancelledHere(_ what: String) {
    guard hasCancelled.load(ordering: .relaxed) else { return }
    if cancelled.withLock({ $0.contains(Platform.currentThread) }) { note("\(what) on a thread that has cancelled") }
  }

  private func grant(_ demand: Subscribers.Demand) {
    if demand > .none { requested.wrappingAdd(demand.max ?? Self.unlimited, ordering: .relaxed) }
  }

  private func check(_ item: Item) {
    let previous = exchange(&last[item.source], with: item.number)
    counts[item.source] += 1
    let isRight =
      switch order {
      case .gapless: item.number == previous + 1
      case .ascending: item.number > previous
      case .rising: item.number >= previous
      case .any: true
      }
    if !isRight { note("value \(item.number) of source \(item.source) after \(previous)") }
  }

  private func note(_ problem: String) {
    found.withLock { if $0.count < 5 { $0.append(problem) } }
  }

  // MARK: For the watchdog

  var description: String { name }

  var customMirror: Mirror {
    let thread = owner.load(ordering: .relaxed)
    return Mirror(
      self,
      children: [
        "inside": thread == 0 ? "nobody" : "thread \(thread)", "requested": requested.load(ordering: .relaxed),
        "last request": lastRequest.load(ordering: .relaxed), "delivered": valueCount,
        "completions": completionCount, "problems": problems,
        "subscription": subscription.withLock { $0 } as Any,
      ]
    )
  }
}

extension CheckingSubscriber where Input == Item {

  convenience init(
    _ round: Round,
    named name: String = "downstream",
    requesting initial: Subscribers.Demand,
    order: Order = .ascending,
    respond: @escaping @Sendable (CheckingSubscriber, Item) -> Subscribers.Demand = { _, _ in .none }
  ) {
    self.init(round, named: name, requesting: initial, order: order, items: { [$0] }, respond: respond)
  }
}

extension Subscribers.Demand {

  /// The demand as a number, for a note.
  fileprivate var rawValueForNote: UInt { max.map { UInt($0) } ?? .max }
}

extension Round {

  /// Records the problems that a subscriber has found.
  func judge<Input, Failure>(_ subscriber: CheckingSubscriber<Input, Failure>) {
    for problem in subscriber.problems { note(problem) }
  }
}
