import BenchmarkReports
import BenchmarkSupport

/// A repeated timing of the same work, which checks the outcome each time.
struct Timing {

  /// The minimum duration of a timing, and the planned one.
  private static let minimumNanoseconds = 10_000_000.0
  private static let plannedNanoseconds = 15_000_000.0

  private let what: String
  private let name: ContestantName
  private let clock: Clock
  private let elements: Int
  private let checksum: Checksum
  private let expected: UInt
  private let run: () -> Void

  private var repetitions = 1

  /// The nanoseconds for an element in each round.
  private(set) var rounds: [Double] = []

  /// Creates a timing and runs the work twice, to warm it up and to find the number of repetitions.
  ///
  /// - Parameters:
  ///   - elements: The number of elements in a run.
  ///   - checksum: The checksum of a run's output.
  ///   - expected: The expected value of the checksum after a run.
  ///   - expected: What the checksum must be after it.
  init(
    _ what: String,
    _ name: ContestantName,
    clock: Clock = .thread,
    elements: Int,
    checksum: Checksum,
    expected: UInt,
    run: @escaping () -> Void
  ) throws {
    self.what = what
    self.name = name
    self.clock = clock
    self.elements = elements
    self.checksum = checksum
    self.expected = expected
    self.run = run
    _ = try time()
    let once = try time()
    repetitions = max(1, Int((Self.plannedNanoseconds / once).rounded(.up)))
  }

  /// Times the work once more.
  mutating func addRound() throws {
    var elapsed = try time()
    while elapsed < Self.minimumNanoseconds {
      repetitions *= 2
      elapsed = try time()
    }
    rounds.append(elapsed / Double(repetitions * elements))
  }

  /// Returns the nanoseconds that `repetitions` runs take.
  private func time() throws -> Double {
    var elapsed = 0.0
    for _ in 0..<repetitions {
      checksum.reset()
      let start = clock.now
      run()
      elapsed += clock.now - start
      guard checksum.value == expected else { throw MeasurementError.wrongOutcome(what, name) }
    }
    return elapsed
  }
}
