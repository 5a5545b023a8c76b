import EntwineTest
import Testing

@Suite struct VirtualTimeTests {

  @Test func oneTickIsOneSecond() {
    #expect(VirtualTimeInterval.seconds(3) == 3)
    #expect(VirtualTimeInterval.seconds(1.5) == 2)
    #expect(VirtualTimeInterval.seconds(0.4) == 0)
    #expect(VirtualTimeInterval.milliseconds(1500) == 2)
    #expect(VirtualTimeInterval.milliseconds(499) == 0)
    #expect(VirtualTimeInterval.microseconds(1_500_000) == 2)
    #expect(VirtualTimeInterval.nanoseconds(499_999_999) == 0)
    #expect(VirtualTimeInterval.nanoseconds(2_000_000_000) == 2)
  }

  @Test func calculatesWithTimes() {
    let (a, b): (VirtualTime, VirtualTime) = (10, 3)
    #expect([a + b, a - b, a * b, -a] == [13, 7, 30, -10])
    var time = a
    time += b
    time -= 1 as VirtualTime
    time *= 2 as VirtualTime
    #expect(time == 24)
    #expect((-a).magnitude == 10)
    #expect(VirtualTime(exactly: 7 as UInt8) == 7)
    #expect(VirtualTime(exactly: UInt.max) == nil)
    #expect(b < a)
    #expect(Set([a, b, 10]).count == 2)
  }

  @Test func calculatesWithIntervals() {
    let (a, b): (VirtualTimeInterval, VirtualTimeInterval) = (10, 3)
    #expect([a + b, a - b, a * b, -a] == [13, 7, 30, -10])
    var interval = a
    interval += b
    interval -= 1
    interval *= 2
    #expect(interval == 24)
    #expect((-a).magnitude == 10)
    #expect(VirtualTimeInterval(exactly: 7 as UInt8) == 7)
    #expect(VirtualTimeInterval(exactly: UInt.max) == nil)
    #expect(b < a)
  }

  @Test func calculatesWithATimeAndAnInterval() {
    let (time, interval): (VirtualTime, VirtualTimeInterval) = (10, 3)
    #expect([time + interval, time - interval, time * interval] == [13, 7, 30])
    var other = time
    other += interval
    other -= VirtualTimeInterval(1)
    other *= VirtualTimeInterval(2)
    #expect(other == 24)
    #expect(time.distance(to: 25) == 15)
    #expect(time.advanced(by: -4) == 6)
    #expect(Array(stride(from: time, to: 30, by: 10)) == [10, 20])
  }

  @Test func aLiteralIsNotAmbiguous() {
    let now: VirtualTime = 5
    #expect(now + 10 == 15)
    #expect(now - 1 == 4)
    #expect(now * 2 == 10)
  }

  @Test func describesItselfAsItsNumber() {
    #expect(VirtualTime(200).debugDescription == "200")
    #expect("\(VirtualTime(200))" == "200")
  }

  @Test func anOverflowTraps() async {
    await #expect(processExitsWith: .failure) { _ = VirtualTime(.max) + VirtualTime(1) }
    await #expect(processExitsWith: .failure) { _ = VirtualTimeInterval(.max) * VirtualTimeInterval(2) }
  }
}
