import CombineCore
import Foundation
import Testing

@Suite struct ImmediateSchedulerTests {

  private typealias Instant = ImmediateScheduler.SchedulerTimeType
  private typealias Stride = ImmediateScheduler.SchedulerTimeType.Stride

  private let scheduler = ImmediateScheduler.shared

  // MARK: Scheduling

  @Test func runsAnActionOnceBeforeTheCallReturns() {
    var runs = 0
    scheduler.schedule { runs += 1 }
    #expect(runs == 1)
    scheduler.schedule(options: nil) { runs += 1 }
    #expect(runs == 2)
  }

  @Test func runsAnActionWithADateOnceBeforeTheCallReturns() {
    let later = scheduler.now.advanced(by: 100)
    var runs = 0
    scheduler.schedule(after: later) { runs += 1 }
    #expect(runs == 1)
    scheduler.schedule(after: later, tolerance: 5) { runs += 1 }
    #expect(runs == 2)
    scheduler.schedule(after: later, tolerance: -5, options: nil) { runs += 1 }
    #expect(runs == 3)
  }

  @Test func runsARepeatingActionOnceBeforeTheCallReturns() {
    let later = scheduler.now.advanced(by: 100)
    var runs = 0
    var token: any Cancellable = scheduler.schedule(after: later, interval: 1) { runs += 1 }
    #expect(runs == 1)
    #expect(String(describing: token) == "Empty")
    token = scheduler.schedule(after: later, interval: 1, tolerance: 5) { runs += 1 }
    #expect(runs == 2)
    #expect(String(describing: token) == "Empty")
    token = scheduler.schedule(after: later, interval: 0, tolerance: 5, options: nil) { runs += 1 }
    #expect(runs == 3)
    #expect((token as? any Subscription)?.combineIdentifier == Subscriptions.empty.combineIdentifier)
    token.cancel()

    // The result of the full form is discardable.
    scheduler.schedule(after: later, interval: 1, tolerance: 5, options: nil) { runs += 1 }
    #expect(runs == 4)
  }

  @Test func runsNestedActionsNested() {
    var log: [Int] = []
    scheduler.schedule {
      log.append(1)
      scheduler.schedule { log.append(2) }
      log.append(3)
    }
    #expect(log == [1, 2, 3])
  }

  @Test func takesNoOptions() {
    #expect(ImmediateScheduler.SchedulerOptions.self == Never.self)
  }

  // MARK: Time

  @Test func allInstantsAreEqual() {
    let now = scheduler.now
    for other in [now, scheduler.now, now.advanced(by: 10), now.advanced(by: -10)] {
      #expect(now == other)
      #expect(!(now < other))
      #expect(!(now > other))
      #expect(now <= other)
      #expect(now.distance(to: other) == 0)
    }
  }

  @Test func instantsHaveNoState() {
    #expect(MemoryLayout<Instant>.size == 0)
  }

  @Test func minimumToleranceIsZero() {
    #expect(scheduler.minimumTolerance == 0)
  }

  // MARK: Stride

  @Test func wrapsAMutableNumber() {
    var stride = Stride(42)
    #expect(stride.magnitude == 42)
    stride.magnitude = -7
    #expect(stride.magnitude == -7)
    #expect(stride == Stride(-7))
    #expect(Stride.Magnitude.self == Int.self)
  }

  @Test func isExpressibleByLiterals() {
    let integer: Stride = 12
    #expect(integer.magnitude == 12)
    let negative: Stride = -12
    #expect(negative.magnitude == -12)
    let float: Stride = 14.6
    #expect(float.magnitude == 14, "truncated")
    #expect(Stride(floatLiteral: -4.1).magnitude == -4, "toward zero")
  }

  @Test func isMadeExactlyFromANumberThatFits() {
    #expect(Stride(exactly: 42 as UInt8)?.magnitude == 42)
    #expect(Stride(exactly: UInt64(Int.max))?.magnitude == .max)
    #expect(Stride(exactly: UInt64.max) == nil)
    #expect(Stride(exactly: Int.min)?.magnitude == .min)
  }

  @Test func comparesAndCalculates() {
    let (three, five) = (Stride(3), Stride(5))
    #expect(three < five)
    #expect(!(five < three))
    #expect(!(three < three))
    #expect(three != five)
    #expect(three + five == 8)
    #expect(three - five == -2)
    #expect(three * five == 15)
    #expect((-three).magnitude == -3)
    var stride = three
    stride += 4
    #expect(stride == 7)
    stride -= 9
    #expect(stride == -2)
    stride *= 6
    #expect(stride == -12)
  }

  @Test func overflowTraps() async {
    await #expect(processExitsWith: .failure) { print(Stride(.max) + 1) }.expectTrap()
    await #expect(processExitsWith: .failure) { print(Stride(.min) - 1) }.expectTrap()
    await #expect(processExitsWith: .failure) { print(Stride(.max) * 2) }.expectTrap()
    await #expect(processExitsWith: .failure) {
      var stride = Stride(.max)
      stride += 1
    }.expectTrap()
    await #expect(processExitsWith: .failure) {
      var stride = Stride(.min)
      stride -= 1
    }.expectTrap()
    await #expect(processExitsWith: .failure) {
      var stride = Stride(.max)
      stride *= 2
    }.expectTrap()
  }

  @Test func allDurationsAreZero() {
    #expect(Stride.seconds(2 as Int) == 0)
    #expect(Stride.seconds(2.5 as Double) == 0)
    #expect(Stride.milliseconds(3) == 0)
    #expect(Stride.microseconds(4) == 0)
    #expect(Stride.nanoseconds(5) == 0)
  }

  @Test func isEncodedAsItsMagnitude() throws {
    let data = try JSONEncoder().encode(Stride(-42))
    #expect(String(decoding: data, as: UTF8.self) == #"{"magnitude":-42}"#)
    #expect(try JSONDecoder().decode(Stride.self, from: data) == -42)
  }
}
