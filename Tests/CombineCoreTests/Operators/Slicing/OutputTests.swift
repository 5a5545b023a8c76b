import TestSupport
import Testing

@testable import CombineCore

@Suite struct OutputTests {

  @Test func acceptsEventsOutOfOrder() {
    expectLenient(
      name: "Output",
      rules: LenientRules(deliversCompletionBeforeSubscription: false, deliversCompletionsAfterEnd: false)
    ) { $0.prefix(100) }
  }

  // MARK: The range

  @Test func makesARangeOfPositions() {
    let upstream = TestUpstream()
    #expect(upstream.prefix(7).range == 0..<7)
    #expect(upstream.prefix(0).range == 0..<0)
    #expect(upstream.prefix(.max).range == 0..<Int.max)
    #expect(upstream.output(at: 3).range == 3..<4)
    #expect(upstream.output(at: .max - 1).range == Int.max - 1..<Int.max)
    #expect(upstream.output(in: ..<8).range == 0..<8)
    #expect(upstream.output(in: ...8).range == 0..<9)
    #expect(upstream.output(in: 8...).range == 8..<Int.max)
    #expect(upstream.output(in: Int.max...).range == Int.max..<Int.max)
    #expect(upstream.output(in: 4..<5).range == 4..<5)
    #expect(upstream.output(in: 4...5).range == 4..<6)

    let publisher: Publishers.Output<TestUpstream> = Publishers.Output(upstream: upstream, range: 2..<9)
    #expect(publisher.upstream === upstream)
    #expect(publisher.range == 2..<9)
  }

  @Test func aValueSentInsideTheLastOneIsLostAndTheFinishComesThere() {
    let upstream = TestUpstream()
    let subscriber = RecordingSubscriber<Int, TestError>()
    var log: [String] = []
    subscriber.onValue = { [unowned upstream, unowned subscriber] value in
      if value == 2 { upstream.send(3) }
      log.append("after \(value): \(subscriber.events.last!)")
      return .none
    }
    upstream.prefix(2).subscribe(subscriber)
    upstream.send(1)
    upstream.send(2)
    #expect(subscriber.events == [.subscription("Output"), .value(1), .value(2), .finished])
    #expect(log.last == "after 2: \(Event<Int>.finished)")
  }

  @Test func evaluatesARangeExpressionOnce() {
    struct Expression: RangeExpression {
      final class Log { var collections: [Any] = [] }
      let log = Log()

      func relative<C: Collection>(to collection: C) -> Range<Int> where C.Index == Int {
        log.collections.append(collection)
        return 3..<5
      }

      func contains(_ element: Int) -> Bool {
        Issue.record("not asked")
        return false
      }
    }
    let expression = Expression()
    let publisher = TestUpstream().output(in: expression)
    #expect(publisher.range == 3..<5)
    publisher.subscribe(RecordingSubscriber())
    #expect(expression.log.collections.map { $0 as? Range<Int> } == [0..<Int.max])
  }

  /// A range whose bounds are in any order. `Range(uncheckedBounds:)` checks them in debug builds.
  private static func uncheckedRange(from lower: Int, to upper: Int) -> Range<Int> {
    unsafeBitCast((lower, upper), to: Range<Int>.self)
  }

  enum InvalidRange: String, CaseIterable, Codable, Sendable {

    case negativeLength, negativeIndex, indexPastTheGreatest
    case negativeLowerBound, negativeUpperBound, negativeRangeFrom
    case memberwiseNegativeLowerBound, memberwiseNegativeUpperBound

    func make() {
      let upstream = TestUpstream()
      switch self {
      case .negativeLength: _ = upstream.prefix(-1)
      case .negativeIndex: _ = upstream.output(at: -1)
      case .indexPastTheGreatest: _ = upstream.output(at: .max)
      case .negativeLowerBound: _ = upstream.output(in: -1..<3)
      case .negativeUpperBound: _ = upstream.output(in: Self.endingBelowZero)
      case .negativeRangeFrom: _ = upstream.output(in: (-1)...)
      case .memberwiseNegativeLowerBound: _ = Publishers.Output(upstream: upstream, range: -1..<3)
      case .memberwiseNegativeUpperBound: _ = Publishers.Output(upstream: upstream, range: Self.endingBelowZero)
      }
    }

    var operation: String {
      switch self {
      case .negativeLength: "prefix(_:)"
      case .negativeIndex, .indexPastTheGreatest: "output(at:)"
      default: "Output"
      }
    }

