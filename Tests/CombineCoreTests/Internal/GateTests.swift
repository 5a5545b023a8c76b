import Dispatch
import TestSupport
import Testing

@testable import CombineCore

@Suite struct GateTests {

  private final class Shared: Sendable {
    let gate = Gate()
    let probe = OverlapProbe()

    // The macros of the tests copy what a call is made on, and a gate cannot be copied.
    func enter() -> Bool { gate.enter() }
    func tryEnter() -> Bool { gate.tryEnter() }
  }

  @Test func letsTheSameThreadThrough() {
    let shared = Shared()
    #expect(shared.enter())
    #expect(!shared.enter())
    #expect(!shared.tryEnter())
    shared.gate.leave()
    #expect(shared.tryEnter())
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
    #expect(!shared.tryEnter())
    DispatchQueue.global().async {
      shared.gate.pass { _ = done.signal() }
    }
    #expect(done.wait(timeout: .now() + .milliseconds(20)) == .timedOut)
    mayLeave.signal()
    #expect(done.wait(timeout: .now() + .seconds(20)) == .success)
  }

  @Test func whoWaitsForWhatHasEndedGivesUp() {
    let shared = Shared()
    let (isInside, mayLeave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let passes = Guarded(0)
    shared.gate.pass(unless: { true }) {
      shared.gate.pass(unless: { true }) { passes.withLock { $0 += 1 } }  // Nobody else is inside.
    }
    #expect(passes.withLock { $0 } == 1)
    #expect(shared.tryEnter(), "it was left")
    shared.gate.leave()
    onThreads(2) { thread in
      if thread == 0 {
        shared.gate.pass {
          isInside.signal()
          mayLeave.wait()
        }
      } else {
        isInside.wait()
        // Looked at again and again, while there is somebody inside.
        var looks = 0
        shared.gate.pass(unless: {
          looks += 1
          return looks == 3
        }) { passes.withLock { $0 += 1 } }
        #expect(looks == 3)
        mayLeave.signal()
        shared.gate.pass(unless: { false }) { passes.withLock { $0 += 1 } }
      }
    }
    #expect(passes.withLock { $0 } == 2)
    #expect(shared.tryEnter(), "it was left")
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

  @Test func takingItTwiceTraps() async {
    await #expect(processExitsWith: .failure) {
      let counter = Counter()
      counter.lock.withLock { counter.lock.withLock {} }
    }.expectTrap()
  }
}
