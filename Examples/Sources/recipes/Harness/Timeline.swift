import Combine
import Foundation

/// The events of one recipe, and the checks whether they are the expected ones.
///
/// Events may be logged on any thread. Each event must be expected. An event that no `expect` has named when the recipe
/// ends is a failure, and so is a later event.
final class Timeline: @unchecked Sendable {  // `state` is accessed only with `lock` held.

  private struct State {
    var unchecked: [String] = []
    var failures: [String] = []
    var isClosed = false
  }

  /// The maximum time for which a recipe may wait for an event.
  static let limit: Duration = .seconds(8)

  private let start = ContinuousClock.now
  private let lock = NSLock()
  private var state = State()

  // MARK: Events

  /// Prints an event with the time since the recipe's start, and records it for the next `expect`.
  func log(_ event: String) {
    lock.withLock {
      if state.isClosed {
        state.failures.append("after the end of the recipe came: \(event)")
      } else {
        state.unchecked.append(event)
        print("  \(stamp())  \(event)")
        fflush(nil)  // So that the last event before a crash is visible too.
      }
    }
  }

  /// Logs the completion of a publisher: `finished`, or `failed: ` and the error.
  func log(_ completion: Subscribers.Completion<some Error>) {
    switch completion {
    case .finished: log("finished")
    case .failure(let error): log("failed: \(error.summary)")
    }
  }

  // MARK: Waiting

  /// Runs the main run loop until an event has been logged.
  func wait(for event: String) throws {
    try wait(for: event, until: lock.withLock { state.unchecked.contains(event) })
  }

  /// Runs the main run loop until a condition holds.
  func wait(for what: String, until condition: @autoclosure () -> Bool) throws {
    while !condition() {
      guard start.duration(to: .now) < Self.limit else { throw TimedOut(what: what) }
      turnRunLoop()
    }
  }

  /// Runs the main run loop for a while, to see which events arrive, or that none does.
  func pause(_ duration: Duration) {
    let end = ContinuousClock.now + duration
    while ContinuousClock.now < end { turnRunLoop() }
  }

  private func turnRunLoop() {
    if !RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.002)) {
      Thread.sleep(forTimeInterval: 0.001)
    }
  }

  // MARK: Checks

  /// Checks that the events since the last check are these, in this order.
  func expect(_ events: [String]) {
    let logged = takeEvents()
    expect("events", logged, events)
  }

  /// Checks that the events since the last check are these, in any order.
  func expect(inAnyOrder events: [String]) {
    let logged = takeEvents()
    expect("events, sorted", logged.sorted(), events.sorted())
  }

  /// Checks a value.
  func expect<Value: Equatable>(_ what: String, _ actual: Value, _ expected: Value) {
    guard actual != expected else { return }
    lock.withLock { state.failures.append("\(what): expected \(expected), got \(actual)") }
  }

  /// Checks a condition.
  ///
  /// - Parameters:
  ///   - expected: A description of the expected result.
  ///   - condition: Whether the expectation is met.
  ///   - actual: The actual result.
  func expect(_ expected: String, _ condition: Bool, got actual: Any) {
    guard !condition else { return }
    lock.withLock { state.failures.append("expected \(expected), got \(actual)") }
  }

  // MARK: The end

  /// Ends the recipe. Events that no check has named by now are failures.
  func close() {
    lock.withLock {
      state.failures += state.unchecked.map { "unexpected: \($0)" }
      state.unchecked = []
      state.isClosed = true
    }
  }

  /// Records that the recipe could not continue.
  func fail(_ error: any Error) {
    lock.withLock { state.failures.append(error.summary) }
  }

  var failures: [String] {
    lock.withLock { state.failures }
  }

  private func takeEvents() -> [String] {
    lock.withLock {
      defer { state.unchecked = [] }
      return state.unchecked
    }
  }

  private func stamp() -> String {
    let milliseconds = Int(start.duration(to: .now) / .milliseconds(1))
    return String(repeating: " ", count: max(0, 5 - String(milliseconds).count)) + "\(milliseconds) ms"
  }
}

/// An error that is thrown if an event or a condition does not occur in time.
struct TimedOut: Error, CustomStringConvertible {
  let what: String
  var description: String { "expected within \(Timeline.limit): \(what); it did not come" }
}

extension Error {
  /// A description of the error in one line, which is the same in every run.
  var summary: String {
    switch self {
    case let error as URLError: "URLError \(error.code.rawValue)"
    case is DecodingError: "DecodingError"
    default: "\(self)"
    }
  }
}
