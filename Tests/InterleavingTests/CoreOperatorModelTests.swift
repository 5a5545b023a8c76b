import CombineCore
import SpecModels
import TestSupport
import Testing

/// Operators of `CombineCore` without a scheduler, each beside its model.
@Suite struct CoreOperatorModelTests {

  private typealias Event = OperatorEvent
  private typealias Upstream = MixingFixture.Upstream

  private static let ofTwo: [Event] = [
    .value(0), .value(1), .finish(0), .finish(1), .fail(0), .request(.max(1)), .request(.unlimited), .cancel,
  ]
  private static let ofOne: [Event] = [
    .value(0), .finish(0), .fail(0), .request(.max(1)), .request(.unlimited), .cancel,
  ]
  private static let moments = ["value", "completion", "a request", "b request", "a cancel", "b cancel"]

  /// Compares an operator with its model, with and without subscriptions, and with each reaction.
  private func compare<P: Publisher<Int, TestError>, Model: Publisher<Int, TestError>>(
    _ name: String,
    upstreamCount: Int = 2,
    returning returned: Subscribers.Demand,
    _ circumstances: [Circumstances] = [
      Circumstances(), Circumstances(requested: .unlimited), Circumstances(hasSubscriptions: false),
    ],
    reactions: [Reaction] = Reaction.all(of: moments, ofTwo + [.subscription(1)]),
    after prefixes: [[Event]] = [[], [.value(0), .value(1)]],
    depth: Int,
    alphabet: @escaping ([Event]) -> [Event] = { _ in ofTwo },
    model: @escaping ([Upstream]) -> Model,
    sourceLocation: SourceLocation = #_sourceLocation,
    operation: @escaping ([Upstream]) -> P
  ) {
    expectBehavesAsModel(
      name,
      upstreamCount: upstreamCount,
      circumstances.map {
        var circumstances = $0
        circumstances.returned = returned
        return circumstances
      },
      reactions: reactions,
      after: prefixes,
      depth: depth,
      alphabet: alphabet,
      model: { model($0.upstreams) },
      shortSequenceCount: 3_000,
      sourceLocation: sourceLocation
    ) {
      operation($0.upstreams)
    }
  }

  /// Compares an operator that has one upstream with its model.
  private func compareOne<P: Publisher<Int, TestError>, Model: Publisher<Int, TestError>>(
    _ name: String,
    returning returned: Subscribers.Demand,
    _ circumstances: [Circumstances] = [
      Circumstances(), Circumstances(requested: .unlimited), Circumstances(hasSubscriptions: false),
    ],
    depth: Int = 4,
    model: @escaping (Upstream) -> Model,
    sourceLocation: SourceLocation = #_sourceLocation,
    operation: @escaping (Upstream) -> P
  ) {
    compare(
      name,
      upstreamCount: 1,
      returning: returned,
      circumstances,
      reactions: Reaction.all(of: ["value", "completion", "a request", "a cancel"], Self.ofOne),
      after: [[], [.value(0), .value(0)]],
      depth: depth,
      alphabet: { _ in Self.ofOne },
      model: { model($0[0]) },
      sourceLocation: sourceLocation
    ) {
      operation($0[0])
    }
  }

  @Test(arguments: [.none, .max(1)] as [Subscribers.Demand]) func merge(returned: Subscribers.Demand) {
    compare(
      "merge",
      returning: returned,
      depth: returned == .none ? 4 : 5,
      model: { SpecModels.Merge($0) }
    ) {
      $0[0].merge(with: $0[1])
    }
  }

  @Test(arguments: [.none, .max(1)] as [Subscribers.Demand]) func combineLatest(returned: Subscribers.Demand) {
    compare(
      "combineLatest",
      returning: returned,
      depth: 4,
      model: { SpecModels.CombineLatest($0) { $0[0] * 1000 + $0[1] } }
    ) {
      $0[0].combineLatest($0[1]) { $0 * 1000 + $1 }
    }
  }

  @Test(arguments: [.none, .max(2)] as [Subscribers.Demand]) func zip(returned: Subscribers.Demand) {
    compare(
      "zip",
      returning: returned,
      depth: 4,
      model: { SpecModels.Zip($0) { $0[0] * 1000 + $0[1] } }
    ) {
      $0[0].zip($0[1]) { $0 * 1000 + $1 }
    }
  }

  @Test(arguments: [.none, .max(2)] as [Subscribers.Demand]) func prefixUntilOutput(returned: Subscribers.Demand) {
    compare(
      "prefix(untilOutputFrom:)",
      returning: returned,
      depth: 4,
      model: { SpecModels.PrefixUntilOutput($0[0], $0[1]) }
    ) {
      $0[0].prefix(untilOutputFrom: $0[1])
    }
  }

  // MARK: A range of positions

  @Test(arguments: [0..<1, 1..<3, 1..<1]) func output(range: Range<Int>) {
    for returned in [.none, .max(2)] as [Subscribers.Demand] {
      compareOne("output(in: \(range))", returning: returned) {
        SpecModels.Slice($0, range)
      } operation: {
        $0.output(in: range)
      }
    }
  }

