import CombineCore

/// A value behind a lock that the thread sanitizer sees into, unlike a `Mutex`.
public final class Guarded<Value>: @unchecked Sendable {

  // The value is used only while the lock is held.
  @exclusivity(unchecked)
  private var value: Value
  private let lock = Lock()

  public init(_ value: Value) {
    self.value = value
  }

  public func withLock<Result, E: Error>(_ body: (inout Value) throws(E) -> Result) throws(E) -> Result {
    try lock.withLock { () throws(E) -> Result in try body(&value) }
  }
}
