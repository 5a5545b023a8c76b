import BenchmarkReports
import BenchmarkSupport
import Foundation
import Synchronization

/// A measurement of the throughput of one contestant's junction, with one thread and with two.
struct JunctionLane {

  private static let valuesPerThread = 300_000

  private let junction: Junction
  private let name: ContestantName

  /// The throughput in millions of values per second.
  private var alone: [Double] = []
  private var together: [Double] = []

  /// - Returns: `nil` if the contestant has no equivalent.
  init?(_ junction: Junction, _ name: ContestantName) {
    guard name.contestant.makeJunction(junction, Sum()) != nil else { return nil }
    self.junction = junction
    self.name = name
  }

  /// Measures one sending thread, and then two.
  mutating func addRound() throws {
    alone.append(try throughput(threads: 1))
    together.append(try throughput(threads: 2))
  }

  var row: JunctionRow { JunctionRow(junction, name, alone: alone, together: together) }

  private func throughput(threads: Int) throws -> Double {
    let sum = Sum()
    let inlets = name.contestant.makeJunction(junction, sum)!
    let ranges = (0..<threads).map { $0 * Self.valuesPerThread..<($0 + 1) * Self.valuesPerThread }
    let race = Race(runners: threads)
    for (inlet, range) in zip([inlets.first, inlets.second], ranges) {
      // Only this thread uses it.
      nonisolated(unsafe) let inlet = inlet
      race.start { inlet(range) }
    }
    let nanoseconds = race.waitForAll()
    guard sum.value == ranges.joined().reduce(0, &+) else {
      throw MeasurementError.wrongOutcome(junction.rawValue, name)
    }
    return Double(threads * Self.valuesPerThread) / nanoseconds * 1000
  }
}
