import BenchmarkSupport

/// The measurements of one contestant in one workload.
package struct Measurement: Encodable, Sendable {

  /// The nanoseconds for each element: the median of all rounds, and the extremes.
  package var nanoseconds: Double
  package var fastest: Double
  package var slowest: Double

  /// The allocations for each element, or `nil` if an element is a subscription.
  package var allocationsPerElement: Double?

  /// The allocations for each subscription: all those of a run except the allocations for the elements.
  package var allocationsPerSubscription: Double?

  /// Creates a measurement from the nanoseconds of an element in each round.
  package init(rounds: [Double]) {
    nanoseconds = rounds.median
    fastest = rounds.min() ?? .nan
    slowest = rounds.max() ?? .nan
  }
}

/// The numbers of one workload, side by side.
package struct WorkloadRow: Sendable {

  package let workload: Workload

  package let measurements: [ContestantName: Measurement]

  package init(workload: Workload, measurements: [ContestantName: Measurement]) {
    self.workload = workload
    self.measurements = measurements
  }

  /// Returns the factor by which this package is faster than another contestant.
  package func speedup(over other: ContestantName) -> Double? {
    guard let ours = measurements[.ours], let other = measurements[other] else { return nil }
    return other.nanoseconds / ours.nanoseconds
  }
}

extension WorkloadRow: Encodable {

  private enum CodingKeys: CodingKey {
    case name, title, element, elementsPerRun, contestants, openCombineToOurs, asyncAlgorithmsToOurs, oursToByHand,
      oursToComposed
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(workload.rawValue, forKey: .name)
    try container.encode(workload.definition.title, forKey: .title)
    try container.encode(workload.definition.element, forKey: .element)
    try container.encode(Workload.elementsPerRun, forKey: .elementsPerRun)
    let contestants = Dictionary(uniqueKeysWithValues: measurements.map { ($0.rawValue, $1) })
    try container.encode(contestants, forKey: .contestants)
    try container.encodeIfPresent(speedup(over: .openCombine), forKey: .openCombineToOurs)
    try container.encodeIfPresent(speedup(over: .asyncAlgorithms), forKey: .asyncAlgorithmsToOurs)
    try container.encodeIfPresent(speedup(over: .byHand).map { 1 / $0 }, forKey: .oursToByHand)
    try container.encodeIfPresent(speedup(over: .composed).map { 1 / $0 }, forKey: .oursToComposed)
  }
}

extension WorkloadRow {

  /// The tables of times and allocations.
  static func tables(of rows: [WorkloadRow]) -> [MarkdownTable] {
    let (extras, own) = (rows.filter(\.workload.isComposed), rows.filter { !$0.workload.isComposed })
    var tables: [MarkdownTable] = []
    if !own.isEmpty { tables += [times(of: own), allocations(of: own, notBy: .composed)] }
    if !extras.isEmpty { tables += [composedTimes(of: extras), allocations(of: extras)] }
    return tables
  }

  private static func times(of rows: [WorkloadRow]) -> MarkdownTable {
    let contestants = ContestantName.inMainTables.filter { $0 != .composed }
    return MarkdownTable(
      header: ["workload"] + contestants.map { "\($0.title), ns" }
        + ["OpenCombine ÷ ours", "at least", "AsyncAlgorithms ÷ ours", "ours ÷ by hand"],
      rows: rows.map { row in
        let atLeast: String =
          switch row.workload.definition.floor {
          case .openCombine(let speedup, _)?: Optional(speedup).amount
          case .byHand, .composed, nil: "–"
          }
        return [row.workload.definition.title]
          + contestants.map { (row.measurements[$0]?.nanoseconds).decimal(2) }
          + [row.speedup(over: .openCombine).decimal(1), atLeast, row.speedup(over: .asyncAlgorithms).decimal(1)]
          + [row.speedup(over: .byHand).map { 1 / $0 }.decimal(1)]
      }
    )
  }

