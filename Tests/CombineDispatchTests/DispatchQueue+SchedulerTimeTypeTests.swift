import CombineDispatch
import Dispatch
import Foundation
import TestSupport
import Testing

private typealias Time = DispatchQueue.SchedulerTimeType
private typealias Stride = DispatchQueue.SchedulerTimeType.Stride

private func time(_ nanoseconds: UInt64) -> Time {
  Time(DispatchTime(uptimeNanoseconds: nanoseconds))
}

private let distantFuture = Time(.distantFuture)
private let nearDistantFuture = time(DispatchTime.distantFuture.rawValue - 1024)

@Suite struct DispatchQueueSchedulerTimeTypeTests {

  @Test func wrapsADispatchTime() {
    var instant = Time(DispatchTime(uptimeNanoseconds: 7))
    #expect(instant.dispatchTime.uptimeNanoseconds == 7)
    instant.dispatchTime = .distantFuture
    #expect(instant == distantFuture)
  }

  @Test func measuresDistancesAndSaturates() {
    let maximum = time(UInt64(Int.max))
    #expect(time(10000).distance(to: time(10431)).magnitude == 431)
    #expect(time(10431).distance(to: time(10000)).magnitude == -431)
    #expect(time(10000).distance(to: distantFuture).magnitude == .max)
    #expect(time(10000).distance(to: nearDistantFuture).magnitude == .max)
    #expect(distantFuture.distance(to: time(10000)).magnitude == .max)
    #expect(nearDistantFuture.distance(to: time(10000)).magnitude == .max)
    #expect(time(10000).distance(to: maximum).magnitude == .max - 10000)
    #expect(maximum.distance(to: time(10431)).magnitude == -(.max - 10431))
    #expect(time(10000).distance(to: time(10000)).magnitude == 0)
    #expect(distantFuture.distance(to: distantFuture).magnitude == 0)
  }

  @Test func advancesAsDispatchDoes() {
    #expect(time(10000).advanced(by: .nanoseconds(431)).dispatchTime.uptimeNanoseconds == 10431)
    #expect(time(10000).advanced(by: .nanoseconds(-220)).dispatchTime.uptimeNanoseconds == 9780)
    #expect(time(10000).advanced(by: .nanoseconds(.max)).dispatchTime == .distantFuture)
    #expect(time(10000).advanced(by: .nanoseconds(.max - 1)).dispatchTime == .distantFuture)
    #expect(time(1).advanced(by: .nanoseconds(-1000)).dispatchTime.uptimeNanoseconds == 1)
    #expect(time(10000).advanced(by: .nanoseconds(.min)).dispatchTime.uptimeNanoseconds == 1)
    for stride in [Stride.nanoseconds(.min), -1, 0, 1, .nanoseconds(.max)] {
      #expect(distantFuture.advanced(by: stride) == distantFuture)
    }
  }

  /// As on a platform of 32 bits, where the nanoseconds of an `Int` end after two seconds.
  @Test func anIntervalHasPartsThatFitInto32Bits() {
    for stride: Stride in [0, .nanoseconds(7), .seconds(2), .milliseconds(2500), -3, .seconds(86400 * 365)] {
      let (seconds, nanoseconds) = stride.parts(for: Int32.self)
      #expect(Stride.seconds(Int(seconds)) + .nanoseconds(Int(nanoseconds)) == stride)
      #expect(stride.parts(for: Int.self) == (0, stride.magnitude))
    }
    #expect(Stride.milliseconds(2500).parts(for: Int32.self) == (2, 500_000_000))
    #expect(Stride.seconds(Int.max).parts(for: Int32.self).seconds == .max)
  }

  @Test func isOrderedByTimeAtAnyDistance() {
    #expect(time(1) < time(2))
    #expect(!(time(2) < time(1)))
    #expect(time(2) == time(2))
    #expect(time(2) != time(3))
    #expect(time(10000) < distantFuture)
    #expect(!(distantFuture < time(10000)))
    #expect(distantFuture > nearDistantFuture)
  }

  @Test func hashesTheRawValue() {
    #expect(time(42).hashValue == UInt64(42).hashValue)
    #expect(distantFuture.hashValue == DispatchTime.distantFuture.rawValue.hashValue)
  }

  @Test func isEncodedAsASingleNumber() throws {
    let data = try JSONEncoder().encode(["value": time(42)])
    #expect(String(decoding: data, as: UTF8.self) == #"{"value":42}"#)
    #expect(try JSONDecoder().decode([String: Time].self, from: data) == ["value": time(42)])
  }
}

extension DispatchQueue.SchedulerTimeType.Stride: NanosecondStride {}

@Suite struct DispatchQueueStrideTests {

  @Test func countsNanoseconds() throws { try expectNanoseconds(Stride.self) }

  @Test func magnitudeIsSettableAndSigned() {
    var stride = Stride.nanoseconds(-5)
    #expect(stride.magnitude == -5)
    stride.magnitude = 7
    #expect(stride == .nanoseconds(7))
  }

  @Test func timeIntervalIsAlwaysInNanoseconds() {
    #expect(isNanoseconds(Stride(.seconds(2)).timeInterval, 2_000_000_000))
    #expect(isNanoseconds((3 as Stride).timeInterval, 3_000_000_000))
    #expect(isNanoseconds(Stride(.never).timeInterval, .max))
  }

  private func isNanoseconds(_ interval: DispatchTimeInterval, _ expected: Int) -> Bool {
    if case .nanoseconds(let nanoseconds) = interval { nanoseconds == expected } else { false }
  }

  @Test func convertsDispatchIntervalsWithClamping() {
    #expect(Stride(.seconds(2)).magnitude == 2_000_000_000)
    #expect(Stride(.milliseconds(2)).magnitude == 2_000_000)
    #expect(Stride(.microseconds(2)).magnitude == 2000)
    #expect(Stride(.nanoseconds(2)).magnitude == 2)
    #expect(Stride(.never).magnitude == .max)
    let units: [(Int) -> DispatchTimeInterval] = [
      DispatchTimeInterval.seconds, DispatchTimeInterval.milliseconds, DispatchTimeInterval.microseconds,
      DispatchTimeInterval.nanoseconds,
    ]
    for unit in units {
      #expect(Stride(unit(.max)).magnitude == .max)
      #expect(Stride(unit(.min)).magnitude == .min)
    }
  }

  @Test func measuresIntervalsOfUnknownKind() {
    for exact in [-0x13B1_3B13_B13B_13B0, -1, 0, 1, 0x2C4E_C4EC_4EC4_EC4D] {
      #expect(Stride(measuring: .nanoseconds(exact)).magnitude == exact)
    }
    for count in -128...128 {
      #expect(Stride(measuring: .nanoseconds(count)).magnitude == count)
      #expect(Stride(measuring: .microseconds(count)).magnitude == count * 1000)
      #expect(Stride(measuring: .milliseconds(count)).magnitude == count * 1_000_000)
    }
    for count in -2...2 {
      #expect(Stride(measuring: .seconds(count)).magnitude == count * 1_000_000_000)
    }
    #expect(Stride(measuring: .never).magnitude == .max)
  }

  @Test func additionTrapsOnOverflow() async {
    await #expect(processExitsWith: .failure) {
      // The result is used. Otherwise an optimized build removes the addition.
      print(DispatchQueue.SchedulerTimeType.Stride.nanoseconds(.max) + .nanoseconds(1))
    }.expectTrap()
  }
}
