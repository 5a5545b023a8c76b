import CombineDispatch
import Foundation
import TestSupport

/// Runs a function on a thread of its own, which has a run loop of its own, and waits for it.
///
/// - Parameter body: What to run, given the run loop; expectations belong after it, on the thread of the test.
/// - Returns: What `body` returned.
func onRunLoopThread<Result>(_ body: @escaping (RunLoop) -> Result) -> Result {
  let body = UncheckedSendable(body)
  let result = SharedLog<Result>()
  Thread { result.append(body.value(RunLoop.current)) }.start()
  return result.wait(for: 1, seconds: 120)[0]
}

extension RunLoop {

  /// Runs this loop, that of the current thread, until something is so, or too long.
  ///
  /// Pass by pass, so that it is looked at after each tick of a timer.
  ///
  /// - Returns: Whether it is so.
  @discardableResult
  func run(in mode: RunLoop.Mode = .default, until isSo: () -> Bool) -> Bool {
    let deadline = Date() + 20
    while !isSo() {
      guard Date() < deadline else { return false }
      _ = run(mode: mode, before: Date())
      Thread.sleep(forTimeInterval: 0.0001)
    }
    return true
  }

  /// Runs this loop, that of the current thread, for a time.
  func run(in mode: RunLoop.Mode = .default, for duration: TimeInterval) {
    let deadline = Date() + duration
    run(in: mode) { Date() >= deadline }
  }
}

/// A thread that only runs its run loop, and sleeps in it while there is nothing to do.
final class SleepingRunLoop: @unchecked Sendable {

  /// Used from other threads only for what the tests are about.
  let runLoop: RunLoop
  let thread: Thread

  init() {
    let loops = SharedLog<RunLoop>()
    thread = Thread {
      let loop = RunLoop.current
      // Without anything in it the loop would return at once.
      loop.add(Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }, forMode: .default)
      loops.append(loop)
      _ = loop.run(mode: .default, before: Date() + 60)
    }
    thread.start()
    runLoop = loops.wait(for: 1)[0]
  }
}
