import Dispatch
import Foundation
import TestSupport

/// Ends the process with a report, instead of hanging, when what it guards makes no progress for too long.
final class Watchdog: Sendable {

  private let name: String
  private let seconds: Int
  private let progress: @Sendable () -> Int
  private let report: @Sendable ((String) -> Void) -> Void
  private let over = DispatchSemaphore(value: 0)

  /// - Parameters:
  ///   - name: What is guarded.
  ///   - seconds: How long there may be no progress.
  ///   - progress: A number that changes with each progress.
  ///   - report: Prints, line by line, everything that may tell what hangs. It runs beside what hangs.
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
    // Line by line: what is asked for its state may hang as well.
    func write(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }
    write("watchdog: \(name) has made no progress for \(seconds) s. What is involved:")
    report(write)
    write("watchdog: the process ends here")
    abort()
  }
}
