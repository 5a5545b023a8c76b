import Combine
import CombineExtras
import TestSupport

/// A pipeline through which many values pass during one call, in a stack that does not depend on their number.
struct Loop: Sendable, CustomStringConvertible {

  /// The number of values to send.
  static let count = 10_000

  /// The stack available to them.
  ///
  /// They take 4 KB in a release build, and up to 12 KB in a debug build. The first pipeline of a kind takes up to 30
  /// KB, because the runtime looks up its types. A value delivered during the delivery of the previous one would take
  /// some hundred bytes.
  static let limit = 64 * 1024 * (StackMeter.isSanitized ? 8 : 1)

  let name: String

  var description: String { name }

  private let run: @Sendable (_ count: Int, _ appetite: Appetite) -> Int?
  private let arriving: @Sendable (_ count: Int) -> Int

  /// - Parameters:
  ///   - arriving: A closure that returns the number of values that arrive, from the number of values sent.
  ///   - make: A closure that makes the pipeline for a number of values.
  private init<P: Publisher & SendableMetatype>(
    _ name: String,
    arriving: @escaping @Sendable (Int) -> Int = { $0 },
    _ make: @escaping @Sendable (Int) -> P
  ) {
    self.name = name
    self.arriving = arriving
    run = { count, appetite in
      let consumer = Consumer<P.Output, P.Failure>(appetite)
      make(count).subscribe(consumer)
      return consumer.hasCompleted ? consumer.count : nil
    }
  }

  /// Sends all values and the completion.
  ///
  /// - Returns: The number of stack bytes that they took.
  func measure(_ appetite: Appetite) -> Int {
    StackMeter.measure { precondition(run(Loop.count, appetite) == arriving(Loop.count), name) }
  }

  /// Erased, because the publisher of a sequence has its own operators.
  private typealias Numbers = AnyPublisher<Int, TestError>

  private static func numbers(_ count: Int) -> Numbers {
    Publishers.Sequence(sequence: 0..<count).eraseToAnyPublisher()
  }

  private static func one(_ number: Int) -> Numbers {
    Just(number).setFailureType(to: TestError.self).eraseToAnyPublisher()
  }

  static let all = sources + flatMaps + successions + mixers + elementwise + slicing + others

  private static let sources = [
    Loop("sequence") { numbers($0) },
    Loop("record") { Record<Int, TestError>(output: Array(0..<$0), completion: .finished) },
    Loop("current value", arriving: { _ in 1 }) { _ in CurrentValueSubject<Int, TestError>(1).first() },
  ]

  private static let flatMaps = [
    Loop("flatMap, one value each") { numbers($0).flatMap { one($0) } },
    Loop("flatMap, no value", arriving: { _ in 0 }) { numbers($0).flatMap { _ in Empty<Int, TestError>() } },
    Loop("flatMap, sequences", arriving: { $0 * 3 }) { numbers($0).flatMap { _ in numbers(3) } },
    Loop("flatMap, one long sequence") { count in one(1).flatMap { _ in numbers(count) } },
    Loop("flatMap, one at a time") { numbers($0).flatMap(maxPublishers: .max(1)) { one($0) } },
    Loop("flatMap, one at a time, no value", arriving: { _ in 0 }) {
      numbers($0).flatMap(maxPublishers: .max(1)) { _ in Empty<Int, TestError>() }
    },
    Loop("flatMap, sequences, one at a time", arriving: { $0 * 3 }) {
      numbers($0).flatMap(maxPublishers: .max(1)) { _ in numbers(3) }
    },
    Loop("flatMap, futures") { numbers($0).flatMap { number in Future<Int, TestError> { $0(.success(number)) } } },
    Loop("flatMap, nested") { numbers($0).flatMap { one($0).flatMap { one($0) } } },
    Loop("flatMap in a row") { numbers($0).flatMap { one($0) }.flatMap { one($0) } },
    Loop("flatMap in a row, one at a time") {
      numbers($0).flatMap(maxPublishers: .max(1)) { one($0) }.flatMap(maxPublishers: .max(1)) { one($0) }
    },
    Loop("flatMap, nested, one at a time", arriving: { $0 * 3 }) {
      numbers($0).flatMap(maxPublishers: .max(1)) { number in
        numbers(3).flatMap(maxPublishers: .max(1)) { _ in one(number) }
      }
    },
  ]

