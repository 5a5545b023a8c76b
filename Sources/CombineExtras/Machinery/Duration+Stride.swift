import CombineCore

extension SchedulerTimeIntervalConvertible {

  /// Returns an interval of a scheduler that is as long as a duration.
  ///
  /// A duration of more than 292 years is rounded to what `Double` can represent.
  @inlinable
  static func duration(_ duration: Duration) -> Self {
    let (seconds, attoseconds) = duration.components
    let (nanoseconds, isTooLong) = Int(clamping: seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflows) = nanoseconds.addingReportingOverflow(Int(attoseconds / 1_000_000_000))
    return isTooLong || overflows ? .seconds(Double(seconds)) : .nanoseconds(sum)
  }
}
