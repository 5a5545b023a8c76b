import CombineCore

extension Publisher {

  /// Collects elements into arrays, each open for a time.
  ///
  /// The first array begins when the upstream sends its subscription. An array is published after its duration, or when it
  /// has `maxCount` elements. Without an interval the next array begins at that moment, and its time begins then. With an
  /// interval an array begins at each interval, whether or not another one is open. Arrays overlap if the interval is
  /// shorter than the duration. If it is longer, elements between two arrays are dropped. Empty arrays are not published.
  ///
  /// When the upstream finishes, the operator publishes the arrays that have begun. When the upstream fails, it drops
  /// them. The upstream is asked for everything. Arrays without demand wait without a limit, and the completion waits for
  /// them.
  ///
  /// An array whose time is over is published on the scheduler, and a full one on the thread of the upstream. While one
  /// of the two publishes, it publishes what comes from the other, too.
  ///
  /// ```swift
  /// marbles(outputs: ["x": ["a", "b"], "y": ["c"], "z": ["d"]]) {
  ///   "-a-b--c---------d-|"
  ///   $0[0].collect(for: 5, scheduler: $0.scheduler)
  ///   "-----x----y-------(z|)"
  /// }
  /// marbles(outputs: ["x": ["a", "b"], "y": ["b", "c"], "z": ["c"]]) {
  ///   "-a-b-c----|"
  ///   $0[0].collect(for: 4, every: 2, scheduler: $0.scheduler)
  ///   "----x-y-z-|"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - duration: The maximum time for which an array is open. It must not be negative.
  ///   - interval: The interval from the beginning of an array to that of the next one. It must not be negative. With
  ///     `nil`, the default, each one begins at the end of the one before.
  ///   - maxCount: The maximum number of elements in an array. It must be positive. With `nil`, the default, there is no
  ///     limit.
  ///   - scheduler: The scheduler that measures time.
  ///   - options: The options that the scheduler is called with.
  /// - Returns: A publisher of arrays.
  @inlinable
  public func collect<S: Scheduler>(
    for duration: S.SchedulerTimeType.Stride,
    every interval: S.SchedulerTimeType.Stride? = nil,
    maxCount: Int? = nil,
    scheduler: S,
    options: S.SchedulerOptions? = nil
  ) -> ExtraPublishers.CollectByInterval<Self, S> {
    ExtraPublishers.CollectByInterval(
      upstream: self,
      duration: duration,
      interval: interval,
      maxCount: maxCount,
      scheduler: scheduler,
      options: options
    )
  }
}

extension ExtraPublishers {

  /// A publisher that collects its upstream's elements into arrays, each open for a time.
  public struct CollectByInterval<Upstream: Publisher, Context: Scheduler>: Publisher {

    /// The kind of values this publisher publishes: arrays of the upstream's elements.
    public typealias Output = [Upstream.Output]

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are collected.
    public let upstream: Upstream

    /// The maximum time for which an array is open.
    public let duration: Context.SchedulerTimeType.Stride

    /// The interval from the beginning of an array to that of the next one, or `nil` if they follow one another.
    public let interval: Context.SchedulerTimeType.Stride?

    /// The maximum number of elements in an array, or `nil` for no limit.
    public let maxCount: Int?

    /// The scheduler that measures time.
    public let scheduler: Context

    /// The options that the scheduler is called with.
    public let options: Context.SchedulerOptions?

    /// Creates a publisher that collects another publisher's elements into arrays, each open for a time.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are collected.
    ///   - duration: The maximum time for which an array is open. It must not be negative.
    ///   - interval: The interval from the beginning of an array to that of the next one, or `nil` if they follow one
    ///     another. It must not be negative.
    ///   - maxCount: The maximum number of elements in an array, or `nil` for no limit. It must be positive.
    ///   - scheduler: The scheduler that measures time.
    ///   - options: The options that the scheduler is called with.
    @inlinable
    public init(
      upstream: Upstream,
      duration: Context.SchedulerTimeType.Stride,
      interval: Context.SchedulerTimeType.Stride? = nil,
      maxCount: Int? = nil,
      scheduler: Context,
      options: Context.SchedulerOptions? = nil
    ) {
      WindowTimes<Context>.require(duration, interval, maxCount, "CollectByInterval")
      self.upstream = upstream
      self.duration = duration
      self.interval = interval
      self.maxCount = maxCount
      self.scheduler = scheduler
      self.options = options
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let times = WindowTimes(duration: duration, interval: interval, scheduler: scheduler, options: options)
      upstream.subscribeConduit(
        ExtraConduits.CollectWindows<Upstream.Output, S>(
          downstream: subscriber,
          count: maxCount,
          opening: times.opening,
          clock: times
        )
      )
    }
  }
}
