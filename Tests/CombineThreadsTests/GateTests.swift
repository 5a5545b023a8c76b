import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CombineCore
@testable import CombineThreads

@Suite struct GateTests {

  private final class Shared: Sendable {
    let gate = Gate()
    let probe = OverlapProbe()

    // The macros of the tests copy what a call is made on, and a gate cannot be copied.
    func enter() -> Bool { gate.enter() }
    func enterUnlessOccupied() -> Bool { gate.enterUnlessOccupied() }

    /// Whether four threads wait.
    var isQueued: Bool { gate.waitingCount == 4 }

    /// Whether a thread has waited for so long that it is next.
    var hasImpatientThread: Bool { gate.waiting.load(ordering: .relaxed) & GateQueue.Flags.impatient != 0 }
  }

  @Test func letsTheSameThreadThrough() {
    let shared = Shared()
    #expect(shared.enter())
    #expect(!shared.enter())
    #expect(!shared.enterUnlessOccupied())
    shared.gate.leave()
    #expect(shared.enterUnlessOccupied())
    shared.gate.leave()
  }

  @Test func letsOneThreadInAtATime() {
    let shared = Shared()
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<2000 {
        shared.gate.pass {
          shared.probe.enter { shared.gate.pass {} }
        }
      }
    }
    #expect(shared.probe.count == 8000)
    #expect(!shared.probe.hasOverlapped)
  }

  @Test func aWaiterGetsInThoughTheOneInsideTakesLong() {
    let shared = Shared()
    let isInside = DispatchSemaphore(value: 0)
    let mayLeave = DispatchSemaphore(value: 0)
    let done = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      shared.gate.pass {
        isInside.signal()
        mayLeave.wait()
      }
    }
    isInside.wait()
    #expect(!shared.enterUnlessOccupied())
    DispatchQueue.global().async {
      shared.gate.pass { _ = done.signal() }
    }
    #expect(done.wait(timeout: .now() + .milliseconds(20)) == .timedOut)
    mayLeave.signal()
    #expect(done.wait(timeout: .now() + .seconds(60)) == .success)
  }

  @Test func aWaitingThreadReturnsWhenTheConnectionEnds() {
    let shared = Shared()
    let (isInside, mayLeave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let hasEnded = Atomic(false)
    let passes = Guarded(0)
    shared.gate.pass(unless: { true }) {
      shared.gate.pass(unless: { true }) { passes.withLock { $0 += 1 } }  // Nobody else is inside.
    }
    #expect(passes.withLock { $0 } == 1)
    #expect(shared.enterUnlessOccupied(), "it was left")
    shared.gate.leave()
    // Four threads wait, two of them for good; the gate is never left before they have returned.
    let returned = DispatchGroup()
    onThreads(6) { thread in
      switch thread {
      case 0:
        shared.gate.pass {
          isInside.signal()
          mayLeave.wait()
        }
      case 5:
        isInside.wait()
        isInside.signal()
        while !shared.isQueued { Thread.sleep(forTimeInterval: 0.001) }
        hasEnded.store(true, ordering: .sequentiallyConsistent)
        shared.gate.releaseWaiting()
        #expect(returned.wait(timeout: .now() + .seconds(60)) == .success, "they wait for the thread inside")
        mayLeave.signal()
      default:
        returned.enter()
        isInside.wait()
        isInside.signal()
        shared.gate.pass(unless: { hasEnded.load(ordering: .sequentiallyConsistent) }) {
          passes.withLock { $0 += 1 }
        }
        returned.leave()
      }
    }
    #expect(passes.withLock { $0 } == 1)
    #expect(shared.enterUnlessOccupied(), "it was left")
  }

  @Test func anImpatientThreadIsNotOvertaken() {
    let shared = Shared()
    for _ in 0..<20 {
      let order = Guarded<[String]>([])
      let isInside = DispatchSemaphore(value: 0)
      let isLeaving = Atomic(false)
      onThreads(3) { thread in
        switch thread {
        case 0:
          shared.gate.pass {
            isInside.signal()
            while !shared.hasImpatientThread { Thread.sleep(forTimeInterval: 0.0005) }
            isLeaving.store(true, ordering: .relaxed)
          }
        case 1:
          isInside.wait()
          shared.gate.pass { order.withLock { $0.append("impatient") } }
        default:
          while !isLeaving.load(ordering: .relaxed) {}
          while !shared.gate.enterIfFree() {}
          order.withLock { $0.append("newcomer") }
          shared.gate.leave()
        }
      }
      #expect(order.withLock { $0 } == ["impatient", "newcomer"])
    }
  }

  @Test(.inLongRuns, arguments: [0, 100, 1000])
  func aWaitingThreadIsNotOvertakenForLong(microseconds: UInt32) {
    let shared = Shared()
    let isOver = Atomic(false)
    let longest = Guarded(Duration.zero)
    onThreads(3) { thread in
      if thread < 2 {
        while !isOver.load(ordering: .relaxed) { shared.gate.pass { _ = usleep(microseconds) } }
      } else {
        for _ in 0..<50 {
          let start = ContinuousClock.now
          shared.gate.pass {}
          let waited = ContinuousClock.now - start
          longest.withLock { $0 = max($0, waited) }
          usleep(200)
        }
        isOver.store(true, ordering: .relaxed)
      }
    }
    // A millisecond of patience, a few passes of the others, and much for a machine that is busy.
    #expect(longest.withLock { $0 } < .milliseconds(500))
  }

  @Test(.inLongRuns) func waitingTakesNoProcessorTime() {
    let shared = Shared()
    let isInside = DispatchSemaphore(value: 0)
    let spent = Guarded(0)
    onThreads(9) { thread in
      if thread == 0 {
        shared.gate.pass {
          isInside.signal()
          Thread.sleep(forTimeInterval: 0.5)
        }
      } else {
        isInside.wait()
        isInside.signal()
        let before = threadMicroseconds()
        shared.gate.pass {}
        let taken = threadMicroseconds() - before
        spent.withLock { $0 += taken }
      }
    }
    #expect(spent.withLock { $0 } < 50_000, "microseconds of eight threads that waited for half a second")
  }

  /// The processor time of this thread.
  private func threadMicroseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
  }
}

@Suite struct LockTests {

  private final class Counter: @unchecked Sendable {
    let lock = Lock()
    var count = 0  // Only with the lock held.
  }

  @Test func excludesOtherThreads() {
    let counter = Counter()
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<5000 { counter.lock.withLock { counter.count += 1 } }
    }
    #expect(counter.count == 20000)
  }

  @Test(arguments: 0..<20)
  func otherThreadsTakeALockThatWasOneThreads(_: Int) {
    let counter = Counter()
    onThreads(3) { thread in
      // The first thread gets a mark, and goes on while the others come.
      if thread > 0 { while counter.lock.withLock({ counter.count < 100 }) { sched_yield() } }
      for _ in 0..<1000 { counter.lock.withLock { counter.count += 1 } }
    }
    #expect(counter.count == 3000)
  }

  @Test func takingItTwiceTraps() async {
    await #expect(processExitsWith: .failure) {
      let counter = Counter()
      counter.lock.withLock { counter.lock.withLock {} }
    }.expectTrap()
  }
}
