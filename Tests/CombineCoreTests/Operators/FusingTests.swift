import CombineCore
import TestSupport
import Testing

/// The operators that fuse with the operator before them into one publisher.
@Suite struct FusingTests {

  private typealias Event = TestSupport.Event<Int>

  /// The closures of two successive operators, which log each call.
  private final class Closures {

    private(set) var calls: [String] = []

    private func note(_ name: String, _ value: Int) -> Int {
      calls.append("\(name) \(value)")
      return value
    }

    /// Throws on 100. The second closure also throws on 50 and 51.
    private func throwing(_ name: String, _ value: Int) throws -> Int {
      _ = note(name, value)
      if value == 100 || name == "second" && (50...51).contains(value) { throw TestError("\(name) threw") }
      return value
    }

    func take() -> [String] {
      defer { calls = [] }
      return calls
    }

    // The closures of a map: one more, and ten times as much.
    func first(_ value: Int) -> Int { note("first", value) + 1 }
    func second(_ value: Int) -> Int { note("second", value) * 10 }
    func tryFirst(_ value: Int) throws -> Int { try throwing("first", value) + 1 }
    func trySecond(_ value: Int) throws -> Int { try throwing("second", value) * 10 }

    // The closures of a filter: even numbers, and multiples of three.
    func isEven(_ value: Int) -> Bool { note("first", value).isMultiple(of: 2) }
    func isThird(_ value: Int) -> Bool { note("second", value).isMultiple(of: 3) }
    func tryIsEven(_ value: Int) throws -> Bool { try throwing("first", value).isMultiple(of: 2) }
    func tryIsThird(_ value: Int) throws -> Bool { try throwing("second", value).isMultiple(of: 3) }

    // The closures of a compact map: one more for even numbers, and a third for multiples of three.
    func next(_ value: Int) -> Int? { isEven(value) ? value + 1 : nil }
    func third(_ value: Int) -> Int? { isThird(value) ? value / 3 : nil }
    func tryNext(_ value: Int) throws -> Int? { try tryIsEven(value) ? value + 1 : nil }
    func tryThird(_ value: Int) throws -> Int? { try tryIsThird(value) ? value / 3 : nil }
  }

  /// One value sent: the closures' calls, the events of the downstream, and the returned demand.
  private struct Step {

    let value: Int
    let calls: [String]
    let events: [Event]
    let returned: Subscribers.Demand

    /// A value that the operators transform into another.
    static func passes(_ value: Int, as result: Int, calls: String...) -> Step {
      Step(value: value, calls: calls, events: [.value(result)], returned: .max(7))
    }

    static func drops(_ value: Int, calls: String...) -> Step {
      Step(value: value, calls: calls, events: [], returned: .max(1))
    }

    static func fails(_ value: Int, _ error: String, calls: String...) -> Step {
      Step(value: value, calls: calls, events: [.failure(error)], returned: .none)
    }
  }

  /// Checks that two operators fuse into one publisher.
  ///
  /// - Parameters:
  ///   - type: The static type of the fused publisher, without a context.
  ///   - subscription: The description of the downstream's subscription.
  ///   - steps: The values to send. Each value that fails gets its own subscription.
  ///   - make: A closure that applies the two operators.
  private func expectFused<P: Publisher, Expected: Publisher>(
    to type: Expected.Type,
    subscription: String,
    sourceLocation: SourceLocation = #_sourceLocation,
    steps: [Step],
    _ make: (TestUpstream, Closures) -> P
  ) where P.Output == Int {
    #expect(P.self == Expected.self, sourceLocation: sourceLocation)
    let upstream = TestUpstream()
    let closures = Closures()
    let publisher = make(upstream, closures)
    let reflected = reflectedChild("upstream", of: publisher) as? TestUpstream
    #expect(reflected === upstream, "over the same upstream", sourceLocation: sourceLocation)

    for step in steps {
      let subscriber = RecordingSubscriber<Int, P.Failure>(onValue: { _ in .max(7) })
      publisher.subscribe(subscriber)
      #expect(subscriber.events == [.subscription(subscription)], sourceLocation: sourceLocation)
      #expect(closures.take() == [], "nothing is called before a value", sourceLocation: sourceLocation)
      subscriber.clear()
      #expect(upstream.send(step.value) == step.returned, "\(step.value)", sourceLocation: sourceLocation)
      #expect(subscriber.events == step.events, "\(step.value)", sourceLocation: sourceLocation)
      #expect(closures.take() == step.calls, "\(step.value)", sourceLocation: sourceLocation)
    }
    #expect(upstream.subscribeCount == steps.count, sourceLocation: sourceLocation)
  }

