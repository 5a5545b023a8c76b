#if JetStream
  import Foundation
  import TestSupport
  import Testing

  @testable import CombineJetStream

  /// What a drain waits for.
  struct WorkInHandTests {

    /// A wake-up that is lost would make the wait last until its deadline.
    @Test func theLastPieceOfWorkWakesTheWaitingThread() {
      let work = WorkInHand()
      let start = ContinuousClock.now
      for round in 0..<2000 {
        work.begin()
        work.begin()
        let isDone = Guarded(false)
        onThreads(2) { thread in
          if thread == 0 {
            work.finish()
            // Sometimes before the wait begins, and sometimes after.
            if round % 2 == 0 { for _ in 0..<round % 200 { _ = isDone.withLock { $0 } } }
            work.finish()
          } else {
            let result = work.awaitEnd(until: .now + .seconds(30))
            isDone.withLock { $0 = result }
          }
        }
        #expect(isDone.withLock { $0 })
      }
      #expect(ContinuousClock.now - start < .seconds(25))
    }

    @Test func aWaitEndsAtItsDeadlineAndAtTheEndOfTheConnection() {
      let work = WorkInHand()
      work.begin()
      let start = ContinuousClock.now
      #expect(!work.awaitEnd(until: start + .milliseconds(50)))
      #expect(ContinuousClock.now - start >= .milliseconds(50))
      let ends = Guarded<[Bool]>([])
      onThreads(3) { thread in
        if thread == 0 {
          work.abandon()
        } else {
          let isDone = work.awaitEnd(until: .now + .seconds(60))
          ends.withLock { $0.append(isDone) }
        }
      }
      #expect(ends.withLock { $0 } == [false, false])
      #expect(ContinuousClock.now - start < .seconds(30))
    }
  }
#endif
