import Foundation
import TestSupport
import Testing

@testable import CombineCore

/// Finite demand on many upstreams: each gets its share, at a cost that does not grow with their number.
@Suite struct MergeFairnessTests {

  /// The two operators that merge a list of upstreams.
  enum Operator: CaseIterable, Sendable {
    case merge, flatMap

    func attach<P: Publisher>(_ subscriber: RecordingSubscriber<P.Output, P.Failure>, to upstreams: [P]) {
      switch self {
      case .merge: Publishers.MergeMany(upstreams).subscribe(subscriber)
      case .flatMap:
        Publishers.Sequence<[P], P.Failure>(sequence: upstreams).flatMap { $0 }.subscribe(subscriber)
      }
    }
  }

  /// The number of values that arrive from each of `count` endless upstreams, which send as soon as values are
  /// requested.
  private func shares(_ mixing: Operator, upstreams count: Int, requests: Int, of size: Int) -> [Int] {
    let subscriber = RecordingSubscriber<Int, Never>()
    let upstreams = (0..<count).map { repeatElement($0, count: .max / 2).publisher }
    mixing.attach(subscriber, to: upstreams)
    for _ in 0..<requests { subscriber.request(.max(size)) }
    var shares = Array(repeating: 0, count: count)
    for value in subscriber.values { shares[value] += 1 }
    subscriber.cancel()
    subscriber.dropSubscription()
    return shares
  }

  @Test(arguments: Operator.allCases)
  func requestsForOneValueServeTwoSequencesInTurn(_ mixing: Operator) {
    let shares = shares(mixing, upstreams: 2, requests: 10_000, of: 1)
    #expect(shares.allSatisfy { abs($0 - 5000) <= 1 }, "\(shares)")
  }

  @Test(arguments: Operator.allCases, [1, 2, 3, 4, 7, 100])
  func noUpstreamDeliversMuchMoreThanAnother(_ mixing: Operator, size: Int) {
    for count in [2, 3, 5, 70] {
      let shares = shares(mixing, upstreams: count, requests: 420, of: size)
      #expect(shares.max()! - shares.min()! <= size, "\(count) upstreams: \(shares)")
      #expect(shares.reduce(0, +) == 420 * size)
    }
  }

  @Test func theFixedAritiesServeInTurnToo() {
    func upstream(_ value: Int) -> Publishers.Sequence<Repeated<Int>, Never> {
      repeatElement(value, count: .max / 2).publisher
    }
    let subscriber = RecordingSubscriber<Int, Never>()
    Publishers.Merge3(upstream(0), upstream(1), upstream(2)).subscribe(subscriber)
    for _ in 0..<6 { subscriber.request(.max(1)) }
    #expect(subscriber.values == [0, 1, 2, 0, 1, 2])
    subscriber.cancel()
  }

  /// An upstream finishes during its request. A copy of all slots at that moment would cost time for each slot.
  @Test func aRequestCopiesNoSlots() throws {
    let subscriber = RecordingSubscriber<Int, Never>()
    Publishers.MergeMany((0..<100).map { [$0].publisher }).subscribe(subscriber)
    let merge = try #require(subscriber.subscription as? MergeCore)
    func address() -> UnsafeRawPointer? {
      merge.machine.upstreams.subscriptions.withUnsafeBufferPointer { UnsafeRawPointer($0.baseAddress) }
    }
    let before = address()
    for size in [1, 1, 2, 3] {
      subscriber.request(.max(size))
      #expect(address() == before)
    }
    #expect(subscriber.values == Array(0..<7))
  }

  @Test(.inLongRuns, arguments: Operator.allCases)
  func theCostOfARequestDoesNotGrowWithTheNumberOfUpstreams(_ mixing: Operator) {
    /// The minimum processor time of a few tries, in nanoseconds for each of 10,000 requests.
    func cost(upstreams count: Int) -> Double {
      var least = Double.infinity
      for _ in 0..<3 {
        let subscriber = RecordingSubscriber<Int, Never>()
        let length = 10_000 / count
        mixing.attach(subscriber, to: (0..<count).map { repeatElement($0, count: length).publisher })
        let start = threadTime()
        for _ in 0..<10_000 { subscriber.request(.max(1)) }
        least = min(least, threadTime() - start)
        #expect(subscriber.values.count == 10_000)
        #expect(subscriber.values[..<count].elementsEqual(0..<count), "each had its turn")
      }
      return least / 10_000
    }
    let (few, many) = (cost(upstreams: 100), cost(upstreams: 10_000))
    // A cost for each upstream would make the ratio a hundred. Caches make it 1 to 3.
    #expect(many < 15 * few, "\(many) ns instead of \(few)")
  }

  private func threadTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}
