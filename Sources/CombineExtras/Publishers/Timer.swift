import CombineThreads
import CombineCore

extension Scheduler {

  /// Returns a connectable publisher that sends the current time of this scheduler in intervals.
  ///
  /// On a scheduler for tests, the test so moves the timer:
  ///
  /// ```swift
  /// marbles(values: [:] as [Character: Void], outputs: ["a": 2, "b": 4, "c": 6]) {
  ///   $0.scheduler.timerPublisher(every: 2).autoconnect().map { $0.ticks }.prefix(3)
  ///   "--a-b-(c|)"
  /// }
  /// ```
  ///
  /// The publisher never completes. A subscriber without demand misses values.
  ///
  /// - Parameters:
  ///   - interval: The interval between two values, and before the first one.
  ///   - tolerance: The maximum time that a value may be late. With `nil`, it is zero.
  ///   - options: The options that the scheduler is called with.
  /// - Returns: A publisher that starts its timer on `connect()`.
  public func timerPublisher(
    every interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride? = nil,
    options: SchedulerOptions? = nil
  ) -> ExtraPublishers.Timer<Self> {
    ExtraPublishers.Timer(every: interval, tolerance: tolerance, scheduler: self, options: options)
  }
}

extension ExtraPublishers {

  /// A connectable publisher that sends the current time of a scheduler in intervals.
  ///
  /// Create one with `timerPublisher(every:tolerance:options:)`.
  ///
  /// Each subscriber has its own demand, and its own cancellation. A value that arrives without demand is dropped. The
  /// timer belongs to the connection: it stops when the connection is cancelled, or when neither the publisher nor a
  /// result of `connect()` is left.
  public final class Timer<Scheduler: CombineCore.Scheduler>: ConnectablePublisher {

    /// The kind of values this publisher publishes: instants of the scheduler.
    public typealias Output = Scheduler.SchedulerTimeType

    /// The kind of errors this publisher can fail with: none.
    public typealias Failure = Never

    /// The interval between two values, and before the first one.
    public let interval: Scheduler.SchedulerTimeType.Stride

    /// The maximum time that a value may be late. `nil` means zero.
    public let tolerance: Scheduler.SchedulerTimeType.Stride?

    /// The scheduler that runs the timer.
    public let scheduler: Scheduler

    /// The options that the scheduler is called with.
    public let options: Scheduler.SchedulerOptions?

    private let subject = PassthroughSubject<Output, Never>(subscriptionsNamed: "Timer")
    private let lock = Lock()

    @exclusivity(unchecked)  // Only with the lock held.
    private var connection: TimerConnection?

    /// Creates a connectable publisher that sends the current time of a scheduler in intervals.
    ///
    /// - Parameters:
    ///   - interval: The interval between two values, and before the first one.
    ///   - tolerance: The maximum time that a value may be late. With `nil`, it is zero.
    ///   - scheduler: The scheduler that runs the timer.
    ///   - options: The options that the scheduler is called with.
    public init(
      every interval: Scheduler.SchedulerTimeType.Stride,
      tolerance: Scheduler.SchedulerTimeType.Stride? = nil,
      scheduler: Scheduler,
      options: Scheduler.SchedulerOptions? = nil
    ) {
      self.interval = interval
      self.tolerance = tolerance
      self.scheduler = scheduler
      self.options = options
    }

    /// Adds `subscriber`, which receives values from the next one on.
    ///
    /// - Parameter subscriber: The subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
      subject.receive(subscriber: subscriber)
    }

    /// Starts the timer. While it runs, the call does nothing more. It does not run any longer if the scheduler has dropped it.
    ///
    /// - Returns: A cancellable that stops the timer. The subscribers remain, and receive values of the next connection.
    public func connect() -> any Cancellable {
      let new = TimerConnection()
      let running = lock.withLock {
        let running = connection?.isCancelled == false ? connection : nil
        if running == nil { connection = new }
        return running
      }
      if let running { return running }
      start(new)
      return new
    }

    private func start(_ connection: TimerConnection) {
      // The action keeps neither the publisher nor the connection, because the scheduler may keep it for long.
      let notice = TimerNotice(connection)
      let token = scheduler.schedule(
        after: scheduler.now.advanced(by: interval),
        interval: interval,
        tolerance: tolerance ?? .zero,
        options: options
      ) { [subject, scheduler] in
        if notice.connection?.isCancelled == false { subject.send(scheduler.now) }
      }
      connection.keep(token)
    }
  }
}

/// What the scheduler holds. Its release tells the connection that the timer runs no longer.
private final class TimerNotice {

  private(set) weak var connection: TimerConnection?

  init(_ connection: TimerConnection) {
    self.connection = connection
  }

  deinit { connection?.cancel() }
}

/// A running timer.
private final class TimerConnection: Cancellable {

  private let lock = Lock()

  @exclusivity(unchecked)  // These two: only with the lock held.
  private var token: (any Cancellable)?

  @exclusivity(unchecked)
  private var hasEnded = false

  var isCancelled: Bool { lock.withLock { hasEnded } }

  /// Keeps what stops the timer, or uses it if the first tick has already cancelled the connection.
  func keep(_ token: any Cancellable) {
    let isTooLate = lock.withLock {
      if !hasEnded { self.token = token }
      return hasEnded
    }
    if isTooLate { token.cancel() }
  }

  func cancel() {
    let token = lock.withLock {
      hasEnded = true
      return exchange(&self.token, with: nil)
    }
    token?.cancel()
  }

  deinit {
    cancel()
  }
}
