import Combine
import Foundation

/// What happened in one recipe, and whether it was what should happen.
///
/// Events may be logged on any thread. Each must be expected: one that no `expect` has named when the recipe ends
/// is a failure, and so is one that comes later.
final class Timeline: @unchecked Sendable {  // `state` is only touched with `lock` held.

  private struct State {
    var unchecked: [String] = []
    var failures: [String] = []
    var isClosed = false
  }

  /// A recipe that waits for something longer than this has failed.
  static let limit: Duration = .seconds(8)

  private let start = ContinuousClock.now
  private let lock = NSLock()
  private var state = State()

  // MARK: Events

  /// Prints an event with the time since the recipe's start, and keeps it for the next `expect`.
  func log(_ event: String) {
    lock.withLock {
      if state.isClosed {
        state.failures.append("after the end of the recipe came: \(event)")
      } else {
        state.unchecked.append(event)
        print("  \(stamp())  \(event)")
        fflush(nil)  // So that the last event before a crash is seen too.
      }
    }
  }

  /// Logs how a publisher ended: `finished`, or `failed: ` and the error.
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

  /// Runs the main run loop for a while, to see what comes, or that nothing does.
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

  /// Checks the events since the last check: these, in this order, and no others.
  func expect(_ events: [String]) {
    let logged = takeEvents()
    expect("events", logged, events)
  }

  /// Checks the events since the last check: these and no others, in whatever order they came.
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
  ///   - expected: What should be so, in words.
  ///   - condition: Whether it is.
  ///   - actual: What was found.
  func expect(_ expected: String, _ condition: Bool, got actual: Any) {
    guard !condition else { return }
    lock.withLock { state.failures.append("expected \(expected), got \(actual)") }
  }

  // MARK: The end

  /// Ends the recipe: what has not been expected by now was not expected.
  func close() {
    lock.withLock {
      state.failures += state.unchecked.map { "unexpected: \($0)" }
      state.unchecked = []
      state.isClosed = true
    }
  }

  /// Records that the recipe could not go on.
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

/// Thrown when what a recipe waited for did not come.
struct TimedOut: Error, CustomStringConvertible {
  let what: String
  var description: String { "expected within \(Timeline.limit): \(what); it did not come" }
}

extension Error {
  /// The error in one line that is the same on every run.
  var summary: String {
    switch self {
    case let error as URLError: "URLError \(error.code.rawValue)"
    case is DecodingError: "DecodingError"
    default: "\(self)"
    }
  }
}