  private static let successions = [
    Loop("append", arriving: { $0 * 2 }) { numbers($0).append(numbers($0)) },
    Loop("append a sequence", arriving: { $0 * 2 }) { numbers($0).append(0..<$0) },
    Loop("prepend", arriving: { $0 * 2 }) { numbers($0).prepend(numbers($0)) },
    Loop("prepend a sequence", arriving: { $0 * 2 }) { numbers($0).prepend(0..<$0) },
    Loop("append in flatMap, one at a time", arriving: { $0 * 2 }) {
      numbers($0).flatMap(maxPublishers: .max(1)) { one($0).append(one($0)) }
    },
    Loop("catch") { numbers($0).append(Fail(error: "end")).catch { _ in Empty<Int, TestError>() } },
    Loop("catch, replacement") { count in Fail<Int, TestError>(error: "start").catch { _ in numbers(count) } },
    Loop("tryCatch") { numbers($0).append(Fail(error: "end")).tryCatch { _ in Empty<Int, TestError>() } },
    Loop("catch in flatMap, one at a time") {
      numbers($0).flatMap(maxPublishers: .max(1)) { number in
        Fail<Int, TestError>(error: "one").catch { _ in one(number) }
      }
    },
    Loop("retry, failing before a value", arriving: { _ in 0 }) { Fail<Int, TestError>(error: "all").retry($0) },
    Loop("retry, failing after a value", arriving: { $0 + 1 }) { one(1).append(Fail(error: "then")).retry($0) },
    Loop("retry, failing when asked", arriving: { _ in 0 }) {
      one(1).tryMap { _ in throw TestError("when asked") }.map { $0 as Int }.retry($0)
    },
    Loop("retryWhen, failing before a value", arriving: { _ in 0 }) { count in
      Fail<Int, TestError>(error: "all").retryWhen { $0.prefix(count).setFailureType(to: TestError.self) }
    },
    Loop("retry with a policy, at once", arriving: { _ in 0 }) { count in
      let policy = RetryPolicy.constant(.zero, maxRetries: count)
      return Fail<Int, TestError>(error: "all").retry(policy, scheduler: ImmediateScheduler.shared)
    },
    Loop("repeat") { one(1).repeat($0) },
    Loop("repeat, no value", arriving: { _ in 0 }) { Empty<Int, TestError>().repeat($0) },
    Loop("replaceError") { numbers($0).replaceError(with: 1) },
    Loop("replaceEmpty") { numbers($0).replaceEmpty(with: 1) },
  ]

  private static let mixers = [
    Loop("switchToLatest") { numbers($0).map { one($0) }.switchToLatest() },
    Loop("switchToLatest, futures") {
      numbers($0).map { number in Future<Int, TestError> { $0(.success(number)) } }.switchToLatest()
    },
    Loop("switchToLatest, one long sequence") { count in one(1).map { _ in numbers(count) }.switchToLatest() },
    Loop("zip") { numbers($0).zip(numbers($0)) },
    Loop("zip of four") { numbers($0).zip(numbers($0), numbers($0), numbers($0)) },
    Loop("merge", arriving: { $0 * 2 }) { numbers($0).merge(with: numbers($0)) },
    Loop("merge of eight", arriving: { $0 * 8 }) { count in
      Publishers.MergeMany((0..<8).map { _ in numbers(count) })
    },
    Loop("combineLatest") { one(1).combineLatest(numbers($0)) },
  ]

  private static let elementwise = [
    Loop("map") { numbers($0).map { $0 } },
    Loop("tryMap") { numbers($0).tryMap { $0 } },
    Loop("filter, all dropped", arriving: { _ in 0 }) { numbers($0).filter { $0 < 0 } },
    Loop("tryFilter, all dropped", arriving: { _ in 0 }) { numbers($0).tryFilter { $0 < 0 } },
    Loop("compactMap, all dropped", arriving: { _ in 0 }) { numbers($0).compactMap { _ in nil as Int? } },
    Loop("removeDuplicates, all dropped", arriving: { _ in 1 }) { numbers($0).removeDuplicates { _, _ in true } },
    Loop("ignoreOutput", arriving: { _ in 0 }) { numbers($0).ignoreOutput() },
    Loop("scan") { numbers($0).scan(0) { $1 } },
    Loop("handleEvents") { numbers($0).handleEvents(receiveOutput: { _ in }) },
    Loop("measureInterval") { numbers($0).measureInterval(using: ImmediateScheduler.shared) },
  ]

  private static let slicing = [
    Loop("collect", arriving: { _ in 1 }) { numbers($0).collect() },
    Loop("collect by three", arriving: { ($0 + 2) / 3 }) { numbers($0).collect(3) },
    Loop("reduce", arriving: { _ in 1 }) { numbers($0).reduce(0) { $1 } },
    Loop("last", arriving: { _ in 1 }) { numbers($0).last() },
    Loop("first(where:)", arriving: { _ in 1 }) { count in numbers(count).first { $0 == count - 1 } },
    Loop("drop(while:), most dropped", arriving: { _ in 1 }) { count in numbers(count).drop { $0 < count - 1 } },
    Loop("dropFirst, most dropped", arriving: { _ in 1 }) { numbers($0).dropFirst($0 - 1) },
    Loop("output(at:)", arriving: { _ in 1 }) { numbers($0).output(at: $0 - 1) },
    Loop("prefix") { numbers($0).prefix($0) },
    Loop("prefix(while:)") { numbers($0).prefix { $0 >= 0 } },
    Loop("drop(untilOutputFrom:)") { numbers($0).drop(untilOutputFrom: one(1)) },
    Loop("prefix(untilOutputFrom:)") {
      numbers($0).prefix(untilOutputFrom: Empty<Int, TestError>(completeImmediately: false))
    },
  ]

  private static let others = [
    Loop("buffer") { numbers($0).buffer(size: $0, prefetch: .byRequest, whenFull: .dropNewest) },
    Loop("buffer, kept full") { numbers($0).buffer(size: 10, prefetch: .keepFull, whenFull: .dropNewest) },
    Loop("receive(on:) at once") { numbers($0).receive(on: ImmediateScheduler.shared) },
    Loop("delay at once") { numbers($0).delay(for: 0, scheduler: ImmediateScheduler.shared) },
    Loop("multicast") { numbers($0).multicast { PassthroughSubject() }.autoconnect() },
    Loop("makeConnectable") { Publishers.MakeConnectable(upstream: numbers($0).assertNoFailure()).autoconnect() },
    Loop("deferred") { count in Deferred { numbers(count) } },
    Loop("erased many times") { count in (0..<20).reduce(numbers(count)) { erased, _ in AnyPublisher(erased) } },
  ]
}
