import BenchmarkSupport

/// What was measured of one contestant at one workload.
package struct Measurement: Encodable, Sendable {

  /// Nanoseconds for each element: in the middle of all rounds, and the extremes.
  package var nanoseconds: Double
  package var fastest: Double
  package var slowest: Double

  /// Allocations for each element; none where an element is a subscription.
  package var allocationsPerElement: Double?

  /// Allocations for each subscription: all that a run makes beside those for each element.
  package var allocationsPerSubscription: Double?

  /// From the nanoseconds of an element in each round.
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

  /// How many times as fast as another contestant this package is.
  package func speedup(over other: ContestantName) -> Double? {
    guard let ours = measurements[.ours], let other = measurements[other] else { return nil }
    return other.nanoseconds / ours.nanoseconds
  }
}

extension WorkloadRow: Encodable {

  private enum CodingKeys: CodingKey {
    case name, title, element, elementsPerRun, contestants, openCombineToOurs, asyncAlgorithmsToOurs, oursToByHand
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
  }
}

extension WorkloadRow {

  static func times(of rows: [WorkloadRow]) -> MarkdownTable {
    MarkdownTable(
      header: ["workload"] + ContestantName.allCases.map { "\($0.title), ns" }
        + ["OpenCombine ÷ ours", "at least", "AsyncAlgorithms ÷ ours", "ours ÷ by hand"],
      rows: rows.map { row in
        let atLeast: String =
          switch row.workload.definition.floor {
          case .openCombine(let speedup, _, _)?: Optional(speedup).amount
          case .byHand, nil: "–"
          }
        return [row.workload.definition.title]
          + ContestantName.allCases.map { (row.measurements[$0]?.nanoseconds).decimal(2) }
          + [row.speedup(over: .openCombine).decimal(1), atLeast, row.speedup(over: .asyncAlgorithms).decimal(1)]
          + [row.speedup(over: .byHand).map { 1 / $0 }.decimal(1)]
      }
    )
  }

  static func allocations(of rows: [WorkloadRow]) -> MarkdownTable {
    let contestants = ContestantName.allCases
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

// MARK: The least that is asked for

extension WorkloadRow {

  /// What is asked for and not reached; empty if all is well.
  var failures: [Failure] {
    [missedFloor, excessAllocations].compactMap { $0 }.map { Failure(.workload(workload), $0) }
  }

  // A comparison with a number that is none fails.
  private var missedFloor: String? {
    switch workload.definition.floor {
    case .openCombine(let asked, let guarded, let limit)?:
      let floor = guarded ?? asked
      guard let speedup = speedup(over: .openCombine) else { return "OpenCombine was not measured" }
      if let limit, let byHand = self.speedup(over: .byHand), 1 / byHand <= limit { return nil }
      return speedup >= floor ? nil : "\(speedup.decimal(2)) times as fast as OpenCombine, not \(floor.decimal(1))"
    case .byHand(let ceiling)?:
      guard let speedup = speedup(over: .byHand) else { return "the plain loop was not measured" }
      let overhead = 1 / speedup
      return overhead <= ceiling ? nil : "\(overhead.decimal(2)) times what it takes by hand, not \(ceiling.decimal(1))"
    case nil:
      return nil
    }
  }

  private var excessAllocations: String? {
    // Where an element is a subscription, allocations are a subscription's.
    if case .perElement = workload.definition.subscriptions { return nil }
    guard let number = measurements[.ours]?.allocationsPerElement else { return "allocations cannot be counted here" }
    let allowed: Double
    switch workload.definition.allocations {
    case .atMost(let limit):
      allowed = limit
    case .asByHand:
      guard let byHand = measurements[.byHand]?.allocationsPerElement else { return "the plain loop was not measured" }
      allowed = byHand.rounded()
    }
    // Queues and tasks keep some blocks for later, one run more than the other.
    let slack = workload.definition.isConcurrent ? 0.01 : 0
    return number <= allowed + slack ? nil : "\(number) allocations per element, not \(allowed) at most"
  }
}
