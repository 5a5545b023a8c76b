import CombineCore
import Foundation
import Synchronization
import TestSupport
import Testing

/// A short program of several threads, made anew for each order in which they run.
struct ThreadedProgram {

  /// What each thread does.
  var threads: [() -> Void]

  /// Says, when all threads are done, what is wrong with what they did.
  var faults: () -> [String]
}

/// Runs a program in every order of its threads that takes at most so many preemptions.
///
/// One thread runs at a time. At each ``InterleavingPoint`` of the library, and at each ``point(_:)`` of a test, the
/// order says whether it goes on or another one does. Taking a thread off its work where it could go on is a preemption;
/// going to another because one has ended, or waits at a gate, is not. The orders are walked depth first: each differs
/// from the one before in its last choice that has an alternative left.
final class Interleavings: @unchecked Sendable {
  // Sendable: of the threads and the one that directs them one runs at a time; they take turns by signals.

  struct Outcome {

    /// How many orders were run.
    var count = 0

    /// What went wrong in the last one, and the steps that led there.
    var faults: [String] = []
    var steps: [String] = []
  }

  /// What one thread waits for and another sends, in a form that the thread sanitizer understands.
  private final class Signal {
    private let condition = NSCondition()
    private var isSent = false

    func signal() {
      condition.lock()
      isSent = true
      condition.signal()
      condition.unlock()
    }

    func wait() {
      condition.lock()
      while !isSent { condition.wait() }
      isSent = false
      condition.unlock()
    }

    /// - Returns: Whether the signal came in time.
    func wait(seconds: Double) -> Bool {
      condition.lock()
      defer { condition.unlock() }
      let end = Date(timeIntervalSinceNow: seconds)
      while !isSent { if !condition.wait(until: end) { return false } }
      isSent = false
      return true
    }
  }

  private final class Worker {
    let number: Int
    let turn = Signal()
    unowned let interleavings: Interleavings
    var body: (() -> Void)?
    var isDone = true

    /// Whether it waits for another thread to leave a gate or release a lock.
    var isWaiting = false

    /// How many locks this thread holds.
    var lockCount = 0

    init(number: Int, of interleavings: Interleavings) {
      self.number = number
      self.interleavings = interleavings
    }
  }

  private struct Choice {
    var taken: Int
    var count: Int
  }

  private let preemptionLimit: Int

  /// Whether a thread may be preempted between the steps of a gate, and sleeps there as without a test.
  private let walksThroughGates: Bool
  private let makeProgram: () -> ThreadedProgram
  private var workers: [Worker] = []
  private let allDone = Signal()
  private var choices: [Choice] = []
  private var choiceIndex = 0
  private var preemptionCount = 0
  private var steps: [String] = []
  private var lastWorker = -1
  private var deadlock: String?
  private var isOver = false

  /// - Parameters:
  ///   - preemptions: How many preemptions an order may take.
  ///   - walksThroughGates: Whether a thread may be preempted between the steps of a gate too.
  ///   - makeProgram: Makes the program, with everything that it touches.
  init(preemptions: Int, walksThroughGates: Bool = false, _ makeProgram: @escaping () -> ThreadedProgram) {
    preemptionLimit = preemptions
    self.walksThroughGates = walksThroughGates
    self.makeProgram = makeProgram
  }

  // MARK: Where a thread may be taken off its work

  private static let currentWorker: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  private static var current: Worker? {
    pthread_getspecific(currentWorker).map { Unmanaged<Worker>.fromOpaque($0).takeUnretainedValue() }
  }

  private static let watchesLibrary: Void = InterleavingPoint.watch { point in
    guard let worker = current else { return false }
    return worker.interleavings.reach(point, by: worker)
  }

  /// A point in a test, which a report of what went wrong names.
  static func point(_ name: @autoclosure () -> String) {
    guard let worker = current else { return }
    worker.interleavings.note(name(), by: worker)
    worker.interleavings.mayPreempt(worker)
  }

  /// The number of the program's thread that calls this; `nil` outside of one.
  static var thread: Int? { current?.number }

  /// - Returns: Whether it was decided here when the thread goes on.
  private func reach(_ point: InterleavingPoint, by worker: Worker) -> Bool {
    switch point {
    case .lockWillBeTaken:
      mayPreempt(worker)
      // All locks count as one: no thread that holds one waits for another.
      while worker.lockCount == 0, workers.contains(where: { $0 !== worker && $0.lockCount > 0 }) { wait(worker) }
      worker.lockCount += 1
    case .lockWasReleased:
      worker.lockCount -= 1
      if worker.lockCount == 0 { wakeAll() }
      mayPreempt(worker)
    case .gateWillBeEntered, .gateWasEntered:
      mayPreempt(worker)
    case .gateWasLeft:
      wakeAll()
      mayPreempt(worker)
    case .gateIsOccupied:
      // A gate that is tested itself finds out on its own when it is free.
      if walksThroughGates { return false }
      wait(worker)
    case .gateStep:
      if walksThroughGates { mayPreempt(worker, holdingLock: true) }
    case .threadSleeps:
      wait(worker)
    case .threadIsWoken:
      wakeAll()
      mayPreempt(worker)
    case .threadIsDirected:
      break
    case .atomicStep:
      mayPreempt(worker, holdingLock: true)
    }
    return true
  }

  private func wait(_ worker: Worker) {
    note("waits", by: worker)
    worker.isWaiting = true
    goOn(from: worker)
  }

