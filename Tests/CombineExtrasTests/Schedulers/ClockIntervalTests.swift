import CombineExtras
import Testing

@Suite struct ClockIntervalTests {

  @Test func isMadeFromUnits() {
    let units: [ClockInterval] = [
      .seconds(2), .seconds(0.5), .milliseconds(3), .microseconds(4), .nanoseconds(5), 6, 1.5,
    ]
    let durations: [Duration] = [
      .seconds(2), .milliseconds(500), .milliseconds(3), .microseconds(4), .nanoseconds(5), .seconds(6),
      .milliseconds(1500),
    ]
    #expect(units.map(\.duration) == durations)
    #expect(ClockInterval(exactly: 7) == 7)
    #expect(ClockInterval(exactly: UInt64.max) == nil)
  }

  @Test func calculates() {
    #expect(ClockInterval(2) + 3 == 5)
    #expect(ClockInterval(2) - 3 == -1)
    #expect(ClockInterval(2) * 1.5 == 3)
    #expect(ClockInterval(-2).magnitude == 2)
    #expect(ClockInterval(2) < 3)
    var interval: ClockInterval = 2
    interval *= 4
    interval += 1
    interval -= 3
    #expect(interval == 6)
  }

  @Test func farIntervalsAreClamped() {
    #expect(ClockInterval.seconds(.infinity) == .seconds(Int.max))
    #expect(ClockInterval.seconds(-1e300) == .seconds(Int.min))
  }

  @Test func noNumberEndsTheProcess() async {
    await #expect(processExitsWith: .failure) { _ = ClockInterval.seconds(.nan) }
  }
}
