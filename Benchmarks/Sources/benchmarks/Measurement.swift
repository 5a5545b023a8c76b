import BenchmarkSupport
import Foundation

/// What was measured of one contestant at one workload.
struct Measurement: Encodable {

  /// Nanoseconds for each element: in the middle of all rounds, and the extremes.
  var nanoseconds = 0.0
  var fastest = 0.0
  var slowest = 0.0

  /// Allocations for each element; none where an element is a subscription.
  var allocationsPerElement: Double?

  /// Allocations for each subscription: all that a run makes beside those for each element.
  var allocationsPerSubscription: Double?
}

/// A failure that makes the numbers worthless.
enum MeasurementError: Error, CustomStringConvertible {
  case wrongChecksum(Workload, ContestantName)
  case wrongCount(String, expected: Int, counted: Int)

  var description: String {
    switch self {
    case .wrongChecksum(let workload, let name):
      "\(workload.rawValue): the outcome of \(name.rawValue) is not that of \(ContestantName.byHand.rawValue)"
    case .wrongCount(let what, let expected, let counted):
      "the allocation counter is wrong: \(expected) of \(what), \(counted) counted"
    }
  }
}

/// Lets one contestant do one workload, and remembers what it took.
struct Lane {

  let workload: Workload
  let name: ContestantName

  /// How long a timing lasts at least; how long it is planned to last.
  private static let minimumNanoseconds = 10_000_000.0
  private static let plannedNanoseconds = 15_000_000.0

  private let expected: UInt
  private var repetitions = 1
  private var times: [Double] = []

  /// Does the workload once, which warms it up and shows how often it must be repeated for a timing.
  init(_ workload: Workload, _ name: ContestantName, expected: UInt) throws {
    self.workload = workload
    self.name = name
    self.expected = expected
    _ = try time()
    let once = try time()
    repetitions = max(1, Int((Self.plannedNanoseconds / once).rounded(.up)))
  }

  /// What comes out of a workload when it is done right.
  static func expectedChecksum(of workload: Workload) -> UInt {
    let checksum = Checksum()
    ContestantName.byHand.contestant.run(workload, count: workload.elementsPerRun, checksum: checksum)
    return checksum.value
  }

  /// Times the workload once more.
  mutating func addRound() throws {
    var elapsed = try time()
    while elapsed < Self.minimumNanoseconds {
      repetitions *= 2
      elapsed = try time()
    }
    times.append(elapsed / Double(repetitions * workload.elementsPerRun))
  }

  /// The nanoseconds that this thread was running while it did the workload `repetitions` times.
  private func time() throws -> Double {
    let contestant = name.contestant
    var elapsed = 0.0
    for _ in 0..<repetitions {
      let checksum = Checksum()
      let start = Self.threadNanoseconds()
      contestant.run(workload, count: workload.elementsPerRun, checksum: checksum)
      elapsed += Self.threadNanoseconds() - start
      guard checksum.value == expected else { throw MeasurementError.wrongChecksum(workload, name) }
    }
    return elapsed
  }

  /// The processor's time that went into this thread: what else the machine does meanwhile is not in it.
  private static func threadNanoseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }

  /// What the rounds so far say, with the allocations, which are counted now.
  func measurement() -> Measurement {
    let sorted = times.sorted()
    let middle = sorted.count / 2
    var result = Measurement(
      nanoseconds: sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2,
      fastest: sorted[0],
      slowest: sorted[sorted.count - 1]
    )
    guard AllocationCounter.isAvailable else { return result }

    // What an element costs is the difference between a longer and a shorter run; the rest is the subscriptions'.
    let count = workload.elementsPerRun
    let short = countAllocations(count: count)
    let long = countAllocations(count: 2 * count)
    let perElement = Double(long - short) / Double(count)
    switch workload.subscriptions {
    case .perRun(let number):
      result.allocationsPerElement = perElement
      result.allocationsPerSubscription = (Double(short) - perElement * Double(count)) / Double(number)
    case .perElement:
      result.allocationsPerSubscription = perElement
    }
    return result
  }

  private func countAllocations(count: Int) -> Int {
    let checksum = Checksum()
    let contestant = name.contestant
    return AllocationCounter.count { contestant.run(workload, count: count, checksum: checksum) }
  }
}