  // MARK: Map

  private let mapped = [
    Step.passes(1, as: 20, calls: "first 1", "second 2"),
    .passes(9, as: 100, calls: "first 9", "second 10"),
  ]

  private let firstThrows = Step.fails(100, "first threw", calls: "first 100")

  @Test func map() {
    expectFused(to: Publishers.Map<TestUpstream, Int>.self, subscription: "ManualSubscription", steps: mapped) {
      $0.map($1.first).map($1.second)
    }
    expectFused(
      to: Publishers.TryMap<TestUpstream, Int>.self,
      subscription: "TryMap",
      steps: mapped + [.fails(49, "second threw", calls: "first 49", "second 50")]
    ) { $0.map($1.first).tryMap($1.trySecond) }
  }

  @Test func tryMap() {
    expectFused(to: Publishers.TryMap<TestUpstream, Int>.self, subscription: "TryMap", steps: mapped + [firstThrows]) {
      $0.tryMap($1.tryFirst).map($1.second)
    }
    expectFused(
      to: Publishers.TryMap<TestUpstream, Int>.self,
      subscription: "TryMap",
      steps: mapped + [firstThrows, .fails(49, "second threw", calls: "first 49", "second 50")]
    ) { $0.tryMap($1.tryFirst).tryMap($1.trySecond) }
  }

  // MARK: Filter

  private let filtered = [
    Step.passes(6, as: 6, calls: "first 6", "second 6"),
    .drops(8, calls: "first 8", "second 8"),
    .drops(9, calls: "first 9"),
  ]

  private let secondPredicateThrows = Step.fails(50, "second threw", calls: "first 50", "second 50")

  @Test func filter() {
    expectFused(to: Publishers.Filter<TestUpstream>.self, subscription: "ManualSubscription", steps: filtered) {
      $0.filter($1.isEven).filter($1.isThird)
    }
    expectFused(
      to: Publishers.TryFilter<TestUpstream>.self,
      subscription: "TryFilter",
      steps: filtered + [secondPredicateThrows]
    ) { $0.filter($1.isEven).tryFilter($1.tryIsThird) }
  }

  @Test func tryFilter() {
    expectFused(
      to: Publishers.TryFilter<TestUpstream>.self,
      subscription: "TryFilter",
      steps: filtered + [firstThrows]
    ) { $0.tryFilter($1.tryIsEven).filter($1.isThird) }
    expectFused(
      to: Publishers.TryFilter<TestUpstream>.self,
      subscription: "TryFilter",
      steps: filtered + [firstThrows, secondPredicateThrows]
    ) { $0.tryFilter($1.tryIsEven).tryFilter($1.tryIsThird) }
  }

  // MARK: CompactMap

  private let compacted = [
    Step.passes(8, as: 3, calls: "first 8", "second 9"),
    .drops(6, calls: "first 6", "second 7"),
    .drops(9, calls: "first 9"),
  ]

  @Test func compactMap() {
    expectFused(
      to: Publishers.CompactMap<TestUpstream, Int>.self,
      subscription: "ManualSubscription",
      steps: compacted
    ) { $0.compactMap($1.next).compactMap($1.third) }
    expectFused(
      to: Publishers.CompactMap<TestUpstream, Int>.self,
      subscription: "ManualSubscription",
      steps: [.passes(8, as: 90, calls: "first 8", "second 9"), .drops(9, calls: "first 9")]
    ) { $0.compactMap($1.next).map($1.second) }
  }

  @Test func tryCompactMap() {
    expectFused(
      to: Publishers.TryCompactMap<TestUpstream, Int>.self,
      subscription: "TryCompactMap",
      steps: compacted + [firstThrows]
    ) { $0.tryCompactMap($1.tryNext).compactMap($1.third) }
    expectFused(
      to: Publishers.TryCompactMap<TestUpstream, Int>.self,
      subscription: "TryCompactMap",
      steps: compacted + [firstThrows, .fails(50, "second threw", calls: "first 50", "second 51")]
    ) { $0.tryCompactMap($1.tryNext).compactMap($1.tryThird) }
  }

  // MARK: SetFailureType

