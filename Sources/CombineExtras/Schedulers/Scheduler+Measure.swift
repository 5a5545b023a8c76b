import CombineCore

extension Scheduler {

  /// Measures the time that a closure takes on the clock of this scheduler.
  ///
  /// ```swift
  /// let duration = DispatchQueue.main.measure { print((1...1000).reduce(0, +)) }
  /// print(duration < .seconds(1))  // prints 500500, true
  /// ```
  ///
  /// - Parameter work: A closure that is called once.
  /// - Returns: The interval between the times before and after the call.
  public func measure(_ work: () throws -> Void) rethrows -> SchedulerTimeType.Stride {
    let start = now
    try work()
    return start.distance(to: now)
  }
}
