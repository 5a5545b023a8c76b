#if NIO
  import CombineDispatch
  import Dispatch
  import NIOCore

  extension NIOEventLoopScheduler {

    /// An instant on the clock that event loops share, which counts nanoseconds.
    public struct SchedulerTimeType: Strideable, Codable, Hashable, Sendable {

      /// The instant as a `NIODeadline`.
      public var deadline: NIODeadline

      /// Creates an instant.
      ///
      /// - Parameter deadline: The instant as a `NIODeadline`.
      @inlinable
      public init(_ deadline: NIODeadline) {
        self.deadline = deadline
      }

      /// Decodes an instant from its number of nanoseconds on the clock.
      public init(from decoder: any Decoder) throws {
        self.init(.uptimeNanoseconds(try decoder.singleValueContainer().decode(UInt64.self)))
      }

      /// Encodes the instant as its number of nanoseconds on the clock.
      public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(deadline.uptimeNanoseconds)
      }

      /// Returns the interval from this instant to another one, which is negative if the other one is earlier.
      @inlinable
      public func distance(to other: SchedulerTimeType) -> Stride {
        Stride(other.deadline - deadline)
      }

      /// Returns the instant that is an interval after this one. A negative interval gives an earlier instant.
      ///
      /// - Returns: The resulting instant, clamped to `NIODeadline.distantPast` and `NIODeadline.distantFuture`.
      @inlinable
      public func advanced(by n: Stride) -> SchedulerTimeType {
        SchedulerTimeType(deadline + n.timeAmount)
      }

      /// Returns whether two instants are equal.
      @inlinable
      public static func == (lhs: SchedulerTimeType, rhs: SchedulerTimeType) -> Bool {
        lhs.deadline == rhs.deadline
      }

      /// Returns whether the first instant is earlier than the second.
      @inlinable
      public static func < (lhs: SchedulerTimeType, rhs: SchedulerTimeType) -> Bool {
        lhs.deadline < rhs.deadline
      }
    }
  }

  extension NIOEventLoopScheduler.SchedulerTimeType {

    /// An interval between two instants, as a whole number of nanoseconds.
    ///
    /// An integer literal and a floating-point literal are both a number of seconds.
    ///
    /// ```swift
    /// let pause: NIOEventLoopScheduler.SchedulerTimeType.Stride = 1.5
    /// print(pause.magnitude)  // prints 1500000000
    /// print(pause == .milliseconds(1500))  // prints true
    /// ```
    public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, ExpressibleByFloatLiteral,
      Hashable, Codable, Sendable
    {
      /// The type of a floating-point literal, which is a number of seconds.
      public typealias FloatLiteralType = Double

      /// The type of an integer literal, which is a number of seconds.
      public typealias IntegerLiteralType = Int

      /// The type of ``magnitude``.
      public typealias Magnitude = Int

      /// The interval as a `TimeAmount`.
      public var timeAmount: TimeAmount

      /// The number of nanoseconds, which is negative for an interval back in time.
      @inlinable
      public var magnitude: Int {
        get { Int(clamping: timeAmount.nanoseconds) }
        set { timeAmount = .nanoseconds(Int64(newValue)) }
      }

      /// Creates a stride from a `TimeAmount`.
      ///
      /// - Parameter timeAmount: The interval.
      @inlinable
      public init(_ timeAmount: TimeAmount) {
        self.timeAmount = timeAmount
      }

      /// Creates a stride from a number of seconds.
      @inlinable
      public init(floatLiteral value: Double) {
        self = .seconds(value)
      }

      /// Creates a stride from a number of seconds.
      @inlinable
      public init(integerLiteral value: Int) {
        self = .seconds(value)
      }

      /// Creates a stride from a number of seconds, or `nil` if the number does not fit into an `Int`.
      @inlinable
      public init?<T: BinaryInteger>(exactly source: T) {
        guard let seconds = Int(exactly: source) else { return nil }
        self = .seconds(seconds)
      }

      /// Returns an interval of `s` seconds, truncated to nanoseconds and clamped to the range of `Int`.
      ///
      /// It traps if `s` is not a number.
      public static func seconds(_ s: Double) -> Stride {
        if s.isNaN { Misuse.trap("NIOEventLoopScheduler.SchedulerTimeType.Stride.seconds(_:)", .notANumber) }
        return Stride(DispatchStride.seconds(s))
      }

      /// Returns an interval of `s` seconds, clamped to the range of `Int` in nanoseconds.
      public static func seconds(_ s: Int) -> Stride {
        Stride(DispatchStride.seconds(s))
      }

      /// Returns an interval of `ms` milliseconds, clamped to the range of `Int` in nanoseconds.
      public static func milliseconds(_ ms: Int) -> Stride {
        Stride(DispatchStride.milliseconds(ms))
      }

      /// Returns an interval of `us` microseconds, clamped to the range of `Int` in nanoseconds.
      public static func microseconds(_ us: Int) -> Stride {
        Stride(DispatchStride.microseconds(us))
      }

      /// Returns an interval of `ns` nanoseconds.
      public static func nanoseconds(_ ns: Int) -> Stride {
        Stride(TimeAmount.nanoseconds(Int64(ns)))
      }

      /// Returns whether the first stride is shorter than the second.
      @inlinable
      public static func < (lhs: Stride, rhs: Stride) -> Bool {
        lhs.timeAmount < rhs.timeAmount
      }

      /// Returns the product of two numbers of seconds, truncated to nanoseconds and clamped to the range of `Int`.
      public static func * (lhs: Stride, rhs: Stride) -> Stride {
        Stride(DispatchStride.nanoseconds(lhs.magnitude) * .nanoseconds(rhs.magnitude))
      }

      /// Returns the sum of two strides. It traps on overflow.
      @inlinable
      public static func + (lhs: Stride, rhs: Stride) -> Stride {
        Stride(lhs.timeAmount + rhs.timeAmount)
      }

      /// Returns the difference of two strides. It traps on overflow.
      @inlinable
      public static func - (lhs: Stride, rhs: Stride) -> Stride {
        Stride(lhs.timeAmount - rhs.timeAmount)
      }

      /// Multiplies a stride by another one, like `*`.
      @inlinable
      public static func *= (lhs: inout Stride, rhs: Stride) {
        lhs = lhs * rhs
      }

      /// Adds a stride to this one. It traps on overflow.
      @inlinable
      public static func += (lhs: inout Stride, rhs: Stride) {
        lhs = lhs + rhs
      }

      /// Subtracts a stride from this one. It traps on overflow.
      @inlinable
      public static func -= (lhs: inout Stride, rhs: Stride) {
        lhs = lhs - rhs
      }

      /// Decodes a stride from its number of nanoseconds.
      public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(TimeAmount.nanoseconds(try container.decode(Int64.self, forKey: ._nanoseconds)))
      }

      /// Encodes the stride as its number of nanoseconds.
      public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(timeAmount.nanoseconds, forKey: ._nanoseconds)
      }

      // The same name as in a stride of a dispatch queue, so that one can be decoded as the other.
      private enum CodingKeys: CodingKey {
        case _nanoseconds
      }

      // Its units and its product are those of a dispatch queue.
      private typealias DispatchStride = DispatchQueue.SchedulerTimeType.Stride

      private init(_ stride: DispatchStride) {
        self.init(TimeAmount.nanoseconds(Int64(stride.magnitude)))
      }
    }
  }
#endif
