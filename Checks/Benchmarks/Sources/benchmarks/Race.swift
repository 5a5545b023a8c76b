import Foundation
import Synchronization

/// A number of threads that start at the same time.
final class Race: Sendable {

  private let runners: Int
  private let ready = Atomic(0)
  private let times = Mutex<[Range<Double>]>([])
  private let end = DispatchGroup()

  init(runners: Int) {
    self.runners = runners
  }

  /// Runs `body` on a new thread as soon as all threads are ready.
  func start(_ body: @escaping @Sendable () -> Void) {
    end.enter()
    Thread.detachNewThread { [self] in
      ready.add(1, ordering: .acquiringAndReleasing)
      while ready.load(ordering: .acquiring) < runners {}
      let start = Clock.wall.now
      body()
      let time = start..<Clock.wall.now
      times.withLock { $0.append(time) }
      end.leave()
    }
  }

  /// Waits for all threads, and returns the nanoseconds from the first start to the last end.
  func waitForAll() -> Double {
    end.wait()
    return times.withLock { times in
      times.map(\.upperBound).max()! - times.map(\.lowerBound).min()!
    }
  }
}
