import Combine
import Dispatch
import Foundation

/// The two subjects that a load sends through, as one type, so that each operator has one entry.
///
/// A third case takes any other publisher, for tests that send on one thread.
public enum LoadedSubject: Publisher, @unchecked Sendable {
  // Sendable: the subjects are. A test that uses another publisher keeps it on one thread.
  case passthrough(PassthroughSubject<Int, Never>)
  case current(CurrentValueSubject<Int, Never>)
  case other(AnyPublisher<Int, Never>)

  public typealias Output = Int
  public typealias Failure = Never

  public func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
    switch self {
    case .passthrough(let subject): subject.receive(subscriber: subscriber)
    case .current(let subject): subject.receive(subscriber: subscriber)
    case .other(let publisher): publisher.receive(subscriber: subscriber)
    }
  }

  func send(_ value: Int) {
    switch self {
    case .passthrough(let subject): subject.send(value)
    case .current(let subject): subject.send(value)
    case .other: preconditionFailure("only a subject is sent to")
    }
  }
}

/// An operator under load. Every operator of the package has an entry in ``all``, and a new one must be added there.
public struct OperatorLoad: CustomStringConvertible, Sendable {

  public let description: String

  /// Whether the operator forwards each value unchanged, on the thread that sends it.
  let passesAll: Bool

  /// Whether the subscription arrives later, from the queue. A sink ignores a cancel before it, as in Combine.
  let subscribesLater: Bool

  /// Whether subscriptions or values start tasks. A load waits for them after each cancellation, and from time to time
  /// while it sends. Otherwise the tasks that have not begun pile up, as nothing else slows the threads down.
  public let startsTasks: Bool

  /// A closure that applies the operator to a subject.
  public let apply: @Sendable (LoadedSubject) -> AnyPublisher<Int, Never>

  init<P: Publisher<Int, Never> & SendableMetatype>(
    _ name: String,
    passesAll: Bool = false,
    subscribesLater: Bool = false,
    startsTasks: Bool = false,
    _ apply: @escaping @Sendable (LoadedSubject) -> P
  ) {
    description = name
    self.passesAll = passesAll
    self.subscribesLater = subscribesLater
    self.startsTasks = startsTasks
    self.apply = { apply($0).eraseToAnyPublisher() }
  }
}

private struct Oops: Error {}

@Sendable private func fail(_ value: Int) throws -> Int {
  if value >= -1 { throw Oops() }
  return value
}

/// Returns a number for a value that does not exist.
@Sendable private func number(of nothing: Never) -> Int {}

/// A coder that encodes a number as itself.
private struct PlainCoder: TopLevelEncoder, TopLevelDecoder, Sendable {
  func encode<T: Encodable>(_ value: T) throws -> Int { value as? Int ?? 0 }
  func decode<T: Decodable>(_ type: T.Type, from number: Int) throws -> T {
    guard let value = number as? T else { throw Oops() }
    return value
  }
}

/// A stream that discards its text.
private struct Nowhere: TextOutputStream {
  mutating func write(_ string: String) {}
}

extension OperatorLoad {

  private static let queue = DispatchQueue(label: "OperatorLoad")
  private static let never = PassthroughSubject<Int, Never>()

  /// Waits until the queue has run all its actions.
  public static func drain() {
    queue.sync {}
    drainExtras()
  }

  /// Waits until the tasks that were started before have had a turn.
  static func drainTasks() {
    let turn = DispatchSemaphore(value: 0)
    Task { turn.signal() }
    turn.wait()
  }

  public static let all: [OperatorLoad] =
    mapping + filtering + reducing + slicing + mixing + errorHandling + timing + scheduling + sharing + others + extras

  private static let mapping: [OperatorLoad] = [
    OperatorLoad("map", passesAll: true) { $0.map { $0 } },
    OperatorLoad("tryMap", passesAll: true) { $0.tryMap { $0 }.assertNoFailure() },
    OperatorLoad("map(keyPath)", passesAll: true) { $0.map(\.littleEndian) },
    OperatorLoad("mapError", passesAll: true) { $0.setFailureType(to: Oops.self).mapError { $0 }.assertNoFailure() },
    OperatorLoad("setFailureType", passesAll: true) { $0.setFailureType(to: Oops.self).assertNoFailure() },
    OperatorLoad("replaceNil", passesAll: true) { $0.map { Optional($0) }.replaceNil(with: 0) },
    OperatorLoad("scan", passesAll: true) { $0.scan(0) { $1 } },
    OperatorLoad("tryScan", passesAll: true) { $0.tryScan(0) { $1 }.assertNoFailure() },
    OperatorLoad("flatMap", passesAll: true) { $0.flatMap { Just($0) } },
    OperatorLoad("flatMap, one at a time") { $0.flatMap(maxPublishers: .max(1)) { Just($0) } },
    OperatorLoad("encode and decode", passesAll: true) {
      $0.encode(encoder: PlainCoder()).decode(type: Int.self, decoder: PlainCoder()).assertNoFailure()
    },
  ]

