import CombineCore
import Dispatch

/// A list that threads append to and a test waits for.
public final class SharedLog<Value>: @unchecked Sendable {

  // One thread at a time uses the values.
  private let storage = Guarded<[Value]>([])
  private let appended = DispatchSemaphore(value: 0)

  public init() {}

  /// The values appended so far.
  public var values: [Value] {
    storage.withLock { $0 }
  }

  public func append(_ value: Value) {
    storage.withLock { $0.append(value) }
    appended.signal()
  }

  /// Waits for a number of values, up to a time limit. Only one thread at a time may wait.
  ///
  /// - Parameters:
  ///   - count: The number of values.
  ///   - seconds: The maximum time to wait.
  /// - Returns: The values so far.
  @discardableResult
  public func wait(for count: Int, seconds: Int = 60) -> [Value] {
    let deadline = DispatchTime.now() + .seconds(seconds)
    while values.count < count, appended.wait(timeout: deadline) == .success {}
    return values
  }
}

extension SharedLog where Value == Void {

  public func signal() {
    append(())
  }
}
