/// A scheduler that runs each action immediately, before the scheduling call returns.
///
/// It ignores dates, tolerances and intervals. A repeating action runs once.
public struct ImmediateScheduler: Scheduler, Sendable {

  /// The type of the options, which this scheduler does not have.
  public typealias SchedulerOptions = Never

  /// The only instance of this scheduler.
  public static let shared = ImmediateScheduler()

  private init() {}

  /// A point in time on the immediate scheduler's clock.
  ///
  /// The clock stands still, so all points in time are equal.
  public struct SchedulerTimeType: Strideable, Sendable {

    @usableFromInline
    init() {}

    /// Returns the distance to another point in time, which is always zero.
    @inlinable
    public func distance(to other: SchedulerTimeType) -> Stride { 0 }

    /// Returns an equal point in time, regardless of the distance.
    @inlinable
    public func advanced(by n: Stride) -> SchedulerTimeType { SchedulerTimeType() }

    /// A number that stands for an interval, which the scheduler ignores.
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

      /// Creates a stride from a number.
      @inlinable
      public init(_ value: Int) { magnitude = value }

      /// Creates a stride from a number.
      @inlinable
      public init(integerLiteral value: Int) { self.init(value) }

      /// Creates a stride from a number, which is truncated toward zero.
      @inlinable
      public init(floatLiteral value: Double) { self.init(Int(value)) }

      /// Creates a stride from a number, or returns `nil` if it does not fit into an `Int`.
      @inlinable
      public init?<T: BinaryInteger>(exactly source: T) {
        guard let value = Int(exactly: source) else { return nil }
        self.init(value)
      }

      /// Returns whether the first number is smaller.
      @inlinable
      public static func < (lhs: Stride, rhs: Stride) -> Bool { lhs.magnitude < rhs.magnitude }

      /// Returns the product, and traps on overflow.
      @inlinable
      public static func * (lhs: Stride, rhs: Stride) -> Stride { Stride(lhs.magnitude * rhs.magnitude) }

      /// Returns the sum, and traps on overflow.
      @inlinable
      public static func + (lhs: Stride, rhs: Stride) -> Stride { Stride(lhs.magnitude + rhs.magnitude) }

      /// Returns the difference, and traps on overflow.
      @inlinable
      public static func - (lhs: Stride, rhs: Stride) -> Stride { Stride(lhs.magnitude - rhs.magnitude) }

      /// Multiplies in place, and traps on overflow.
      @inlinable
      public static func *= (lhs: inout Stride, rhs: Stride) { lhs.magnitude *= rhs.magnitude }

      /// Adds in place, and traps on overflow.
      @inlinable
      public static func += (lhs: inout Stride, rhs: Stride) { lhs.magnitude += rhs.magnitude }

      /// Subtracts in place, and traps on overflow.
      @inlinable
      public static func -= (lhs: inout Stride, rhs: Stride) { lhs.magnitude -= rhs.magnitude }

      /// Returns a stride of zero, because this scheduler ignores intervals.
      @inlinable
      public static func seconds(_ s: Int) -> Stride { 0 }

      /// Returns a stride of zero, because this scheduler ignores intervals.
      @inlinable
      public static func seconds(_ s: Double) -> Stride { 0 }

      /// Returns a stride of zero, because this scheduler ignores intervals.
      @inlinable
      public static func milliseconds(_ ms: Int) -> Stride { 0 }

      /// Returns a stride of zero, because this scheduler ignores intervals.
      @inlinable
      public static func microseconds(_ us: Int) -> Stride { 0 }

      /// Returns a stride of zero, because this scheduler ignores intervals.
      @inlinable
      public static func nanoseconds(_ ns: Int) -> Stride { 0 }
    }
  }

  /// The current time, which equals every other point in time.
  @inlinable
  public var now: SchedulerTimeType { SchedulerTimeType() }

  /// The smallest tolerance, which is zero.
  @inlinable
  public var minimumTolerance: SchedulerTimeType.Stride { 0 }

  /// Runs the action before this call returns.
  @inlinable
  public func schedule(options: Never?, _ action: @escaping () -> Void) {
    action()
  }

  /// Runs the action before this call returns, regardless of the date.
  @inlinable
  public func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: Never?,
    _ action: @escaping () -> Void
  ) {
    action()
  }

  /// Runs the action once, before this call returns, regardless of the date and the interval.
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
