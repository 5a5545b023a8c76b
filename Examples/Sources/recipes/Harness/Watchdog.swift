import Foundation

/// A watchdog that ends the process if a recipe blocks the main thread, so that the program never hangs.
///
/// A recipe that merely waits too long is ended earlier, by its ``Timeline``.
struct Watchdog: ~Copyable {

  private let timer: any DispatchSourceTimer

  /// Starts the timer.
  ///
  /// - Parameters:
  ///   - limit: The interval after which the watchdog acts.
  ///   - bite: A closure that it then calls on a separate thread, before the process exits with a failure.
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
