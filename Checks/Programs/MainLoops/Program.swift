import Combine
import Dispatch
import Foundation
import TestSupport

/// A way to serve the main thread, and the expected behaviour.
enum Program: String, CaseIterable {

  /// The main queue alone: actions run once, in order, on the main queue, and are released.
  case queueRunsActions

  /// The main queue alone: a timer ticks in the default and the common modes, and in no other.
  case queueRunsTimers

  /// The main queue alone: a timer whose action is too slow skips ticks.
  case queueSkipsTicks

  /// The main queue alone: an action that is cancelled before its time does not run and is released.
  case queueForgetsWhatIsCancelled

  /// The main queue alone: the operators that schedule delayed actions.
  case queueServesOperators

  /// The main run loop: every action runs in the loop's own turn. A nested loop serves the main queue there.
  case loopRunsActions

  /// The main run loop, a single pass, with actions scheduled before: the pass runs all of them.
  case loopOfOnePass

  /// The main run loop: no tick is repeated.
  case loopRunsTimers

  /// The main run loop in another mode runs nothing, and neither does the main queue.
  case loopInAnotherModeRunsNothing

  /// First the loop, which stops in the middle of the actions, and then the queue: each action runs once, in order.
  case loopThenQueue

  /// First the loop and then the queue: a timer continues, and no tick is repeated.
  case timerFromLoopToQueue

  func start() {
    switch self {
    case .queueRunsActions: Self.startActions(of: 3000, afterwards: {})
    case .queueRunsTimers: Self.startTimers()
    case .queueSkipsTicks: Self.startSlowTimer()
    case .queueForgetsWhatIsCancelled: Self.startCancelled()
    case .queueServesOperators: Self.startOperators()
    case .loopRunsActions: Self.runActionsInLoop()
    case .loopOfOnePass: Self.runOnePass()
    case .loopRunsTimers: Self.runTimersInLoop()
    case .loopInAnotherModeRunsNothing: Self.runLoopInAnotherMode()
    case .loopThenQueue:
      // The loop stops after a few actions, with its wake-up signal sent or not.
      Self.startActions(of: 3000) { RunLoop.main.run(until: Date() + 0.02) }
    case .timerFromLoopToQueue: Self.moveTimer()
    }
  }
}

private final class Payload: Sendable {}

extension Program {

  // MARK: The main queue

  /// Three threads schedule actions in order: immediate ones, delayed ones, and both together.
  private static func startActions(of count: Int, afterwards: () -> Void) {
    let log = SharedLog<(thread: Int, number: Int)>()
    let released = Released()
    for thread in 0..<3 {
      Thread {
        for number in 0..<count {
          let payload = released.payload()
          let action = {
            withExtendedLifetime(payload) {
              dispatchPrecondition(condition: .onQueue(.main))
              log.append((thread, number))
            }
          }
          let loop = RunLoop.main
          switch thread {
          case 0: loop.schedule(action)
          case 1: loop.schedule(after: loop.now, action)
          default: loop.schedule(after: .init(Date() + 0.001), action)
          }
          if number % 100 == 0 { Thread.sleep(forTimeInterval: 0.001) }
        }
      }.start()
    }
    afterwards()
    finish(when: { log.values.count >= 3 * count && released.areAll }) {
      let values = log.values
      var failures: [String] = []
      if values.count != 3 * count { failures.append("\(values.count) actions of \(3 * count)") }
      for thread in 0..<3 {
        let numbers = values.filter { $0.thread == thread }.map(\.number)
        if Set(numbers).count != numbers.count { failures.append("an action of thread \(thread) ran twice") }
        if numbers != numbers.sorted() { failures.append("actions of thread \(thread) out of order") }
      }
      if !released.areAll { failures.append("actions that ran are kept") }
      return failures
    }
  }

  private static func startTimers() {
    let start = Date()
    let log = SharedLog<String>()
    let dates = SharedLog<Date>()
    let modes: [(String, RunLoop.Mode)] = [
      ("default", .default), ("common", .common), ("other", RunLoop.Mode("other")),
    ]
    let timers = modes.map { name, mode in
      Timer.publish(every: 0.02, on: .main, in: mode).autoconnect().sink { date in
        dispatchPrecondition(condition: .onQueue(.main))
        log.append(name)
        if name == "default" { dates.append(date) }
      }
    }
    let repetition = RunLoop.main.schedule(after: .init(start), interval: 0.02) { log.append("repetition") }
    let tokens = UncheckedBox(([repetition] as [any Cancellable]) + timers)
    finish(when: { dates.values.count >= 10 }) {
      for token in tokens.value { token.cancel() }
      var failures: [String] = []
      let values = log.values
      func count(_ name: String) -> Int { values.filter { $0 == name }.count }
      let span = Date().timeIntervalSince(start)
      // The grid has this many places, which limits the number of ticks.
      let places = Int(span / 0.02) + 1
      for name in ["default", "common", "repetition"] where !(8...places + 1).contains(count(name)) {
        failures.append("\(count(name)) of \(name) in \(span) s")
      }
      if count("other") > 0 { failures.append("a timer ticked in a mode that nothing runs in") }
      for (index, date) in dates.values.enumerated() where date < start + 0.02 * Double(index + 1) - 0.001 {
        failures.append("tick \(index) came too early: \(date.timeIntervalSince(start))")
      }
      let before = log.values.count
      Thread.sleep(forTimeInterval: 0.1)
      // One tick of each timer may have been scheduled already.
      if log.values.count > before + 3 { failures.append("ticks after the cancel") }
      return failures
    }
  }

