import CombineCore

extension Scheduler {

  /// Returns an asynchronous sequence of the current time of this scheduler in intervals.
  ///
  /// The timer starts with the call. The sequence buffers the times that nobody has awaited. It ends if the task that
  /// iterates is cancelled, or if the scheduler drops the timer. The timer stops when the iteration ends, or when the
  /// sequence is released.
  ///
  /// ```swift
  /// func tick(on scheduler: AnySchedulerOf<DispatchQueue>) async {
  ///   for await time in scheduler.timer(interval: .seconds(1)).prefix(3) { print(time) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - interval: The interval between two elements, and before the first one.
  ///   - tolerance: The maximum time that an element may be late.
  ///   - options: The options that the scheduler is called with.
  /// - Returns: A sequence of the times at which the timer fires.
  public func timer(
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride = .zero,
    options: SchedulerOptions? = nil
  ) -> AsyncStream<SchedulerTimeType> {
    AsyncStream { continuation in
      // The scheduler alone holds it.
      let ticks = Ticks(continuation)
      let token = schedule(
        after: now.advanced(by: interval),
        interval: interval,
        tolerance: tolerance,
        options: options
      ) {
        // Unsafe, because the type need not be Sendable. The value was made for the consumer, who alone has it.
        nonisolated(unsafe) let time = now
        ticks.continuation.yield(time)
      }
      continuation.onTermination = ending(AnyCancellable(token))
    }
  }
}

/// The action of a timer. When the scheduler has released it, no further time comes.
private final class Ticks<Time> {

  let continuation: AsyncStream<Time>.Continuation

  init(_ continuation: AsyncStream<Time>.Continuation) {
    self.continuation = continuation
  }

  deinit { continuation.finish() }
}

/// A function of its own, because a closure in the method would capture the type of the scheduler's times.
private func ending<Time>(_ cancellable: AnyCancellable)
  -> @Sendable (AsyncStream<Time>.Continuation.Termination) -> Void
{
  { _ in cancellable.cancel() }
}
