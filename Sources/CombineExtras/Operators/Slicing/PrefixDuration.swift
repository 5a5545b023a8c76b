import CombineCore

extension Publisher {

  /// Publishes the elements of an interval that begins with the subscription, and then finishes.
  ///
  /// At the end of the interval the upstream is cancelled. Elements and demand pass unchanged before.
  ///
  /// ```swift
  /// marbles {
  ///   "a--b--c--d-|"
  ///   $0[0].prefix(duration: 7, on: $0.scheduler)
  ///   "a--b--c|"
  ///   "^------!"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - duration: The interval, in the scheduler's time.
  ///   - tolerance: The maximum time that the end may be late. The default is zero.
  ///   - scheduler: The scheduler that measures the interval.
  ///   - options: The options of the scheduler.
  /// - Returns: A publisher of the elements that are published in the interval.
  @inlinable
  public func prefix<S: Scheduler>(
    duration: S.SchedulerTimeType.Stride,
    tolerance: S.SchedulerTimeType.Stride? = nil,
    on scheduler: S,
    options: S.SchedulerOptions? = nil
  ) -> AnyPublisher<Output, Failure> {
    // A repetition, because a scheduler can cancel that: a single action would stay in it until its time.
    let end = ExtraPublishers.Timer(every: duration, tolerance: tolerance, scheduler: scheduler, options: options)
    // `first()` stops the timer at its first tick. `prefix(untilOutputFrom:)` does not cancel the publisher that ended it.
    return prefix(untilOutputFrom: end.autoconnect().first()).eraseToAnyPublisher()
  }
}
