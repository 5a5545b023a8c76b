import CombineTesting
import TestSupport
import Testing

/// A publisher with a script. The downstream requests and cancels on one thread, and another thread moves the time.
@Suite struct TestingThreadTests {

  private struct Play {
    let scheduler = TestScheduler()
    let downstream: Witness<Int>

    init(requesting initial: Subscribers.Demand, onValue: @escaping (Int) -> Subscribers.Demand = { _ in .none }) {
      downstream = Witness(requesting: initial, onValue: onValue)
      let publisher: TestablePublisher<Int, TestError> = scheduler.createRelativeTestablePublisher([
        (10, .input(1)), (20, .input(2)), (30, .input(3)), (30, .completion(.finished)),
      ])
      publisher.subscribe(downstream)
    }
  }

  @Test func theScriptIsSentInOrderForRequestsOnAnyThread() {
    expectNoFault("testable publisher, requests") {
      let play = Play(requesting: .max(1)) { $0 == 1 ? .max(1) : .none }
      return ThreadedProgram(
        threads: [{ play.scheduler.resume() }, { play.downstream.request(.max(1)) }],
        faults: {
          var verdict = Verdict(play.downstream)
          verdict.requireEnd(of: play.downstream, after: [1, 2, 3])
          return verdict.faults
        }
      )
    }
  }

  @Test func noActionIsLeftAfterACancel() {
    expectNoFault("testable publisher, a cancel") {
      let play = Play(requesting: .unlimited)
      return ThreadedProgram(
        threads: [{ play.scheduler.advance(by: 20) }, { play.downstream.cancel() }],
        faults: {
          let received = play.downstream.values
          play.scheduler.resume()
          var verdict = Verdict(play.downstream)
          verdict.require(play.downstream.values == received, "\(play.downstream.values) after \(received)")
          verdict.require(play.scheduler.now == 20, "an action was left, at \(play.scheduler.now)")
          return verdict.faults
        }
      )
    }
  }
}
