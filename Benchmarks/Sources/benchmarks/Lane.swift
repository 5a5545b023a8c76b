import BenchmarkReports
import BenchmarkSupport

/// Lets one contestant do one workload, and remembers what it took.
struct Lane {

  let workload: Workload
  let name: ContestantName

  /// How long a timing lasts at least; how long it is planned to last.
  private static let minimumNanoseconds = 10_000_000.0
  private static let plannedNanoseconds = 15_000_000.0

  private let work: Contestant.Work
  private let clock: Clock
  private let expected: UInt
  private var repetitions = 1
  private var rounds: [Double] = []

  /// Does the workload once, which warms it up and shows how often it must be repeated for a timing.
  ///
  /// - Returns: `nil` where the contestant has no equivalent.
  init?(_ workload: Workload, _ name: ContestantName) throws {
    guard let work = name.contestant.work(for: workload) else { return nil }
    self.workload = workload
    self.name = name
    self.work = work
    clock = workload.definition.isConcurrent || name == .asyncAlgorithms ? .process : .thread
    expected = Self.expectedChecksum(of: workload)
    _ = try time()
    let once = try time()
    repetitions = max(1, Int((Self.plannedNanoseconds / once).rounded(.up)))
  }

  /// What comes out of a workload when it is done right.
  private static func expectedChecksum(of workload: Workload) -> UInt {
    let checksum = Checksum()
    ContestantName.byHand.contestant.work(for: workload)?(Workload.elementsPerRun, checksum)
    return checksum.value
  }

  /// Times the workload once more.
  mutating func addRound() throws {
    var elapsed = try time()
    while elapsed < Self.minimumNanoseconds {
      repetitions *= 2
      elapsed = try time()
    }
    rounds.append(elapsed / Double(repetitions * Workload.elementsPerRun))
  }

  /// The nanoseconds that it takes to do the workload `repetitions` times.
  private func time() throws -> Double {
    var elapsed = 0.0
    for _ in 0..<repetitions {
      let checksum = Checksum()
      let start = clock.now
      work(Workload.elementsPerRun, checksum)
      elapsed += clock.now - start
      guard checksum.value == expected else { throw MeasurementError.wrongOutcome(workload.rawValue, name) }
    }
    return elapsed
  }

  /// What the rounds so far say, with the allocations, which are counted now.
  func measurement() -> Measurement {
    var result = Measurement(rounds: rounds)
    guard AllocationCounter.isAvailable else { return result }

    // What an element costs is the difference between a longer and a shorter run; the rest is the subscriptions'.
    let count = Workload.elementsPerRun
    let short = countAllocations(count: count)
    let long = countAllocations(count: 2 * count)
    let perElement = Double(long - short) / Double(count)
    switch workload.definition.subscriptions {
    case .perRun(let number):
      result.allocationsPerElement = perElement
      // Where threads race, what a run makes once is lost in what differs from run to run.
      guard countAllocations(count: count) == short else { break }
      result.allocationsPerSubscription = (Double(short) - perElement * Double(count)) / Double(number)
    case .perElement:
      result.allocationsPerSubscription = perElement
    }
    return result
  }

  private func countAllocations(count: Int) -> Int {
    let checksum = Checksum()
    return AllocationCounter.count { work(count, checksum) }.count
  }
}
