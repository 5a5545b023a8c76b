#if canImport(Dispatch)
  import CombineCore
  import Dispatch

  extension DispatchQueue {

    /// An instant on the clock that all dispatch queues share, which counts nanoseconds and stops while the machine
    /// sleeps.
    public struct SchedulerTimeType: Strideable, Codable, Hashable, Sendable {

      /// The instant as a `DispatchTime`.
      public var dispatchTime: DispatchTime

      /// Creates an instant.
      ///
      /// - Parameter time: The instant as a `DispatchTime`.
      @inlinable
      public init(_ time: DispatchTime) {
        dispatchTime = time
      }

      /// Decodes an instant from its number of nanoseconds on the clock.
      public init(from decoder: any Decoder) throws {
        let nanoseconds = try decoder.singleValueContainer().decode(UInt64.self)
        self.init(DispatchTime(uptimeNanoseconds: nanoseconds))
      }

      /// Encodes the instant as its number of nanoseconds on the clock.
      public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(dispatchTime.uptimeNanoseconds)
      }

      /// Returns the interval from this instant to another one, which is negative if the other one is earlier.
      ///
      /// - Returns: The interval. If it does not fit into 64 bits, the result is the greatest interval, whichever instant is
      ///   earlier.
      @inlinable
      public func distance(to other: SchedulerTimeType) -> Stride {
        let start = dispatchTime.rawValue
        let end = other.dispatchTime.rawValue
        guard let distance = Int64(exactly: start <= end ? end - start : start - end) else { return Stride(.max) }
        return Stride(start <= end ? distance : -distance)
      }

      /// Returns the instant that is an interval after this one. A negative interval gives an earlier instant.
      ///
      /// - Returns: The resulting instant. For the greatest interval it is `DispatchTime.distantFuture`.
      @inlinable
      public func advanced(by n: Stride) -> SchedulerTimeType {
        if n.nanoseconds == .max { return SchedulerTimeType(.distantFuture) }
        let (seconds, rest) = n.parts(for: Int.self)
        let later = seconds == 0 ? dispatchTime : dispatchTime + .seconds(seconds)
        return SchedulerTimeType(later + .nanoseconds(rest))
      }

      /// Hashes the raw value of the dispatch time.
      @inlinable
      public func hash(into hasher: inout Hasher) {
        hasher.combine(dispatchTime.rawValue)
      }

      // `Strideable` derives these two from distances. Distances are clamped, which would make each of two far instants
      // less than the other.

      /// Returns whether two instants are equal.
      @inlinable
      public static func == (lhs: SchedulerTimeType, rhs: SchedulerTimeType) -> Bool {
        lhs.dispatchTime.rawValue == rhs.dispatchTime.rawValue
      }

      /// Returns whether the first instant is earlier than the second.
      @inlinable
      public static func < (lhs: SchedulerTimeType, rhs: SchedulerTimeType) -> Bool {
        lhs.dispatchTime.rawValue < rhs.dispatchTime.rawValue
      }
    }
  }

  extension DispatchQueue.SchedulerTimeType {

    /// An interval between two instants, as a whole number of nanoseconds.
    ///
    /// An integer literal and a floating-point literal are both a number of seconds.
    ///
    /// ```swift
    /// let pause: DispatchQueue.SchedulerTimeType.Stride = 1.5
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

      /// The number of nanoseconds. On a platform of 32 bits an `Int` would end after two seconds.
      @usableFromInline
      var nanoseconds: Int64

      /// The number of nanoseconds, which is negative for an interval back in time, clamped to the range of `Int`.
      @inlinable
      public var magnitude: Int {
        get { Int(clamping: nanoseconds) }
        set { nanoseconds = Int64(newValue) }
      }

      /// The interval as a `DispatchTimeInterval` in nanoseconds. If their number does not fit into an `Int`, it is in the
      /// greatest unit below a second in which it does, or in seconds.
      public var timeInterval: DispatchTimeInterval {
        if let nanoseconds = Int(exactly: nanoseconds) { return .nanoseconds(nanoseconds) }
        if let microseconds = Int(exactly: nanoseconds / 1000) { return .microseconds(microseconds) }
        if let milliseconds = Int(exactly: nanoseconds / 1_000_000) { return .milliseconds(milliseconds) }
        return .seconds(Int(clamping: nanoseconds / 1_000_000_000))
      }

      @inlinable
      init(_ nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
      }

      /// The whole seconds and the rest in nanoseconds, as far as an integer of another width requires that: no seconds if the
      /// nanoseconds fit. A number of seconds that does not fit is clamped.
      @inlinable
      package func parts<Number: FixedWidthInteger>(for _: Number.Type) -> (seconds: Number, nanoseconds: Number) {
        if let all = Number(exactly: nanoseconds) { return (0, all) }
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return (Number(clamping: seconds), Number(rest))
      }

      /// Creates a stride from a `DispatchTimeInterval`, clamped to 64 bits in nanoseconds.
      ///
      /// - Parameter timeInterval: The interval. For `.never`, it is the greatest stride.
      public init(_ timeInterval: DispatchTimeInterval) {
        switch timeInterval {
        case .seconds(let seconds): self = .seconds(seconds)
        case .milliseconds(let milliseconds): self = .milliseconds(milliseconds)
        case .microseconds(let microseconds): self = .microseconds(microseconds)
        case .nanoseconds(let nanoseconds): self = .nanoseconds(nanoseconds)
        case .never: self.init(.max)
        @unknown default: self.init(measuring: timeInterval)
        }
      }

      /// Creates a stride by measuring how far Dispatch advances an instant by an interval.
      package init(measuring timeInterval: DispatchTimeInterval) {
        // Dispatch clamps sums to 2^62 - 1 at most and 1 at least. This instant leaves room in both directions.
        let reference = DispatchTime(uptimeNanoseconds: .max / 13)
        self = DispatchQueue.SchedulerTimeType(reference).distance(to: .init(reference + timeInterval))
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

      /// Returns an interval of `s` seconds, truncated to nanoseconds and clamped to 64 bits.
      ///
      /// It traps if `s` is not a number.
      @inlinable
      public static func seconds(_ s: Double) -> Stride {
        if s.isNaN { Misuse.trap("DispatchQueue.SchedulerTimeType.Stride.seconds(_:)", .notANumber) }
        let nanoseconds = s * 1e9
        if nanoseconds >= Double(Int64.max) { return Stride(.max) }
        if nanoseconds <= Double(Int64.min) { return Stride(.min) }
        return Stride(Int64(nanoseconds))
      }

      /// Returns an interval of `s` seconds, clamped to 64 bits in nanoseconds.
      @inlinable
      public static func seconds(_ s: Int) -> Stride {
        Stride(clampedProduct: s, 1_000_000_000)
      }

      /// Returns an interval of `ms` milliseconds, clamped to 64 bits in nanoseconds.
      @inlinable
      public static func milliseconds(_ ms: Int) -> Stride {
        Stride(clampedProduct: ms, 1_000_000)
      }

      /// Returns an interval of `us` microseconds, clamped to 64 bits in nanoseconds.
      @inlinable
      public static func microseconds(_ us: Int) -> Stride {
        Stride(clampedProduct: us, 1000)
      }

      /// Returns an interval of `ns` nanoseconds.
      @inlinable
      public static func nanoseconds(_ ns: Int) -> Stride {
        Stride(Int64(ns))
      }

      @inlinable
      init(clampedProduct count: Int, _ unit: Int64) {
        let (product, overflow) = Int64(count).multipliedReportingOverflow(by: unit)
        self.init(overflow ? (count < 0 ? .min : .max) : product)
      }

      /// Returns whether the first stride is shorter than the second.
      @inlinable
      public static func < (lhs: Stride, rhs: Stride) -> Bool {
        lhs.nanoseconds < rhs.nanoseconds
      }

      /// Returns the product of two numbers of seconds, truncated to nanoseconds and clamped to 64 bits.
      @inlinable
      public static func * (lhs: Stride, rhs: Stride) -> Stride {
        let isNegative = (lhs.nanoseconds < 0) != (rhs.nanoseconds < 0)
        let unit: UInt64 = 1_000_000_000
        let product = lhs.nanoseconds.magnitude.multipliedFullWidth(by: rhs.nanoseconds.magnitude)
        let limit = isNegative ? Int64.min : Int64.max
        guard product.high < unit else { return Stride(limit) }
        let quotient = unit.dividingFullWidth(product).quotient
        guard quotient < limit.magnitude else { return Stride(limit) }
        return Stride(isNegative ? -Int64(quotient) : Int64(quotient))
      }

      /// Returns the sum of two strides. It traps on overflow.
      @inlinable
      public static func + (lhs: Stride, rhs: Stride) -> Stride {
        Stride(lhs.nanoseconds + rhs.nanoseconds)
      }

      /// Returns the difference of two strides. It traps on overflow.
      @inlinable
      public static func - (lhs: Stride, rhs: Stride) -> Stride {
        Stride(lhs.nanoseconds - rhs.nanoseconds)
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
        nanoseconds = try container.decode(Int64.self, forKey: ._nanoseconds)
      }

      /// Encodes the stride as its number of nanoseconds.
      public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(nanoseconds, forKey: ._nanoseconds)
      }

      private enum CodingKeys: CodingKey {
        case _nanoseconds
      }
    }
  }
#endif
