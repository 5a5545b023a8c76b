import CombineExtras
import Foundation
import Testing

/// The instants of each scheduler of the platform, on the clock of a stand-in.
@Suite struct StandInTimeTests {

  @Test func theClockStartsAtAFixedTime() {
    #expect(DispatchQueue.SchedulerTimeType.startOfStandIn.dispatchTime.uptimeNanoseconds == 1)
    #expect(RunLoop.SchedulerTimeType.startOfStandIn.date == Date(timeIntervalSince1970: 0))
    #expect(OperationQueue.SchedulerTimeType.startOfStandIn.date == Date(timeIntervalSince1970: 0))
  }

  @Test func roundedInstantsOfEqualSumsAreEqual() {
    var (runLoop, queue) = (RunLoop.SchedulerTimeType.startOfStandIn, OperationQueue.SchedulerTimeType.startOfStandIn)
    for step in 1...1000 {
      runLoop = runLoop.advanced(by: 0.1).roundedForStandIn
      queue = queue.advanced(by: 0.1).roundedForStandIn
      let date = Date(timeIntervalSince1970: Double(step) / 10)
      #expect(runLoop == RunLoop.SchedulerTimeType(date).roundedForStandIn)
      #expect(queue == OperationQueue.SchedulerTimeType(date).roundedForStandIn)
    }
  }

  @Test func wholeAndFarInstantsAreNotRounded() {
    let queueTime = DispatchQueue.SchedulerTimeType(DispatchTime(uptimeNanoseconds: 1_000_000_007))
    #expect(queueTime.roundedForStandIn == queueTime)
    for seconds in [1e15, -1e15] {
      let time = RunLoop.SchedulerTimeType(Date(timeIntervalSince1970: seconds))
      #expect(time.roundedForStandIn == time)
    }
  }
}