  // MARK: Values that wait

  @Test(arguments: [.none, .max(2)] as [Subscribers.Demand]) func replaceEmpty(returned: Subscribers.Demand) {
    compareOne("replaceEmpty", returning: returned, [Circumstances(), Circumstances(hasSubscriptions: false)]) {
      SpecModels.Replace("ReplaceEmpty", $0, by: 99) { $0 }
    } operation: {
      $0.replaceEmpty(with: 99)
    }
  }

  @Test(arguments: [.none, .max(2)] as [Subscribers.Demand]) func replaceError(returned: Subscribers.Demand) {
    compareOne("replaceError", returning: returned, Self.requestingEnough) {
      SpecModels.Replace("ReplaceError", $0, by: 99) { _ in Never?.none }.setFailureType(to: TestError.self)
    } operation: {
      $0.replaceError(with: 99).setFailureType(to: TestError.self)
    }
  }

  @Test func collect() {
    compareOne("collect(2)", returning: .max(1), [Circumstances(), Circumstances(hasSubscriptions: false)]) {
      SpecModels.CollectByCount($0, 2).map { $0.reduce(0) { $0 * 100 + $1 } }
    } operation: {
      $0.collect(2).map { $0.reduce(0) { $0 * 100 + $1 } }
    }
  }

  @Test(arguments: [.keepFull, .byRequest] as [Publishers.PrefetchStrategy], 0..<3)
  func buffer(prefetch: Publishers.PrefetchStrategy, strategy: Int) {
    let strategies: [Publishers.BufferingStrategy<TestError>] = [.dropNewest, .dropOldest, .customError { "full" }]
    let whenFull = strategies[strategy]
    for returned in [.none, .max(1)] as [Subscribers.Demand] {
      compareOne("buffer, \(prefetch), \(whenFull)", returning: returned, depth: 5) {
        SpecModels.Buffer($0, size: 2, prefetch: prefetch, whenFull: whenFull)
      } operation: {
        $0.buffer(size: 2, prefetch: prefetch, whenFull: whenFull)
      }
    }
  }

  // MARK: drop(untilOutputFrom:)

  /// The demand is more than any sequence uses: a value beyond it traps.
  private static let requestingEnough = [
    Circumstances(requested: .max(100)), Circumstances(requested: .unlimited),
    Circumstances(requested: .max(100), hasSubscriptions: false),
  ]

  /// As above, where each event before the first subscription would trap.
  private static let requestingEnoughAfterSubscription =
    Array(requestingEnough.prefix(2)) + [
      Circumstances(requested: .max(100), hasSubscriptions: false, events: [.subscription(0)])
    ]

  @Test(arguments: [.none, .max(2)] as [Subscribers.Demand]) func dropUntilOutput(returned: Subscribers.Demand) {
    compare(
      "drop(untilOutputFrom:)",
      returning: returned,
      Self.requestingEnough,
      depth: 4,
      model: { SpecModels.DropUntilOutput($0[0], $0[1]) }
    ) {
      $0[0].drop(untilOutputFrom: $0[1])
    }
  }

  // MARK: One after another

  @Test(arguments: [.none, .max(2)] as [Subscribers.Demand]) func append(returned: Subscribers.Demand) {
    compare("append", returning: returned, depth: 4, model: { SpecModels.Concatenate($0[0], $0[1]) }) {
      $0[0].append($0[1])
    }
  }

  /// The events of an original and a replacement. A second failure of the original traps, and so does one before its
  /// subscription.
  private static func ofReplaced(hasSubscriptions: Bool) -> ([Event]) -> [Event] {
    { events in
      let hasFailed = events.contains { if case .fail(0) = $0 { true } else { false } }
      let isSubscribed = hasSubscriptions || events.contains { if case .subscription(0) = $0 { true } else { false } }
      return [.value(0), .value(1), .finish(0), .finish(1), .fail(1), .request(.max(1)), .request(.unlimited), .cancel]
        + (hasFailed || !isSubscribed ? [] : [.fail(0)])
    }
  }

  @Test(arguments: [.none, .max(2)] as [Subscribers.Demand]) func `catch`(returned: Subscribers.Demand) {
    for throwing in [false, true] {
      compare(
        throwing ? "tryCatch" : "catch",
        returning: returned,
        Self.requestingEnoughAfterSubscription,
        reactions: Reaction.all(
          of: Self.moments,
          [.value(0), .value(1), .finish(0), .finish(1), .fail(1), .request(.max(1)), .request(.unlimited), .cancel]
        ),
        after: [[], [.value(0), .fail(0)]],
        depth: 4,
        alphabet: Self.ofReplaced(hasSubscriptions: true),
        model: { upstreams in
          SpecModels.Catch(throwing ? "TryCatch" : "Catch", upstreams[0]) { _ in upstreams[1] }
        }
      ) { upstreams in
        throwing
          ? upstreams[0].tryCatch { _ in upstreams[1] }.mapError { $0 as! TestError }.eraseToAnyPublisher()
          : upstreams[0].catch { _ in upstreams[1] }.eraseToAnyPublisher()
      }
    }
  }

