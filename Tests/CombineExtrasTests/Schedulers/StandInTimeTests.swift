import CombineExtras
import Foundation
import Testing

/// The instants of each scheduler of the platform, on the clock of a stand-in.
@Suite struct StandInTimeTests {

  @Test(arguments: [0, 1, -1, 999, 1_000_000_007, 86_400_000_000_001])
  func instantsAreCountedExactly(nanoseconds: Int) {
    if nanoseconds > -1_000_000_000 {
      #expect(DispatchQueue.SchedulerTimeType(nanosecondsSinceStart: nanoseconds).nanosecondsSinceStart == nanoseconds)
    }
    #expect(RunLoop.SchedulerTimeType(nanosecondsSinceStart: nanoseconds).nanosecondsSinceStart == nanoseconds)
    #expect(OperationQueue.SchedulerTimeType(nanosecondsSinceStart: nanoseconds).nanosecondsSinceStart == nanoseconds)
  }

  @Test func farInstantsAreClamped() {
    #expect(RunLoop.SchedulerTimeType(Date(timeIntervalSinceReferenceDate: .infinity)).nanosecondsSinceStart == .max)
    #expect(RunLoop.SchedulerTimeType(Date(timeIntervalSinceReferenceDate: -1e30)).nanosecondsSinceStart == .min)
    #expect(DispatchQueue.SchedulerTimeType(.distantFuture).nanosecondsSinceStart > 1 << 60)
  }
}
