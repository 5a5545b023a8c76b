import CombineCore
import TestSupport
import Testing

@testable import CombineExtras

/// The machines that wait for time or for a signal, each beside a model of its rules.
///
/// Time is a number of ticks. A machine's timers are kept as its conduit keeps them.
@Suite struct ExtrasTimingModelTests {

  private typealias Demand = Subscribers.Demand

  // MARK: RateLimitMachine

  private enum RateEvent {
    case value, finish, tick, fire
  }

  private final class RateReplay {
    private var machine: RateLimitMachine<Int, Int, TestError>
    private var now = 0
    private var valueCount = 0
    private var timers: [Int] = []

    init(count: Int, interval: Int) {
      machine = RateLimitMachine(count: count, interval: interval)
    }

    private func perform(_ action: RateLimitMachine<Int, Int, TestError>.Action) -> String {
      switch action {
      case .none: return ""
      case .send(let value): return "\(value) "
      case .complete(let completion): return "\(completion)"
      case .setTimer(let date):
        timers.append(date)
        return ""
      }
    }

    func step(_ event: RateEvent) -> String {
      var text = ""
      switch event {
      case .value:
        valueCount += 1
        text = perform(machine.receive(valueCount, at: now))
      case .finish:
        text = perform(machine.receive(completion: .finished))
      case .tick:
        now += 1
      case .fire:
        for _ in timers where timers.first ?? .max <= now {
          timers.removeFirst()
          machine.fire()
          while true {
            let action = machine.next(at: now)
            text += perform(action)
            guard case .send = action else { break }
          }
        }
      }
      return "\(text), timers \(timers)"
    }
  }

  private struct RateModel {
    let count: Int
    let interval: Int
    var now = 0
    var valueCount = 0
    var published: [Int] = []
    var waiting: [Int] = []
    var isFinished = false
    var timer: Int?

    /// No interval may contain more than `count` elements.
    private func mayPublish(at time: Int) -> Bool {
      published.count { $0 > time - interval } < count
    }

    private mutating func publish() -> String {
      var text = ""
      while !waiting.isEmpty, mayPublish(at: now) {
        published.append(now)
        text += "\(waiting.removeFirst()) "
      }
      return text
    }

    mutating func step(_ event: RateEvent) -> String {
      var text = ""
      switch event {
      case .value:
        valueCount += 1
        guard !isFinished else { break }
        waiting.append(valueCount)
        // What waits has its turn at the timer.
        if waiting.count == 1 { text = publish() }
      case .finish:
        if !isFinished, waiting.isEmpty { text = "finished" }
        isFinished = true
      case .tick:
        now += 1
      case .fire:
        guard let due = timer, due <= now else { break }
        timer = nil
        text = publish()
        if waiting.isEmpty, isFinished { text += "finished" }
      }
      if !waiting.isEmpty, timer == nil { timer = (0...).first { mayPublish(at: now + $0) }.map { now + $0 } }
      return "\(text), timers \(timer.map { [$0] } ?? [])"
    }
  }

  @Test(arguments: [1, 2], [1, 2, 3]) func limitsTheRate(count: Int, interval: Int) {
    expectSameAnswers(
      "RateLimitMachine, \(count) in \(interval)",
      machine: Replayed<RateReplay, RateEvent, String>(make: { RateReplay(count: count, interval: interval) }) {
        $0.step($1)
      },
      model: RateModel(count: count, interval: interval),
      depth: 9,
      alphabet: { _ in [.value, .finish, .tick, .fire] },
      answer: { $0.step($1) },
      expect: { $0.step($1) }
    )
  }

  // MARK: DeadlineMachine

  private enum DeadlineEvent {
    case element, elementWithoutLimit, tick, fire

    /// Timers that were replaced have reached their threads already, and run late.
    case fireReplaced
    case end
  }

  /// The machine with its timers, as the conduit has them.
  private struct DeadlineReplay {
    static let (first, next) = (4, 2)

    var machine = DeadlineMachine<Int>()
    var now = 0
    var timer: Int?
    var replaced: [Int] = []
    var timeOuts = 0

    init() {
      perform(machine.start(until: Self.first))
    }

    mutating func perform(_ action: DeadlineMachine<Int>.Action) {
      switch action {
      case .none: break
      case .setTimer(let date):
        if let timer, timer != date { replaced.append(timer) }
        timer = date
      case .stopTimer:
        if let timer = exchange(&timer, with: nil) { replaced.append(timer) }
      case .timeOut: timeOuts += 1
      }
    }

    mutating func step(_ event: DeadlineEvent) -> String {
      var counts = ""
      switch event {
      case .element, .elementWithoutLimit:
        let deadline = if case .element = event { now + Self.next } else { nil as Int? }
        let answer = machine.receiveElement(deadline: deadline)
        counts = "\(answer.counts), "
        perform(answer.action)
      case .tick:
        now += 1
      case .fire:
        while let date = timer, date <= now {
          timer = nil
          perform(machine.fire(setFor: date))
        }
      case .fireReplaced:
        for date in exchange(&replaced, with: []) where date <= now && date != timer {
          perform(machine.fire(setFor: date))
        }
      case .end:
        machine.end()
      }
      return "\(counts)timed out \(timeOuts)"
    }
  }

  /// The deadline alone, without timers.
  private struct DeadlineModel {
    var now = 0
    var deadline: Int? = DeadlineReplay.first
    var hasEnded = false
    var timeOuts = 0

