import CombineCore
import Foundation
import TestSupport
import Testing

/// Runs rounds of threads against new objects in each, under a watchdog, until a round shows a problem.
///
/// - Parameters:
///   - name: The name of the stress.
///   - rounds: The number of rounds.
///   - seconds: The maximum time of a round before it counts as stuck.
///   - body: A closure that runs one round. The objects that it makes must be released when it returns.
func stress(
  _ name: String,
  rounds: Int = Load.rounds,
  seconds: Int = Load.patience,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: @escaping @Sendable (Round) -> Void
) async {
  // It runs on a new thread. The concurrency runtime has few threads, which must not wait for others.
  let found = await withCheckedContinuation { (continuation: CheckedContinuation<[String], Never>) in
    Thread.detachNewThread {
      continuation.resume(returning: problems(ofStressing: name, rounds: rounds, seconds: seconds, body))
    }
  }
  for problem in found { Issue.record("\(name): \(problem)", sourceLocation: sourceLocation) }
}

/// Does the same as ``stress(_:rounds:seconds:sourceLocation:_:)``, but returns the problems of the first round that
/// has any.
func problems(ofStressing name: String, rounds: Int, seconds: Int, _ body: (Round) -> Void) -> [String] {
  let current = Guarded<Round?>(nil)
  let watchdog = Watchdog(
    name,
    seconds: seconds,
    progress: { current.withLock { $0 }?.progress ?? 0 },
    report: { write in
      write("round \(current.withLock { $0 }?.number ?? -1) of \(rounds)")
      current.withLock { $0 }?.report(write)
    }
  )
  var found: [String] = []
  watchdog.guarding {
    for number in 0..<rounds where found.isEmpty {
      found = Round.run(number, body) { round in current.withLock { $0 = round } }
    }
  }
  return found
}

/// One round of a stress.
final class Round: @unchecked Sendable {
  // Sendable: all state that threads may use at once is guarded or atomic.

  let number: Int
  let tally = Tally()

  private struct Involved {
    let name: String
    let object: () -> Any?
  }

  private let involved = Guarded<[Involved]>([])
  private let workers = Guarded<[Worker]>([])
  private let problems = Guarded<[String]>([])

  private init(number: Int) {
    self.number = number
  }

  /// Runs a round.
  ///
  /// - Parameter publish: A closure that receives the round before it begins.
  /// - Returns: The problems that it has shown.
  static func run(_ number: Int, _ body: (Round) -> Void, publish: (Round) -> Void) -> [String] {
    let round = Round(number: number)
    publish(round)
    body(round)
    return round.problems.withLock { $0 } + round.leaks()
  }

  private func leaks() -> [String] {
    let involved = involved.withLock { exchange(&$0, with: []) }
    // The queue that has run an action releases it a little later.
    for _ in 0..<2000 {
      if tally.alive == 0 && involved.allSatisfy({ $0.object() == nil }) { return [] }
      usleep(1000)
    }
    let survivors = involved.filter { $0.object() != nil }.map(\.name)
    return ["round \(number): \(tally.alive) objects leaked; \(survivors)"]
  }

  /// Records a problem.
  func note(_ problem: String) {
    problems.withLock { if $0.count < 20 { $0.append("round \(number): \(problem)") } }
  }

  /// Records a problem unless a condition holds.
  func expect(_ condition: Bool, _ problem: @autoclosure () -> String) {
    if !condition { note(problem()) }
  }

  /// Registers an object. The watchdog describes it if the round gets stuck, and the round checks that it is released.
  func involve(_ name: String, _ object: AnyObject) {
    involved.withLock { $0.append(Involved(name: name) { [weak object] in object }) }
  }

  /// Runs each of the bodies on a new thread, from a common start, and returns when all are done.
  func run(_ bodies: [@Sendable (Worker) -> Void]) {
    let workers = bodies.indices.map { Worker(index: $0, seed: number) }
    self.workers.withLock { $0 = workers }
    onThreads(bodies.count) { index in
      bodies[index](workers[index])
      workers[index].note("has ended")
    }
  }

  /// Runs one body on several threads.
  func run(threads: Int, _ body: @escaping @Sendable (Worker) -> Void) {
    run(Array(repeating: body, count: threads))
  }

  // MARK: For the watchdog

  var progress: Int {
    workers.withLock { $0.reduce(number &* 1_000_000) { $0 &+ $1.progress } }
  }

  func report(_ write: (String) -> Void) {
    for worker in workers.withLock({ $0 }) { write("  \(worker.description)") }
    for part in involved.withLock({ $0 }) {
      guard let object = part.object() else {
        write("  \(part.name): gone")
        continue
      }
      write("  \(part.name): \(String(describing: object))")
      describe(object, depth: 1, write)
    }
    write("  alive: \(tally.alive)")
  }

  private func describe(_ object: Any, depth: Int, _ write: (String) -> Void) {
    guard depth < 4 else { return }
    let indentation = String(repeating: "  ", count: depth + 1)
    for child in Mirror(reflecting: object).children.prefix(12) {
      write("\(indentation)\(child.label ?? "-"): \(String(describing: child.value).prefix(200))")
      describe(child.value, depth: depth + 1, write)
    }
  }
}
