import CombineCore
import TestSupport
import Testing

@testable import CombineExtras

/// The machines of the operators with tasks, each beside a model of its rules.
@Suite struct ExtrasTaskModelTests {

  private typealias Demand = Subscribers.Demand

  // MARK: AsyncMapMachine

  private enum MapEvent {
    case request(Subscribers.Demand), element, result(Int), finish, fail, end
  }

  private final class MapReplay {
    private var machine: AsyncMapMachine<Int>

    /// The slot of each element, and the last element of each slot.
    private var slots: [Int] = []
    private var elements: [Int: Int] = [:]

    init(maxConcurrent: Int, preservesOrder: Bool) {
      machine = AsyncMapMachine(maxConcurrent: maxConcurrent, preservesOrder: preservesOrder)
    }

    private func perform(_ event: MapEvent) -> String {
      switch event {
      case .request(let demand):
        return "requests \(machine.request(demand, undelivered: 0))"
      case .element:
        guard let slot = machine.receiveElement() else { return "ignored" }
        slots.append(slot)
        elements[slot] = slots.count
        return "starts"
      case .result(let number):
        machine.receive(number, of: slots[number - 1])
        var values: [Int] = []
        while let value = machine.popResult() { values.append(value) }
        let isLast = machine.settle()
        return "sends \(values), last \(isLast), requests \(machine.newRequest(undelivered: 0))"
      case .finish:
        return "last \(machine.finishUpstream())"
      case .fail:
        let isFirst = machine.fail()
        if isFirst { _ = machine.end() }
        return "fails \(isFirst)"
      case .end:
        let waiting = machine.end().compactMap { if case .done(let value) = $0 { value } else { nil } }
        return "drops \(waiting.sorted())"
      }
    }

    func step(_ event: MapEvent) -> String {
      let text = perform(event)
      let running = machine.slots.indices.compactMap { slot -> Int? in
        if case .running = machine.slots[slot] { elements[slot] } else { nil }
      }.sorted()
      return "\(text), running \(running), slots within the maximum: \(machine.slots.count <= machine.maxConcurrent)"
    }
  }

  /// Elements are numbered from 1, in the order of their arrival.
  private struct MapModel {
    let maxConcurrent: Int
    let preservesOrder: Bool
    var requested = Demand.none

    /// The number of elements that the upstream was asked for.
    var asked = 0
    var arrived = 0
    var done: Set<Int> = []
    var sent: [Int] = []
    var isFinished = false
    var hasEnded = false

    var running: [Int] { hasEnded || arrived == 0 ? [] : (1...arrived).filter { !done.contains($0) } }

    var events: [MapEvent] {
      // After its end the upstream may err.
      let element: [MapEvent] = arrived < asked || isFinished || hasEnded ? [.element] : []
      return [.request(.max(1)), .request(.max(2)), .request(.unlimited), .finish, .fail, .end] + element
        + running.map { .result($0) }
    }

    /// As many as the demand allows, but not more in work than the maximum.
    private mutating func ask() -> Int {
      if isFinished || hasEnded { return 0 }
      let all = max(asked, min(sent.count + maxConcurrent, requested.max ?? .max))
      defer { asked = all }
      return all - asked
    }

    private mutating func perform(_ event: MapEvent) -> String {
      switch event {
      case .request(let more):
        requested += more
        return "requests \(ask())"
      case .element:
        guard !hasEnded, !isFinished else { return "ignored" }
        arrived += 1
        return "starts"
      case .result(let number):
        done.insert(number)
        let ready = preservesOrder ? Array((1...arrived).prefix { done.contains($0) }.dropFirst(sent.count)) : [number]
        sent += ready
        let isLast = isFinished && sent.count == arrived
        if isLast { hasEnded = true }
        return "sends \(ready), last \(isLast), requests \(ask())"
      case .finish:
        guard !hasEnded, !isFinished else { return "last false" }
        isFinished = true
        hasEnded = sent.count == arrived
        return "last \(hasEnded)"
      case .fail:
        defer { hasEnded = true }
        if !hasEnded { sent = Array(done) }
        return "fails \(!hasEnded)"
      case .end:
        hasEnded = true
        let waiting = done.subtracting(sent).sorted()
        sent += waiting
        return "drops \(waiting)"
      }
    }

    mutating func step(_ event: MapEvent) -> String {
      let text = perform(event)
      return "\(text), running \(running), slots within the maximum: true"
    }
  }

  @Test(arguments: [1, 2, 3], [true, false]) func startsTasksWithinTheMaximum(maxConcurrent: Int, preservesOrder: Bool)
  {
    expectSameAnswers(
      "AsyncMapMachine, \(maxConcurrent) at a time, \(preservesOrder ? "in order" : "in any order")",
      machine: Replayed<MapReplay, MapEvent, String>(
        make: { MapReplay(maxConcurrent: maxConcurrent, preservesOrder: preservesOrder) },
        apply: { $0.step($1) }
      ),
      model: MapModel(maxConcurrent: maxConcurrent, preservesOrder: preservesOrder),
      depth: 7,
      alphabet: \.events,
      answer: { $0.step($1) },
      expect: { $0.step($1) }
    )
  }

