import CombineCore
import Foundation
import Testing

/// A stride of a scheduler's time that counts nanoseconds, and takes literals as seconds.
public protocol NanosecondStride: SchedulerTimeIntervalConvertible, SignedNumeric, Comparable, Hashable, Codable,
  ExpressibleByFloatLiteral
where Magnitude == Int, FloatLiteralType == Double, IntegerLiteralType == Int {}

/// Checks the arithmetic of a stride that counts nanoseconds.
public func expectNanoseconds<Stride: NanosecondStride>(_: Stride.Type) throws {
  #expect((2 as Stride).magnitude == 2_000_000_000)
  #expect((1.2 as Stride).magnitude == 1_200_000_000)
  #expect(Stride.zero.magnitude == 0)

  // Integers are seconds, if they fit.
  #expect(Stride(exactly: 2)?.magnitude == 2_000_000_000)
  #expect(Stride(exactly: Int8(-2))?.magnitude == -2_000_000_000)
  #expect(Stride(exactly: UInt64.max) == nil)
  #expect(Stride(exactly: Int.max)?.magnitude == .max)
  #expect(Stride(exactly: Int.min)?.magnitude == .min)

  // Units, as far as they reach.
  let ofUnits: [(Stride, Int)] = [
    (.seconds(1.2), 1_200_000_000), (.seconds(1.9e-9), 1), (.seconds(-1.9e-9), -1),
    (.seconds(Double(Int.max) / 1e9 - 1), 9_223_372_035_854_776_320),
    (.seconds(Double(Int.max) / 1e9), .max), (.seconds(Double(Int.min) / 1e9), .min),
    (.seconds(Double.infinity), .max), (.seconds(-Double.infinity), .min),
    (.seconds(2), 2_000_000_000), (.milliseconds(-2), -2_000_000), (.microseconds(2), 2000), (.nanoseconds(.min), .min),
    (.seconds(Int.max), .max), (.seconds(Int.min), .min), (.milliseconds(.max), .max), (.milliseconds(.min), .min),
    (.microseconds(.max), .max), (.microseconds(.min), .min),
  ]
  for (stride, nanoseconds) in ofUnits { #expect(stride.magnitude == nanoseconds) }

  let (seven, twelve) = (Stride.nanoseconds(7), Stride.nanoseconds(12))
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

  #expect(Stride.nanoseconds(1) < .nanoseconds(2))
  #expect(Stride.nanoseconds(-2) > .microseconds(-10))
  #expect(Stride.milliseconds(2) < .seconds(2))
  #expect(Stride.milliseconds(2000) == .seconds(2))
  #expect(Set([Stride.seconds(1), .milliseconds(1000), 2]).count == 2)

  // A product is that of the seconds.
  let products: [(Stride, Stride, Int)] = [
    (.nanoseconds(0), .nanoseconds(61346), 0), (.nanoseconds(61346), .nanoseconds(0), 0),
    (.nanoseconds(18), .nanoseconds(1), 0), (.nanoseconds(18), .microseconds(1), 0),
    (.nanoseconds(1), .nanoseconds(18), 0), (.microseconds(1), .nanoseconds(18), 0),
    (.nanoseconds(15), .nanoseconds(2), 0), (.microseconds(-3), .nanoseconds(10), 0),
    (.seconds(1), .seconds(10), 10_000_000_000), (.milliseconds(-1500), .milliseconds(1), -1_500_000),
    (.milliseconds(-1500), .milliseconds(-3), 4_500_000), (.nanoseconds(-1), .nanoseconds(1_999_999_999), -1),
    (.nanoseconds(.max), .seconds(1), .max), (.nanoseconds(.min), .seconds(1), .min),
    (.nanoseconds(.min), .seconds(-1), .max), (.nanoseconds(.max), .nanoseconds(.max), .max),
    (.nanoseconds(.max), .nanoseconds(.min), .min), (.seconds(3), .seconds(-2), -6_000_000_000),
  ]
  for (lhs, rhs, nanoseconds) in products {
    #expect((lhs * rhs).magnitude == nanoseconds)
    var product = lhs
    product *= rhs
    #expect(product.magnitude == nanoseconds)
  }

  let data = try JSONEncoder().encode(Stride.nanoseconds(419872))
  #expect(String(decoding: data, as: UTF8.self) == #"{"_nanoseconds":419872}"#)
  #expect(try JSONDecoder().decode(Stride.self, from: data).magnitude == 419872)
}
