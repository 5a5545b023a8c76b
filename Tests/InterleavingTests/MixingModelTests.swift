import CombineCore
import TestSupport
import Testing

/// The operators that mix publishers, each beside a model of its rules, with a subscriber that makes no nested calls.
///
/// The models are written from the tables of events that define the operators. They have no locks, gates or drains.
@Suite struct MixingModelTests {

  private typealias Demand = Subscribers.Demand

  /// An event of one of the upstreams, or of the subscriber.
  private enum Event {
    case value(Int), finish(Int), fail(Int), request(Subscribers.Demand), cancel
  }

  private static let ofTwo: [Event] = [
    .value(0), .value(1), .finish(0), .finish(1), .fail(0), .request(.max(1)), .request(.unlimited), .cancel,
  ]

  /// An operator with its upstreams and its subscriber.
  private final class Driven {
    let fixture: MixingFixture
    private var valueCount = 0

    init<P: Publisher<Int, TestError>>(
      _ count: Int,
      returning returned: Demand,
      _ make: ([MixingFixture.Upstream]) -> P
    ) {
      fixture = MixingFixture(count: count, make)
      fixture.onValue = { _ in returned }
      _ = fixture.take()
    }

    /// Performs an event, and returns the resulting calls and the demand returned for a value.
    func perform(_ event: Event) -> [String] {
      var answer: [String] = []
      switch event {
      case .value(let index):
        // The number identifies the sender and the order.
        valueCount += 1
        answer = ["returns \(fixture.upstreams[index].send(valueCount * 10 + index))"]
      case .finish(let index): fixture.upstreams[index].send(completion: .finished)
      case .fail(let index): fixture.upstreams[index].send(completion: .failure("x"))
      case .request(let demand): fixture.request(demand)
      case .cancel: fixture.cancel()
      }
      return fixture.take() + answer
    }
  }

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

