import CombineThreads

/// A clock that a test moves.
public final class ManualClock: Clock, @unchecked Sendable {  // The lock guards what may change.

  public struct Instant: InstantProtocol {

    public let offset: Duration

    public init(_ offset: Duration) { self.offset = offset }

    public func advanced(by duration: Duration) -> Self { Self(offset + duration) }

    public func duration(to other: Self) -> Duration { other.offset - offset }

    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.offset < rhs.offset }
  }

  private struct Sleep {
    let number: Int
    let deadline: Instant
    let continuation: CheckedContinuation<Void, any Error>
  }

  private let lock = Lock()

  @exclusivity(unchecked)  // These three: only with the lock held.
  private var time = Instant(.zero)

  @exclusivity(unchecked)
  private var sleeps: [Sleep] = []

  @exclusivity(unchecked)
  private var count = 0

  public let minimumResolution: Duration

  /// What the next sleep does instead of sleeping.
  public enum Answer: Sendable {
    case returnAtOnce, fail
  }

  private let answer: Answer?

  public init(minimumResolution: Duration = .nanoseconds(1), answer: Answer? = nil) {
    self.minimumResolution = minimumResolution
    self.answer = answer
  }

  public var now: Instant { lock.withLock { time } }

  /// The instants until which tasks sleep, the earliest first.
  public var deadlines: [Instant] { lock.withLock { sleeps.map(\.deadline) }.sorted() }

  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    struct Failure: Error {}
    switch answer {
    case .returnAtOnce: return
    case .fail: throw Failure()
    case nil: break
    }
    let number = lock.withLock {
      count += 1
      return count
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isOver = lock.withLock {
          if deadline <= time { return true }
          sleeps.append(Sleep(number: number, deadline: deadline, continuation: continuation))
          return false
        }
        if isOver { continuation.resume() } else if Task.isCancelled { end(number) }
      }
    } onCancel: {
      end(number)
    }
  }

  private func end(_ number: Int) {
    let ended = lock.withLock { () -> Sleep? in
      sleeps.firstIndex { $0.number == number }.map { sleeps.remove(at: $0) }
    }
    ended?.continuation.resume(throwing: CancellationError())
  }

  /// Moves the clock, and ends the sleeps whose time has come.
  public func advance(to instant: Instant) {
    let over = lock.withLock {
      time = instant
      let over = sleeps.filter { $0.deadline <= instant }
      sleeps.removeAll { $0.deadline <= instant }
      return over
    }
    for sleep in over.sorted(by: { $0.deadline < $1.deadline }) { sleep.continuation.resume() }
  }
}
