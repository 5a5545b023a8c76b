import TestSupport

/// Doors at which asynchronous closures wait until the test opens them, or until their task is cancelled.
final class AsyncDoors: Sendable {

  private struct State {
    var open: Set<Int> = []
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  }

  private let state = Guarded(State())

  /// `arrived`, `passed` and `cancelled`, each with the number of the door, in their order.
  let log = AsyncLog<String>()

  /// Waits at a door.
  func pass(_ door: Int) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOpen = state.withLock { state in
          if !state.open.contains(door) && !Task.isCancelled { state.waiting[door] = continuation }
          return state.waiting[door] == nil
        }
        log.append("arrived \(door)")
        if isOpen { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: door) }?.resume()
    }
    log.append(Task.isCancelled ? "cancelled \(door)" : "passed \(door)")
  }

  /// Opens a door, now and for those who come later.
  func open(_ door: Int) {
    state.withLock { state in
      state.open.insert(door)
      return state.waiting.removeValue(forKey: door)
    }?
    .resume()
  }
}
