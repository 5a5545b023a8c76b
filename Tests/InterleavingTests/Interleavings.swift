import CombineCore
import CombineThreads
import Foundation
import Synchronization
import TestSupport
import Testing

/// A short program of several threads, made anew for each order in which they run.
struct ThreadedProgram {

  /// The code of each thread.
  var threads: [() -> Void]

  /// Returns the faults of the threads, after all threads are done.
  var faults: () -> [String]
}

/// Runs a program in every order of its threads that has at most a number of preemptions.
///
/// One thread runs at a time. At each ``InterleavingPoint`` of the library, and at each ``point(_:)`` of a test, the
/// order decides which thread continues. A preemption stops a thread that could continue. A switch from a thread that
/// has ended or waits at a gate is not a preemption. The orders are walked depth first: each differs from the previous
/// one in the last choice that has an alternative left.
final class Interleavings: @unchecked Sendable {
  // Sendable: one of the threads and their director runs at a time. They take turns by signals.

  struct Outcome {

    /// The number of orders that were run.
    var count = 0

    /// The faults of the last order, and the steps that led to them.
    var faults: [String] = []
    var steps: [String] = []
  }

  /// A signal that one thread sends and another awaits, in a form that the thread sanitizer understands.
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

    /// - Returns: Whether the signal arrived in time.
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

    /// Whether the thread waits for another thread to leave a gate or release a lock.
    var isWaiting = false

    /// The number of locks that this thread holds.
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

  /// Whether a thread may be preempted between the steps of a gate, and sleeps there as outside of tests.
  private let walksThroughGates: Bool
  private let makeProgram: () -> ThreadedProgram
  private var workers: [Worker] = []
  private let allDone = Signal()
  private var choices: [Choice] = []
  private var choiceIndex = 0
  private var preemptionCount = 0
  private var steps: [String] = []
  private var deadlock: String?
  private var isOver = false

  /// - Parameters:
  ///   - preemptions: The maximum number of preemptions of an order.
  ///   - walksThroughGates: Whether a thread may be preempted between the steps of a gate too.
  ///   - makeProgram: A closure that makes the program, with every object that it uses.
  init(preemptions: Int, walksThroughGates: Bool = false, _ makeProgram: @escaping () -> ThreadedProgram) {
    preemptionLimit = preemptions
    self.walksThroughGates = walksThroughGates
    self.makeProgram = makeProgram
  }

  // MARK: Points of preemption

  private static let currentWorker: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  private static var current: Worker? {
    pthread_getspecific(currentWorker).map { Unmanaged<Worker>.fromOpaque($0).takeUnretainedValue() }
  }

  private static let watchesLibrary: Void = {
    InterleavingPoint.watch { point in
      guard let worker = current else { return false }
      return worker.interleavings.reach(point, by: worker)
    }
  }()

  /// A point in a test, named in the report of a fault.
  static func point(_ name: @autoclosure () -> String) {
    guard let worker = current else { return }
    worker.interleavings.note(name(), by: worker)
    worker.interleavings.mayPreempt(worker)
  }

  /// The number of the program's thread that calls this, or `nil` outside of one.
  static var thread: Int? { current?.number }

  /// - Returns: Whether the director decided when the thread continues.
  private func reach(_ point: InterleavingPoint, by worker: Worker) -> Bool {
    switch point {
    case .lockWillBeTaken:
      mayPreempt(worker)
      // All locks count as one: no thread that holds a lock waits for another thread.
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
      // A gate under test detects when it is free.
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

  /// Passes the turn to another thread, because this one is done or cannot continue.
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

  /// Follows the current order. After its end, takes the first of the open choices.
  private func choose(_ count: Int) -> Int {
    guard count > 1 else { return 0 }
    if choiceIndex == choices.count { choices.append(Choice(taken: 0, count: count)) }
    let choice = choices[choiceIndex]
    precondition(choice.count == count, "the program does not do the same when it runs in the same order")
    choiceIndex += 1
    return choice.taken
  }

  // MARK: All orders

  /// Runs all orders, up to the first with a fault.
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

  /// A separate function, so that the body is released while it is this thread's turn.
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
      // Deadlocked threads wait forever, and so does this one. Nothing could end them.
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

/// Runs a program in every order with a maximum number of preemptions, and reports the first fault.
///
/// It reports the order that has a fault with the fewest preemptions.
///
/// - Parameters:
///   - name: The name of the program, for the line that reports the number of orders.
///   - preemptions: The maximum number of preemptions of an order.
///   - walksThroughGates: Whether a thread may be preempted between the steps of a gate too.
///   - makeProgram: A closure that makes the program, with every object that it uses.
func expectNoFault(
  _ name: String,
  preemptions: Int = 2,
  walksThroughGates: Bool = false,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ makeProgram: @escaping () -> ThreadedProgram
) {
  let preemptions = Length.isLong ? preemptions : min(preemptions, Length.shortPreemptions)
  let all = Interleavings(preemptions: preemptions, walksThroughGates: walksThroughGates, makeProgram).run()
  Length.report("\(name): \(all.count) orders of the threads")
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

/// How far the orders of threads, and the sequences of events, are walked. With `COMBINE_LONG_TESTS`, as in
/// `.ci/run nightly`, each test walks its full depth. Otherwise it walks less, so that the tests take seconds.
enum Length {

  static let isLong = LongRuns.areEnabled

  static let shortPreemptions = 1

  static let shortSequenceCount = 10_000

  /// Prints how much a long run has walked through.
  static func report(_ line: String) {
    if isLong { print(line) }
  }
}
