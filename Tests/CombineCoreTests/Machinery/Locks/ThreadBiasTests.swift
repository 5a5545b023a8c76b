import CCombinePlatform
import Synchronization
import TestSupport
import Testing

@testable import CombineCore

/// Without the fence of all threads, on some systems, no thread has a mark.
@Suite(.enabled(if: combine_make_token() != 0)) struct ThreadBiasTests {

  private final class Shared: Sendable {
    let gate = Gate()
    let probe = OverlapProbe()

    /// Whether a thread has its mark here.
    var isTaken: Bool { gate.bias.isTaken }

    var isEntered: Bool { gate.isEntered }

    var mark: UInt32 { gate.bias.word.load(ordering: .relaxed) }

    func pass(times: Int) {
      for _ in 0..<times { gate.pass { probe.enter {} } }
    }
  }

  @Test func aThreadGetsItsMarkAfterManyPasses() {
    let shared = Shared()
    shared.pass(times: 20)
    #expect(!shared.isTaken)
    shared.pass(times: 60)
    #expect(shared.isTaken)
  }

  @Test func anotherThreadTakesTheMarkAwayForGood() {
    let shared = Shared()
    shared.pass(times: 100)
    onThreads(1) { _ in shared.pass(times: 1) }
    #expect(!shared.isTaken)
    shared.pass(times: 200)
    #expect(!shared.isTaken)
  }

  @Test func aMarkThatEndedOnlyWithAnotherOneComesBack() {
    let (shared, untouched) = (Shared(), Shared())
    shared.pass(times: 100)
    untouched.pass(times: 100)
    let token = combine_token()
    onThreads(1) { _ in shared.pass(times: 1) }
    #expect(combine_token() != token)
    untouched.pass(times: 2)
    #expect(untouched.mark == combine_token())
  }

  @Test func threadsThatTakeTurnsGetNoMark() {
    let shared = Shared()
    for _ in 0..<5 { onThreads(2) { _ in shared.pass(times: 30) } }
    #expect(!shared.isTaken)
    #expect(shared.probe.count == 300)
    #expect(!shared.probe.hasOverlapped)
  }

  @Test func aThreadWithoutGenerationsLeavesAndHasNoMarks() {
    let shared = Shared()
    onThreads(1) { _ in
      let number = combine_make_token() >> 20
      shared.pass(times: 100)
      shared.gate.pass {
        for _ in 0..<70_000 { _ = combine_end_token(combine_token()) }
        #expect(combine_token() >> 20 == number)
        #expect(combine_make_token() == 0)
      }
      #expect(!shared.isEntered)
      let other = Shared()
      other.pass(times: 200)
      #expect(!other.isTaken)
    }
    // Its number is nobody's from now on.
    let numbers = Guarded<[UInt32]>([])
    let ready = StartLine(6)
    onThreads(6) { _ in
      let number = combine_make_token() >> 20
      numbers.withLock { $0.append(number) }
      ready.wait()
    }
    #expect(numbers.withLock { Set($0).count } == 6)
    shared.pass(times: 1)
    #expect(!shared.isTaken)
  }
}
