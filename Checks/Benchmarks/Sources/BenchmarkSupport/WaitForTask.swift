import Dispatch

/// Runs asynchronous work in a new task, and waits for its end without using processor time.
public func waitForTask(_ body: @escaping @Sendable () async -> Void) {
  let end = DispatchSemaphore(value: 0)
  Task.detached {
    await body()
    end.signal()
  }
  end.wait()
}
