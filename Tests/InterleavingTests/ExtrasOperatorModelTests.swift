import CombineCore
import CombineExtras
import SpecModels
import TestSupport
import Testing

/// The operators of `CombineExtras` without a timer, each beside its model.
@Suite struct ExtrasOperatorModelTests {

  private typealias Event = OperatorEvent
  private typealias Extra<Output> = SpecModels.Extra<Int, Output, TestError>

  private static let ofOne: [Event] = [
    .value(0), .finish(0), .fail(0), .request(.max(1)), .request(.unlimited), .cancel,
  ]
  private static let ofTwo: [Event] = ofOne + [.value(1), .finish(1), .fail(1)]

  /// Compares an operator with its model.
  private func compare<P: Publisher<Int, TestError>, Model: Publisher<Int, TestError>>(
    _ name: String,
    upstreamCount: Int = 1,
    returning returned: Subscribers.Demand = .none,
    depth: Int = 5,
    model: @escaping (OperatorInput) -> Model,
    sourceLocation: SourceLocation = #_sourceLocation,
    operation: @escaping (OperatorInput) -> P
  ) {
    let events = upstreamCount == 1 ? Self.ofOne : Self.ofTwo
    expectBehavesAsModel(
      name,
      upstreamCount: upstreamCount,
      [
        Circumstances(returned: returned),
        Circumstances(requested: .max(2), returned: .max(1), hasSubscriptions: false),
      ],
      reactions: Reaction.all(
        of: ["value", "completion", "a request", "b request", "a cancel", "b cancel"],
        events + (upstreamCount == 1 ? [] : [.subscription(1)])
      ),
      after: [[.request(.max(1))], [.request(.max(1)), .value(0)]]
        + (upstreamCount == 1 ? [] : [[.request(.max(1)), .value(1), .value(0)]]),
      depth: depth,
      alphabet: { _ in events },
      model: model,
      shortSequenceCount: 1_000,
      sourceLocation: sourceLocation,
      operation: operation
    )
  }

  // MARK: Two publishers

  @Test(arguments: [.none, .max(2)] as [Subscribers.Demand]) func amb(returned: Subscribers.Demand) {
    compare(
      "amb",
      upstreamCount: 2,
      returning: returned,
      depth: 4,
      model: { SpecModels.Amb($0.upstreams[0], $0.upstreams[1]) }
    ) {
      $0.upstreams[0].amb($0.upstreams[1])
    }
  }

  @Test(arguments: [.none, .max(2)] as [Subscribers.Demand]) func withLatest(returned: Subscribers.Demand) {
    compare(
      "withLatest",
      upstreamCount: 2,
      returning: returned,
      depth: 4,
      model: { SpecModels.WithLatest($0.upstreams[0], $0.upstreams[1], isUpstreamFirst: false) { $0 * 1000 + $1 } }
    ) {
      $0.upstreams[0].withLatest(of: $0.upstreams[1]) { $0 * 1000 + $1 }
    }
  }

  // MARK: Another publisher decides

  /// The second upstream is the window of each published element.
  @Test(arguments: [true, false]) func throttleUntil(latest: Bool) {
    compare(
      "throttle until, \(latest ? "latest" : "first")",
      upstreamCount: 2,
      depth: 4,
      model: { input in
        SpecModels.ThrottleWindow(input.upstreams[0], latest: latest, until: { _ in input.upstreams[1] })
      }
    ) { input in
      input.upstreams[0].throttle(latest: latest, until: { _ in input.upstreams[1] })
    }
  }

  @Test func sample() {
    compare(
      "sample",
      upstreamCount: 2,
      depth: 4,
      model: { SpecModels.Sample($0.upstreams[0], by: $0.upstreams[1]) }
    ) {
      $0.upstreams[0].sample(by: $0.upstreams[1])
    }
  }

  @Test func retryWhen() {
    compare(
      "retryWhen",
      upstreamCount: 2,
      depth: 4,
      model: { input in
        SpecModels.RetryWhen(input.upstreams[0]) { _ in input.upstreams[1].eraseToAnyPublisher() }
      }
    ) { input in
      input.upstreams[0].retryWhen { _ in input.upstreams[1] }
    }
  }

  @Test(arguments: [0, 1, 2]) func repeats(count: Int) {
    compare("repeat, \(count) times", model: { SpecModels.Repeat($0.upstreams[0], count: count) }) {
      $0.upstreams[0].repeat(count)
    }
  }

  // MARK: Groups and windows

  /// The keys of the first elements are 0, 1, 2, 0, 1.
  @Test(arguments: [nil, 1, 2] as [Int?]) func groupBy(maxGroups: Int?) {
    compare(
      "groupBy, at most \(maxGroups.map { "\($0)" } ?? "any number")",
      depth: 6,
      model: { $0.logged(SpecModels.GroupBy($0.upstreams[0], maxGroups: maxGroups) { $0 / 10 % 3 }) }
    ) {
      $0.logged($0.upstreams[0].groupBy(maxGroups: maxGroups) { $0 / 10 % 3 })
    }
  }

  @Test(arguments: [1, 2, 3], [1, 2, 3]) func windows(count: Int, step: Int) {
    compare(
      "window of \(count) every \(step)",
      model: { $0.logged(SpecModels.Windows($0.upstreams[0], count, every: step)) }
    ) {
      $0.logged($0.upstreams[0].window(count, every: step))
    }
  }

  @Test(arguments: [1, 2, 3], [1, 2, 3]) func arrays(count: Int, step: Int) {
    compare(
      "collect \(count) every \(step)",
      model: { $0.logged(Extra($0.upstreams[0], .collect(count, every: step)) { $0 as! [Int] }) }
    ) {
      $0.logged($0.upstreams[0].collect(count, every: step))
    }
  }

  // MARK: One upstream

  @Test func prefixThrough() {
    compare("prefix while, inclusive", model: { Extra($0.upstreams[0], .prefixThrough { $0 < 20 }) { $0 as! Int } }) {
      $0.upstreams[0].prefix(while: { $0 < 20 }, behavior: .inclusive)
    }
  }

  @Test(arguments: [0, 1, 2]) func dropLast(count: Int) {
    compare("dropLast \(count)", model: { Extra($0.upstreams[0], .dropLast(count)) { $0 as! Int } }) {
      $0.upstreams[0].dropLast(count)
    }
  }

  @Test(arguments: [0, 1, 2]) func suffix(count: Int) {
    compare("suffix \(count)", model: { Extra($0.upstreams[0], .suffix(count)) { $0 as! Int } }) {
      $0.upstreams[0].suffix(count)
    }
  }
}