  private static func startSlowTimer() {
    let dates = SharedLog<Date>()
    let start = Date()
    let timer = UncheckedBox(
      Timer.publish(every: 0.01, on: .main, in: .common).autoconnect().sink { _ in
        dates.append(Date())
        if dates.values.count == 1 { Thread.sleep(forTimeInterval: 0.2) }
      }
    )
    finish(when: { dates.values.count >= 5 }) {
      timer.value.cancel()
      let values = dates.values
      guard values.count >= 5 else { return ["\(values.count) ticks"] }
      // No burst makes up for the missed ticks: after the pause, at most one is overdue, and the others take whole
      // intervals. Measured from before the pause, so that a busy machine can only make it longer.
      let span = values[4].timeIntervalSince(values[0])
      return span >= 0.2 + 0.015 ? [] : ["a burst of ticks: \(values.map { $0.timeIntervalSince(start) })"]
    }
  }

  private static func startCancelled() {
    let log = SharedLog<String>()
    let released = Released()
    let loop = RunLoop.main
    // The main queue runs nothing during an action, so all are overdue when they are cancelled.
    loop.schedule {
      let repetitions = (0..<10).map { _ in
        let payload = released.payload()
        return loop.schedule(after: .init(Date() + 0.01), interval: 0.01) {
          withExtendedLifetime(payload) { log.append("repetition") }
        }
      }
      let timers = (0..<10).map { _ in
        let payload = released.payload()
        return Timer.publish(every: 0.01, on: .main, in: .common).autoconnect().sink { _ in
          withExtendedLifetime(payload) { log.append("timer") }
        }
      }
      Thread.sleep(forTimeInterval: 0.04)
      for token in repetitions { token.cancel() }
      for token in timers { token.cancel() }
      log.append("cancel")
    }
    loop.schedule(after: .init(Date() + 0.1)) { log.append("end") }
    finish(when: { log.values.contains("end") && released.areAll }) {
      var failures: [String] = []
      if log.values != ["cancel", "end"] { failures.append("\(log.values)") }
      if !released.areAll { failures.append("cancelled actions are kept") }
      return failures
    }
  }

  private static func startOperators() {
    let log = SharedLog<String>()
    let subject = PassthroughSubject<Int, Never>()
    let loop = RunLoop.main
    let pipelines: [AnyCancellable] = [
      subject.receive(on: loop).sink { log.append("received \($0)") },
      subject.delay(for: .milliseconds(10), scheduler: loop).sink { log.append("delayed \($0)") },
      subject.debounce(for: .milliseconds(10), scheduler: loop).sink { log.append("debounced \($0)") },
      subject.throttle(for: .milliseconds(10), scheduler: loop, latest: true).sink { log.append("throttled \($0)") },
      subject.timeout(.milliseconds(300), scheduler: loop)
        .sink(receiveCompletion: { _ in log.append("timed out") }, receiveValue: { _ in }),
    ]
    let kept = UncheckedBox(pipelines)
    // The loop runs the subscribing first.
    loop.schedule {
      subject.send(1)
      subject.send(2)
    }
    finish(when: { log.values.contains("timed out") }) {
      for pipeline in kept.value { pipeline.cancel() }
      let expected: Set = [
        "received 1", "received 2", "delayed 1", "delayed 2", "debounced 2", "throttled 2", "timed out",
      ]
      let values = log.values
      return Set(values) == expected && values.count == expected.count ? [] : ["\(values)"]
    }
  }

  // MARK: The main run loop

  private static func runActionsInLoop() {
    let log = SharedLog<String>()
    let loop = RunLoop.main
    func place() -> String { Thread.isMainThread && loop.currentMode != nil ? "in the loop" : "elsewhere" }
    loop.schedule { log.append("first \(place())") }
    loop.schedule {
      let served = SharedLog<Void>()
      DispatchQueue.main.async { served.signal() }
      loop.schedule { log.append("nested \(place())") }
      runMainLoop { !served.values.isEmpty && log.values.contains { $0.hasPrefix("nested") } }
      log.append("the main queue is \(served.values.isEmpty ? "not served" : "served") in a nested loop")
    }
    loop.schedule(after: .init(Date() + 0.05)) { log.append("later \(place())") }
    Thread {
      Thread.sleep(forTimeInterval: 0.02)
      for number in 0..<1000 { RunLoop.main.schedule { if number % 250 == 0 { log.append("thread \(number)") } } }
    }.start()
    runMainLoop { log.values.count >= 8 }
    // Pending actions of the queue get their chance to run a second time.
    RunLoop.main.run(until: Date() + 0.05)
    let values = log.values
    let expected: Set = [
      "first in the loop", "nested in the loop", "the main queue is served in a nested loop",
      "thread 0", "thread 250", "thread 500", "thread 750", "later in the loop",
    ]
    // How far the nested loop gets depends on timing.
    let isInOrder =
      values.first == "first in the loop"
      && values.filter { $0.hasPrefix("thread") } == ["thread 0", "thread 250", "thread 500", "thread 750"]
    finish(Set(values) == expected && values.count == expected.count && isInOrder ? [] : ["\(values)"])
  }