  @Test(arguments: [.none, .max(2)] as [Subscribers.Demand]) func retry(returned: Subscribers.Demand) {
    for retries in [2, 0] {
      compare(
        "retry(\(retries))",
        upstreamCount: 1,
        returning: returned,
        Self.requestingEnoughAfterSubscription,
        reactions: Reaction.all(of: ["value", "completion", "a request", "a cancel"], Self.ofOne),
        after: [[], [.value(0), .fail(0)]],
        depth: 5,
        alphabet: { _ in Self.ofOne },
        model: { SpecModels.Retry($0[0], retries) }
      ) {
        $0[0].retry(retries)
      }
    }
  }

  // MARK: flatMap

  /// The upstream is a. Its values are new inner publishers, b and then c, which may send any event, in or out of turn.
  private static func ofInnerPublishers(after events: [Event]) -> [Event] {
    let count = min(2, events.count { if case .value(0) = $0 { true } else { false } })
    return (count < 2 ? [.value(0)] : []) + (1..<(count + 1)).flatMap { [.value($0), .finish($0), .fail($0)] }
      + [.finish(0), .fail(0), .request(.max(1)), .request(.unlimited), .cancel]
  }

  /// A failure of the upstream inside the cancel of an inner publisher traps.
  private static let insideFlatMap =
    Reaction.all(
      of: ["value", "completion", "a request", "a cancel", "b request"],
      [.value(0), .value(1), .finish(0), .finish(1), .fail(0), .fail(1)] + [
        .request(.max(1)), .request(.unlimited), .cancel,
      ]
    ) + Reaction.all(of: ["b cancel"], [.value(0), .value(1), .value(2), .fail(1), .fail(2), .finish(1), .cancel])

  @Test(arguments: [.unlimited, .max(1)] as [Subscribers.Demand]) func flatMap(maxPublishers: Subscribers.Demand) {
    /// Returns a closure that makes the next inner publisher.
    @Sendable func inner(_ upstreams: [Upstream]) -> (Int) -> Upstream {
      var count = 0
      return { _ in
        count = min(count + 1, 2)
        return upstreams[count]
      }
    }
    for returned in [.none, .max(1)] as [Subscribers.Demand] {
      compare(
        "flatMap of \(maxPublishers)",
        upstreamCount: 3,
        returning: returned,
        reactions: Self.insideFlatMap,
        after: [[.value(0), .value(0)], [.value(0), .value(0), .value(1), .value(2)]],
        depth: returned == .none || maxPublishers == .unlimited ? 4 : 5,
        alphabet: { Self.ofInnerPublishers(after: $0) },
        model: { SpecModels.FlatMap($0[0], maxPublishers: maxPublishers, inner($0)) }
      ) {
        $0[0].flatMap(maxPublishers: maxPublishers, inner($0))
      }
    }
  }

  // MARK: switchToLatest

  /// Returns the inner publishers, and one that arrives too late to be subscribed to.
  private static func inners(_ upstreams: [Upstream]) -> some Publisher<Upstream, TestError> {
    var count = 0
    return upstreams[0].map { _ in
      count = min(count + 1, 2)
      return upstreams[count]
    }
  }

  @Test(arguments: [.none, .max(2)] as [Subscribers.Demand]) func switchToLatest(returned: Subscribers.Demand) {
    compare(
      "switchToLatest",
      upstreamCount: 3,
      returning: returned,
      Array(Self.requestingEnough.prefix(2)),
      reactions: Self.insideFlatMap,
      after: [[.value(0)], [.value(0), .value(0)]],
      depth: returned == .none ? 4 : 5,
      alphabet: { Self.ofInnerPublishers(after: $0) },
      model: { SpecModels.SwitchToLatest(Self.inners($0)) }
    ) {
      Self.inners($0).switchToLatest()
    }
  }

  /// A completion before the subscription traps.
  @Test func switchToLatestWithoutInnerSubscriptions() {
    compare(
      "switchToLatest",
      upstreamCount: 3,
      returning: .none,
      [Circumstances(requested: .max(100), hasSubscriptions: false, events: [.subscription(0), .value(0)])],
      reactions: [],
      depth: 5,
      alphabet: { events in
        var (count, subscribed) = (0, [0])
        for event in events {
          if case .value(0) = event { count += 1 }
          if case .subscription(let index) = event, index <= count { subscribed.append(index) }
        }
        return Self.ofInnerPublishers(after: events).filter {
          if case .finish(let index) = $0 { return subscribed.contains(index) }
          if case .fail(let index) = $0 { return subscribed.contains(index) }
          return true
        }
      },
      model: { SpecModels.SwitchToLatest(Self.inners($0)) }
    ) {
      Self.inners($0).switchToLatest()
    }
  }
}
