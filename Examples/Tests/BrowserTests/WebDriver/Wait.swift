/// Reads a value repeatedly until it is right.
///
/// An element that does not exist counts as a value that is not right yet, because pages change meanwhile.
///
/// - Parameters:
///   - what: A description of the awaited value, for the error.
///   - limit: The maximum time to wait.
///   - read: A closure that reads the value.
///   - isRight: A closure that returns whether the value is right.
/// - Returns: The value that was right.
@discardableResult
func wait<Value>(
  for what: String,
  within limit: Duration = .seconds(10),
  isolation: isolated (any Actor)? = #isolation,
  read: () async throws -> Value,
  until isRight: (Value) throws -> Bool
) async throws -> Value {
  let end = ContinuousClock.now + limit
  while true {
    let seen: String
    do {
      let value = try await read()
      if try isRight(value) { return value }
      seen = "\(value)"
    } catch let error as WebDriverError where ["no such element", "stale element reference"].contains(error.kind) {
      seen = error.kind
    }
    guard ContinuousClock.now < end else { throw WaitedInVain(what: what, limit: limit, seen: seen) }
    try await Task.sleep(for: .milliseconds(20))
  }
}

/// An error: a value that a test waited for did not appear.
struct WaitedInVain: Error, CustomStringConvertible {
  let what: String
  let limit: Duration

  /// The last value read instead.
  let seen: String

  var description: String { "waited \(limit) for \(what); seen at last: \(seen)" }
}
