import BenchmarkReports
import BenchmarkSupport

/// A measurement of one contestant in one workload.
struct Lane {

  let workload: Workload
  let name: ContestantName

  private let work: Contestant.Work
  private let elements: Int
  private var timing: Timing

  /// - Parameter elements: The number of elements in a run.
  /// - Returns: `nil` if the contestant has no equivalent.
  init?(_ workload: Workload, _ name: ContestantName, elements: Int = Workload.elementsPerRun) throws {
    guard let work = name.contestant.work(for: workload) else { return nil }
    self.workload = workload
    self.name = name
    self.work = work
    self.elements = elements
    let (checksum, expected) = (Checksum(), Checksum())
    ContestantName.byHand.contestant.work(for: workload)?(elements, expected)
    timing = try Timing(
      workload.rawValue,
      name,
      clock: workload.definition.isConcurrent || name == .asyncAlgorithms ? .process : .thread,
      elements: elements,
      checksum: checksum,
      expected: expected.value
    ) { work(elements, checksum) }
  }

  /// Times the workload once more.
  mutating func addRound() throws {
    try timing.addRound()
  }

  /// The measurement of the rounds so far, without allocations.
  var times: Measurement { Measurement(rounds: timing.rounds) }

  /// Returns the measurement of the rounds so far, with the allocations, which are counted now.
  func measurement() -> Measurement {
    var result = times
    guard AllocationCounter.isAvailable else { return result }

    // The cost of an element is the difference between a longer and a shorter run. The rest belongs to the
    // subscriptions.
    let count = elements
    let short = countAllocations(count: count)
    let long = countAllocations(count: 2 * count)
    let perElement = Double(long - short) / Double(count)
    switch workload.definition.subscriptions {
    case .perRun(let number):
      result.allocationsPerElement = perElement
      // If threads race, the fixed cost of a run is lost in the differences between runs.
      guard countAllocations(count: count) == short else { break }
      result.allocationsPerSubscription = (Double(short) - perElement * Double(count)) / Double(number)
    case .perElement:
      result.allocationsPerSubscription = perElement
    }
    return result
  }

  /// Returns the minimum of three counts, because a thread that completes earlier work can only add allocations.
  private func countAllocations(count: Int) -> Int {
    let counts = (0..<3).map { _ in
      let checksum = Checksum()
      return AllocationCounter.count { work(count, checksum) }.count
    }
    return counts.min()!
  }
}

extension Lane {

  /// Measures all workloads in each round, and for each all contestants, so that all of them see the same conditions of the
  /// machine.
  ///
  /// - Parameter result: A closure that returns the measurement of a lane after all rounds.
  static func measure(
    _ workloads: [Workload],
    by names: [ContestantName],
    elements: Int = Workload.elementsPerRun,
    rounds: Int,
    _ result: (Lane) -> Measurement
  ) throws -> [WorkloadRow] {
    var lanes = try workloads.flatMap { workload in
      try names.compactMap { try Lane(workload, $0, elements: elements) }
    }
    for _ in 0..<rounds {
      for index in lanes.indices { try lanes[index].addRound() }
    }
    return workloads.map { workload in
      let measurements = lanes.filter { $0.workload == workload }.map { ($0.name, result($0)) }
      return WorkloadRow(workload: workload, measurements: Dictionary(uniqueKeysWithValues: measurements))
    }
  }
}
