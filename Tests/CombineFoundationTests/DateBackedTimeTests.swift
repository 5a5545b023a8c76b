import CombineFoundation
import Foundation
import Testing

/// The interface that the two time types share, for tests that run for both.
private protocol DateBackedTime: Strideable, Codable, Hashable where Stride: DateBackedStride {
  init(_ date: Date)
  var date: Date { get set }
}

/// The interface that the two strides share.
private protocol DateBackedStride: SchedulerTimeIntervalConvertible, SignedNumeric, Comparable, Codable,
  ExpressibleByFloatLiteral
where Magnitude == TimeInterval, IntegerLiteralType == TimeInterval, FloatLiteralType == TimeInterval {
  init(_ timeInterval: TimeInterval)
  var magnitude: TimeInterval { get set }
  var timeInterval: TimeInterval { get }
}

extension OperationQueue.SchedulerTimeType: DateBackedTime {}
extension RunLoop.SchedulerTimeType: DateBackedTime {}

// If the two strides were one generic type, these would be duplicate declarations of one conformance.
extension OperationQueue.SchedulerTimeType.Stride: DateBackedStride {}
extension RunLoop.SchedulerTimeType.Stride: DateBackedStride {}

@Suite struct DateBackedTimeTests {

  @Test func typesAreDistinct() {
    #expect(OperationQueue.SchedulerTimeType.self != RunLoop.SchedulerTimeType.self)
    #expect(OperationQueue.SchedulerTimeType.Stride.self != RunLoop.SchedulerTimeType.Stride.self)
  }

  @Test func wrapsADate() {
    func check<T: DateBackedTime>(_: T.Type) {
      var time = T(Date(timeIntervalSince1970: 5))
      #expect(time.date == Date(timeIntervalSince1970: 5))
      time.date = .distantPast
      #expect(time == T(.distantPast))
    }
    check(OperationQueue.SchedulerTimeType.self)
    check(RunLoop.SchedulerTimeType.self)
  }

  @Test func measuresDistances() {
    func check<T: DateBackedTime>(_: T.Type) {
      let a = T(Date(timeIntervalSince1970: 10000))
      let b = T(Date(timeIntervalSince1970: 10431))
      let future = T(.distantFuture)
      let nearFuture = T(.distantFuture - 1024)
      #expect(a.distance(to: b).magnitude == 431)
      #expect(b.distance(to: a).magnitude == -431)
      #expect(a.distance(to: future).magnitude == 64_092_201_200)
      #expect(future.distance(to: a).magnitude == -64_092_201_200)
      #expect(b.distance(to: future).magnitude == 64_092_200_769)
      #expect(future.distance(to: b).magnitude == -64_092_200_769)
      #expect(a.distance(to: nearFuture).magnitude == 64_092_200_176)
      #expect(nearFuture.distance(to: a).magnitude == -64_092_200_176)
      #expect(future.distance(to: future).magnitude == 0)
      #expect(a < b)
      #expect(!(b < a))
      #expect(a != b)
    }
    check(OperationQueue.SchedulerTimeType.self)
    check(RunLoop.SchedulerTimeType.self)
  }

  @Test func advances() {
    func check<T: DateBackedTime>(_: T.Type) {
      func seconds(after start: TimeInterval, _ stride: T.Stride) -> TimeInterval {
        T(Date(timeIntervalSinceReferenceDate: start)).advanced(by: stride).date.timeIntervalSinceReferenceDate
      }
      #expect(seconds(after: 10000, 431) == 10431)
      #expect(seconds(after: 10000, -220) == 9780)
      #expect(seconds(after: 10000, .nanoseconds(.max)) == 9223382036.854776)
      #expect(seconds(after: 10000, .seconds(Int.max)) == 9.223372036854786e18)
      #expect(seconds(after: 1, .nanoseconds(-1000)) == 0.999999)
      #expect(seconds(after: 1, -1000) == -999)
    }
    check(OperationQueue.SchedulerTimeType.self)
    check(RunLoop.SchedulerTimeType.self)
  }

  @Test func isEncodedUnderTheKeyDate() throws {
    func check<T: DateBackedTime>(_: T.Type) throws {
      let time = T(Date(timeIntervalSinceReferenceDate: 1024.75))
      let data = try JSONEncoder().encode(time)
      #expect(String(decoding: data, as: UTF8.self) == #"{"date":1024.75}"#)
      #expect(try JSONDecoder().decode(T.self, from: data) == time)
      #expect(Set([time, T(time.date), T(.distantPast)]).count == 2)
    }
    try check(OperationQueue.SchedulerTimeType.self)
    try check(RunLoop.SchedulerTimeType.self)
  }
}

@Suite struct DateBackedStrideTests {

