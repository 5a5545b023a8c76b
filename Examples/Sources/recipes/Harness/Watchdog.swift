import Foundation

/// Ends the process when a recipe blocks the main thread, so that the program can never hang.
///
/// A recipe that merely waits too long is ended by its ``Timeline``, before this bites.
struct Watchdog: ~Copyable {

  private let timer: any DispatchSourceTimer

  /// Starts the time.
  ///
  /// - Parameters:
  ///   - limit: How long until the watchdog bites.
  ///   - bite: What to do then, on a thread of its own, before the process exits with a failure.
  init(limit: Duration, bite: @escaping @Sendable () -> Void) {
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "watchdog"))
    timer.schedule(deadline: .now() + .milliseconds(Int(limit / .milliseconds(1))))
    timer.setEventHandler {
      bite()
      exit(EXIT_FAILURE)
    }
    timer.resume()
    self.timer = timer
  }

  deinit {
    timer.cancel()
  }
}
