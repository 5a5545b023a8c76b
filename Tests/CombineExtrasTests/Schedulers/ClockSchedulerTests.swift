import CombineTesting
import TestSupport
import Testing

@testable import CombineExtras

/// A scheduler with a clock that the test moves.
private struct Rig {

  let clock = ManualClock()
  let scheduler: ClockScheduler<ManualClock>
  let log = SharedLog<String>()

  init(on actor: (any Actor)? = nil) {
    scheduler = ClockScheduler(clock: clock, on: actor)
  }

  /// The time on the clock, in ticks of a millisecond.
  var time: Int { Int(clock.now.offset / .milliseconds(1)) }

  func date(_ ticks: Int) -> ClockScheduler<ManualClock>.SchedulerTimeType {
    .init(ManualClock.Instant(.milliseconds(ticks)))
  }

  func note(_ text: String) { log.append("\(time) \(text)") }

  /// Waits until the scheduler has done all that is due, and sleeps, if it must.
  func settle() async {
    while true {
      let rest = scheduler.agenda.rest
      if rest.hasCome, clock.deadlines == (rest.date.map { [$0] } ?? []) { return }
      await Task.yield()
    }
  }

  /// Moves the clock from one sleep to the next.
  func run(until ticks: Int) async {
    let end = date(ticks).instant
    await settle()
    while let next = clock.deadlines.first, next <= end {
      clock.advance(to: next)
      await settle()
    }
    clock.advance(to: end)
    await settle()
  }
}

@Suite struct ClockSchedulerTests {

  @Test func actionsWithoutADateRunInTheOrderOfTheCalls() async {
    let rig = Rig()
    for number in 1...200 { rig.scheduler.schedule { rig.note("\(number)") } }
    await rig.settle()
    #expect(rig.log.values == (1...200).map { "0 \($0)" })
  }

  @Test func theActorDoesOtherWorkBetweenManyActions() async {
    let rig = Rig(on: MainActor.shared)
    await MainActor.run {
      for number in 0..<200 {
        rig.scheduler.schedule {
          if number == 0 { Task { @MainActor in rig.note("other work") } }
          rig.note("\(number)")
        }
      }
    }
    await rig.settle()
    #expect(rig.log.values.contains("0 other work"))
    #expect(rig.log.values.last == "0 199")
  }

  @Test func anActionNeverRunsInTheCallThatSchedulesIt() async {
    let rig = Rig(on: MainActor.shared)
    await MainActor.run {
      rig.scheduler.schedule {
        rig.scheduler.schedule { rig.note("second") }
        rig.note("first")
      }
      rig.note("call")
    }
    await rig.settle()
    #expect(rig.log.values == ["0 call", "0 first", "0 second"])
  }

  @Test func actionsRunOnTheActor() async {
    let rig = Rig(on: MainActor.shared)
    rig.scheduler.schedule { MainActor.assumeIsolated { rig.note("now") } }
    rig.scheduler.schedule(after: rig.date(5)) { MainActor.assumeIsolated { rig.note("later") } }
    await rig.run(until: 5)
    #expect(rig.log.values == ["0 now", "5 later"])
  }

