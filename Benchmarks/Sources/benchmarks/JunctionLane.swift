import BenchmarkReports
import BenchmarkSupport
import Foundation
import Synchronization

/// Lets one or two threads send into what one contestant makes of a junction, and remembers how much got through.
struct JunctionLane {

  private static let valuesPerThread = 300_000

  private let junction: Junction
  private let name: ContestantName

  /// Values in a second, in millions.
  private var alone: [Double] = []
  private var together: [Double] = []

  /// - Returns: `nil` where the contestant has no equivalent.
  init?(_ junction: Junction, _ name: ContestantName) {
    guard name.contestant.makeJunction(junction, Sum()) != nil else { return nil }
    self.junction = junction
    self.name = name
  }

  /// Lets one thread send, then two.
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
      // Nothing but this thread uses it.
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