  private static let filtering: [OperatorLoad] = [
    OperatorLoad("filter", passesAll: true) { $0.filter { $0 >= 0 } },
    OperatorLoad("tryFilter", passesAll: true) { $0.tryFilter { $0 >= 0 }.assertNoFailure() },
    OperatorLoad("compactMap", passesAll: true) { $0.compactMap { $0 } },
    OperatorLoad("tryCompactMap", passesAll: true) { $0.tryCompactMap { $0 }.assertNoFailure() },
    OperatorLoad("removeDuplicates", passesAll: true) { $0.removeDuplicates() },
    OperatorLoad("removeDuplicates(by:)", passesAll: true) { $0.removeDuplicates { $0 == $1 } },
    OperatorLoad("tryRemoveDuplicates", passesAll: true) { $0.tryRemoveDuplicates { $0 == $1 }.assertNoFailure() },
    OperatorLoad("replaceEmpty", passesAll: true) { $0.replaceEmpty(with: 0) },
    OperatorLoad("replaceError", passesAll: true) { $0.setFailureType(to: Oops.self).replaceError(with: 0) },
    OperatorLoad("ignoreOutput") { $0.ignoreOutput().map(number(of:)) },
  ]

  private static let reducing: [OperatorLoad] = [
    OperatorLoad("collect") { $0.prefix(20).collect().map(\.count) },
    OperatorLoad("collect(count)") { $0.collect(3).map(\.count) },
    OperatorLoad("collect(byTime)") { $0.collect(.byTime(queue, .milliseconds(1))).map(\.count) },
    OperatorLoad("collect(byTimeOrCount)") { $0.collect(.byTimeOrCount(queue, .milliseconds(1), 5)).map(\.count) },
    OperatorLoad("reduce") { $0.prefix(20).reduce(0) { $0 + $1 } },
    OperatorLoad("tryReduce") { $0.prefix(20).tryReduce(0) { $0 + $1 }.assertNoFailure() },
    OperatorLoad("count") { $0.prefix(20).count() },
    OperatorLoad("min") { $0.prefix(20).min() },
    OperatorLoad("max") { $0.prefix(20).max() },
    OperatorLoad("tryMin(by:)") { $0.prefix(20).tryMin { $0 < $1 }.assertNoFailure() },
    OperatorLoad("tryMax(by:)") { $0.prefix(20).tryMax { $0 < $1 }.assertNoFailure() },
    OperatorLoad("allSatisfy") { $0.prefix(20).allSatisfy { $0 >= 0 }.map { $0 ? 1 : 0 } },
    OperatorLoad("tryAllSatisfy") { $0.prefix(20).tryAllSatisfy { $0 >= 0 }.assertNoFailure().map { $0 ? 1 : 0 } },
    OperatorLoad("contains") { $0.contains(-1).map { $0 ? 1 : 0 } },
    OperatorLoad("contains(where:)") { $0.contains { $0 > 1_000_000 }.map { $0 ? 1 : 0 } },
    OperatorLoad("tryContains(where:)") {
      $0.tryContains { $0 > 1_000_000 }.assertNoFailure().map { $0 ? 1 : 0 }
    },
  ]

  private static let slicing: [OperatorLoad] = [
    OperatorLoad("first") { $0.first() },
    OperatorLoad("first(where:)") { $0.first { $0 > 100 } },
    OperatorLoad("tryFirst(where:)") { $0.tryFirst { $0 > 100 }.assertNoFailure() },
    OperatorLoad("last") { $0.prefix(20).last() },
    OperatorLoad("last(where:)") { $0.prefix(20).last { $0 > 100 } },
    OperatorLoad("tryLast(where:)") { $0.prefix(20).tryLast { $0 > 100 }.assertNoFailure() },
    OperatorLoad("dropFirst") { $0.dropFirst(3) },
    OperatorLoad("drop(while:)", passesAll: true) { $0.drop { $0 < 0 } },
    OperatorLoad("tryDrop(while:)", passesAll: true) { $0.tryDrop { $0 < 0 }.assertNoFailure() },
    OperatorLoad("drop(untilOutputFrom:)", passesAll: true) { $0.drop(untilOutputFrom: Just(0)) },
    OperatorLoad("drop(untilOutputFrom:), a subject") { $0.drop(untilOutputFrom: never) },
    OperatorLoad("prefix") { $0.prefix(10) },
    OperatorLoad("prefix(while:)", passesAll: true) { $0.prefix { $0 >= 0 } },
    OperatorLoad("tryPrefix(while:)", passesAll: true) { $0.tryPrefix { $0 >= 0 }.assertNoFailure() },
    OperatorLoad("prefix(untilOutputFrom:)", passesAll: true) { $0.prefix(untilOutputFrom: never) },
    OperatorLoad("output(at:)") { $0.output(at: 2) },
    OperatorLoad("output(in:)") { $0.output(in: 2..<10) },
  ]

