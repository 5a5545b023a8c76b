/// Work that a thread repeats.
struct Workload: Sendable {

  var name: String

  /// A closure that does the work once, from the creation of a pipeline to its end, and returns the number of handled
  /// events.
  var run: @Sendable (inout SystemRandomNumberGenerator) -> Int
}

/// A counter of events, for one pipeline whose events come one at a time.
final class EventCounter: @unchecked Sendable {

  // The library serializes the events, and the count is read after the last event.
  var count = 0
}
