import Foundation

/// Polls until a condition holds, for at most a minute.
///
/// For what another thread does. What the test itself does is examined directly.
///
/// - Returns: Whether the condition holds.
public func holdsEventually(_ condition: () -> Bool) -> Bool {
  let deadline = ContinuousClock.now + .seconds(60)
  while !condition() {
    if ContinuousClock.now > deadline { return false }
    Thread.sleep(forTimeInterval: 0.000_5)
  }
  return true
}
