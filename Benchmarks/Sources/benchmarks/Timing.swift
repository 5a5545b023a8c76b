import BenchmarkReports
import BenchmarkSupport

/// Times the same thing again and again, and looks at its outcome each time.
struct Timing {

  /// How long a timing lasts at least; how long it is planned to last.
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

  /// Runs it twice, which warms it up and shows how often it must be repeated for a timing.
  ///
  /// - Parameters:
  ///   - elements: How many elements a run handles.
  ///   - checksum: Takes in what comes out of a run.
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

  /// Times it once more.
  mutating func addRound() throws {
    var elapsed = try time()
    while elapsed < Self.minimumNanoseconds {
      repetitions *= 2
      elapsed = try time()
    }
    rounds.append(elapsed / Double(repetitions * elements))
  }

  /// The nanoseconds that `repetitions` runs take.
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
