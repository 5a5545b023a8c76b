import CombineCore
import CombineDispatch
import Dispatch
import Foundation

/// Which of the two serves the main thread's work at the moment: the main run loop or the main queue.
///
/// On Apple's systems they are one. Here a program that runs the main run loop serves both by it. A program with an
/// asynchronous `main`, or one that calls `dispatchMain()`, serves the main queue only, and from then on on any thread.
enum MainRunLoop {

  /// Whether somebody is inside the main run loop, as far as another thread can see.
  static var isRunning: Bool { RunLoop.main.currentMode != nil }

  /// Whether the main run loop is what calls; to be asked on the main queue only.
  ///
  /// A thread other than the main one is called by the main queue: the main thread is gone then, perhaps out of the
  /// middle of its loop, which would look as if it were running for ever.
  static var isCaller: Bool { Thread.isMainThread && isRunning }
}

/// Fires again and again, on a queue of the system, for what the main queue may have to do.
///
/// Not on the main queue itself: in a program that runs the main run loop nothing is to be added to that queue, as
/// `RunLoop.run(mode:before:)` returns after each of its blocks.
final class MainQueueAlarm {

  private let source: any DispatchSourceTimer

  /// Creates an alarm that is not set.
  ///
  /// - Parameter action: What to call when the alarm fires, on any thread.
  init(_ action: @escaping @Sendable () -> Void) {
    source = DispatchSource.makeTimerSource(queue: .global(qos: .userInteractive))
    source.schedule(deadline: .distantFuture)
    source.setEventHandler(handler: action)
    source.activate()
  }

  deinit {
    source.cancel()
  }

  /// Fires once, after a delay in seconds, in place of all that was set before.
  func set(after delay: TimeInterval) {
    source.schedule(deadline: .now() + delay.clampedToDispatch)
  }

  /// Fires after an interval in seconds, and then again and again, in place of all that was set before.
  func set(every interval: TimeInterval) {
    let interval = interval.clampedToDispatch
    source.schedule(deadline: .now() + interval, repeating: interval)
  }

  /// Never fires again.
  func cancel() {
    source.cancel()
  }
}

// Dispatch takes calls to a source from any thread.
extension MainQueueAlarm: @unchecked Sendable {}

extension TimeInterval {

  /// At least nothing, and at most three years: Dispatch counts nanoseconds in an integer.
  fileprivate var clampedToDispatch: TimeInterval {
    Swift.min(Swift.max(0, self), 1e8)
  }
}
