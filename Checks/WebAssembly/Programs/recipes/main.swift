import Combine

// The harness of the recipes without Foundation: it cannot wait.

protocol Recipe {
  var number: Int { get }
  var title: String { get }

  func run(_ timeline: Timeline, _ server: Server) throws
}

/// The recipes here ask no server.
struct Server {}

final class Timeline {

  private var unchecked: [String] = []
  private(set) var failures: [String] = []

  func log(_ event: String) {
    print("  \(event)")
    unchecked.append(event)
  }

  func log(_ completion: Subscribers.Completion<some Error>) {
    switch completion {
    case .finished: log("finished")
    case .failure(let error): log("failed: \(error)")
    }
  }

  func expect(_ events: [String]) { expect("events", takeEvents(), events) }

  func expect(inAnyOrder events: [String]) { expect("events, sorted", takeEvents().sorted(), events.sorted()) }

  func expect<Value: Equatable>(_ what: String, _ actual: Value, _ expected: Value) {
    if actual != expected { failures.append("\(what): expected \(expected), got \(actual)") }
  }

  func expect(_ expected: String, _ condition: Bool, got actual: Any) {
    if !condition { failures.append("expected \(expected), got \(actual)") }
  }

  private func takeEvents() -> [String] {
    defer { unchecked = [] }
    return unchecked
  }
}

/// The stages of a recipe's page, of which there is none here.
struct Stages {
  static let none = Stages()
}

extension Publisher {
  func stage(_ name: String, in stages: Stages, label: (Output) -> String = { "\($0)" }) -> Self { self }
}

let recipes: [any Recipe] = [
  SubscribeWithSink(), FormValidation(), TestingASubscriber(), TestingInVirtualTime(), PropertyAsPublisher(),
]
var succeeded = 0
for recipe in recipes {
  print("\(recipe.number). \(recipe.title)")
  let timeline = Timeline()
  do { try recipe.run(timeline, Server()) } catch { timeline.expect("no error", false, got: error) }
  for failure in timeline.failures { print("  FAILED: \(failure)") }
  if timeline.failures.isEmpty { succeeded += 1 }
}
print("recipes: \(succeeded)/\(recipes.count) ok")