  @Test func setFailureType() {
    struct Other: Error {}
    let upstream = ManualPublisher<Int, Never>()
    let publisher = upstream.setFailureType(to: TestError.self).setFailureType(to: Other.self)
    let subscriber = RecordingSubscriber<Int, Other>(onValue: { .max($0) })
    expectType(publisher, Publishers.SetFailureType<ManualPublisher<Int, Never>, Other>.self)
    #expect(publisher.upstream === upstream)
    publisher.subscribe(subscriber)
    #expect(String(describing: upstream.subscriber!) == "SetFailureType")
    #expect(upstream.send(3) == .max(3))
    upstream.send(completion: .finished)
    #expect(subscriber.events == [.subscription("ManualSubscription"), .value(3), .finished])
  }

  // MARK: Operators that do not fuse

  /// Checks the static type of an expression without a context.
  private func expectType<T, Expected>(
    _ value: T,
    _ type: Expected.Type,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(T.self == Expected.self, sourceLocation: sourceLocation)
  }

  @Test func otherOperatorsDoNotFuse() {
    let upstream = TestUpstream()
    let map = upstream.map { $0 }
    typealias Map = Publishers.Map<TestUpstream, Int>
    expectType(map.filter { $0 > 0 }, Publishers.Filter<Map>.self)
    expectType(map.tryFilter { $0 > 0 }, Publishers.TryFilter<Map>.self)
    expectType(map.compactMap { $0 as Int? }, Publishers.CompactMap<Map, Int>.self)
    expectType(map.tryCompactMap { $0 as Int? }, Publishers.TryCompactMap<Map, Int>.self)
    expectType(map.map(\.description), Publishers.MapKeyPath<Map, String>.self)

    let tryMap = upstream.tryMap { $0 }
    typealias TryMap = Publishers.TryMap<TestUpstream, Int>
    expectType(tryMap.filter { $0 > 0 }, Publishers.Filter<TryMap>.self)
    expectType(tryMap.compactMap { $0 as Int? }, Publishers.CompactMap<TryMap, Int>.self)

    let filter = upstream.filter { $0 > 0 }
    typealias Filter = Publishers.Filter<TestUpstream>
    expectType(filter.map { $0 }, Publishers.Map<Filter, Int>.self)
    expectType(filter.compactMap { $0 as Int? }, Publishers.CompactMap<Filter, Int>.self)

    let compactMap = upstream.compactMap { $0 as Int? }
    typealias CompactMap = Publishers.CompactMap<TestUpstream, Int>
    expectType(compactMap.tryMap { $0 }, Publishers.TryMap<CompactMap, Int>.self)
    expectType(compactMap.tryCompactMap { $0 as Int? }, Publishers.TryCompactMap<CompactMap, Int>.self)
    expectType(compactMap.filter { $0 > 0 }, Publishers.Filter<CompactMap>.self)

    let tryCompactMap = upstream.tryCompactMap { $0 as Int? }
    typealias TryCompactMap = Publishers.TryCompactMap<TestUpstream, Int>
    expectType(tryCompactMap.map { $0 }, Publishers.Map<TryCompactMap, Int>.self)
    expectType(tryCompactMap.tryMap { $0 }, Publishers.TryMap<TryCompactMap, Int>.self)
    expectType(tryCompactMap.tryCompactMap { $0 as Int? }, Publishers.TryCompactMap<TryCompactMap, Int>.self)

    let optionals = upstream.map { $0 as Int? }
    expectType(optionals.replaceNil(with: 0), Publishers.Map<Publishers.Map<TestUpstream, Int?>, Int>.self)
    expectType(optionals.replaceNil(with: 0).map { $0 }, Publishers.Map<Publishers.Map<TestUpstream, Int?>, Int>.self)

    expectType(
      map.mapError { $0 }.mapError { $0 },
      Publishers.MapError<Publishers.MapError<Map, TestError>, TestError>.self
    )
    expectType(map.ignoreOutput().ignoreOutput(), Publishers.IgnoreOutput<Publishers.IgnoreOutput<Map>>.self)
    expectType(map.scan(0, +).scan(0, +), Publishers.Scan<Publishers.Scan<Map, Int>, Int>.self)
    expectType(
      map.replaceEmpty(with: 0).replaceEmpty(with: 1),
      Publishers.ReplaceEmpty<Publishers.ReplaceEmpty<Map>>.self
    )
    expectType(map.breakpoint().breakpointOnError(), Publishers.Breakpoint<Publishers.Breakpoint<Map>>.self)
    typealias Numbers = Publishers.Sequence<[Int], TestError>
    let appended = map.append(1)
    expectType(appended.append(2), Publishers.Concatenate<Publishers.Concatenate<Map, Numbers>, Numbers>.self)
  }
}
