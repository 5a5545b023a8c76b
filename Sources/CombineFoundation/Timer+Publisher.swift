import CombineCore
import CombineDispatch
import Dispatch
import Foundation
import Synchronization

extension Timer {

  /// Returns a publisher that sends the date again and again, once it is connected.
  ///
  /// A timer on the main run loop, in the mode `default` or `common`, sends its values on the main queue where nobody
  /// runs that loop: in a program with an asynchronous `main`, or after `dispatchMain()`.
  ///
  /// ```swift
  /// let cancellable = Timer.publish(every: 1, on: .main, in: .default)
  ///   .autoconnect()
  ///   .sink { print($0) }  // prints the date each second
  /// ```
  ///
  /// - Parameters:
  ///   - interval: The time between two values, in seconds; at least 0.1 ms, whatever is passed.
  ///   - tolerance: Ignored, as in Combine; the initialiser of ``TimerPublisher`` does not ignore it.
  ///   - runLoop: The run loop on whose thread the values are sent.
  ///   - mode: The mode in which the loop has to run.
  ///   - options: This scheduler ignores them.
  /// - Returns: A publisher that never ends. A subscriber without demand misses values.
  public static func publish(
    every interval: TimeInterval,
    tolerance: TimeInterval? = nil,
    on runLoop: RunLoop,
    in mode: RunLoop.Mode,
    options: RunLoop.SchedulerOptions? = nil
  ) -> TimerPublisher {
    TimerPublisher(interval: interval, runLoop: runLoop, mode: mode, options: options)
  }

  /// A publisher that sends the date again and again, once it is connected.
  public final class TimerPublisher: ConnectablePublisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Date

    /// The kind of errors this publisher can fail with: none.
    public typealias Failure = Never

    /// The time between two values, in seconds.
    public let interval: TimeInterval

    /// How much later a value may be sent, in seconds; Foundation's timers ignore it where this package is used.
    public let tolerance: TimeInterval?

    /// The run loop on whose thread the values are sent.
    public let runLoop: RunLoop

    /// The mode in which the loop has to run.
    public let mode: RunLoop.Mode

    /// Ignored.
    public let options: RunLoop.SchedulerOptions?

    private let lock = Lock()

    @exclusivity(unchecked)  // Only with the lock held.
    private var subscriptions: [ObjectIdentifier: TimerSubscription] = [:]

    /// Creates a publisher that sends the date again and again, once it is connected.
    ///
    /// - Parameters:
    ///   - interval: The time between two values, in seconds.
    ///   - tolerance: How much later a value may be sent, in seconds.
    ///   - runLoop: The run loop on whose thread the values are sent.
    ///   - mode: The mode in which the loop has to run.
    ///   - options: This scheduler ignores them.
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

    /// Adds a subscriber, which gets the values from the next one on.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Date, S.Failure == Never {
      let subscription = TimerSubscription(to: self) { subscriber.receive($0) }
      add(subscription)
      subscriber.receive(subscription: subscription)
    }

    /// Starts a timer, which first fires an interval later; each call starts one of its own.
    ///
    /// - Returns: What stops that timer when it is cancelled, and drops all subscribers of the publisher. Releasing it
    ///   does not stop the timer.
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

    /// Sends the date to all present subscribers.
    fileprivate func tick() {
      let date = Date()
      for subscription in lock.withLock({ subscriptions }).values { subscription.offer(date) }
    }

    fileprivate func dropSubscribers() {
      for subscription in lock.withLock({ exchange(&subscriptions, with: [:]) }).values { subscription.end() }
    }
  }
}

// The subscriptions are guarded by the lock, the rest is constant; the run loop is only handed to Foundation, which
// takes a timer for it from any thread.
extension Timer.TimerPublisher: @unchecked Sendable {}

/// The subscription of one subscriber to a timer.
@usableFromInline
final class TimerSubscription: Subscription {

  /// A function that calls the downstream. It is made where the downstream's type is known.
  @usableFromInline
  typealias Deliver = (Date) -> Subscribers.Demand

