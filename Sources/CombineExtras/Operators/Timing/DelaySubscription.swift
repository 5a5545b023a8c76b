import CombineThreads
import CombineCore

extension Publisher {

  /// Subscribes to this publisher some time after the downstream has subscribed.
  ///
  /// The downstream receives its subscription immediately. What it requests meanwhile is requested from this publisher
  /// later. A cancellation during the delay prevents the subscription. `delay` subscribes at once, and delays the events.
  ///
  /// ```swift
  /// marbles {
  ///   "-a--b--|"
  ///   $0[0].delaySubscription(for: 2, scheduler: $0.scheduler)
  ///   "----b--|"
  ///   "--^"
  /// }
  /// ```
  ///
  /// ```swift
  /// let arrived = DispatchSemaphore(value: 0)
  /// let cancellable = Deferred { @Sendable in print("subscribed"); return Just("later") }
  ///   .delaySubscription(for: .milliseconds(300), scheduler: DispatchQueue(label: "later"))
  ///   .sink { @Sendable text in print(text); arrived.signal() }
  /// print("not yet")  // prints not yet
  /// arrived.wait()
  /// // prints subscribed
  /// // prints later
  /// ```
  ///
  /// - Parameters:
  ///   - interval: The interval between the two subscriptions.
  ///   - scheduler: The scheduler that measures the interval and on which this publisher is subscribed to.
  ///   - options: The options that the scheduler is called with.
  /// - Returns: A publisher of the same elements. It passes demand to the upstream unchanged.
  @inlinable
  public func delaySubscription<S: Scheduler>(
    for interval: S.SchedulerTimeType.Stride,
    scheduler: S,
    options: S.SchedulerOptions? = nil
  ) -> ExtraPublishers.DelaySubscription<Self, S> {
    ExtraPublishers.DelaySubscription(upstream: self, interval: interval, scheduler: scheduler, options: options)
  }
}

extension ExtraPublishers {

  /// A publisher that subscribes to its upstream some time after the downstream has subscribed.
  public struct DelaySubscription<Upstream: Publisher, Context: Scheduler>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that is subscribed to later.
    public let upstream: Upstream

    /// The interval between the two subscriptions.
    public let interval: Context.SchedulerTimeType.Stride

    /// The scheduler that measures the interval and on which the upstream is subscribed to.
    public let scheduler: Context

    /// The options that the scheduler is called with.
    public let options: Context.SchedulerOptions?

    /// Creates a publisher that subscribes to another publisher some time after the downstream has subscribed.
    ///
    /// - Parameters:
    ///   - upstream: The publisher that is subscribed to later.
    ///   - interval: The interval between the two subscriptions.
    ///   - scheduler: The scheduler that measures the interval and on which the upstream is subscribed to.
    ///   - options: The options that the scheduler is called with.
    @inlinable
    public init(
      upstream: Upstream,
      interval: Context.SchedulerTimeType.Stride,
      scheduler: Context,
      options: Context.SchedulerOptions? = nil
    ) {
      self.upstream = upstream
      self.interval = interval
      self.scheduler = scheduler
      self.options = options
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let conduit = ExtraConduits.DelaySubscription(downstream: subscriber)
      guard conduit.open() else { return }
      let timer = ReleasableTimer { [upstream] in upstream.subscribeLater(conduit) }
      if conduit.keep(timer) { timer.start(after: interval, on: scheduler, options: options) }
    }
  }
}

// MARK: Conduit

extension ExtraConduits {

  @usableFromInline
  final class DelaySubscription<Downstream: Subscriber>: PassingConduit<Downstream>, CustomStringConvertible {

    @exclusivity(unchecked)  // Only with the lock held.
    @usableFromInline
    var timer: ReleasableTimer?

    @inlinable
    init(downstream: Downstream) {
      super.init(downstream: downstream)
    }

    /// Keeps the timer of the subscription.
    ///
    /// - Returns: Whether the downstream has not cancelled, so that the caller starts the timer.
    @inlinable
    func keep(_ timer: ReleasableTimer) -> Bool {
      lock.withLock {
        if !queue.isClosed { self.timer = timer }
        return !queue.isClosed
      }
    }

    @inlinable
    override func didEnd() {
      super.didEnd()
      lock.withLock { exchange(&timer, with: nil) }?.cancel()
    }

    @usableFromInline
    var description: String { "DelaySubscription" }
  }
}
