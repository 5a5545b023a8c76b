import CombineTesting
import Testing

struct VirtualTimeTests {

  @Test func literalIsANumberOfTicks() {
    let time: VirtualTime = 120
    #expect(time.ticks == 120)
    #expect(time == VirtualTime(120))
    #expect("\(time)" == "120")
  }

  @Test func distanceAndAdvanceAreInverse() {
    let start: VirtualTime = -30
    let end: VirtualTime = 70
    #expect(start.distance(to: end) == 100)
    #expect(end.distance(to: start) == -100)
    #expect(start.advanced(by: 100) == end)
    #expect(start + 100 == end)
    #expect(end - 100 == start)
  }

  @Test func movesInPlace() {
    var time: VirtualTime = 10
    time += 5
    #expect(time == 15)
    time -= 20
    #expect(time == -5)
  }

  @Test func ordersByTicks() {
    #expect(VirtualTime(-1) < 0)
    #expect(!(VirtualTime(3) < 3))
    #expect(VirtualTime(.min) < VirtualTime(.max))
    // Their distance from here is equal, because it is clamped.
    #expect(VirtualTime(.min) != VirtualTime(.min + 1))
  }

  @Test func stopsAtTheEndsOfTheRange() {
    #expect(VirtualTime(.max) + 1 == VirtualTime(.max))
    #expect(VirtualTime(.min) - 1 == VirtualTime(.min))
    #expect(VirtualTime(5) - VirtualTimeInterval(.min) == VirtualTime(.max))
    #expect(VirtualTime(5) + VirtualTimeInterval(.min) == VirtualTime(.min + 5))
    #expect(VirtualTime(.min).distance(to: VirtualTime(.max)) == VirtualTimeInterval(.max))
    #expect(VirtualTime(.max).distance(to: VirtualTime(.min)) == VirtualTimeInterval(.min))
  }
}

struct VirtualTimeIntervalTests {

  @Test func literalIsANumberOfTicks() {
    let interval: VirtualTimeInterval = 20
    #expect(interval.ticks == 20)
    #expect("\(-interval)" == "-20")
    #expect(VirtualTimeInterval(exactly: UInt8(7)) == 7)
    #expect(VirtualTimeInterval(exactly: UInt.max) == nil)
  }

  @Test func tickIsAMillisecond() {
    #expect(VirtualTimeInterval.milliseconds(7) == 7)
    #expect(VirtualTimeInterval.seconds(2) == 2000)
    #expect(VirtualTimeInterval.seconds(0.25) == 250)
    #expect(VirtualTimeInterval.seconds(-0.25) == -250)
    #expect(VirtualTimeInterval.microseconds(3000) == 3)
    #expect(VirtualTimeInterval.nanoseconds(-3_000_000) == -3)
  }

  @Test func seventyMillisecondsInSecondsAreSeventyTicks() {
    // 0.07 * 1000 is 70.00000000000001.
    #expect(VirtualTimeInterval.seconds(0.07) == 70)
  }

  @Test(arguments: [(0, 0), (1, 1), (499, 1), (500, 1), (1499, 1), (1500, 2), (-1, -1), (-1499, -1), (-1500, -2)])
  func partsOfATickAreRoundedButNeverToNothing(microseconds: Int, ticks: Int) {
    #expect(VirtualTimeInterval.microseconds(microseconds).ticks == ticks)
    #expect(VirtualTimeInterval.nanoseconds(microseconds * 1000).ticks == ticks)
    #expect(VirtualTimeInterval.seconds(Double(microseconds) / 1_000_000).ticks == ticks)
  }

  @Test func stopsAtTheEndsOfTheRange() {
    #expect(VirtualTimeInterval.seconds(Int.max).ticks == .max)
    #expect(VirtualTimeInterval.seconds(Int.min).ticks == .min)
    #expect(VirtualTimeInterval.seconds(Double.infinity).ticks == .max)
    #expect(VirtualTimeInterval.seconds(-Double.infinity).ticks == .min)
    #expect(VirtualTimeInterval(.max) + 1 == VirtualTimeInterval(.max))
    #expect(VirtualTimeInterval(.min) - 1 == VirtualTimeInterval(.min))
    #expect(VirtualTimeInterval(.min) * -1 == VirtualTimeInterval(.max))
    #expect(VirtualTimeInterval(.min).magnitude == .max)
  }

  @Test func calculates() {
    var interval: VirtualTimeInterval = 10
    interval *= 3
    interval += 2
    interval -= 40
    #expect(interval == -8)
    #expect(interval.magnitude == 8)
    #expect(interval < 0)
  }
}