    var mistake: Misuse {
      switch self {
      case .negativeLength: .negativeLength
      case .negativeIndex: .negativeIndex
      case .indexPastTheGreatest: .greatestIndex
      case .negativeUpperBound, .memberwiseNegativeUpperBound: .negativeUpperBound
      default: .negativeLowerBound
      }
    }

    private static var endingBelowZero: Range<Int> { OutputTests.uncheckedRange(from: 0, to: -1) }
  }

  #if compiler(>=6.3)  // The capture list of an exit test.
    @Test(arguments: InvalidRange.allCases) func traps(on range: InvalidRange) async {
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [range] in
        range.make()
      }.expectMisuse(range.operation, range.mistake)
    }
  #endif

  /// The standard library does not convert these to ranges.
  @Test func trapsOnARangeWithANegativeEnd() async {
    await #expect(processExitsWith: .failure) { _ = TestUpstream().output(in: -3...(-2)) }.expectTrap()
    await #expect(processExitsWith: .failure) { _ = TestUpstream().output(in: ..<(-1)) }.expectTrap()
  }

  @Test func isEqualWhenItsPartsAre() {
    let upstream = [1, 2].publisher
    #expect(Publishers.Output(upstream: upstream, range: 0..<1) == Publishers.Output(upstream: upstream, range: 0..<1))
    #expect(Publishers.Output(upstream: upstream, range: 0..<1) != Publishers.Output(upstream: upstream, range: 0..<2))
    #expect(
      Publishers.Output(upstream: upstream, range: 0..<1) != Publishers.Output(upstream: [1].publisher, range: 0..<1)
    )
  }

  // MARK: Slicing

  private func attached(
    _ range: Range<Int>,
    returning demand: Subscribers.Demand,
    hasSubscription: Bool = true
  ) -> (upstream: TestUpstream, subscriber: RecordingSubscriber<Int, TestError>) {
    let upstream = TestUpstream(subscription: hasSubscription ? ManualSubscription() : nil)
    let subscriber = RecordingSubscriber<Int, TestError>(onValue: { _ in demand })
    upstream.output(in: range).subscribe(subscriber)
    return (upstream, subscriber)
  }

  private let subscribed = Event<Int>.subscription("Output")

  @Test func prefixFinishesWithItsLastValueAndOutputAtWithItsOnlyOne() {
    let upstream = TestUpstream()
    let first = RecordingSubscriber<Int, TestError>()
    upstream.prefix(2).subscribe(first)
    for value in 1...2 { upstream.send(value) }
    #expect(first.events == [subscribed, .value(1), .value(2), .finished])

    let fourth = RecordingSubscriber<Int, TestError>()
    upstream.output(at: 3).subscribe(fourth)
    for value in 1...4 { upstream.send(value) }
    #expect(fourth.events == [subscribed, .value(4), .finished])
  }

  @Test func countsAnewForEachSubscription() {
    let upstream = TestUpstream()
    let publisher = upstream.output(at: 1)
    for _ in 0..<2 {
      let subscriber = RecordingSubscriber<Int, TestError>()
      publisher.subscribe(subscriber)
      upstream.send(1)
      upstream.send(2)
      #expect(subscriber.events == [subscribed, .value(2), .finished])
    }
  }

  @Test func anInvertedRangeIsEmpty() {
    let upstream = TestUpstream()
    let subscriber = RecordingSubscriber<Int, TestError>()
    Publishers.Output(upstream: upstream, range: Self.uncheckedRange(from: 1, to: 0)).subscribe(subscriber)
    #expect([1, 2].map { upstream.send($0) } == [.max(1), .none])
    #expect(subscriber.events == [subscribed, .finished])
  }

  @Test func finishesOnAnEndlessSequence() {
    var events: [String] = []
    // The `map` operator of a sequence's publisher is evaluated at once.
    let positions = Publishers.Map(upstream: (1...).publisher) { $0 * 10 }.output(in: 1...2)
    let cancellable = positions.sink(
      receiveCompletion: { events.append("\($0)") },
      receiveValue: { events.append("\($0)") }
    )
    #expect(events == ["20", "30", "finished"])
    cancellable.cancel()
  }

  @Test func reflectsItself() {
    let (upstream, _) = attached(0..<1, returning: .none)
    expectReflection(of: upstream.subscriber!, description: "Output")
  }

  @Test func isSendable() {
    func check<T: Sendable>(_ value: T) {}
    check(Publishers.Output(upstream: Just(1), range: 0..<1))
  }
}