  private weak var publisher: Timer.TimerPublisher?  // Constant after `init`.
  private let demand = DemandCounter()
  private let lock = Lock()

  /// Nothing once this has ended.
  @exclusivity(unchecked)  // Only with the lock held.
  private var deliver: Deliver?

  @usableFromInline
  init(to publisher: Timer.TimerPublisher, deliver: @escaping Deliver) {
    self.publisher = publisher
    self.deliver = deliver
  }

  /// Sends a date if there is demand for it. No gate: all timers of a publisher fire on the thread of its run loop, or
  /// on the main queue in its place.
  fileprivate func offer(_ date: Date) {
    guard let deliver = lock.withLock({ deliver }), demand.take() else { return }
    demand.add(deliver(date))
  }

  /// Lets the downstream go.
  ///
  /// - Returns: Whether it was still there.
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

  /// Keeps the publisher alive while the timer runs, and no longer: the timer itself is never deallocated.
  private let action: RevocableAction

  private let timer: Timer

  /// What fires where nobody runs the main run loop.
  private let mainQueueTimer: MainQueueTimer?

  private weak var publisher: Timer.TimerPublisher?

  init(_ publisher: Timer.TimerPublisher) {
    // The form without a date fires at once outside Apple's platforms, and a repeating timer with an interval that is
    // not positive fires only once.
    let interval = max(publisher.interval, RunLoop.shortestInterval)
    let action = RevocableAction { publisher.tick() }
    // The main queue is a common mode of the main run loop, as the default mode is, and others are not.
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

/// Runs an action on the main queue in intervals, while nobody runs the main run loop, whose own timer does it else.
private final class MainQueueTimer {

  private let interval: TimeInterval
  private let action: RevocableAction
  private let lock = Lock()

  @exclusivity(unchecked)  // These four: only with the lock held.
  private var alarm: MainQueueAlarm?

  /// Whether the alarm was slowed down, as the loop does the work.
  @exclusivity(unchecked)
  private var isSlow = false

  /// Whether a run on the main queue is still to come: a slow action misses runs.
  @exclusivity(unchecked)
  private var isQueued = false

  /// When the loop's timer fired last, in seconds.
  @exclusivity(unchecked)
  private var lastLoopRun = -TimeInterval.infinity

  init(interval: TimeInterval, _ action: RevocableAction) {
    self.interval = interval
    self.action = action
  }

  /// Runs the action first when the interval has passed. The alarm keeps this alive, until the cancel.
  func start() {
    let alarm = MainQueueAlarm { self.alarmFired() }
    lock.withLock { self.alarm = alarm }
    alarm.set(every: interval)
  }

  func cancel() {
    lock.withLock { exchange(&alarm, with: nil) }?.cancel()
  }

  /// On the main thread, in the main run loop.
  func loopTimerFired() {
    lock.withLock { lastLoopRun = Self.now }
  }

  private func alarmFired() {
    let isLoopRunning = MainRunLoop.isRunning
    let (isDue, newPace) = lock.withLock {
      let isDue = !isLoopRunning && !isQueued
      if isDue { isQueued = true }
      // While the loop does the work, this only watches whether it still does.
      let wasSlow = exchange(&isSlow, with: isLoopRunning && interval < Self.watchInterval)
      return (isDue, isSlow == wasSlow ? nil : alarm)
    }
    newPace?.set(every: isLoopRunning ? Self.watchInterval : interval)
    if isDue { DispatchQueue.main.async { self.run() } }
  }

  /// On the main queue.
  private func run() {
    let isCalledByLoop = MainRunLoop.isCaller
    let isDue = lock.withLock {
      isQueued = false
      // Not the run again that the loop has just made, when it is left between the two timers.
      return !isCalledByLoop && Self.now - lastLoopRun > interval / 2
    }
    if isDue { action.run() }
  }

  private static let watchInterval: TimeInterval = 0.02

  private static var now: TimeInterval { TimeInterval(DispatchTime.now().uptimeNanoseconds) / 1e9 }
}

// The alarm and the notes are guarded by the lock; the action is safe to share.
extension MainQueueTimer: @unchecked Sendable {}