  @Test func numbersAreSeconds() {
    func check<Stride: DateBackedStride>(_: Stride.Type) {
      #expect((2 as Stride).magnitude == 2)
      #expect((1.2 as Stride).magnitude == 1.2)
      #expect(Stride(-7.5).magnitude == -7.5)
      #expect(Stride(.infinity).timeInterval == .infinity)
      #expect(Stride.zero.magnitude == 0)
      var stride = Stride(1)
      stride.magnitude = 3
      #expect(stride.timeInterval == 3)
    }
    check(OperationQueue.SchedulerTimeType.Stride.self)
    check(RunLoop.SchedulerTimeType.Stride.self)
  }

  @Test func convertsIntegersExactlyOrNotAtAll() {
    func check<Stride: DateBackedStride>(_: Stride.Type) {
      #expect(Stride(exactly: UInt64.max) == nil)
      #expect(Stride(exactly: 871)?.magnitude == 871)
      #expect(Stride(exactly: 1 << 53)?.magnitude == 9_007_199_254_740_992)
      #expect(Stride(exactly: (1 << 53) + 1) == nil)
    }
    check(OperationQueue.SchedulerTimeType.Stride.self)
    check(RunLoop.SchedulerTimeType.Stride.self)
  }

  @Test func convertsUnitsByDivision() {
    func check<Stride: DateBackedStride>(_: Stride.Type) {
      #expect(Stride.seconds(2).magnitude == 2)
      #expect(Stride.seconds(1.2).magnitude == 1.2)
      #expect(Stride.milliseconds(2).magnitude == 0.002)
      #expect(Stride.microseconds(-2).magnitude == -0.000002)
      #expect(Stride.nanoseconds(2).magnitude == 2e-9)
      #expect(Stride.seconds(Int.max).magnitude == 9.223372036854776e18)
      #expect(Stride.milliseconds(.max).magnitude == 9.223372036854776e15)
      #expect(Stride.microseconds(.max).magnitude == 9223372036854.775)
      #expect(Stride.nanoseconds(.max).magnitude == 9223372036.854776)
    }
    check(OperationQueue.SchedulerTimeType.Stride.self)
    check(RunLoop.SchedulerTimeType.Stride.self)
  }

  @Test func calculatesInFloatingPoint() {
    func check<Stride: DateBackedStride>(_: Stride.Type) {
      func ns(_ count: Int) -> Stride { .nanoseconds(count) }
      func ms(_ count: Int) -> Stride { .milliseconds(count) }
      func s(_ count: Int) -> Stride { .seconds(count) }
      #expect((ns(7) + ns(12)).magnitude == 1.8999999999999998e-08)
      #expect((ns(7) + ns(-12)).magnitude == -5e-09)
      #expect((ms(-12) + s(7)).magnitude == 6.988)
      #expect((s(-12) + ms(7)).magnitude == -11.993)
      #expect((s(-12) - ms(7)).magnitude == -12.007)
      #expect((ms(-12) - s(7)).magnitude == -7.012)
      #expect((ns(18) * ns(1)).magnitude == 1.8e-17)
      #expect((ns(18) * .microseconds(1)).magnitude == 1.8e-14)
      #expect((ns(15) * ns(2)).magnitude == 3e-17)
      #expect((.microseconds(-3) * ns(10)).magnitude == -3e-14)
      #expect((-s(3)).magnitude == -3)
      var stride = s(3)
      stride += 2
      #expect(stride.magnitude == 5)
      stride -= 1
      #expect(stride.magnitude == 4)
      stride *= 0.5
      #expect(stride.magnitude == 2)
    }
    check(OperationQueue.SchedulerTimeType.Stride.self)
    check(RunLoop.SchedulerTimeType.Stride.self)
  }

  @Test func compares() {
    func check<Stride: DateBackedStride>(_: Stride.Type) {
      #expect(Stride.nanoseconds(1) < .nanoseconds(2))
      #expect(Stride.nanoseconds(-2) > .microseconds(-10))
      #expect(Stride.milliseconds(2) < .seconds(2))
      #expect(Stride.milliseconds(2000) == 2)
    }
    check(OperationQueue.SchedulerTimeType.Stride.self)
    check(RunLoop.SchedulerTimeType.Stride.self)
  }

  @Test func isEncodedUnderTheKeyMagnitude() throws {
    func check<Stride: DateBackedStride>(_: Stride.Type) throws {
      let data = try JSONEncoder().encode(Stride(1024.5))
      #expect(String(decoding: data, as: UTF8.self) == #"{"magnitude":1024.5}"#)
      #expect(try JSONDecoder().decode(Stride.self, from: data).magnitude == 1024.5)
      #expect(!(Stride(1) as Any is any Hashable))
    }
    try check(OperationQueue.SchedulerTimeType.Stride.self)
    try check(RunLoop.SchedulerTimeType.Stride.self)
  }
}
