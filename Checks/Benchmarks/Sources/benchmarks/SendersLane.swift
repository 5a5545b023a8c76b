import BenchmarkReports
import BenchmarkSupport
import Synchronization

/// A measurement of eight threads that send to one sink that takes a microsecond: the throughput, and the longest send.
struct SendersLane {

  private static let senders = 8
  private static let valuesPerThread = 10_000

  /// The number of iterations of the sum's loop that take a microsecond on this machine.
  private static let delay: Int = {
    let sum = Sum(delay: 1_000_000)
    let start = Clock.thread.now
    sum.add(1)
    return Int(1_000_000_000 / (Clock.thread.now - start))
  }()

  private let name: ContestantName
  private var throughput: [Double] = []
  private var longestWait: [Double] = []

  /// - Returns: `nil` if the contestant has no equivalent.
  init?(_ name: ContestantName) {
    guard name.contestant.makeJunction(.subject, Sum()) != nil else { return nil }
    self.name = name
  }

  mutating func addRound() throws {
    let sum = Sum(delay: Self.delay)
    let inlets = name.contestant.makeJunction(.subject, sum)!
    let longest = Mutex(0.0)
    let race = Race(runners: Self.senders)
    for sender in 0..<Self.senders {
      // A subject is thread-safe, and the hand-written equivalent has a lock.
      nonisolated(unsafe) let inlet = inlets.first
      race.start {
        var own = 0.0
        for value in sender * Self.valuesPerThread..<(sender + 1) * Self.valuesPerThread {
          let start = Clock.wall.now
          inlet(value..<value + 1)
          own = max(own, Clock.wall.now - start)
        }
        longest.withLock { $0 = max($0, own) }
      }
    }
    let nanoseconds = race.waitForAll()
    let count = Self.senders * Self.valuesPerThread
    guard sum.value == (0..<count).reduce(0, &+) else { throw MeasurementError.wrongOutcome("eight-senders", name) }
    throughput.append(Double(count) / nanoseconds * 1000)
    longestWait.append(longest.withLock { $0 } / 1e6)
  }

  var row: SendersRow { SendersRow(name, throughput: throughput, longestWait: longestWait) }
}