  @Test func actionsWithADateRunInTheOrderOfTheDates() async {
    let rig = Rig()
    for (index, ticks) in [7, 3, 5, 3, 9, 0, -4].enumerated() {
      rig.scheduler.schedule(after: rig.date(ticks)) { rig.note("action \(index)") }
    }
    await rig.run(until: 10)
    #expect(
      rig.log.values == [
        "0 action 6", "0 action 5", "3 action 1", "3 action 3", "5 action 2", "7 action 0", "9 action 4",
      ]
    )
  }

  @Test func anEarlierDateEndsTheSleepUntilALaterOne() async {
    let rig = Rig()
    rig.scheduler.schedule(after: rig.date(100)) { rig.note("late") }
    await rig.settle()
    #expect(rig.clock.deadlines == [rig.date(100).instant])
    rig.scheduler.schedule(after: rig.date(10)) { rig.note("early") }
    await rig.settle()
    #expect(rig.clock.deadlines == [rig.date(10).instant])
    await rig.run(until: 100)
    #expect(rig.log.values == ["10 early", "100 late"])
  }

  @Test func aRepetitionDoesNotDrift() async {
    let rig = Rig()
    var isLate = false
    let repetition = rig.scheduler.schedule(after: rig.date(10), interval: .milliseconds(10)) {
      rig.note("tick")
      // A run that takes as long as two intervals and a half.
      if isLate { rig.clock.advance(to: rig.date(rig.time + 25).instant) }
    }
    await rig.run(until: 30)
    isLate = true
    await rig.run(until: 40)
    isLate = false
    await rig.run(until: 90)
    #expect(rig.log.values == [10, 20, 30, 40, 70, 80, 90].map { "\($0) tick" })
    repetition.cancel()
  }

  @Test func aCancelReleasesTheActionAndEndsTheSleep() async {
    let rig = Rig()
    var repetition: (any Cancellable)?
    weak var released: AnyObject?
    do {
      final class Object {}
      let object = Object()
      released = object
      repetition = rig.scheduler.schedule(after: rig.date(10), interval: .milliseconds(10)) {
        withExtendedLifetime(object) { rig.note("tick") }
      }
    }
    await rig.run(until: 10)
    #expect(released != nil)
    repetition?.cancel()
    #expect(released == nil)
    await rig.settle()
    #expect(rig.clock.deadlines.isEmpty)
    #expect(rig.log.values == ["10 tick"])
  }

  @Test func aCancelInsideARunEndsTheRepetition() async {
    let rig = Rig()
    let box = AnyCancellableBox()
    box.cancellable = rig.scheduler.schedule(after: rig.date(10), interval: .milliseconds(10)) {
      rig.note("tick")
      box.cancellable?.cancel()
    }
    await rig.run(until: 50)
    #expect(rig.log.values == ["10 tick"])
    #expect(rig.clock.deadlines.isEmpty)
  }

  private final class AnyCancellableBox {
    var cancellable: (any Cancellable)?
  }

  @Test func actionsRunAlthoughNothingHoldsTheScheduler() async {
    var rig: Rig? = Rig()
    let (clock, log) = (rig!.clock, rig!.log)
    weak let agenda = rig!.scheduler.agenda
    rig!.scheduler.schedule(after: rig!.date(10)) { log.append("late") }
    await rig!.settle()
    rig = nil
    #expect(agenda != nil)
    clock.advance(to: clock.deadlines[0])
    while agenda != nil { await Task.yield() }
    #expect(log.values == ["late"])
  }

  @Test(arguments: [ManualClock.Answer.returnAtOnce, .fail])
  func aClockThatDoesNotSleepLosesNoAction(_ answer: ManualClock.Answer) async {
    let scheduler = ClockScheduler(clock: ManualClock(answer: answer))
    await withCheckedContinuation { continuation in
      scheduler.schedule(after: scheduler.now.advanced(by: 1)) { continuation.resume() }
    }
    let log = SharedLog<Int>()
    let (ticks, continuation) = AsyncStream.makeStream(of: Void.self)
    let repetition = scheduler.schedule(after: scheduler.now.advanced(by: 1), interval: 1) {
      log.append(log.values.count)
      continuation.yield()
    }
    var iterator = ticks.makeAsyncIterator()
    for _ in 1...3 { await iterator.next() }
    repetition.cancel()
    #expect(log.values.prefix(3) == [0, 1, 2])
  }

  @Test func aDateThatNoClockReachesIsNotReached() async {
    let scheduler = ClockScheduler(clock: ContinuousClock())
    let log = SharedLog<String>()
    scheduler.schedule(after: scheduler.now.advanced(by: .seconds(Int.max))) { log.append("never") }
    await withCheckedContinuation { continuation in
      scheduler.schedule(after: scheduler.now.advanced(by: .milliseconds(20))) { continuation.resume() }
    }
    #expect(log.values.isEmpty)
  }

  // MARK: Operators

  /// What a scene sends to an operator, and at which time: a value, or the end.
  private static let script: [(ticks: Int, value: Int?)] = [
    (0, 1), (2, 2), (3, 3), (14, 4), (15, 5), (31, 6), (41, 7), (42, nil),
  ]

  private typealias Upstream = PassthroughSubject<Int, TestError>

  /// Plays the script on a scheduler.
  private static func play<S: Scheduler>(
    _ name: String,
    on scheduler: S,
    note: @escaping (String) -> Void
  ) -> AnyCancellable {
    let upstream = Upstream()
    let output: AnyPublisher<String, TestError>
    switch name {
    case "debounce": output = upstream.debounce(for: .milliseconds(5), scheduler: scheduler).asText()
    case "delay": output = upstream.delay(for: .milliseconds(5), scheduler: scheduler).asText()
    case "throttle": output = upstream.throttle(for: .milliseconds(5), scheduler: scheduler, latest: true).asText()
    case "timeout": output = upstream.timeout(.milliseconds(12), scheduler: scheduler) { "late" }.asText()
    case "collect": output = upstream.collect(.byTime(scheduler, .milliseconds(10))).asText()
    case "receive": output = upstream.receive(on: scheduler).asText()
    case "rateLimit": output = upstream.rateLimit(1, per: .milliseconds(5), scheduler: scheduler).asText()
    default: output = upstream.measureInterval(using: scheduler).map { $0 > .milliseconds(5) }.asText()
    }
    // First, as an action that is due may run at once on another thread.
    let cancellable = output.sink(receiveCompletion: { note("\($0)") }, receiveValue: { note($0) })
    for (ticks, value) in script {
      scheduler.schedule(after: scheduler.now.advanced(by: .milliseconds(ticks))) {
        if let value { upstream.send(value) } else { upstream.send(completion: .finished) }
      }
    }
    return cancellable
  }

  @Test(arguments: ["debounce", "delay", "throttle", "timeout", "collect", "receive", "rateLimit", "measureInterval"])
  func operatorsDoWhatTheyDoInVirtualTime(_ name: String) async {
    var expected: [String] = []
    let virtual = TestScheduler()
    let first = Self.play(name, on: virtual) { expected.append("\(virtual.now.ticks) \($0)") }
    virtual.resume()
    let rig = Rig()
    let second = Self.play(name, on: rig.scheduler) { rig.note($0) }
    await rig.run(until: 100)
    #expect(rig.log.values == expected)
    #expect(expected.count > 1)
    withExtendedLifetime((first, second)) {}
  }
}

extension Publisher {

  fileprivate func asText() -> AnyPublisher<String, Failure> { map { "\($0)" }.eraseToAnyPublisher() }
}