  /// The rows of the operators that others compose.
  private static func composedTimes(of rows: [WorkloadRow]) -> MarkdownTable {
    let contestants = ContestantName.inMainTables
    return MarkdownTable(
      header: ["operator that Combine lacks"] + contestants.map { "\($0.title), ns" }
        + ["ours ÷ composed", "at most", "OpenCombine, composed ÷ ours"],
      rows: rows.map { row in
        var atMost: Double?
        if case .composed(let ceiling)? = row.workload.definition.floor { atMost = ceiling }
        return [row.workload.definition.title]
          + contestants.map { (row.measurements[$0]?.nanoseconds).decimal(2) }
          + [
            row.speedup(over: .composed).map { 1 / $0 }.decimal(2), atMost.decimal(1),
            row.speedup(over: .openCombine).decimal(1),
          ]
      }
    )
  }

  private static func allocations(of rows: [WorkloadRow], notBy absent: ContestantName? = nil) -> MarkdownTable {
    let contestants = ContestantName.inMainTables.filter { $0 != absent }
    return MarkdownTable(
      header: ["allocations"] + contestants.map { "per element, \($0.title)" }
        + contestants.map { "per subscription, \($0.title)" },
      rows: rows.map { row in
        [row.workload.definition.title]
          + contestants.map { (row.measurements[$0]?.allocationsPerElement).amount }
          + contestants.map { (row.measurements[$0]?.allocationsPerSubscription).amount }
      }
    )
  }
}

// MARK: Floors

extension WorkloadRow {

  /// The broken promises, empty if there are none.
  var failures: [Failure] {
    [missedFloor, excessAllocations].compactMap { $0 }.map { Failure(.workload(workload), $0) }
  }

  /// Says how this package is not faster than OpenCombine by a factor, or returns `nil` if it is.
  func missedSpeedup(_ floor: Double) -> String? {
    guard let speedup = speedup(over: .openCombine) else { return "OpenCombine was not measured" }
    return speedup >= floor ? nil : "\(speedup.decimal(2)) times as fast as OpenCombine, not \(Optional(floor).amount)"
  }

  // A comparison with NaN fails.
  private var missedFloor: String? {
    let guarded = Workload.Floor.guarded
    switch workload.definition.floor {
    case .openCombine(let promised, let limit)?:
      if speedup(over: .openCombine) != nil, let limit, let byHand = speedup(over: .byHand), 1 / byHand <= limit {
        return nil
      }
      return missedSpeedup(guarded * promised)
    case .byHand(let ceiling)?:
      guard let speedup = speedup(over: .byHand) else { return "the plain loop was not measured" }
      let overhead = 1 / speedup
      let limit = ceiling / guarded
      return overhead <= limit ? nil : "\(overhead.decimal(2)) times what it takes by hand, not \(limit.decimal(1))"
    case .composed(let ceiling)?:
      guard let speedup = speedup(over: .composed) else { return "the composition was not measured" }
      let factor = 1 / speedup
      let limit = ceiling / guarded
      return factor <= limit ? nil : "\(factor.decimal(2)) times what the composition takes, not \(limit.decimal(1))"
    case nil:
      return nil
    }
  }

  private var excessAllocations: String? {
    // If an element is a subscription, the allocations belong to the subscription.
    if case .perElement = workload.definition.subscriptions { return nil }
    guard let number = measurements[.ours]?.allocationsPerElement else { return "allocations cannot be counted here" }
    let allowed: Double
    switch workload.definition.allocations {
    case .atMost(let limit):
      allowed = limit
    case .asByHand:
      guard let byHand = measurements[.byHand]?.allocationsPerElement else { return "the plain loop was not measured" }
      allowed = byHand.rounded()
    case .asComposed:
      guard let composed = measurements[.composed]?.allocationsPerElement else {
        return "the composition was not measured"
      }
      allowed = composed
    }
    // Queues and tasks keep some blocks for later, and the number differs between runs.
    let slack = workload.definition.isConcurrent ? 0.01 : 0
    return number <= allowed + slack ? nil : "\(number) allocations per element, not \(allowed) at most"
  }
}
