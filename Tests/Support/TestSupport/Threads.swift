import Foundation
import Synchronization

/// Runs a closure on several threads at once, from a common start, and returns when all are done.
///
/// - Parameters:
///   - count: The number of threads.
///   - body: A closure that receives the number of its thread.
public func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  // These are plain threads, which the thread sanitizer follows from start to join.
  let start = StartLine(count)
  let threads = (0..<count).map { index in
    let runner = Runner {
      start.wait()
      body(index)
    }
    var thread = pthread_t()
    let status = pthread_create(
      &thread,
      nil,
      { runner in
        Unmanaged<Runner>.fromOpaque(runner!).takeRetainedValue().run()
        return nil
      },
      Unmanaged.passRetained(runner).toOpaque()
    )
    precondition(status == 0, "no thread could be started")
    return thread
  }
  for thread in threads { pthread_join(thread, nil) }
}

private final class Runner: Sendable {

  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) {
    self.run = run
  }
}

/// Where threads wait until all of them have come.
public final class StartLine: Sendable {

  private let missing: Atomic<Int>

  public init(_ count: Int) {
    missing = Atomic(count)
  }

  public func wait() {
    missing.wrappingSubtract(1, ordering: .acquiringAndReleasing)
    while missing.load(ordering: .acquiring) > 0 { sched_yield() }
  }
}