  private func wakeAll() {
    for worker in workers { worker.isWaiting = false }
  }

  private func note(_ name: String, by worker: Worker) {
    steps.append("thread \(worker.number) | \(name)")
  }

  private func mayPreempt(_ worker: Worker, holdingLock: Bool = false) {
    guard worker.lockCount == 0 || holdingLock, preemptionCount < preemptionLimit else { return }
    let others = workers.filter { $0 !== worker && !$0.isDone && !$0.isWaiting }
    let choice = choose(others.count + 1)
    guard choice > 0 else { return }
    preemptionCount += 1
    others[choice - 1].turn.signal()
    worker.turn.wait()
  }

  /// Another thread's turn, as this one is done or cannot go on.
  private func goOn(from worker: Worker?) {
    let ready = workers.filter { !$0.isDone && !$0.isWaiting }
    if ready.isEmpty {
      if !workers.allSatisfy(\.isDone) { deadlock = "deadlock: every thread waits" }
      allDone.signal()
    } else {
      ready[choose(ready.count)].turn.signal()
    }
    if let worker, !worker.isDone { worker.turn.wait() }
  }

  /// Follows the order that is being run, and begins with the first of what is open when that ends.
  private func choose(_ count: Int) -> Int {
    guard count > 1 else { return 0 }
    if choiceIndex == choices.count { choices.append(Choice(taken: 0, count: count)) }
    let choice = choices[choiceIndex]
    precondition(choice.count == count, "the program does not do the same when it runs in the same order")
    choiceIndex += 1
    return choice.taken
  }

  // MARK: All orders

  /// Runs all orders, up to the first in which something goes wrong.
  func run() -> Outcome {
    _ = Self.watchesLibrary
    let threadCount = makeProgram().threads.count
    workers = (0..<threadCount).map { Worker(number: $0 + 1, of: self) }
    let outcome = Guarded(Outcome())
    onThreads(threadCount + 1) { [self] index in
      if index > 0 {
        work(as: workers[index - 1])
      } else {
        let result = direct()
        outcome.withLock { $0 = result }
      }
    }
    return outcome.withLock { $0 }
  }

  private func work(as worker: Worker) {
    pthread_setspecific(Self.currentWorker, Unmanaged.passUnretained(worker).toOpaque())
    while true {
      worker.turn.wait()
      guard runBody(of: worker) else { return }
      worker.isDone = true
      goOn(from: nil)
    }
  }

  /// A function of its own, so that the body is released while it is this thread's turn.
  private func runBody(of worker: Worker) -> Bool {
    guard let body = exchange(&worker.body, with: nil) else { return false }
    body()
    return true
  }

  private func direct() -> Outcome {
    var outcome = Outcome()
    repeat {
      let program = makeProgram()
      for (worker, body) in zip(workers, program.threads) {
        worker.body = body
        worker.isDone = false
        worker.isWaiting = false
        worker.lockCount = 0
      }
      choiceIndex = 0
      preemptionCount = 0
      steps = []
      goOn(from: nil)
      precondition(
        allDone.wait(seconds: 60),
        "a thread has hung outside of gates and locks after these steps:\n\(steps.joined(separator: "\n"))"
      )
      // Threads that wait for each other wait for good, and this one with them: nothing could end them.
      if let deadlock { fatalError("\(deadlock)\n\(steps.joined(separator: "\n"))") }
      outcome.count += 1
      outcome.faults = program.faults()
      withExtendedLifetime(program) {}
    } while outcome.faults.isEmpty && nextOrder()
    outcome.steps = steps
    for worker in workers { worker.turn.signal() }
    return outcome
  }

  private func nextOrder() -> Bool {
    while let last = choices.last {
      if last.taken + 1 < last.count {
        choices[choices.count - 1].taken += 1
        return true
      }
      choices.removeLast()
    }
    return false
  }
}

/// Runs a program in every order with at most so many preemptions, and reports the first, of those that take the
/// fewest, in which something goes wrong.
///
/// - Parameters:
///   - name: What the program is about, for the line that says how many orders were run.
///   - preemptions: How many preemptions an order may take.
///   - walksThroughGates: Whether a thread may be preempted between the steps of a gate too.
///   - makeProgram: Makes the program, with everything that it touches.
func expectNoFault(
  _ name: String,
  preemptions: Int = 2,
  walksThroughGates: Bool = false,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ makeProgram: @escaping () -> ThreadedProgram
) {
  let preemptions = Length.isLong ? preemptions : min(preemptions, Length.shortPreemptions)
  let all = Interleavings(preemptions: preemptions, walksThroughGates: walksThroughGates, makeProgram).run()
  print("\(name): \(all.count) orders of the threads")
  guard !all.faults.isEmpty else { return }
  let simplest = (0...preemptions).lazy.map {
    Interleavings(preemptions: $0, walksThroughGates: walksThroughGates, makeProgram).run()
  }.first { !$0.faults.isEmpty }
  Issue.record(
    """
    \(name): \((simplest ?? all).faults.joined(separator: "; "))
    \((simplest ?? all).steps.joined(separator: "\n"))
    """,
    sourceLocation: sourceLocation
  )
}

/// How far the orders are walked: as far as a test asks for where `COMBINE_LONG_TESTS` is set, as in `.ci/run`, and not
/// as far otherwise, so that the tests take seconds.
enum Length {

  static let isLong = ProcessInfo.processInfo.environment["COMBINE_LONG_TESTS"] != nil

  static let shortPreemptions = 1
}
