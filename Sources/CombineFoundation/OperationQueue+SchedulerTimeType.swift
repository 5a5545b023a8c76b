#if canImport(Foundation) && canImport(Dispatch) && !os(WASI)
  import CombineCore
  import Foundation

  extension OperationQueue {

    /// An instant on the clock that all operation queues share, which is a date.
    public struct SchedulerTimeType: Strideable, Codable, Hashable, Sendable {

      /// The instant as a date.
      public var date: Date

      /// Creates an instant.
      ///
      /// - Parameter date: The instant as a date.
      @inlinable
      public init(_ date: Date) {
        self.date = date
      }

      /// Returns the interval from this instant to another one, which is negative if the other one is earlier.
      @inlinable
      public func distance(to other: SchedulerTimeType) -> Stride {
        Stride(other.date.timeIntervalSinceReferenceDate - date.timeIntervalSinceReferenceDate)
      }

      /// Returns the instant that is an interval after this one. A negative interval gives an earlier instant.
      @inlinable
      public func advanced(by n: Stride) -> SchedulerTimeType { SchedulerTimeType(date + n.magnitude) }

      /// An interval between two instants of an operation queue, as a number of seconds.
      ///
      /// It is distinct from the stride of `RunLoop`, so that a client can extend each of them. A literal is a number of
      /// seconds.
      ///
      /// ```swift
      /// let pause: OperationQueue.SchedulerTimeType.Stride = 1.5
      /// print(pause.magnitude)  // prints 1.5
      /// print(pause == .milliseconds(1500))  // prints true
      /// ```
      public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, ExpressibleByFloatLiteral,
        Codable, Sendable
      {
        /// The type of a floating-point literal, which is a number of seconds.
        public typealias FloatLiteralType = TimeInterval

        /// The type of an integer literal, which is a number of seconds.
        public typealias IntegerLiteralType = TimeInterval

        /// The type of ``magnitude``.
        public typealias Magnitude = TimeInterval

        /// The number of seconds, which is negative for an interval back in time.
        public var magnitude: TimeInterval

        /// The number of seconds.
        @inlinable
        public var timeInterval: TimeInterval { magnitude }

        /// Creates a stride from a number of seconds.
        ///
        /// - Parameter timeInterval: The number of seconds.
        @inlinable
        public init(_ timeInterval: TimeInterval) {
          magnitude = timeInterval
        }

        /// Creates a stride from a number of seconds.
        @inlinable
        public init(floatLiteral value: TimeInterval) {
          self.init(value)
        }

        /// Creates a stride from a number of seconds.
        @inlinable
        public init(integerLiteral value: TimeInterval) {
          self.init(value)
        }

        /// Creates a stride from a number of seconds, or `nil` if a `Double` cannot represent the number exactly.
        @inlinable
        public init?<T: BinaryInteger>(exactly source: T) {
          guard let seconds = TimeInterval(exactly: source) else { return nil }
          self.init(seconds)
        }

        /// Returns an interval of `s` seconds.
        @inlinable
        public static func seconds(_ s: Int) -> Self { Self(TimeInterval(s)) }

        /// Returns an interval of `s` seconds.
        @inlinable
        public static func seconds(_ s: Double) -> Self { Self(s) }

        /// Returns an interval of `ms` milliseconds.
        @inlinable
        public static func milliseconds(_ ms: Int) -> Self { Self(TimeInterval(ms) / 1e3) }

        /// Returns an interval of `us` microseconds.
        @inlinable
        public static func microseconds(_ us: Int) -> Self { Self(TimeInterval(us) / 1e6) }

        /// Returns an interval of `ns` nanoseconds.
        @inlinable
        public static func nanoseconds(_ ns: Int) -> Self { Self(TimeInterval(ns) / 1e9) }

        /// Returns whether the first stride is shorter than the second.
        @inlinable
        public static func < (lhs: Self, rhs: Self) -> Bool { lhs.magnitude < rhs.magnitude }

        /// Returns the product of two numbers of seconds.
        @inlinable
        public static func * (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude * rhs.magnitude) }

        /// Returns the sum of two strides.
        @inlinable
        public static func + (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude + rhs.magnitude) }

        /// Returns the difference of two strides.
        @inlinable
        public static func - (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude - rhs.magnitude) }

        /// Multiplies a stride by another one.
        @inlinable
        public static func *= (lhs: inout Self, rhs: Self) { lhs.magnitude *= rhs.magnitude }

        /// Adds a stride to this one.
        @inlinable
        public static func += (lhs: inout Self, rhs: Self) { lhs.magnitude += rhs.magnitude }

        /// Subtracts a stride from this one.
        @inlinable
        public static func -= (lhs: inout Self, rhs: Self) { lhs.magnitude -= rhs.magnitude }
      }
    }
  }
#endif
