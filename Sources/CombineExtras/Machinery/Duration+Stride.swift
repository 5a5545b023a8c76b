import CombineCore

extension SchedulerTimeIntervalConvertible {

  /// Returns an interval of a scheduler that is as long as a duration.
  ///
  /// A duration whose nanoseconds do not fit into an `Int` (292 years, or 2.1 seconds on a platform of 32 bits) is rounded to
  /// what `Double` can represent.
  @inlinable
  static func duration(_ duration: Duration) -> Self {
    duration.nanoseconds.flatMap { Int(exactly: $0) }.map { .nanoseconds($0) } ?? .seconds(duration.inSeconds)
  }
}

extension Duration {

  /// The whole nanoseconds of the duration; `nil` if they do not fit.
  @usableFromInline
  var nanoseconds: Int64? {
    let (nanoseconds, isTooLong) = components.seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflows) = nanoseconds.addingReportingOverflow(components.attoseconds / 1_000_000_000)
    return isTooLong || overflows ? nil : sum
  }

  /// The duration in seconds, rounded.
  @usableFromInline
  var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }
}
