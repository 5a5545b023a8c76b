import CombineCore
import CombineExtras
import SpecModels
import TestSupport
import Testing

/// The operators that mix publishers, each beside its model, with a subscriber that makes no nested calls.
@Suite struct MixingModelTests {

  private typealias Event = OperatorEvent
  private typealias Upstream = MixingFixture.Upstream

  private static let ofTwo: [Event] = [
    .value(0), .value(1), .finish(0), .finish(1), .fail(0), .request(.max(1)), .request(.unlimited), .cancel,
  ]

  /// Compares an operator that has two upstreams, or more, with its model.
  private func compare<P: Publisher<Int, TestError>, Model: Publisher<Int, TestError>>(
    _ name: String,
    upstreamCount: Int = 2,
    returning returned: Subscribers.Demand,
    depth: Int,
    alphabet: @escaping ([Event]) -> [Event] = { _ in ofTwo },
    model: @escaping ([Upstream]) -> Model,
    sourceLocation: SourceLocation = #_sourceLocation,
    operation: @escaping ([Upstream]) -> P
  ) {
    expectBehavesAsModel(
      name,
      upstreamCount: upstreamCount,
      returning: returned,
      depth: depth,
      alphabet: alphabet,
      model: { model($0.upstreams) },
      sourceLocation: sourceLocation
    ) {
      operation($0.upstreams)
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

  @Test(arguments: [.none, .max(2)] as [Subscribers.Demand]) func amb(returned: Subscribers.Demand) {
    compare("amb", returning: returned, depth: 4, model: { SpecModels.Amb($0[0], $0[1]) }) { $0[0].amb($0[1]) }
  }

  @Test(arguments: [.none, .max(2)] as [Subscribers.Demand]) func withLatest(returned: Subscribers.Demand) {
    compare(
      "withLatest",
      returning: returned,
      depth: 4,
      model: { SpecModels.WithLatest($0[0], $0[1], isUpstreamFirst: false) { $0 * 1000 + $1 } }
    ) {
      $0[0].withLatest(of: $0[1]) { $0 * 1000 + $1 }
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

  // MARK: flatMap

  /// The upstream is a. Its values are new inner publishers, b and then c, which may send any event, in or out of turn.
  private static func ofInnerPublishers(after events: [Event]) -> [Event] {
    let count = min(2, events.count { if case .value(0) = $0 { true } else { false } })
    return (count < 2 ? [.value(0)] : []) + (1..<(count + 1)).flatMap { [.value($0), .finish($0), .fail($0)] }
      + [.finish(0), .fail(0), .request(.max(1)), .request(.unlimited), .cancel]
  }

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
        depth: returned == .none || maxPublishers == .unlimited ? 4 : 5,
        alphabet: { Self.ofInnerPublishers(after: $0) },
        model: { SpecModels.FlatMap($0[0], maxPublishers: maxPublishers, inner($0)) }
      ) {
        $0[0].flatMap(maxPublishers: maxPublishers, inner($0))
      }
    }
  }

  // MARK: switchToLatest

  /// The calls that a model predicts.
  private struct Log {
    var lines: [String] = []
    var valueCount = 0

    mutating func value(from index: Int) -> Int {
      valueCount += 1
      return valueCount * 10 + index
    }

    mutating func cancel(_ names: [String]) {
      lines += names.map { "\($0) cancel" }
    }

    mutating func request(_ demand: Subscribers.Demand, from names: [String]) {
      lines += names.map { "\($0) request \(demand)" }
    }
  }

  private static let names = ["a", "b", "c"]

  /// Its model, which the conformance machine does not need: it plays scripts against OpenCombine's.
  private struct SwitchToLatest {
    let returned: Subscribers.Demand
    var log = Log()
    var demand = Subscribers.Demand.none
    var childCount = 0

    /// Whether the latest inner publisher is subscribed to.
    var isConnected = false
    var isUpstreamStored = true
    var isOuterFinished = false
    var isCompletionSent = false
    var isCancelled = false

    /// The events, without one that traps: a value beyond demand.
    var events: [Event] {
      let children = Array(1..<(childCount + 1))
      let sending = children.filter { $0 != childCount || isCancelled || demand > .none }
      return (childCount < 2 ? [.value(0)] : []) + sending.map { .value($0) }
        + children.flatMap { [.finish($0), .fail($0)] }
        + [.finish(0), .fail(0), .request(.max(1)), .request(.unlimited), .cancel]
    }

    mutating func step(_ event: Event) -> [String] {
      log.lines = []
      switch event {
      case .value(0):
        _ = log.value(from: 0)
        if !isCancelled, !isOuterFinished {
          disconnectChild()
          childCount += 1
          isConnected = true
          if demand > .none { log.request(demand, from: [names[childCount]]) }
        }
        log.lines.append("returns max(0)")
      case .value(let child):
        let value = log.value(from: child)
        guard !isCancelled, child == childCount else { return ["returns max(0)"] }
        demand = demand - 1 + returned
        return ["value \(value)", "returns \(returned)"]
      case .finish(0), .fail(0):
        isUpstreamStored = false
        isOuterFinished = true
        guard !isCancelled else { break }
        if case .fail = event {
          disconnectChild()
          complete("failure x")
        } else if !isConnected {
          complete("finished")
        }
      case .finish(let child):
        guard !isCancelled, child == childCount else { break }
        isConnected = false
        if isOuterFinished, !isCompletionSent { complete("finished") }
      case .fail(let child):
        guard !isCancelled, child == childCount else { break }
        isConnected = false
        guard !isCompletionSent else { break }
        isCancelled = true
        disconnectUpstream()
        complete("failure x")
      case .request(let more):
        demand += more
        if isConnected { log.request(more, from: [names[childCount]]) }
      case .cancel:
        isCancelled = true
        disconnectChild()
        disconnectUpstream()
      case .tick, .late:
        break
      }
      return log.lines
    }

    private mutating func disconnectChild() {
      if exchange(&isConnected, with: false) { log.cancel([names[childCount]]) }
    }

    private mutating func disconnectUpstream() {
      if exchange(&isUpstreamStored, with: false) { log.cancel(["a"]) }
    }

    private mutating func complete(_ completion: String) {
      isCompletionSent = true
      log.lines.append(completion)
    }
  }

  @Test(arguments: [.none, .max(2)] as [Subscribers.Demand]) func switchToLatest(returned: Subscribers.Demand) {
    let driven = {
      DrivenOperator(3, requesting: nil, returning: returned) { input in
        var childCount = 0
        return input.upstreams[0].map { _ in
          // This includes an inner publisher that arrives too late to be subscribed to.
          childCount = min(childCount + 1, 2)
          return input.upstreams[childCount]
        }.switchToLatest()
      }
    }
    expectSameAnswers(
      "switchToLatest, beside its rules, returning \(returned)",
      machine: Replayed<DrivenOperator, Event, [String]>(make: driven, replay: { $0.replay($1) }) { $0.perform($1) },
      model: SwitchToLatest(returned: returned),
      depth: returned == .none ? 4 : 5,
      alphabet: \.events,
      answer: { $0.step($1) },
      expect: { $0.step($1) }
    )
  }
}
