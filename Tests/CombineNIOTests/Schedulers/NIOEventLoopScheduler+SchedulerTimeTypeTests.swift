#if NIO
  import CombineNIO
  import Foundation
  import NIOCore
  import Testing

  private typealias Time = NIOEventLoopScheduler.SchedulerTimeType
  private typealias Stride = NIOEventLoopScheduler.SchedulerTimeType.Stride

  private func time(_ nanoseconds: UInt64) -> Time {
    Time(.uptimeNanoseconds(nanoseconds))
  }

  private let distantFuture = Time(.distantFuture)

  @Suite struct NIOEventLoopSchedulerTimeTypeTests {

    @Test func wrapsADeadline() {
      var instant = time(7)
      #expect(instant.deadline == .uptimeNanoseconds(7))
      instant.deadline = .distantFuture
      #expect(instant == distantFuture)
    }

    @Test func measuresDistances() {
      #expect(time(10000).distance(to: time(10431)).magnitude == 431)
      #expect(time(10431).distance(to: time(10000)).magnitude == -431)
      #expect(time(0).distance(to: distantFuture).magnitude == .max)
      #expect(distantFuture.distance(to: time(10000)).magnitude == -(.max - 10000))
      #expect(distantFuture.distance(to: distantFuture).magnitude == 0)
    }

    @Test func advancesAndSaturates() {
      #expect(time(10000).advanced(by: .nanoseconds(431)) == time(10431))
      #expect(time(10000).advanced(by: .nanoseconds(-220)) == time(9780))
      #expect(time(10000).advanced(by: .nanoseconds(.max)) == distantFuture)
      #expect(distantFuture.advanced(by: 1) == distantFuture)
      #expect(time(1).advanced(by: .nanoseconds(-1000)) == time(0))
      #expect(time(10000).advanced(by: .nanoseconds(.min)) == time(0))
    }

    @Test func isOrderedByTime() {
      #expect(time(1) < time(2))
      #expect(!(time(2) < time(1)))
      #expect(time(2) == time(2))
      #expect(time(2) != time(3))
      #expect(time(10000) < distantFuture)
      #expect(!(distantFuture < time(10000)))
      #expect(Set([time(1), time(1), time(2)]).count == 2)
    }

    @Test func isEncodedAsASingleNumber() throws {
      let data = try JSONEncoder().encode(["value": time(42)])
      #expect(String(decoding: data, as: UTF8.self) == #"{"value":42}"#)
      #expect(try JSONDecoder().decode([String: Time].self, from: data) == ["value": time(42)])
    }
  }

  @Suite struct NIOEventLoopStrideTests {

    @Test func literalsAreSeconds() {
      #expect((2 as Stride).magnitude == 2_000_000_000)
      #expect((1.2 as Stride).magnitude == 1_200_000_000)
      #expect(Stride.zero.magnitude == 0)
    }

    @Test func magnitudeIsSettableAndSigned() {
      var stride = Stride.nanoseconds(-5)
      #expect(stride.magnitude == -5)
      stride.magnitude = 7
      #expect(stride == .nanoseconds(7))
    }

    @Test func wrapsATimeAmount() {
      #expect(Stride(.seconds(2)).magnitude == 2_000_000_000)
      #expect((3 as Stride).timeAmount == .seconds(3))
      #expect(Stride(.hours(1)) == 3600)
      #expect(Stride(.minutes(-1)) == .seconds(-60))
    }

    @Test func convertsIntegersToSecondsOrNotAtAll() {
      #expect(Stride(exactly: 2)?.magnitude == 2_000_000_000)
      #expect(Stride(exactly: Int8(-2))?.magnitude == -2_000_000_000)
      #expect(Stride(exactly: UInt64.max) == nil)
      #expect(Stride(exactly: Int.max)?.magnitude == .max)
      #expect(Stride(exactly: Int.min)?.magnitude == .min)
    }

    @Test func convertsSecondsFromFloatingPoint() {
      #expect(Stride.seconds(1.2).magnitude == 1_200_000_000)
      #expect(Stride.seconds(Double(Int.max) / 1e9 - 1).magnitude == 9_223_372_035_854_776_320)
      #expect(Stride.seconds(Double(Int.max) / 1e9).magnitude == .max)
      #expect(Stride.seconds(Double(Int.min) / 1e9).magnitude == .min)
      #expect(Stride.seconds(Double.infinity).magnitude == .max)
      #expect(Stride.seconds(-Double.infinity).magnitude == .min)
      #expect(Stride.seconds(1.9e-9).magnitude == 1)
      #expect(Stride.seconds(-1.9e-9).magnitude == -1)
    }

    @Test func convertsUnitsWithClamping() {
      #expect(Stride.seconds(2).magnitude == 2_000_000_000)
      #expect(Stride.milliseconds(-2).magnitude == -2_000_000)
      #expect(Stride.microseconds(2).magnitude == 2000)
      #expect(Stride.nanoseconds(.min).magnitude == .min)
      #expect(Stride.seconds(Int.max).magnitude == .max)
      #expect(Stride.seconds(Int.min).magnitude == .min)
      #expect(Stride.milliseconds(.max).magnitude == .max)
      #expect(Stride.milliseconds(.min).magnitude == .min)
      #expect(Stride.microseconds(.max).magnitude == .max)
      #expect(Stride.microseconds(.min).magnitude == .min)
    }

    @Test func addsAndSubtracts() {
      let seven = Stride.nanoseconds(7)
      let twelve = Stride.nanoseconds(12)
      #expect((Stride.zero + .microseconds(2)).magnitude == 2000)
      #expect((seven + twelve).magnitude == 19)
      #expect((seven + -twelve).magnitude == -5)
      #expect((seven - -twelve).magnitude == 19)
      #expect((-twelve - seven).magnitude == -19)
      #expect((Stride.zero - .microseconds(2)).magnitude == -2000)
      var sum = seven
      sum += twelve
      #expect(sum.magnitude == 19)
      sum -= seven
      #expect(sum.magnitude == 12)
    }

    @Test func additionTrapsOnOverflow() async {
      await #expect(processExitsWith: .failure) {
        // The result is used. Otherwise an optimized build removes the addition.
        print(NIOEventLoopScheduler.SchedulerTimeType.Stride.nanoseconds(.max) + .nanoseconds(1))
      }.expectTrap()
    }

    @Test func compares() {
      #expect(Stride.nanoseconds(1) < .nanoseconds(2))
      #expect(Stride.nanoseconds(-2) > .microseconds(-10))
      #expect(Stride.milliseconds(2) < .seconds(2))
      #expect(Stride.milliseconds(2000) == .seconds(2))
    }

    @Test func multipliesAsSeconds() {
      let zeros: [(Stride, Stride)] = [
        (.nanoseconds(0), .nanoseconds(61346)), (.nanoseconds(61346), .nanoseconds(0)),
        (.nanoseconds(18), .nanoseconds(1)), (.nanoseconds(18), .microseconds(1)),
        (.nanoseconds(1), .nanoseconds(18)), (.microseconds(1), .nanoseconds(18)),
        (.nanoseconds(15), .nanoseconds(2)), (.microseconds(-3), .nanoseconds(10)),
      ]
      for (lhs, rhs) in zeros {
        #expect((lhs * rhs).magnitude == 0)
        var product = lhs
        product *= rhs
        #expect(product.magnitude == 0)
      }
      #expect((Stride.seconds(1) * .seconds(10)).magnitude == 10_000_000_000)
      #expect((Stride.milliseconds(-1500) * .milliseconds(1)).magnitude == -1_500_000)
      #expect((Stride.milliseconds(-1500) * .milliseconds(-3)).magnitude == 4_500_000)
      #expect((Stride.nanoseconds(-1) * .nanoseconds(1_999_999_999)).magnitude == -1)
      #expect((Stride.nanoseconds(.max) * .seconds(1)).magnitude == .max)
      #expect((Stride.nanoseconds(.min) * .seconds(1)).magnitude == .min)
      #expect((Stride.nanoseconds(.min) * .seconds(-1)).magnitude == .max)
      #expect((Stride.nanoseconds(.max) * .nanoseconds(.max)).magnitude == .max)
      #expect((Stride.nanoseconds(.max) * .nanoseconds(.min)).magnitude == .min)
      var product = Stride.seconds(3)
      product *= .seconds(-2)
      #expect(product.magnitude == -6_000_000_000)
    }

    @Test func isEncodedUnderTheNameOfItsUnit() throws {
      let data = try JSONEncoder().encode(Stride.nanoseconds(419872))
      #expect(String(decoding: data, as: UTF8.self) == #"{"_nanoseconds":419872}"#)
      #expect(try JSONDecoder().decode(Stride.self, from: data).magnitude == 419872)
    }

    @Test func isHashable() {
      #expect(Set([Stride.seconds(1), .milliseconds(1000), 2]).count == 2)
    }
  }
#endif
