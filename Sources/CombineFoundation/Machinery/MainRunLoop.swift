#if canImport(Foundation) && canImport(Dispatch) && !os(WASI)
  import CombineCore
  import CombineDispatch
  import Dispatch
  import Foundation

  /// The state of the main thread: whether the main run loop or the main queue serves its work.
  ///
  /// On Apple's platforms both are one. On other platforms, a program that runs the main run loop serves both through it.
  /// A program with an asynchronous `main` serves only the main queue. So does a program that calls `dispatchMain()`,
  /// after which the main queue runs on any thread.
  enum MainRunLoop {

    /// Whether the main run loop is running, as far as another thread can see.
    static var isRunning: Bool { RunLoop.main.currentMode != nil }

    /// Whether the main run loop is calling. Read it only on the main queue.
    ///
    /// If the main queue runs on a thread other than the main one, the main thread has ended. It may have ended in the
    /// middle of its loop, which then looks as if it were running forever.
    static var isCaller: Bool { Thread.isMainThread && isRunning }
  }

  /// A repeating timer on a queue of the system, for work that the main queue may have to do.
  ///
  /// It does not use the main queue. In a program that runs the main run loop, no block must be added to that queue,
  /// because `RunLoop.run(mode:before:)` returns after each of its blocks.
  final class SystemQueueTimer {

    private let source: any DispatchSourceTimer

    /// Creates a timer that is not set.
    ///
    /// - Parameter action: A closure that is called on any thread when the timer fires.
    init(_ action: @escaping @Sendable () -> Void) {
      source = DispatchSource.makeTimerSource(queue: .global(qos: .userInteractive))
      source.schedule(deadline: .distantFuture)
      source.setEventHandler(handler: action)
      source.activate()
    }

    deinit {
      source.cancel()
    }

    /// Sets the timer to fire once after a delay in seconds. This replaces all earlier settings.
    func set(after delay: TimeInterval) {
      source.schedule(deadline: .now() + delay.clampedToDispatch)
    }

    /// Sets the timer to fire repeatedly, with an interval in seconds. This replaces all earlier settings.
    func set(every interval: TimeInterval) {
      let interval = interval.clampedToDispatch
      source.schedule(deadline: .now() + interval, repeating: interval)
    }

    /// Cancels the timer, which never fires again.
    func cancel() {
      source.cancel()
    }
  }

  // Calls to a Dispatch source are thread-safe.
  extension SystemQueueTimer: @unchecked Sendable {}

  extension TimeInterval {

    /// The interval clamped to zero at least and about three years at most. Dispatch counts nanoseconds in an integer.
    fileprivate var clampedToDispatch: TimeInterval {
      Swift.min(Swift.max(0, self), 1e8)
    }
  }
#endif
