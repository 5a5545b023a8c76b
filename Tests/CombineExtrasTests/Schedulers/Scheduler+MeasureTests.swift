import CombineTesting
import TestSupport
import Testing

@Suite struct SchedulerMeasureTests {

  @Test func measuresTheTimeOfTheClock() {
    let scheduler = TestScheduler()
    #expect(scheduler.measure { scheduler.advance(by: 17) } == 17)
    #expect(scheduler.measure {} == 0)
  }

  @Test func passesAnErrorOn() {
    #expect(throws: TestError.self) { try TestScheduler().measure { throw TestError("wrong") } }
  }
}
