import CombineDispatch
import Foundation
import TestSupport

/// Runs a function on a new thread with its own run loop, and waits for it.
///
/// - Parameter body: A closure that receives the run loop. Expectations belong after the call, on the thread of the
///   test.
/// - Returns: The result of `body`.
func onRunLoopThread<Result>(_ body: @escaping (RunLoop) -> Result) -> Result {
  let body = UncheckedSendable(body)
  let result = SharedLog<Result>()
  Thread { result.append(body.value(RunLoop.current)) }.start()
  return result.wait(for: 1, seconds: 600)[0]
}

extension RunLoop {

  /// Runs this loop, the loop of the current thread, until a condition holds or a time limit passes.
  ///
  /// Runs it pass by pass, so that the condition is checked after each tick of a timer.
  ///
  /// - Returns: Whether the condition holds.
  @discardableResult
  func run(in mode: RunLoop.Mode = .default, until isSo: () -> Bool) -> Bool {
    let deadline = Date() + 60
    while !isSo() {
      guard Date() < deadline else { return false }
      _ = run(mode: mode, before: Date())
      Thread.sleep(forTimeInterval: 0.0001)
    }
    return true
  }

  /// Runs this loop, the loop of the current thread, for a time.
  func run(in mode: RunLoop.Mode = .default, for duration: TimeInterval) {
    let deadline = Date() + duration
    run(in: mode) { Date() >= deadline }
  }
}

/// A thread that only runs its run loop, and sleeps in it while there is nothing to do.
final class SleepingRunLoop: @unchecked Sendable {

  /// Other threads use it only for calls that the tests are about.
  let runLoop: RunLoop
  let thread: Thread

  init() {
    let loops = SharedLog<RunLoop>()
    thread = Thread {
      let loop = RunLoop.current
      // An empty loop would return at once.
      loop.add(Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }, forMode: .default)
      loops.append(loop)
      _ = loop.run(mode: .default, before: Date() + 60)
    }
    thread.start()
    runLoop = loops.wait(for: 1)[0]
  }
}