  /// Enough elements that slots are used several times, without requests in between.
  @Test(arguments: [2, 3], [true, false]) func slotsAreUsedAgain(maxConcurrent: Int, preservesOrder: Bool) {
    var machine = Replayed<MapReplay, MapEvent, String>(
      make: { MapReplay(maxConcurrent: maxConcurrent, preservesOrder: preservesOrder) },
      apply: { $0.step($1) }
    )
    var model = MapModel(maxConcurrent: maxConcurrent, preservesOrder: preservesOrder)
    #expect(machine.step(.request(.unlimited)) == model.step(.request(.unlimited)))
    expectSameAnswers(
      "AsyncMapMachine, \(maxConcurrent) at a time, many elements",
      machine: machine,
      model: model,
      depth: 12,
      alphabet: { model in (model.arrived < model.asked ? [.element] : []) + model.running.map { .result($0) } },
      answer: { $0.step($1) },
      expect: { $0.step($1) }
    )
  }

  // MARK: IterationMachine

  private enum IterationEvent {
    case request(Subscribers.Demand), turn, end
  }

  private struct IterationModel {
    var requested = Demand.none
    var takenCount = 0
    var hasTask = false
    var isWaiting = false
    var hasEnded = false

    var events: [IterationEvent] {
      [.request(.max(1)), .request(.unlimited), .end] + (hasTask && !isWaiting ? [.turn] : [])
    }

    mutating func step(_ event: IterationEvent) -> String {
      switch event {
      case .request(let more):
        if hasEnded { return "none" }
        requested += more
        defer { (hasTask, isWaiting) = (true, false) }
        return !hasTask ? "start" : isWaiting ? "resume" : "none"
      case .turn:
        if hasEnded { return "stop" }
        isWaiting = requested <= takenCount
        takenCount += isWaiting ? 0 : 1
        return isWaiting ? "wait" : "next"
      case .end:
        // The task runs on, to find the end.
        (hasEnded, isWaiting) = (true, false)
        return ""
      }
    }
  }

  @Test func asksTheSequenceWithinDemand() {
    expectSameAnswers(
      "IterationMachine",
      machine: IterationMachine(),
      model: IterationModel(),
      depth: 8,
      alphabet: \.events,
      answer: { machine, event -> String in
        switch event {
        case .request(let demand): return "\(machine.request(demand))"
        case .turn: return "\(machine.turn())"
        case .end:
          machine.end()
          return ""
        }
      },
      expect: { $0.step($1) },
      invariants: [
        ("a task waits if and only if it is to be resumed", { machine, model in machine.isWaiting == model.isWaiting })
      ]
    )
  }

  // MARK: Deliverer, in a task

  private enum ActorEvent {
    case open, value, finish, next, cancel
  }

  private final class ActorReplay {
    private var machine = Deliverer<Int, TestError>(.afterValues)
    private var valueCount = 0

    init() {
      machine.demand = .unlimited
    }

    private func perform(_ event: ActorEvent) -> String {
      switch event {
      case .open: machine.didOpen()
      case .value:
        valueCount += 1
        machine.enqueue(valueCount)
      case .finish: machine.enqueue(completion: .finished)
      case .next:
        switch machine.next() {
        case .value(let value): return "\(value)"
        case .completion(let completion): return "\(completion)"
        case .nothing, .queued, .release: return "-"
        }
      case .cancel: return "drops \(machine.cancel().values)"
      }
      return "starts \(machine.claim())"
    }

    func step(_ event: ActorEvent) -> String {
      perform(event)
    }
  }

  private struct ActorModel {
    var valueCount = 0
    var waiting: [String] = []
    var isOpen = false
    var isFinished = false
    var hasTask = false
    var hasEnded = false

    var events: [ActorEvent] {
      [.value, .finish, .cancel] + (isOpen ? [] : [.open]) + (hasTask ? [.next] : [])
    }

    private mutating func start() -> String {
      let starts = isOpen && !hasTask && !waiting.isEmpty
      if starts { hasTask = true }
      return "starts \(starts)"
    }

    mutating func step(_ event: ActorEvent) -> String {
      switch event {
      case .open:
        isOpen = true
        return start()
      case .value, .finish:
        if case .value = event { valueCount += 1 }
        if hasEnded || isFinished { return "starts false" }
        if case .finish = event { isFinished = true }
        waiting.append(isFinished ? "finished" : "\(valueCount)")
        return start()
      case .next:
        let next = waiting.isEmpty ? nil : waiting.removeFirst()
        // The task ends with the completion, or if nothing waits.
        if next == nil || next == "finished" { hasTask = false }
        return next ?? "-"
      case .cancel:
        hasEnded = true
        let values = exchange(&waiting, with: []).filter { $0 != "finished" }
        return "drops [\(values.joined(separator: ", "))]"
      }
    }
  }

  @Test func oneTaskDeliversInOrder() {
    expectSameAnswers(
      "Deliverer, in a task",
      machine: Replayed<ActorReplay, ActorEvent, String>(make: { ActorReplay() }) { $0.step($1) },
      model: ActorModel(),
      depth: 8,
      alphabet: \.events,
      answer: { $0.step($1) },
      expect: { $0.step($1) },
      invariants: [
        (
          "what waits has a task",
          { _, model in !model.isOpen || model.hasEnded || model.waiting.isEmpty || model.hasTask }
        )
      ]
    )
  }
}
