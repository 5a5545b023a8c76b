#if NIO
  import CombineNIO
  import Foundation
  import NIOCore
  import TestSupport
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

  extension NIOEventLoopScheduler.SchedulerTimeType.Stride: NanosecondStride {}

  @Suite struct NIOEventLoopStrideTests {

    @Test func countsNanoseconds() throws { try expectNanoseconds(Stride.self) }

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

    @Test func additionTrapsOnOverflow() async {
      await #expect(processExitsWith: .failure) {
        // The result is used. Otherwise an optimized build removes the addition.
        print(NIOEventLoopScheduler.SchedulerTimeType.Stride.nanoseconds(.max) + .nanoseconds(1))
      }.expectTrap()
    }
  }
#endif
