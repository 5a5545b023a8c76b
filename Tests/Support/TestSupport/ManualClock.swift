/// A clock that a test moves.
public final class ManualClock: Clock, Sendable {

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

  private struct State {
    var time = Instant(.zero)
    var sleeps: [Sleep] = []
    var count = 0
  }

  private let state = Guarded(State())

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

  public var now: Instant { state.withLock { $0.time } }

  /// The instants until which tasks sleep, the earliest first.
  public var deadlines: [Instant] { state.withLock { $0.sleeps.map(\.deadline) }.sorted() }

  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    struct Failure: Error {}
    switch answer {
    case .returnAtOnce: return
    case .fail: throw Failure()
    case nil: break
    }
    let number = state.withLock {
      $0.count += 1
      return $0.count
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isOver = state.withLock {
          if deadline <= $0.time { return true }
          $0.sleeps.append(Sleep(number: number, deadline: deadline, continuation: continuation))
          return false
        }
        if isOver { continuation.resume() } else if Task.isCancelled { end(number) }
      }
    } onCancel: {
      end(number)
    }
  }

  private func end(_ number: Int) {
    let ended = state.withLock { state in
      state.sleeps.firstIndex { $0.number == number }.map { state.sleeps.remove(at: $0) }
    }
    ended?.continuation.resume(throwing: CancellationError())
  }

  /// Moves the clock, and ends the sleeps whose time has come.
  public func advance(to instant: Instant) {
    let over = state.withLock { state in
      state.time = instant
      let over = state.sleeps.filter { $0.deadline <= instant }
      state.sleeps.removeAll { $0.deadline <= instant }
      return over
    }
    for sleep in over.sorted(by: { $0.deadline < $1.deadline }) { sleep.continuation.resume() }
  }
}
