/// A scheduler that runs every action at once, before the call returns.
///
/// Dates, tolerances and intervals are ignored; a repeating action runs once.
public struct ImmediateScheduler: Scheduler, Sendable {

  /// This scheduler takes no options.
  public typealias SchedulerOptions = Never

  /// The only immediate scheduler.
  public static let shared = ImmediateScheduler()

  private init() {}

  /// An instant on the immediate scheduler's clock, which stands still: all instants are equal.
  public struct SchedulerTimeType: Strideable, Sendable {

    @usableFromInline
    init() {}

    /// The distance to another instant: always zero.
    @inlinable
    public func distance(to other: SchedulerTimeType) -> Stride { 0 }

    /// An equal instant, whatever the distance.
    @inlinable
    public func advanced(by n: Stride) -> SchedulerTimeType { SchedulerTimeType() }

    /// A number that stands for a duration; the scheduler ignores it.
    public struct Stride: ExpressibleByFloatLiteral, Comparable, SignedNumeric, Codable,
      SchedulerTimeIntervalConvertible, Sendable
    {
      /// The type of a float literal.
      public typealias FloatLiteralType = Double

      /// The type of an integer literal.
      public typealias IntegerLiteralType = Int

      /// The type of ``magnitude``.
      public typealias Magnitude = Int

      /// The number, which may be negative.
      public var magnitude: Int

      /// Creates a stride of a number.
      @inlinable
      public init(_ value: Int) { magnitude = value }

      /// Creates a stride of a number.
      @inlinable
      public init(integerLiteral value: Int) { self.init(value) }

      /// Creates a stride of a number, truncated toward zero.
      @inlinable
      public init(floatLiteral value: Double) { self.init(Int(value)) }

      /// Creates a stride of a number, or nothing if it does not fit an `Int`.
      @inlinable
      public init?<T: BinaryInteger>(exactly source: T) {
        guard let value = Int(exactly: source) else { return nil }
        self.init(value)
      }

      /// Whether the first number is smaller.
      @inlinable
      public static func < (lhs: Stride, rhs: Stride) -> Bool { lhs.magnitude < rhs.magnitude }

      /// The product; traps on overflow.
      @inlinable
      public static func * (lhs: Stride, rhs: Stride) -> Stride { Stride(lhs.magnitude * rhs.magnitude) }

      /// The sum; traps on overflow.
      @inlinable
      public static func + (lhs: Stride, rhs: Stride) -> Stride { Stride(lhs.magnitude + rhs.magnitude) }

      /// The difference; traps on overflow.
      @inlinable
      public static func - (lhs: Stride, rhs: Stride) -> Stride { Stride(lhs.magnitude - rhs.magnitude) }

      /// Multiplies in place; traps on overflow.
      @inlinable
      public static func *= (lhs: inout Stride, rhs: Stride) { lhs.magnitude *= rhs.magnitude }

      /// Adds in place; traps on overflow.
      @inlinable
      public static func += (lhs: inout Stride, rhs: Stride) { lhs.magnitude += rhs.magnitude }

      /// Subtracts in place; traps on overflow.
      @inlinable
      public static func -= (lhs: inout Stride, rhs: Stride) { lhs.magnitude -= rhs.magnitude }

      /// A stride of zero, because this scheduler ignores durations.
      @inlinable
      public static func seconds(_ s: Int) -> Stride { 0 }

      /// A stride of zero, because this scheduler ignores durations.
      @inlinable
      public static func seconds(_ s: Double) -> Stride { 0 }

      /// A stride of zero, because this scheduler ignores durations.
      @inlinable
      public static func milliseconds(_ ms: Int) -> Stride { 0 }

      /// A stride of zero, because this scheduler ignores durations.
      @inlinable
      public static func microseconds(_ us: Int) -> Stride { 0 }

      /// A stride of zero, because this scheduler ignores durations.
      @inlinable
      public static func nanoseconds(_ ns: Int) -> Stride { 0 }
    }
  }

  /// The present instant, equal to every other.
  @inlinable
  public var now: SchedulerTimeType { SchedulerTimeType() }

  /// Zero.
  @inlinable
  public var minimumTolerance: SchedulerTimeType.Stride { 0 }

  /// Runs the action before returning.
  @inlinable
  public func schedule(options: Never?, _ action: @escaping () -> Void) {
    action()
  }

  /// Runs the action before returning, whatever the date.
  @inlinable
  public func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: Never?,
    _ action: @escaping () -> Void
  ) {
    action()
  }

  /// Runs the action once, before returning, whatever the date and interval.
  ///
  /// - Returns: ``Subscriptions/empty``.
  @inlinable
  @discardableResult
  public func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: Never?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    action()
    return Subscriptions.empty
  }
}
