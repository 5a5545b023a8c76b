#if NIO
  import CombineThreads
  import CombineDispatch
  import NIOCore

  /// An action that an event loop runs repeatedly.
  ///
  /// SwiftNIO's own repeated task counts each interval from the end of the last run, so that its dates drift.
  // Sendable: the lock guards the callback, and only the loop uses the date after the first callback is scheduled.
  final class EventLoopRepetition: NIOScheduledCallbackHandler, Cancellable, @unchecked Sendable {

    private let action: RevocableAction
    private let interval: TimeAmount
    private let lock = Lock()

    @exclusivity(unchecked)  // The loop's callback alone uses it, one call after another.
    private var date: NIODeadline

    @exclusivity(unchecked)  // Only with the lock held.
    private var callback: NIOScheduledCallback?

    init(date: NIODeadline, interval: TimeAmount, _ action: @escaping () -> Void) {
      self.date = date
      self.interval = interval
      self.action = RevocableAction(action)
    }

    func schedule(on eventLoop: any EventLoop) {
      guard let next = try? eventLoop.scheduleCallback(at: date, handler: self) else { return action.cancel() }
      // The callback may have run meanwhile, on the loop's thread, and have stored its successor. That one stays. A
      // callback that has run can be cancelled without effect.
      lock.withLock { if callback == nil { callback = next } }
      if !action.isPresent { cancel() }
    }

    func handleScheduledCallback(eventLoop: some EventLoop) {
      action.run()
      guard action.isPresent else { return }
      date = Self.date(after: date, interval: interval, now: eventLoop.now)
      guard let next = try? eventLoop.scheduleCallback(at: date, handler: self) else { return action.cancel() }
      lock.withLock { callback = next }
      if !action.isPresent { cancel() }
    }

    func didCancelScheduledCallback(eventLoop: some EventLoop) {
      action.cancel()
    }

    func cancel() {
      action.cancel()
      lock.withLock { exchange(&callback, with: nil) }?.cancel()
    }

    /// The first date after now that is a multiple of the interval after a date, but not that date.
    static func date(after date: NIODeadline, interval: TimeAmount, now: NIODeadline) -> NIODeadline {
      let step = max(1, interval.nanoseconds)
      let missed = max(0, (now - date).nanoseconds) / step
      // No overflow: with a missed date the product is at most the time since `date`, and the sum is capped.
      return date + .nanoseconds(missed * step) + .nanoseconds(step)
    }
  }
#endif
