#if canImport(Foundation) && canImport(Dispatch) && !os(WASI)
  import CombineThreads
  import CombineCore
  import CombineDispatch
  import Dispatch
  import Foundation
  import Synchronization

  extension Timer {

    /// Returns a connectable publisher that sends the current date in intervals.
    ///
    /// For a timer on the main run loop in the mode `default` or `common`: if that loop is not running, the values arrive
    /// on the main queue. This is so in a program with an asynchronous `main`, or after `dispatchMain()`.
    ///
    /// ```swift
    /// let cancellable = Timer.publish(every: 1, on: .main, in: .default)
    ///   .autoconnect()
    ///   .sink { print($0) }  // the date, each second
    /// ```
    ///
    /// - Parameters:
    ///   - interval: The interval between two values, in seconds. A shorter interval than 0.1 ms counts as 0.1 ms.
    ///   - tolerance: Ignored, as in Combine. The initializer of ``TimerPublisher`` uses its tolerance.
    ///   - runLoop: The run loop on whose thread the values are sent.
    ///   - mode: The mode in which the loop must run.
    ///   - options: Ignored.
    /// - Returns: A publisher that never completes. A subscriber without demand misses values.
    public static func publish(
      every interval: TimeInterval,
      tolerance: TimeInterval? = nil,
      on runLoop: RunLoop,
      in mode: RunLoop.Mode,
      options: RunLoop.SchedulerOptions? = nil
    ) -> TimerPublisher {
      TimerPublisher(interval: interval, runLoop: runLoop, mode: mode, options: options)
    }

    /// A connectable publisher that sends the current date in intervals.
    public final class TimerPublisher: ConnectablePublisher {

      /// The kind of values this publisher publishes.
      public typealias Output = Date

      /// The kind of errors this publisher can fail with: none.
      public typealias Failure = Never

      /// The interval between two values, in seconds.
      public let interval: TimeInterval

      /// The maximum time that a value may be late, in seconds. On this package's platforms, Foundation's timers ignore
      /// it.
      public let tolerance: TimeInterval?

      /// The run loop on whose thread the values are sent.
      public let runLoop: RunLoop

      /// The mode in which the loop must run.
      public let mode: RunLoop.Mode

      /// The options, which are ignored.
      public let options: RunLoop.SchedulerOptions?

      private let lock = Lock()

      @exclusivity(unchecked)  // Only with the lock held.
      private var subscriptions: [ObjectIdentifier: TimerSubscription] = [:]

      /// Creates a connectable publisher that sends the current date in intervals.
      ///
      /// - Parameters:
      ///   - interval: The interval between two values, in seconds.
      ///   - tolerance: The maximum time that a value may be late, in seconds.
      ///   - runLoop: The run loop on whose thread the values are sent.
      ///   - mode: The mode in which the loop must run.
      ///   - options: Ignored.
      public init(
        interval: TimeInterval,
        tolerance: TimeInterval? = nil,
        runLoop: RunLoop,
        mode: RunLoop.Mode,
        options: RunLoop.SchedulerOptions? = nil
      ) {
        self.interval = interval
        self.tolerance = tolerance
        self.runLoop = runLoop
        self.mode = mode
        self.options = options
      }

      /// Adds `subscriber`, which receives values from the next one on.
      @inlinable
      public func receive<S: Subscriber>(subscriber: S) where S.Input == Date, S.Failure == Never {
        let subscription = TimerSubscription(to: self) { subscriber.receive($0) }
        add(subscription)
        subscriber.receive(subscription: subscription)
      }

      /// Starts a new timer, which fires for the first time after one interval.
      ///
      /// - Returns: A cancellable that stops this timer and drops all subscribers of the publisher. Releasing it does not
      ///   stop the timer.
      public func connect() -> any Cancellable {
        TimerConnection(self)
      }

      @usableFromInline
      func add(_ subscription: TimerSubscription) {
        lock.withLock { subscriptions[ObjectIdentifier(subscription)] = subscription }
      }

      fileprivate func remove(_ subscription: TimerSubscription) {
        _ = lock.withLock { subscriptions.removeValue(forKey: ObjectIdentifier(subscription)) }
      }

      /// Sends the date to all current subscribers.
      fileprivate func tick() {
        let date = Date()
        for subscription in lock.withLock({ subscriptions }).values { subscription.offer(date) }
      }

      fileprivate func dropSubscribers() {
        for subscription in lock.withLock({ exchange(&subscriptions, with: [:]) }).values { subscription.end() }
      }
    }
  }

  // The lock guards the subscriptions, and all other properties are constant. The run loop is only passed to Foundation,
  // which accepts a timer for it from any thread.
  extension Timer.TimerPublisher: @unchecked Sendable {}

  /// The subscription of one subscriber to a timer.
  @usableFromInline
  final class TimerSubscription: Subscription {

    /// A closure that calls the downstream. It is created where the type of the downstream is known.
    @usableFromInline
    typealias Deliver = (Date) -> Subscribers.Demand

    private weak var publisher: Timer.TimerPublisher?  // Constant after `init`.
    private let demand = DemandCounter()
    private let lock = Lock()

    /// The closure that calls the downstream, or `nil` after the end.
    @exclusivity(unchecked)  // Only with the lock held.
    private var deliver: Deliver?

    @usableFromInline
    init(to publisher: Timer.TimerPublisher, deliver: @escaping Deliver) {
      self.publisher = publisher
      self.deliver = deliver
    }

    /// Sends a date if there is demand for it.
    ///
    /// It needs no gate. All timers of a publisher fire on the thread of its run loop, or on the main queue in its place.
    fileprivate func offer(_ date: Date) {
      guard let deliver = lock.withLock({ deliver }), demand.take() else { return }
      demand.add(deliver(date))
    }

    /// Releases the downstream.
    ///
    /// - Returns: Whether the downstream was still present.
    @discardableResult
    fileprivate func end() -> Bool {
      lock.withLock { exchange(&deliver, with: nil) } != nil
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
      self.demand.add(demand)
    }

    @usableFromInline
    func cancel() {
      if end() { publisher?.remove(self) }
    }
  }

  /// A timer that runs for a publisher.
  private final class TimerConnection: Cancellable {

    /// The action that keeps the publisher alive while the timer runs. It is revoked on cancel, because the timer is
    /// never deallocated.
    private let action: RevocableAction

    private let timer: Timer

    /// The timer that fires if the main run loop is not running.
    private let mainQueueTimer: MainQueueTimer?

    private weak var publisher: Timer.TimerPublisher?

    init(_ publisher: Timer.TimerPublisher) {
      // Outside Apple's platforms, the initializer without a date fires immediately. A repeating timer whose interval is
      // not positive fires only once.
      let interval = max(publisher.interval, RunLoop.shortestInterval)
      let action = RevocableAction { publisher.tick() }
      // The main queue is a common mode of the main run loop, and so is the default mode. Other modes are not.
      let isServedByMainQueue =
        publisher.runLoop === RunLoop.main && (publisher.mode == .default || publisher.mode == .common)
      let mainQueueTimer = isServedByMainQueue ? MainQueueTimer(interval: interval, action) : nil
      timer = Timer(fire: Date() + interval, interval: interval, repeats: true) { _ in
        mainQueueTimer?.loopTimerFired()
        action.run()
      }
      timer.tolerance = publisher.tolerance ?? 0
      self.action = action
      self.mainQueueTimer = mainQueueTimer
      self.publisher = publisher
      publisher.runLoop.add(timer, forMode: publisher.mode)
      mainQueueTimer?.start()
    }

    func cancel() {
      guard let publisher, action.revoke() else { return }
      publisher.dropSubscribers()
      timer.invalidate()
      mainQueueTimer?.cancel()
    }
  }

  /// A timer that runs an action on the main queue while the main run loop is not running.
  ///
  /// While the loop is running, its own timer runs the action.
  private final class MainQueueTimer {

    private let interval: TimeInterval
    private let action: RevocableAction
    private let lock = Lock()

    @exclusivity(unchecked)  // These four: only with the lock held.
    private var timer: SystemQueueTimer?

    /// Whether the timer has the slow pace, because the loop does the work.
    @exclusivity(unchecked)
    private var isSlow = false

    /// Whether a run on the main queue is pending. A slow action causes missed runs.
    @exclusivity(unchecked)
    private var isQueued = false

    /// The time at which the loop's timer fired last, in seconds.
    @exclusivity(unchecked)
    private var lastLoopRun = -TimeInterval.infinity

    init(interval: TimeInterval, _ action: RevocableAction) {
      self.interval = interval
      self.action = action
    }

    /// Starts the timer, which fires for the first time after one interval. The timer keeps this object alive until the
    /// cancel.
    func start() {
      let timer = SystemQueueTimer { self.timerFired() }
      lock.withLock { self.timer = timer }
      timer.set(every: interval)
    }

    func cancel() {
      lock.withLock { exchange(&timer, with: nil) }?.cancel()
    }

    /// Called on the main thread, in the main run loop.
    func loopTimerFired() {
      lock.withLock { lastLoopRun = Self.now }
    }

    private func timerFired() {
      let isLoopRunning = MainRunLoop.isRunning
      let (isDue, newPace) = lock.withLock {
        let isDue = !isLoopRunning && !isQueued
        if isDue { isQueued = true }
        // While the loop does the work, the timer only checks whether the loop is still running.
        let wasSlow = exchange(&isSlow, with: isLoopRunning && interval < Self.watchInterval)
        return (isDue, isSlow == wasSlow ? nil : timer)
      }
      newPace?.set(every: isLoopRunning ? Self.watchInterval : interval)
      if isDue { DispatchQueue.main.async { self.run() } }
    }

    /// Called on the main queue.
    private func run() {
      let isCalledByLoop = MainRunLoop.isCaller
      let isDue = lock.withLock {
        isQueued = false
        // If the loop is left between the two timers, its own timer may have just run the action.
        return !isCalledByLoop && Self.now - lastLoopRun > interval / 2
      }
      if isDue { action.run() }
    }

    private static let watchInterval: TimeInterval = 0.02

    private static var now: TimeInterval { TimeInterval(DispatchTime.now().uptimeNanoseconds) / 1e9 }
  }

  // The lock guards the timer and the flags. The action is thread-safe.
  extension MainQueueTimer: @unchecked Sendable {}
#endif
