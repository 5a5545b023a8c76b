import CombineCore

/// An object whose release is code of a user.
final class Poison: Sendable {
  deinit { Intrusion.reach(.release) }
}

/// An element of which every part is code of a user.
struct PoisonedValue: Hashable, Comparable, CustomStringConvertible {

  private let poison = Poison()
  let number: Int

  init(_ number: Int) { self.number = number }

  /// The number, for a key path.
  var property: Int {
    Intrusion.reach(.keyPath)
    return number
  }

  static func == (left: Self, right: Self) -> Bool {
    Intrusion.reach(.equality)
    return left.number == right.number
  }

  // All hashes are equal, so that keys are compared, too.
  func hash(into hasher: inout Hasher) {
    Intrusion.reach(.hash)
    hasher.combine(0)
  }

  static func < (left: Self, right: Self) -> Bool {
    Intrusion.reach(.order)
    return left.number < right.number
  }

  var description: String {
    Intrusion.reach(.description)
    return "\(number)"
  }
}

struct PoisonedError: Error, CustomStringConvertible {

  private let poison = Poison()

  var description: String {
    Intrusion.reach(.description)
    return "error"
  }
}

/// Returns a closure that does the same and holds a ``Poison``.
func poisoned<A, Result>(_ body: @escaping (A) -> Result) -> (A) -> Result {
  let poison = Poison()
  return { a in
    Intrusion.reach(.closure)
    return withExtendedLifetime(poison) { body(a) }
  }
}

/// Returns a closure that does the same and holds a ``Poison``.
func poisoned<A, B, Result>(_ body: @escaping (A, B) -> Result) -> (A, B) -> Result {
  let poison = Poison()
  return { a, b in
    Intrusion.reach(.closure)
    return withExtendedLifetime(poison) { body(a, b) }
  }
}

/// Returns a closure that does the same, unless the number is nine, and holds a ``Poison``.
func poisonedTry<Result>(
  _ body: @escaping (PoisonedValue) -> Result
) -> (PoisonedValue) throws -> Result {
  let poison = Poison()
  return { value in
    Intrusion.reach(.closure)
    if value.number == 9 { throw PoisonedError() }
    return withExtendedLifetime(poison) { body(value) }
  }
}

/// Returns a closure that does the same, unless the last number is nine, and holds a ``Poison``.
func poisonedTry<A, Result>(
  _ body: @escaping (A, PoisonedValue) -> Result
) -> (A, PoisonedValue) throws -> Result {
  let poison = Poison()
  return { a, value in
    Intrusion.reach(.closure)
    if value.number == 9 { throw PoisonedError() }
    return withExtendedLifetime(poison) { body(a, value) }
  }
}

/// A date in milliseconds.
struct PoisonedTime: Strideable {

  private let poison = Poison()
  let milliseconds: Int

  init(_ milliseconds: Int) { self.milliseconds = milliseconds }

  func distance(to other: Self) -> Stride {
    Intrusion.reach(.arithmetic)
    return Stride(other.milliseconds - milliseconds)
  }

  func advanced(by stride: Stride) -> Self {
    Intrusion.reach(.arithmetic)
    return Self(milliseconds + stride.magnitude)
  }

  static func == (left: Self, right: Self) -> Bool {
    Intrusion.reach(.arithmetic)
    return left.milliseconds == right.milliseconds
  }

  static func < (left: Self, right: Self) -> Bool {
    Intrusion.reach(.arithmetic)
    return left.milliseconds < right.milliseconds
  }

  struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric {

    private let poison = Poison()
    private(set) var magnitude: Int

    init(_ magnitude: Int) { self.magnitude = magnitude }
    init(integerLiteral value: Int) { magnitude = value }
    init?<T: BinaryInteger>(exactly source: T) {
      guard let value = Int(exactly: source) else { return nil }
      magnitude = value
    }

    static func seconds(_ s: Int) -> Self { Self(s * 1000) }
    static func seconds(_ s: Double) -> Self { Self(Int(s * 1000)) }
    static func milliseconds(_ ms: Int) -> Self { Self(ms) }
    static func microseconds(_ us: Int) -> Self { Self(us / 1000) }
    static func nanoseconds(_ ns: Int) -> Self { Self(ns / 1_000_000) }

    private static func computed(_ magnitude: Int) -> Self {
      Intrusion.reach(.arithmetic)
      return Self(magnitude)
    }

    static func == (left: Self, right: Self) -> Bool {
      Intrusion.reach(.arithmetic)
      return left.magnitude == right.magnitude
    }
    static func < (left: Self, right: Self) -> Bool {
      Intrusion.reach(.arithmetic)
      return left.magnitude < right.magnitude
    }
    static func + (left: Self, right: Self) -> Self { computed(left.magnitude + right.magnitude) }
    static func - (left: Self, right: Self) -> Self { computed(left.magnitude - right.magnitude) }
    static func * (left: Self, right: Self) -> Self { computed(left.magnitude * right.magnitude) }
    static func += (left: inout Self, right: Self) { left = left + right }
    static func -= (left: inout Self, right: Self) { left = left - right }
    static func *= (left: inout Self, right: Self) { left = left * right }
  }
}

/// A scheduler whose clock the test moves.
final class PoisonedScheduler: Scheduler, @unchecked Sendable {

  // Sendable: the test uses one thread.

