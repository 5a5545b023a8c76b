/// Something that a thread does again and again.
struct Workload: Sendable {

  var name: String

  /// Does it once, from the making of a pipeline to its end, and returns how many events it handled.
  var run: @Sendable (inout SystemRandomNumberGenerator) -> Int
}

/// Counts events. For one pipeline whose events come one at a time.
final class EventCounter: @unchecked Sendable {

  // Whoever uses it has its events serialised by the library, and reads when they are over.
  var count = 0
}
