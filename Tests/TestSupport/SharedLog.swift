import CombineCore
import Dispatch

/// A list that threads append to and a test waits for.
public final class SharedLog<Value>: @unchecked Sendable {

  // The values are handed to one thread at a time.
  private let storage = Guarded<[Value]>([])
  private let appended = DispatchSemaphore(value: 0)

  public init() {}

  /// What was appended so far.
  public var values: [Value] {
    storage.withLock { $0 }
  }

  public func append(_ value: Value) {
    storage.withLock { $0.append(value) }
    appended.signal()
  }

  /// Waits until there are so many values, or too long; for one waiting thread at a time.
  ///
  /// - Parameters:
  ///   - count: The number of values.
  ///   - seconds: The longest time to wait.
  /// - Returns: The values so far.
  @discardableResult
  public func wait(for count: Int, seconds: Int = 20) -> [Value] {
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
