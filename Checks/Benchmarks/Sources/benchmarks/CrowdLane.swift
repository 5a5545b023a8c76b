import BenchmarkReports
import BenchmarkSupport

/// A measurement of one contestant that makes and cancels many subscriptions to one subject.
struct CrowdLane {

  static let counts = [10_000, 100_000]

  private let name: ContestantName
  private let count: Int
  private let makeCrowd: () -> any Crowd

  private var subscribing: [Double] = []
  private var cancelling: [Order: [Double]] = [:]

  private enum Order: CaseIterable {
    case forward, backward, random
  }

  /// - Returns: `nil` if the contestant has no equivalent.
  init?(_ name: ContestantName, count: Int) {
    guard name.contestant.makeCrowd() != nil else { return nil }
    self.name = name
    self.count = count
    makeCrowd = { name.contestant.makeCrowd()! }
  }

  /// Times each order once more.
  mutating func addRound() {
    for order in Order.allCases {
      let leaving = indices(in: order)
      let crowd = makeCrowd()
      crowd.reserve(count)
      let start = Clock.thread.now
      for _ in 0..<count { crowd.join() }
      let joined = Clock.thread.now
      for index in leaving { crowd.leave(index) }
      let left = Clock.thread.now
      subscribing.append((joined - start) / Double(count))
      cancelling[order, default: []].append((left - joined) / Double(count))
    }
  }

  private func indices(in order: Order) -> [Int] {
    switch order {
    case .forward: return Array(0..<count)
    case .backward: return (0..<count).reversed()
    case .random:
      var generator = RepeatableGenerator()
      return (0..<count).shuffled(using: &generator)
    }
  }

  /// Returns the row of the rounds so far, with the memory, which is counted now.
  func row() -> CrowdRow {
    var row = CrowdRow(
      contestant: name,
      count: count,
      subscribing: subscribing.median,
      cancellingForward: cancelling[.forward, default: []].median,
      cancellingBackward: cancelling[.backward, default: []].median,
      cancellingAtRandom: cancelling[.random, default: []].median
    )
    guard AllocationCounter.isAvailable else { return row }
    let crowd = makeCrowd()
    crowd.reserve(count)
    let allocations = AllocationCounter.count {
      for _ in 0..<count { crowd.join() }
    }
    row.bytes = Double(allocations.bytes) / Double(count)
    row.blocks = Double(allocations.count) / Double(count)
    return row
  }
}

/// A generator of the same numbers in each run: a linear congruential generator with Knuth's constants, of which the
/// upper half is used.
private struct RepeatableGenerator: RandomNumberGenerator {

  private var state: UInt64 = 1

  mutating func next() -> UInt64 {
    UInt64(half()) << 32 | UInt64(half())
  }

  private mutating func half() -> UInt32 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return UInt32(truncatingIfNeeded: state >> 32)
  }
}
