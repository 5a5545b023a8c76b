import TestSupport

/// A list that tasks append to, and that an asynchronous test waits for without blocking a thread.
final class AsyncLog<Value: Sendable>: Sendable {

  private struct State {
    var values: [Value] = []
    var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Guarded(State())

  /// The values appended so far.
  var values: [Value] { state.withLock { $0.values } }

  func append(_ value: Value) {
    let ready = state.withLock { state in
      state.values.append(value)
      let ready = state.waiting.filter { $0.count <= state.values.count }
      state.waiting.removeAll { $0.count <= state.values.count }
      return ready
    }
    for (_, continuation) in ready { continuation.resume() }
  }

  /// Waits for a number of values. The time limit of the test ends a wait for values that never come.
  ///
  /// - Returns: The first values.
  @discardableResult
  func first(_ count: Int) async -> [Value] {
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        if state.values.count < count { state.waiting.append((count, continuation)) }
        return state.values.count >= count
      }
      if isReady { continuation.resume() }
    }
    return Array(values.prefix(count))
  }
}