  private static let mixing: [OperatorLoad] = [
    OperatorLoad("merge", passesAll: true) { $0.merge(with: never) },
    OperatorLoad("merge3", passesAll: true) { $0.merge(with: never, never) },
    OperatorLoad("MergeMany") { Publishers.MergeMany([$0, $0, $0]) },
    OperatorLoad("combineLatest") { $0.combineLatest($0) { $0 + $1 } },
    OperatorLoad("combineLatest3") { $0.combineLatest($0, $0) { $0 + $1 + $2 } },
    OperatorLoad("combineLatest4") { $0.combineLatest($0, $0, $0) { $0 + $1 + $2 + $3 } },
    OperatorLoad("zip") { $0.zip($0) { $0 + $1 } },
    OperatorLoad("zip3") { $0.zip($0, $0) { $0 + $1 + $2 } },
    OperatorLoad("zip4") { $0.zip($0, $0, $0) { $0 + $1 + $2 + $3 } },
    OperatorLoad("prepend") { $0.prepend(-1) },
    OperatorLoad("append", passesAll: true) { $0.append(-1) },
    OperatorLoad("switchToLatest", passesAll: true) { $0.map { Just($0) }.switchToLatest() },
    OperatorLoad("switchToLatest to the subject") { subject in subject.map { _ in subject }.switchToLatest() },
  ]

  private static let errorHandling: [OperatorLoad] = [
    OperatorLoad("catch", passesAll: true) { $0.setFailureType(to: Oops.self).catch { _ in Just(0) } },
    OperatorLoad("catch, a failure") { subject in subject.tryMap(fail).catch { _ in subject } },
    OperatorLoad("tryCatch", passesAll: true) {
      $0.setFailureType(to: Oops.self).tryCatch { _ in Just(0) }.assertNoFailure()
    },
    OperatorLoad("retry", passesAll: true) { $0.setFailureType(to: Oops.self).retry(2).assertNoFailure() },
    OperatorLoad("retry, failures") { $0.tryMap(fail).retry(3).replaceError(with: 0) },
    OperatorLoad("replaceError", passesAll: true) { $0.setFailureType(to: Oops.self).replaceError(with: 0) },
    OperatorLoad("assertNoFailure", passesAll: true) { $0.assertNoFailure() },
  ]

  private static let timing: [OperatorLoad] = [
    OperatorLoad("debounce") { $0.debounce(for: .microseconds(50), scheduler: queue) },
    OperatorLoad("throttle, the latest") { $0.throttle(for: .microseconds(50), scheduler: queue, latest: true) },
    OperatorLoad("throttle, the first") { $0.throttle(for: .microseconds(50), scheduler: queue, latest: false) },
    OperatorLoad("delay") { $0.delay(for: .microseconds(50), scheduler: queue) },
    OperatorLoad("timeout") { $0.timeout(.seconds(100), scheduler: queue) },
    OperatorLoad("measureInterval") { $0.measureInterval(using: queue).map { _ in 0 } },
  ]

  private static let scheduling: [OperatorLoad] = [
    OperatorLoad("receive(on:)") { $0.receive(on: queue) },
    OperatorLoad("receive(on:), at once", passesAll: true) { $0.receive(on: ImmediateScheduler.shared) },
    OperatorLoad("subscribe(on:)", subscribesLater: true) { $0.subscribe(on: queue) },
    OperatorLoad("subscribe(on:), at once", passesAll: true) { $0.subscribe(on: ImmediateScheduler.shared) },
    OperatorLoad("buffer") { $0.buffer(size: 10, prefetch: .byRequest, whenFull: .dropOldest) },
    OperatorLoad("buffer, filled") { $0.buffer(size: 10, prefetch: .keepFull, whenFull: .dropNewest) },
  ]

  private static let sharing: [OperatorLoad] = [
    OperatorLoad("share", passesAll: true) { $0.share() },
    OperatorLoad("multicast", passesAll: true) {
      $0.multicast(subject: PassthroughSubject<Int, Never>()).autoconnect()
    },
    OperatorLoad("multicast to a current value") {
      $0.multicast(subject: CurrentValueSubject<Int, Never>(0)).autoconnect()
    },
    OperatorLoad("makeConnectable", passesAll: true) { $0.makeConnectable().autoconnect() },
  ]

  private static let others: [OperatorLoad] = [
    OperatorLoad("print", passesAll: true) { $0.print("", to: Nowhere()) },
    OperatorLoad("handleEvents", passesAll: true) { $0.handleEvents(receiveOutput: { _ in }) },
    OperatorLoad("breakpoint", passesAll: true) { $0.breakpoint(receiveOutput: { $0 < -1 }) },
    OperatorLoad("breakpointOnError", passesAll: true) { $0.breakpointOnError() },
    OperatorLoad("eraseToAnyPublisher", passesAll: true) { $0.eraseToAnyPublisher() },
    OperatorLoad("Deferred", passesAll: true) { subject in Deferred { subject } },
  ]
}
