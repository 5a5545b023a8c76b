/// Reads a value again and again until it is as it should be.
///
/// An element that is not there, or not any more, counts as a value that is not right yet: pages change meanwhile.
///
/// - Parameters:
///   - what: What is waited for, in words, for the error.
///   - limit: How long at the most.
///   - read: Reads the value.
///   - isRight: Whether it is as it should be.
/// - Returns: The value that was.
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

/// Thrown when what a test waited for did not come.
struct WaitedInVain: Error, CustomStringConvertible {
  let what: String
  let limit: Duration

  /// What was there instead, at the end.
  let seen: String

  var description: String { "waited \(limit) for \(what); seen at last: \(seen)" }
}
