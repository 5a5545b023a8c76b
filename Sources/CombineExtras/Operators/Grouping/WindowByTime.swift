import CombineCore

extension Publisher {

  /// Divides the elements among publishers, each open for a time.
  ///
  /// The first window opens when the upstream sends its subscription. A window finishes after its duration, or when it has
  /// `maxCount` elements. Without an interval the next window opens at that moment, and its time begins then. With an
  /// interval a window opens at each interval, whether or not another one is open. Windows overlap if the interval is
  /// shorter than the duration. If it is longer, elements between two windows are dropped.
  ///
  /// The open windows complete as this publisher does. Windows without elements are published, too.
  ///
  /// Each window publishes to one subscriber. Elements wait for it, and go to it as it has demand. The upstream is asked
  /// for everything, and windows without demand wait, both without a limit.
  ///
  /// When the subscriber of the windows cancels, windows that are subscribed to go on, and no new window opens. The
  /// upstream is cancelled when no subscriber is left. For arrays instead of publishers, use
  /// `collect(for:every:maxCount:scheduler:options:)`.
  ///
  /// The first window opens with the subscription, later ones on the scheduler. A full window finishes, and the next
  /// one opens, on the thread of the upstream. A thread that comes while another one publishes leaves its events to
  /// that one.
  ///
  /// ```swift
  /// marbles(outputs: ["p": "0a", "q": "0b", "r": "1c", "s": "3d"]) {
  ///   "-a-b--c---------d-|"
  ///   $0[0].window(for: 5, scheduler: $0.scheduler).enumerated()
  ///     .flatMap { window in window.element.map { "\(window.index)\($0)" } }
  ///   "-p-q--r---------s-|"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - duration: The maximum time for which a window is open. It must not be negative.
  ///   - interval: The interval from the beginning of a window to that of the next one. It must not be negative. With
  ///     `nil`, the default, each one begins at the end of the one before.
  ///   - maxCount: The maximum number of elements in a window. It must be positive. With `nil`, the default, there is no
  ///     limit.
  ///   - scheduler: The scheduler that measures time.
  ///   - options: The options that the scheduler is called with.
  /// - Returns: A publisher of windows.
  @inlinable
  public func window<S: Scheduler>(
    for duration: S.SchedulerTimeType.Stride,
    every interval: S.SchedulerTimeType.Stride? = nil,
    maxCount: Int? = nil,
    scheduler: S,
    options: S.SchedulerOptions? = nil
  ) -> ExtraPublishers.WindowByTime<Self, S> {
    ExtraPublishers.WindowByTime(
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

  /// A publisher that divides the elements of its upstream among publishers, each open for a time.
  public struct WindowByTime<Upstream: Publisher, Context: Scheduler>: Publisher {

    /// The kind of values this publisher publishes: a window.
    public typealias Output = WindowPublisher<Upstream.Output, Upstream.Failure>

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are divided.
    public let upstream: Upstream

    /// The maximum time for which a window is open.
    public let duration: Context.SchedulerTimeType.Stride

    /// The interval from the beginning of a window to that of the next one, or `nil` if they follow one another.
    public let interval: Context.SchedulerTimeType.Stride?

    /// The maximum number of elements in a window, or `nil` for no limit.
    public let maxCount: Int?

    /// The scheduler that measures time.
    public let scheduler: Context

    /// The options that the scheduler is called with.
    public let options: Context.SchedulerOptions?

    /// Creates a publisher that divides another publisher's elements among windows.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are divided.
    ///   - duration: The maximum time for which a window is open. It must not be negative.
    ///   - interval: The interval from the beginning of a window to that of the next one, or `nil` if they follow one
    ///     another. It must not be negative.
    ///   - maxCount: The maximum number of elements in a window, or `nil` for no limit. It must be positive.
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
      WindowTimes<Context>.require(duration, interval, maxCount, "WindowByTime")
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
        ExtraConduits.Windows<Upstream.Output, S>(
          downstream: subscriber,
          count: maxCount,
          opening: times.opening,
          clock: times
        )
      )
    }
  }
}
