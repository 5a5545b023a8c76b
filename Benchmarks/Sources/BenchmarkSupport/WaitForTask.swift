import Dispatch

/// Runs asynchronous work in a task of its own, and waits for its end without working.
public func waitForTask(_ body: @escaping @Sendable () async -> Void) {
  let end = DispatchSemaphore(value: 0)
  Task.detached {
    await body()
    end.signal()
  }
  end.wait()
}
