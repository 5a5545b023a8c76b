import Foundation
import Synchronization

/// Threads that begin at the same time.
final class Race: Sendable {

  private let runners: Int
  private let ready = Atomic(0)
  private let times = Mutex<[Range<Double>]>([])
  private let end = DispatchGroup()

  init(runners: Int) {
    self.runners = runners
  }

  /// Runs `body` on a thread of its own as soon as all are there.
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

  /// The nanoseconds from the first one's start to the last one's end.
  func waitForAll() -> Double {
    end.wait()
    return times.withLock { times in
      times.map(\.upperBound).max()! - times.map(\.lowerBound).min()!
    }
  }
}
