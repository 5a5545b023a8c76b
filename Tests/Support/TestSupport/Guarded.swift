import Foundation

/// A value behind a lock that the thread sanitizer sees into, unlike a `Mutex`.
public final class Guarded<Value>: @unchecked Sendable {

  // The value is used only while the lock is held.
  @exclusivity(unchecked)
  private var value: Value
  private let lock = NSLock()

  public init(_ value: Value) {
    self.value = value
  }

  public func withLock<Result, E: Error>(_ body: (inout Value) throws(E) -> Result) throws(E) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