  private static func runOnePass() {
    let log = SharedLog<Int>()
    for number in 0..<5 { RunLoop.main.schedule { log.append(number) } }
    _ = RunLoop.main.run(mode: .default, before: Date() + 1)
    finish(log.values == [0, 1, 2, 3, 4] ? [] : ["\(log.values)"])
  }

  private static func runTimersInLoop() {
    let start = Date()
    let ticks = SharedLog<Bool>()
    let timer = Timer.publish(every: 0.02, on: .main, in: .default).autoconnect()
      .sink { _ in ticks.append(RunLoop.main.currentMode != nil) }
    let fast = SharedLog<Void>()
    let fastTimer = Timer.publish(every: 0.002, on: .main, in: .common).autoconnect().sink { _ in fast.signal() }
    runMainLoop { ticks.values.count >= 10 }
    let span = Date().timeIntervalSince(start)
    timer.cancel()
    fastTimer.cancel()
    let count = ticks.values.count
    let fastCount = fast.values.count
    RunLoop.main.run(until: Date() + 0.06)
    var failures: [String] = []
    if !(10...Int(span / 0.02) + 1).contains(count) { failures.append("\(count) ticks in \(span) s") }
    if !(20...Int(span / 0.002) + 1).contains(fastCount) { failures.append("\(fastCount) fast ticks in \(span) s") }
    if ticks.values.contains(false) { failures.append("a tick outside the loop") }
    if ticks.values.count != count || fast.values.count != fastCount { failures.append("ticks after the cancel") }
    finish(failures)
  }

  private static func runLoopInAnotherMode() {
    let mode = RunLoop.Mode("MainLoops")
    let log = SharedLog<Int>()
    let loop = RunLoop.main
    loop.add(Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }, forMode: mode)
    loop.schedule { log.append(1) }
    loop.schedule(after: .init(Date() + 0.01)) { log.append(2) }
    let timer = Timer.publish(every: 0.02, on: .main, in: .default).autoconnect().sink { _ in log.append(3) }
    let end = Date() + 0.1
    while Date() < end { _ = loop.run(mode: mode, before: end) }
    let before = log.values
    runMainLoop { Set(log.values).count == 3 }
    timer.cancel()
    finish(
      before.isEmpty && log.values.filter { $0 < 3 } == [1, 2] && log.values.contains(3)
        ? [] : ["\(before), \(log.values)"]
    )
  }

  // MARK: From the loop to the queue

  private static func moveTimer() {
    let start = Date()
    let ticks = SharedLog<Bool>()
    let timer = UncheckedBox(
      Timer.publish(every: 0.02, on: .main, in: .common).autoconnect().sink { _ in
        ticks.append(Thread.isMainThread && RunLoop.main.currentMode != nil)
      }
    )
    let fast = SharedLog<Bool>()
    let fastTimer = UncheckedBox(
      Timer.publish(every: 0.002, on: .main, in: .common).autoconnect().sink { _ in
        fast.append(Thread.isMainThread && RunLoop.main.currentMode != nil)
      }
    )
    runMainLoop { ticks.values.count >= 5 }
    finish(when: { ticks.values.count >= 10 && fast.values.filter { !$0 }.count >= 20 }) {
      timer.value.cancel()
      fastTimer.value.cancel()
      let span = Date().timeIntervalSince(start)
      let values = ticks.values
      var failures: [String] = []
      if !(10...Int(span / 0.02) + 1).contains(values.count) { failures.append("\(values.count) ticks in \(span) s") }
      if values.filter({ $0 }).count < 5 || values.filter({ !$0 }).isEmpty { failures.append("\(values)") }
      if fast.values.filter({ $0 }).isEmpty || fast.values.filter({ !$0 }).count < 20 {
        failures.append("fast: \(fast.values.count), \(fast.values.filter { $0 }.count) of them in the loop")
      }
      return failures
    }
  }
}

/// Counts objects that are created and released.
private final class Released: Sendable {

  private let counts = Guarded((made: 0, released: 0))

  var areAll: Bool { counts.withLock { $0.made == $0.released } }

  func payload() -> AnyObject {
    counts.withLock { $0.made += 1 }
    return CallsOnDeinit { self.counts.withLock { $0.released += 1 } }
  }
}

/// The tokens that pass to the thread that ends the process. No other thread uses them then.
private struct UncheckedBox<Value>: @unchecked Sendable {

  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}