    mutating func step(_ event: DeadlineEvent) -> String {
      var counts = ""
      switch event {
      case .element, .elementWithoutLimit:
        counts = "\(!hasEnded), "
        if case .element = event { deadline = now + DeadlineReplay.next } else { deadline = nil }
      case .tick:
        now += 1
      case .fire:
        if !hasEnded, let deadline, deadline <= now {
          hasEnded = true
          timeOuts += 1
        }
      case .fireReplaced: break
      case .end: hasEnded = true
      }
      return "\(counts)timed out \(timeOuts)"
    }
  }

  @Test func timesOutAtTheDeadline() {
    expectSameAnswers(
      "DeadlineMachine",
      machine: DeadlineReplay(),
      model: DeadlineModel(),
      depth: 8,
      alphabet: { model in
        [.element, .elementWithoutLimit, .tick, .fire, .fireReplaced] + (model.hasEnded ? [] : [.end])
          as [DeadlineEvent]
      },
      answer: { $0.step($1) },
      expect: { $0.step($1) },
      invariants: [
        (
          "a timer is set for a time up to the deadline",
          { machine, model in
            guard !model.hasEnded, let deadline = model.deadline else { return true }
            return machine.timer.map { $0 <= deadline } ?? false
          }
        ),
        (
          "without a limit there is no timer",
          { machine, model in model.hasEnded || model.deadline != nil || machine.timer == nil }
        ),
      ]
    )
  }

  // MARK: ThrottleWindowMachine

  private enum PauseEvent {
    case value(hasDemand: Bool), finish, pauseEnds(hasDemand: Bool)
  }

  private struct PauseReplay {
    var machine: ThrottleWindowMachine<Int, TestError>
    var valueCount = 0

    private func text(_ action: ThrottleWindowMachine<Int, TestError>.Action) -> String {
      switch action {
      case .none: "-"
      case .publish(let value): "\(value) and a pause"
      case .publishLast(let value, let completion): "\(value) and \(completion)"
      case .complete(let completion): "\(completion)"
      }
    }

    private func text(_ answer: (action: ThrottleWindowMachine<Int, TestError>.Action, dropped: Int?)) -> String {
      "\(text(answer.action)), drops \(answer.dropped.map { "\($0)" } ?? "-")"
    }

    mutating func step(_ event: PauseEvent) -> String {
      switch event {
      case .value(let hasDemand):
        valueCount += 1
        return text(machine.receive(valueCount, hasDemand: hasDemand))
      case .finish: return text(machine.receive(completion: .finished))
      case .pauseEnds(let hasDemand): return text(machine.endWindow(hasDemand: hasDemand))
      }
    }
  }

  private struct PauseModel {
    let latest: Bool
    var valueCount = 0

    /// The values of the pause that is running.
    var values: [Int]?
    var isFinished = false

    private var candidate: Int? { latest ? values?.last : values?.first }

    private func text(_ action: String, drops dropped: Int? = nil) -> String {
      "\(action), drops \(dropped.map { "\($0)" } ?? "-")"
    }

    mutating func step(_ event: PauseEvent) -> String {
      switch event {
      case .value(let hasDemand):
        valueCount += 1
        if isFinished { return text("-", drops: valueCount) }
        if let candidate {
          values?.append(valueCount)
          return text("-", drops: latest ? candidate : valueCount)
        }
        if values != nil {
          values = [valueCount]
          return text("-")
        }
        guard hasDemand else { return text("-", drops: valueCount) }
        values = []
        return text("\(valueCount) and a pause")
      case .finish:
        defer { isFinished = true }
        return isFinished || candidate != nil ? "-" : "finished"
      case .pauseEnds(let hasDemand):
        guard let candidate else {
          values = nil
          return text("-")
        }
        values = hasDemand && !isFinished ? [] : nil
        switch (hasDemand, isFinished) {
        case (true, true): return text("\(candidate) and finished")
        case (true, false): return text("\(candidate) and a pause")
        case (false, true): return text("finished", drops: candidate)
        case (false, false): return text("-", drops: candidate)
        }
      }
    }
  }

  @Test(arguments: [true, false]) func publishesOneElementOfAPause(latest: Bool) {
    expectSameAnswers(
      "ThrottleWindowMachine, \(latest ? "latest" : "first")",
      machine: PauseReplay(machine: ThrottleWindowMachine(latest: latest)),
      model: PauseModel(latest: latest),
      depth: 7,
      alphabet: { _ in
        [
          .value(hasDemand: true), .value(hasDemand: false), .finish, .pauseEnds(hasDemand: true),
          .pauseEnds(hasDemand: false),
        ]
      },
      answer: { $0.step($1) },
      expect: { $0.step($1) }
    )
  }

  // MARK: SampleMachine

  private enum SampleEvent {
    case value, sample(hasDemand: Bool), removeAll
  }

  @Test func samplesTheLatestElementOnce() {
    expectSameAnswers(
      "SampleMachine",
      machine: (state: SampleMachine<Int>(), valueCount: 0),
      model: (values: [Int](), valueCount: 0),
      depth: 7,
      alphabet: { _ in [.value, .sample(hasDemand: true), .sample(hasDemand: false), .removeAll] as [SampleEvent] },
      answer: { machine, event -> Int? in
        switch event {
        case .value:
          machine.valueCount += 1
          return machine.state.receive(machine.valueCount)
        case .sample(let hasDemand): return machine.state.sample(hasDemand: hasDemand)
        case .removeAll: return machine.state.removeAll()
        }
      },
      // The values since the last sample.
      expect: { model, event in
        switch event {
        case .value:
          model.valueCount += 1
          model.values.append(model.valueCount)
          return model.values.dropLast().last
        case .sample(hasDemand: false):
          return nil
        case .sample, .removeAll:
          defer { model.values = [] }
          return model.values.last
        }
      }
    )
  }
}
