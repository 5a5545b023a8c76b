import Dispatch
import Foundation
import TestSupport

/// Ends the process with a report, so that it does not hang, when the guarded code makes no progress for too long.
final class Watchdog: Sendable {

  private let name: String
  private let seconds: Int
  private let progress: @Sendable () -> Int
  private let report: @Sendable ((String) -> Void) -> Void
  private let over = DispatchSemaphore(value: 0)

  /// - Parameters:
  ///   - name: The name of the guarded code.
  ///   - seconds: The maximum time without progress.
  ///   - progress: A closure that returns a number that changes with each progress.
  ///   - report: A closure that prints, line by line, all that may show what hangs. It runs while the guarded code
  ///     hangs.
  init(
    _ name: String,
    seconds: Int,
    progress: @escaping @Sendable () -> Int,
    report: @escaping @Sendable ((String) -> Void) -> Void
  ) {
    self.name = name
    self.seconds = seconds
    self.progress = progress
    self.report = report
  }

  /// Watches while `body` runs.
  func guarding(_ body: () -> Void) {
    let gone = DispatchSemaphore(value: 0)
    Thread.detachNewThread { [self] in
      watch()
      gone.signal()
    }
    body()
    over.signal()
    gone.wait()
  }

  private func watch() {
    var last = progress()
    while over.wait(timeout: .now() + .seconds(seconds)) == .timedOut {
      let current = progress()
      if current == last { bark() }
      last = current
    }
  }

  private func bark() -> Never {
    // Line by line, because an object that is described may hang as well.
    func write(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }
    write("watchdog: \(name) has made no progress for \(seconds) s. What is involved:")
    report(write)
    write("watchdog: the process ends here")
    abort()
  }
}