  private final class Token: Cancellable {

    let interval: Int?
    var isCancelled = false

    init(_ interval: Int?) { self.interval = interval }

    func cancel() {
      isCancelled = true
      Intrusion.reach(.scheduler)
    }

    deinit { Intrusion.reach(.release) }
  }

  private struct Job {
    var date: Int
    let token: Token
    let action: () -> Void
  }

  private var jobs: [Job] = []
  private var time = 0

  deinit { Intrusion.reach(.release) }

  var now: PoisonedTime {
    Intrusion.reach(.scheduler)
    return PoisonedTime(time)
  }

  var minimumTolerance: PoisonedTime.Stride {
    Intrusion.reach(.scheduler)
    return 0
  }

  func schedule(options: Never?, _ action: @escaping () -> Void) {
    jobs.append(Job(date: time, token: Token(nil), action: action))
    Intrusion.reach(.scheduler)
  }

  func schedule(
    after date: PoisonedTime,
    tolerance: PoisonedTime.Stride,
    options: Never?,
    _ action: @escaping () -> Void
  ) {
    jobs.append(Job(date: date.milliseconds, token: Token(nil), action: action))
    Intrusion.reach(.scheduler)
  }

  func schedule(
    after date: PoisonedTime,
    interval: PoisonedTime.Stride,
    tolerance: PoisonedTime.Stride,
    options: Never?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    let token = Token(interval.magnitude)
    jobs.append(Job(date: date.milliseconds, token: token, action: action))
    Intrusion.reach(.scheduler)
    return token
  }

  func advance(by milliseconds: Int) {
    let end = time + milliseconds
    while let index = jobs.indices.filter({ jobs[$0].date <= end }).min(by: { jobs[$0].date < jobs[$1].date }) {
      var job = jobs.remove(at: index)
      time = max(time, job.date)
      if job.token.isCancelled { continue }
      job.action()
      guard let interval = job.token.interval, !job.token.isCancelled else { continue }
      job.date += max(1, interval)
      jobs.append(job)
    }
    time = max(time, end)
  }

  func dropAll() {
    let dropped = jobs
    jobs = []
    withExtendedLifetime(dropped) {}
  }
}

/// An upstream for several subscribers, which sends what they have asked for.
final class PoisonedSource: Publisher {

  typealias Output = PoisonedValue
  typealias Failure = PoisonedError

  private var subscriptions: [PoisonedSubscription] = []
  private var completion: Subscribers.Completion<PoisonedError>?

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let subscription = PoisonedSubscription(source: self, subscriber: subscriber)
    subscriptions.append(subscription)
    subscriber.receive(subscription: subscription)
    if let completion { subscription.complete(completion) }
  }

  func send(_ number: Int) {
    for subscription in subscriptions { subscription.send(PoisonedValue(number)) }
  }

  func send(completion: Subscribers.Completion<PoisonedError>) {
    guard self.completion == nil else { return }
    self.completion = completion
    for subscription in subscriptions { subscription.complete(completion) }
  }

  fileprivate func remove(_ subscription: PoisonedSubscription) {
    let old = subscriptions
    subscriptions = old.filter { $0 !== subscription }
  }
}

private final class PoisonedSubscription: Subscription {

  private let source: PoisonedSource
  private var subscriber: (any Subscriber<PoisonedValue, PoisonedError>)?
  private var demand = Subscribers.Demand.none

  init(source: PoisonedSource, subscriber: any Subscriber<PoisonedValue, PoisonedError>) {
    self.source = source
    self.subscriber = subscriber
  }

  deinit { Intrusion.reach(.release) }

  func request(_ demand: Subscribers.Demand) {
    self.demand += demand
    Intrusion.reach(.request)
  }

  func cancel() {
    end()
    Intrusion.reach(.cancel)
  }

  func send(_ value: PoisonedValue) {
    guard let subscriber, demand > .none else { return }
    demand -= 1
    let more = subscriber.receive(value)
    demand += more
  }

  func complete(_ completion: Subscribers.Completion<PoisonedError>) {
    end()?.receive(completion: completion)
  }

  @discardableResult
  private func end() -> (any Subscriber<PoisonedValue, PoisonedError>)? {
    source.remove(self)
    let last = subscriber
    subscriber = nil
    return last
  }
}

/// A subscriber whose type the table of operators does not show.
protocol PoisonedDownstream: AnyObject {
  func request(_ demand: Subscribers.Demand)
  func cancel()
}

final class PoisonedSubscriber<Input, Failure: Error>: Subscriber, PoisonedDownstream {

  private let demand: Subscribers.Demand
  private var subscription: (any Subscription)?
  private var last: Input?
  private var count = 0

  init(_ demand: Subscribers.Demand) { self.demand = demand }

  deinit { Intrusion.reach(.release) }

  func receive(subscription: any Subscription) {
    self.subscription = subscription
    subscription.request(demand)
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    let old = last
    last = input
    count += 1
    return withExtendedLifetime(old) { demand != .unlimited && count % 2 == 0 ? .max(1) : .none }
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    let last = subscription
    subscription = nil
    withExtendedLifetime(last) {}
  }

  func request(_ demand: Subscribers.Demand) { subscription?.request(demand) }

  func cancel() {
    let last = subscription
    subscription = nil
    last?.cancel()
  }
}