    mutating func request(_ demand: Demand, from names: [String]) {
      lines += names.map { "\($0) request \(demand)" }
    }
  }

  private static let names = ["a", "b", "c"]

  private func compare<Model>(
    _ name: String,
    depth: Int,
    model: Model,
    alphabet: @escaping (Model) -> [Event],
    expect: @escaping (inout Model, Event) -> [String],
    sourceLocation: SourceLocation = #_sourceLocation,
    make: @escaping () -> Driven
  ) {
    expectSameAnswers(
      name,
      machine: Replayed<Driven, Event, [String]>(make: make) { $0.perform($1) },
      model: model,
      depth: depth,
      alphabet: alphabet,
      answer: { $0.step($1) },
      expect: expect,
      sourceLocation: sourceLocation
    )
  }

  // MARK: merge

  private struct Merge {
    let returned: Demand
    var log = Log()
    var demand = Demand.none
    var waiting: [Int?] = [nil, nil]
    var isStored = [true, true]
    var finishCount = 0
    var isTerminated = false
    var isCancelled = false

    /// The slot whose turn it is, unless demand is unlimited.
    var turn = 0

    var stored: [String] { isStored.indices.filter { isStored[$0] }.map { names[$0] } }

    mutating func end(_ completion: String) {
      isTerminated = true
      waiting = [nil, nil]
      log.cancel(stored)
      isStored = [false, false]
      log.lines.append(completion)
    }

    mutating func step(_ event: Event) -> [String] {
      log.lines = []
      switch event {
      case .value(let index):
        let value = log.value(from: index)
        log.lines.append("returns \(receive(value, from: index))")
      case .finish(let index):
        finishCount += 1
        isStored[index] = false
        if !isTerminated, finishCount >= 2, waiting == [nil, nil] { end("finished") }
      case .fail:
        if !isTerminated { end("failure x") }
      case .request(let more):
        request(more)
      case .cancel:
        isCancelled = true
        isTerminated = true
        waiting = [nil, nil]
        log.cancel(stored)
        isStored = [false, false]
      }
      return log.lines
    }

    private mutating func receive(_ value: Int, from index: Int) -> Demand {
      if isCancelled { return .none }
      if demand == .unlimited {
        log.lines.append("value \(value)")
        return returned
      }
      guard demand > .none else {
        if !isTerminated { waiting[index] = value }
        return .none
      }
      demand = demand - 1 + returned
      log.lines.append("value \(value)")
      return .max(1)
    }

    private mutating func request(_ more: Demand) {
      guard !isTerminated, demand != .unlimited else { return }
      demand += more
      // Returned demand delivers more of the buffered values.
      while demand > .none {
        let order = demand == .unlimited || turn == 0 ? [0, 1] : [1, 0]
        let flushed = order.filter { waiting[$0] != nil }.prefix(demand.max ?? 2)
        guard let first = flushed.first, let last = flushed.last else { break }
        for index in flushed { log.lines.append("value \(exchange(&waiting[index], with: nil)!)") }
        demand -= flushed.count
        turn = 1 - (demand > .none ? first : last)
        if finishCount >= 2, waiting == [nil, nil] { return end("finished") }
        demand += returned * flushed.count
        if demand != .unlimited { log.request(.max(1), from: flushed.filter { isStored[$0] }.map { names[$0] }) }
      }
      if finishCount >= 2, waiting == [nil, nil] { return end("finished") }
      if demand == .unlimited { log.request(.unlimited, from: stored) }
    }
  }

  @Test(arguments: [.none, .max(1)] as [Subscribers.Demand]) func merge(returned: Subscribers.Demand) {
    compare(
      "merge, beside its rules, returning \(returned)",
      depth: returned == .none ? 4 : 5,
      model: Merge(returned: returned),
      alphabet: { _ in Self.ofTwo },
      expect: { $0.step($1) }
    ) {
      Driven(2, returning: returned) { $0[0].merge(with: $0[1]) }
    }
  }

  // MARK: combineLatest

  private struct CombineLatest {
    let returned: Demand
    var log = Log()
    var demand = Demand.none
    var latest: [Int?] = [nil, nil]
    var isStored = [true, true]
    var finishCount = 0
    var isOpen = true

    var stored: [String] { isStored.indices.filter { isStored[$0] }.map { names[$0] } }

    mutating func step(_ event: Event) -> [String] {
      log.lines = []
      switch event {
      case .value(let index):
        let value = log.value(from: index)
        guard isOpen else { return ["returns max(0)"] }
        latest[index] = value
        guard demand > .none, let a = latest[0], let b = latest[1] else { return ["returns max(0)"] }
        demand = demand - 1 + returned
        return ["value \(a * 1000 + b)", "returns \(returned)"]
      case .finish(let index):
        guard isOpen else { return [] }
        finishCount += 1
        isStored[index] = false
        // An upstream that finishes twice counts twice. Nothing is cancelled.
        if finishCount == 2 { isOpen = false }
        return log.lines + (isOpen ? [] : ["finished"])
      case .fail(let index):
        guard isOpen else { return [] }
        isStored[index] = false
        close()
        return log.lines + ["failure x"]
      case .request(let more):
        guard isOpen else { return [] }
        demand += more
        log.request(more, from: stored)
      case .cancel:
        close()
      }
      return log.lines
    }

    private mutating func close() {
      isOpen = false
      log.cancel(stored)
      isStored = [false, false]
    }
  }

  @Test(arguments: [.none, .max(1)] as [Subscribers.Demand]) func combineLatest(returned: Subscribers.Demand) {
    compare(
      "combineLatest, beside its rules, returning \(returned)",
      depth: 4,
      model: CombineLatest(returned: returned),
      alphabet: { _ in Self.ofTwo },
      expect: { $0.step($1) }
    ) {
      Driven(2, returning: returned) { $0[0].combineLatest($0[1]) { $0 * 1000 + $1 } }
    }
  }

  // MARK: zip

  private struct Zip {
    let returned: Demand
    var log = Log()
    var queues: [[Int]] = [[], []]
    var hasFinished = [false, false]
    var isOpen = true

    mutating func step(_ event: Event) -> [String] {
      log.lines = []
      switch event {
      case .value(let index):
        let value = log.value(from: index)
        guard isOpen else { return ["returns max(0)"] }
        queues[index].append(value)
        guard !queues[0].isEmpty, !queues[1].isEmpty else { return ["returns max(0)"] }
        let row = queues[0].removeFirst() * 1000 + queues[1].removeFirst()
        log.lines.append("value \(row)")
        if (0..<2).contains(where: { hasFinished[$0] && queues[$0].isEmpty }) {
          end("finished")
          return log.lines + ["returns max(0)"]
        }
        if returned > .none { log.request(returned, from: [names[1 - index]]) }
        return log.lines + ["returns \(returned)"]
      case .finish(let index):
        guard isOpen else { return [] }
        hasFinished[index] = true
        if queues[index].isEmpty { end("finished") }
      case .fail:
        if isOpen { end("failure x") }
      case .request(let more):
        if isOpen { log.request(more, from: ["a", "b"]) }
      case .cancel:
        if isOpen { log.cancel(["a", "b"]) }
        isOpen = false
      }
      return log.lines
    }

    private mutating func end(_ completion: String) {
      isOpen = false
      log.cancel((0..<2).filter { !hasFinished[$0] }.map { names[$0] })
      log.lines.append(completion)
    }
  }

  @Test(arguments: [.none, .max(2)] as [Subscribers.Demand]) func zip(returned: Subscribers.Demand) {
    compare(
      "zip, beside its rules, returning \(returned)",
      depth: 4,
      model: Zip(returned: returned),
      alphabet: { _ in Self.ofTwo },
      expect: { $0.step($1) }
    ) {
      Driven(2, returning: returned) { $0[0].zip($0[1]) { $0 * 1000 + $1 } }
    }
  }

  // MARK: flatMap

  /// The upstream is a. Its values are new inner publishers, b and then c.
  private struct FlatMap {
    let returned: Demand
    let maxPublishers: Demand
    var log = Log()
    var demand = Demand.none
    var childCount = 0
    var isLive = [false, false, false]
    var waiting: [(child: Int, value: Int)] = []
    var isUpstreamStored = true
    var isUpstreamFinished = false
    var isEnded = false

    /// The inner publishers so far may send any event, in or out of turn.
    var events: [Event] {
      let children = Array(1..<(childCount + 1))
      return (childCount < 2 ? [.value(0)] : []) + children.flatMap { [.value($0), .finish($0), .fail($0)] }
        + [.finish(0), .fail(0), .request(.max(1)), .request(.unlimited), .cancel]
    }

    var live: [String] { (1...2).filter { isLive[$0] }.map { names[$0] } }

    mutating func step(_ event: Event) -> [String] {
      log.lines = []
      switch event {
      case .value(0):
        _ = log.value(from: 0)
        if !isEnded {
          childCount += 1
          isLive[childCount] = true
          log.request(demand == .unlimited ? .unlimited : .max(1), from: [names[childCount]])
        }
        log.lines.append("returns max(0)")
      case .value(let child):
        let value = log.value(from: child)
        log.lines.append("returns \(receive(value, from: child))")
      case .finish(0):
        isUpstreamStored = false
        isUpstreamFinished = true
        _ = check()
      case .finish(let child):
        isLive[child] = false
        if !check(), maxPublishers != .unlimited, isUpstreamStored { log.request(.max(1), from: ["a"]) }
      case .fail(0):
        isUpstreamStored = false
        if !isEnded { fail() }
      case .fail(let child):
        guard !isEnded else { break }
        isLive[child] = false
        // The upstream is released without a cancel.
        isUpstreamStored = false
        fail()
      case .request(let more):
        request(more)
      case .cancel:
        guard !isEnded else {
          demand = .none
          break
        }
        isEnded = true
        log.cancel(live + (isUpstreamStored ? ["a"] : []))
        (isLive, isUpstreamStored, waiting) = ([false, false, false], false, [])
      }
      return log.lines
    }

    private mutating func fail() {
      isEnded = true
      waiting = []
      log.cancel(live)
      isLive = [false, false, false]
      log.lines.append("failure x")
    }

    private mutating func check() -> Bool {
      guard !isEnded, isUpstreamFinished, waiting.isEmpty, live.isEmpty else { return false }
      isEnded = true
      log.lines.append("finished")
      return true
    }

    private mutating func receive(_ value: Int, from child: Int) -> Demand {
      if demand == .unlimited {
        log.lines.append("value \(value)")
        return .none
      }
      guard demand > .none else {
        // No request follows the end, so the value is not buffered.
        if !isEnded { waiting.append((child, value)) }
        return .none
      }
      demand = demand - 1 + returned
      log.lines.append("value \(value)")
      return .max(1)
    }

    private mutating func request(_ more: Demand) {
      guard !isEnded else { return }
      demand += more
      while demand > .none, !waiting.isEmpty {
        let (child, value) = waiting.removeFirst()
        log.lines.append("value \(value)")
        if demand == .unlimited { continue }
        demand = demand - 1 + returned
        if isLive[child] { log.request(.max(1), from: [names[child]]) }
      }
      // Each time, even if a repeated request has no effect.
      if more == .unlimited { log.request(.unlimited, from: live) }
      _ = check()
    }
  }

  @Test(arguments: [.unlimited, .max(1)] as [Subscribers.Demand]) func flatMap(maxPublishers: Subscribers.Demand) {
    for returned in [.none, .max(1)] as [Subscribers.Demand] {
      compare(
        "flatMap of \(maxPublishers), beside its rules, returning \(returned)",
        depth: returned == .none || maxPublishers == .unlimited ? 4 : 5,
        model: FlatMap(returned: returned, maxPublishers: maxPublishers),
        alphabet: { $0.events },
        expect: { $0.step($1) }
      ) {
        Driven(3, returning: returned) { upstreams in
          var childCount = 0
          return upstreams[0].flatMap(maxPublishers: maxPublishers) { _ in
            childCount += 1
            return upstreams[childCount]
          }
        }
      }
    }
  }

  // MARK: switchToLatest

  /// As for flatMap.
  private struct SwitchToLatest {
    let returned: Demand
    var log = Log()
    var demand = Demand.none
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
    compare(
      "switchToLatest, beside its rules, returning \(returned)",
      depth: returned == .none ? 4 : 5,
      model: SwitchToLatest(returned: returned),
      alphabet: { $0.events },
      expect: { $0.step($1) }
    ) {
      Driven(3, returning: returned) { upstreams in
        var childCount = 0
        return upstreams[0].map { _ in
          // This includes an inner publisher that arrives too late to be subscribed to.
          childCount = min(childCount + 1, 2)
          return upstreams[childCount]
        }.switchToLatest()
      }
    }
  }
}
