import CombineThreads
import TestSupport
import Testing

@testable import CombineCore

/// The tables in which operators keep several elements, each beside a plain list.
@Suite struct TableMachineTests {

  // MARK: UpstreamSlots

  private enum SlotEvent {
    case accept(Int), remove(Int), removeAll, live
  }

  @Test func upstreamSlots() {
    expectSameAnswers(
      "UpstreamSlots",
      machine: UpstreamSlots(count: 2),
      model: [nil, nil] as [Int?],
      depth: 6,
      alphabet: { _ in [.accept(0), .accept(1), .remove(0), .remove(1), .removeAll, .live] as [SlotEvent] },
      answer: { slots, event -> [Int] in
        switch event {
        case .accept(let index): slots.accept(NumberedSubscription.all[index], at: index) ? [] : [-1]
        case .remove(let index): number(slots.remove(at: index)).map { [$0] } ?? []
        case .removeAll: numbers(slots.removeAll())
        case .live: numbers(Array(slots.live))
        }
      },
      expect: { model, event in
        switch event {
        case .accept(let index):
          guard model[index] == nil else { return [-1] }
          model[index] = index
          return []
        case .remove(let index): return exchange(&model[index], with: nil).map { [$0] } ?? []
        case .removeAll: return exchange(&model, with: [nil, nil]).compactMap { $0 }
        case .live: return model.compactMap { $0 }
        }
      }
    )
  }

  // MARK: InnerSubscriptions

  /// Inner publishers have the numbers of their arrival, even after they finish.
  private enum InnerEvent {
    case add, accept(Int), remove(Int), removeAll, live
  }

  private final class Inners {
    var table = InnerSubscriptions()
    var keys: [InnerSubscriptions.Key] = []
  }

  private struct InnerModel {
    var present: [Bool] = []
    var answered: [Bool] = []
  }

  private static func answer(_ machine: Inners, _ event: InnerEvent) -> [Int] {
    switch event {
    case .add:
      machine.keys.append(machine.table.add())
      return [machine.table.count]
    case .accept(let child):
      return machine.table.accept(NumberedSubscription.all[child], for: machine.keys[child]) ? [1] : [0]
    case .remove(let child):
      let removed = machine.table.remove(machine.keys[child]).take()
      return [number(removed) ?? -1, machine.table.count]
    case .removeAll:
      return numbers(machine.table.removeAll()).sorted()
    case .live:
      return numbers(machine.table.live).sorted() + machine.keys.map { number(machine.table[$0]) ?? -1 }
    }
  }

  @Test func childTable() {
    expectSameAnswers(
      "InnerSubscriptions",
      machine: Replayed<Inners, InnerEvent, [Int]>(make: Inners.init, apply: Self.answer),
      model: InnerModel(),
      depth: 6,
      alphabet: { model in
        (model.present.count < 4 ? [.add] : []) + model.present.indices.flatMap { [.accept($0), .remove($0)] }
          + [.removeAll, .live] as [InnerEvent]
      },
      answer: { $0.step($1) },
      expect: { model, event in
        let live = model.present.indices.filter { model.present[$0] && model.answered[$0] }
        switch event {
        case .add:
          model.present.append(true)
          model.answered.append(false)
          return [model.present.filter { $0 }.count]
        case .accept(let child):
          guard model.present[child], !model.answered[child] else { return [0] }
          model.answered[child] = true
          return [1]
        case .remove(let child):
          model.present[child] = false
          return [live.contains(child) ? child : -1, model.present.filter { $0 }.count]
        case .removeAll:
          model.present = model.present.map { _ in false }
          return live
        case .live:
          return live + model.present.indices.map { live.contains($0) ? $0 : -1 }
        }
      }
    )
  }

  // MARK: SubscriberList

  private enum ListEvent {
    case add, remove(Int), begin, next, end
  }

  private final class List {
    var list = SubscriberList()
    var elements: [SubscriberListElement] = []
    var walks: [UnsafeMutablePointer<SubscriberList.Walk>] = []

    deinit {
      for walk in walks { walk.deallocate() }
      for element in elements where element.isListed { remove(element) }
    }

    private func remove(_ element: SubscriberListElement) {
      guard element.isListed else { return }
      list.remove(element)
      Unmanaged.passUnretained(element).release()
    }

    static func apply(_ box: List, _ event: ListEvent) -> [Int] {
      switch event {
      case .add:
        box.elements.append(SubscriberListElement())
        box.list.append(box.elements.last!)
      case .remove(let index):
        box.remove(box.elements[index])
      case .begin:
        let walk = UnsafeMutablePointer<SubscriberList.Walk>.allocate(capacity: 1)
        walk.initialize(to: SubscriberList.Walk())
        box.walks.append(walk)
        box.list.begin(walk)
      case .next:
        let walk = box.walks.last!
        guard let next = walk.pointee.next?.takeUnretainedValue(), walk.pointee.step(to: next) else { return [-1] }
        return [box.elements.firstIndex { $0 === next }!]
      case .end:
        box.list.endWalk()
        box.walks.removeLast().deallocate()
      }
      return [box.list.count]
    }
  }

  /// What a walk is still to meet, of those that were in the list when it began.
  private struct ListModel {
    var present: [Int] = []
    var count = 0
    var walks: [[Int]] = []
  }

  @Test func subscriberList() {
    expectSameAnswers(
      "SubscriberList",
      machine: Replayed<List, ListEvent, [Int]>(make: List.init, apply: List.apply),
      model: ListModel(),
      depth: 9,
      alphabet: { model in
        var events: [ListEvent] = model.count < 4 ? [.add] : []
        events += (0..<model.count).map { .remove($0) }
        if model.walks.count < 2 { events.append(.begin) }
        return model.walks.isEmpty ? events : events + [.next, .end]
      },
      answer: { $0.step($1) },
      expect: { model, event in
        switch event {
        case .add:
          model.present.append(model.count)
          model.count += 1
        case .remove(let index):
          model.present.removeAll { $0 == index }
          for walk in model.walks.indices { model.walks[walk].removeAll { $0 == index } }
        case .begin:
          model.walks.append(model.present)
        case .next:
          let last = model.walks.count - 1
          return [model.walks[last].isEmpty ? -1 : model.walks[last].removeFirst()]
        case .end:
          model.walks.removeLast()
        }
        return [model.present.count]
      }
    )
  }

  // MARK: Turn

  private enum TurnEvent {
    case take(UInt), end

    /// The woken thread tries to take the turn, and has waited for long or not.
    case wakeUp(isImpatient: Bool)
  }

  private final class TurnBox {
    var turn = Turn()
    var senders: [(thread: UInt, sender: WaitingSender)] = []
    var woken: UInt = 0

    static func apply(_ box: TurnBox, _ event: TurnEvent) -> [Int] {
      switch event {
      case .take(let thread):
        if !box.turn.take(for: thread) { box.senders.append((thread, box.turn.join(as: thread))) }
      case .end:
        guard let sender = box.turn.end() else { break }
        box.woken = box.senders.first { $0.sender === sender }!.thread
      case .wakeUp(let isImpatient):
        if box.turn.takeAfterWaiting(isImpatient: isImpatient, for: box.woken) {
          box.senders.removeAll { $0.thread == box.woken }
        }
        box.woken = 0
      }
      return [Int(box.turn.owner), box.turn.depth, box.turn.waitingCount, Int(box.woken)]
    }
  }

  /// The threads that wait, in order, and which of them is awake. A thread that waits takes no other step.
  private struct TurnModel {
    var owner: UInt = 0
    var depth = 0
    var waiting: [UInt] = []
    var woken: UInt = 0
    var isFirstImpatient = false

    mutating func giveToFirst() {
      owner = waiting.removeFirst()
      depth = 1
      isFirstImpatient = false
    }
  }

  @Test func turn() {
    expectSameAnswers(
      "Turn",
      machine: Replayed<TurnBox, TurnEvent, [Int]>(make: TurnBox.init, apply: TurnBox.apply),
      model: TurnModel(),
      depth: 9,
      alphabet: { model in
        let sleeping = model.waiting + [model.woken]
        let takes = (1...3).filter { !sleeping.contains($0) && ($0 != model.owner || model.depth < 2) }
        let wakeUps = model.woken == 0 ? [] : [TurnEvent.wakeUp(isImpatient: false), .wakeUp(isImpatient: true)]
        return takes.map { .take($0) } + (model.depth > 0 && model.woken != model.owner ? [.end] : []) + wakeUps
      },
      answer: { $0.step($1) },
      expect: { model, event in
        switch event {
        case .take(let thread) where model.owner == 0 || model.owner == thread:
          model.owner = thread
          model.depth += 1
        case .take(let thread):
          model.waiting.append(thread)
        case .end where model.depth > 1:
          model.depth -= 1
        case .end:
          (model.owner, model.depth) = (0, 0)
          let first = model.waiting.first ?? 0
          if model.isFirstImpatient { model.giveToFirst() }
          if first != 0 { model.woken = first }
        case .wakeUp(let isImpatient):
          if model.owner == 0 {
            model.giveToFirst()
          } else if model.owner != model.woken {
            model.isFirstImpatient = isImpatient
          }
          model.woken = 0
        }
        return [Int(model.owner), model.depth, model.waiting.count, Int(model.woken)]
      },
      invariants: [
        (
          "no thread sleeps while the turn is nobody's",
          { _, model in
            model.owner != 0 || model.waiting.isEmpty || model.woken == model.waiting[0]
          }
        )
      ]
    )
  }

  // MARK: Deque

  private enum QueueEvent: CaseIterable {
    case append, pop, moveOne, moveTwo, moveAll, takeBack
  }

  private final class Queues {
    var queue = Deque<Int>()
    var other = Deque<Int>()
    var next = 0
  }

  private static func answer(_ queues: Queues, _ event: QueueEvent) -> [Int] {
    switch event {
    case .append:
      // Three elements, so that the ring grows and wraps around within a few events.
      for _ in 0..<3 {
        queues.next += 1
        queues.queue.append(queues.next)
      }
    case .pop: return [queues.queue.popFirst() ?? -1]
    case .moveOne: queues.queue.moveFirst(1, to: &queues.other)
    case .moveTwo: queues.queue.moveFirst(2, to: &queues.other)
    case .moveAll: queues.queue.moveFirst(queues.queue.count, to: &queues.other)
    case .takeBack: queues.other.moveFirst(queues.other.count, to: &queues.queue)
    }
    return queues.queue.elements + [-1] + queues.other.elements
  }

  @Test func deque() {
    expectSameAnswers(
      "Deque",
      machine: Replayed<Queues, QueueEvent, [Int]>(make: Queues.init, apply: Self.answer),
      model: (queue: [Int](), other: [Int](), next: 0),
      depth: 6,
      // Moving all elements is an exchange if the other is empty. Otherwise only existing elements may be moved.
      alphabet: { model in
        QueueEvent.allCases.filter { $0 != .moveOne && $0 != .moveTwo || model.queue.count >= ($0 == .moveOne ? 1 : 2) }
      },
      answer: { $0.step($1) },
      expect: { model, event in
        func move(_ count: Int, _ from: inout [Int], _ to: inout [Int]) {
          to += from.prefix(count)
          from.removeFirst(count)
        }
        switch event {
        case .append:
          model.queue += (1...3).map { model.next + $0 }
          model.next += 3
        case .pop: return [model.queue.isEmpty ? -1 : model.queue.removeFirst()]
        case .moveOne: move(1, &model.queue, &model.other)
        case .moveTwo: move(2, &model.queue, &model.other)
        case .moveAll: move(model.queue.count, &model.queue, &model.other)
        case .takeBack: move(model.other.count, &model.other, &model.queue)
        }
        return model.queue + [-1] + model.other
      }
    )
  }

  // MARK: PendingActions

  private enum ActionEvent {
    case add, remove(UInt64), removeAll
  }

  /// Each event waits with its action, in order. What runs or is dropped ends once.
  @Test func pendingActions() {
    expectSameAnswers(
      "PendingActions",
      machine: PendingActions(),
      model: (count: UInt64(0), pending: [UInt64]()),
      depth: 9,
      alphabet: { model in
        let removals = (0..<model.count + 1).map { ActionEvent.remove($0) }
        return (model.count < 5 ? [.add] : []) + removals + (model.count == 3 ? [.removeAll] : [])
      },
      answer: { actions, event -> [Int] in
        switch event {
        case .add: return [Int(actions.add())]
        case .remove(let number): return [actions.remove(number) ?? -1, actions.isEmpty ? 1 : 0]
        case .removeAll:
          actions.removeAll()
          return [actions.isEmpty ? 1 : 0]
        }
      },
      expect: { model, event in
        switch event {
        case .add:
          model.count += 1
          model.pending.append(model.count)
          return [Int(model.count)]
        case .remove(let number):
          let place = model.pending.firstIndex(of: number)
          if let place { model.pending.remove(at: place) }
          return [place ?? -1, model.pending.isEmpty ? 1 : 0]
        case .removeAll:
          model.pending = []
          return [1]
        }
      }
    )
  }

  // MARK: TimerTable

  private struct Token: Cancellable {
    let number: Int
    func cancel() {}
  }

  private static func tokens(_ retired: RetiredTimers) -> [Int] {
    ([retired.first].compactMap { $0 } + retired.rest).compactMap { ($0 as? Token)?.number }
  }

  /// The timers are numbered. A timer's token may arrive before or after it fires, or never.
  private enum TimerEvent {
    case add, attach(Int), fire(Int), removeAll
  }

  private struct TimerModel {
    var count = 0

    /// The timers that may fire, and whether their tokens have arrived.
    var entries: [Int: Bool] = [:]
    var attached: Set<Int> = []

    /// The returned tokens.
    var retired: [Int] = []
  }

  @Test func timerTable() {
    expectSameAnswers(
      "TimerTable",
      machine: TimerTable(),
      model: TimerModel(),
      depth: 7,
      alphabet: { model in
        let numbers = model.count > 0 ? Array(1...model.count) : []
        return (model.count < 3 ? [.add] : []) + numbers.filter { !model.attached.contains($0) }.map { .attach($0) }
          + numbers.map { .fire($0) } + [.removeAll] as [TimerEvent]
      },
      answer: { table, event -> [Int] in
        switch event {
        case .add: return [Int(table.add())]
        case .attach(let timer): return Self.tokens(table.setToken(Token(number: timer), of: UInt64(timer)))
        case .fire(let timer):
          guard let fired = table.fire(UInt64(timer)) else { return [-1] }
          return [fired.isLatest ? 1 : 0, (fired.token as? Token)?.number ?? -1]
        case .removeAll: return Self.tokens(table.removeAll())
        }
      },
      expect: { model, event in
        switch event {
        case .add:
          model.count += 1
          model.entries[model.count] = false
          return [model.count]
        case .attach(let timer):
          model.attached.insert(timer)
          // All older timers are invalid.
          let older = model.entries.filter { $0.key < timer }
          for key in older.keys { model.entries[key] = nil }
          let tokens = older.filter(\.value).keys.sorted()
          guard model.entries[timer] != nil else {
            model.retired += tokens + [timer]
            return tokens + [timer]
          }
          model.entries[timer] = true
          model.retired += tokens
          return tokens
        case .fire(let timer):
          guard let hasToken = model.entries.removeValue(forKey: timer) else { return [-1] }
          if hasToken { model.retired.append(timer) }
          return [timer == model.count ? 1 : 0, hasToken ? timer : -1]
        case .removeAll:
          let tokens = exchange(&model.entries, with: [:]).filter(\.value).keys.sorted()
          model.retired += tokens
          return tokens
        }
      },
      invariants: [
        (
          "no token is lost or given back twice",
          { table, model in
            let held = table.entries.compactMap { ($0.token as? Token)?.number }
            return Set(held + model.retired) == model.attached
              && held.count + model.retired.count == model.attached.count
          }
        )
      ]
    )
  }

  // MARK: CountedBatch

  private enum BatchEvent: CaseIterable {
    case element, removeAll
  }

  @Test(arguments: [1, 2, 3, 0]) func countedBatch(count: Int) {
    expectSameAnswers(
      "CountedBatch of \(count)",
      machine: (batch: CountedBatch<Int>(), next: 0),
      model: (elements: [Int](), next: 0),
      depth: 10,
      alphabet: { _ in BatchEvent.allCases },
      answer: { machine, event -> [Int]? in
        switch event {
        case .element:
          machine.next += 1
          return machine.batch.append(machine.next, completingAt: count)
        case .removeAll: return machine.batch.removeAll()
        }
      },
      expect: { model, event in
        if event == .element {
          model.next += 1
          model.elements.append(model.next)
          guard model.elements.count == count else { return nil }
        }
        return exchange(&model.elements, with: [])
      }
    )
  }

  // MARK: Slots

  private enum RowEvent {
    case put(Int), read
  }

  private final class QueuedRow {
    var row = Slots3<Deque<Int>, Deque<Int>, Deque<Int>>()
    var next = 0
  }

  private static func answer(_ machine: QueuedRow, _ event: RowEvent) -> [Int] {
    switch event {
    case .put(let index):
      machine.next += 1
      switch index {
      case 0: _ = machine.row.a.put(machine.next)
      case 1: _ = machine.row.b.put(machine.next)
      default: _ = machine.row.c.put(machine.next)
      }
    case .read:
      let (a, b, c) = machine.row.read()
      return [a, b, c]
    }
    return [machine.row.isComplete ? 1 : 0] + (0..<3).map { machine.row.isEmpty(at: $0) ? 1 : 0 }
  }

  @Test func queuesOfSlots() {
    expectSameAnswers(
      "Slots3 of queues",
      machine: Replayed<QueuedRow, RowEvent, [Int]>(make: QueuedRow.init, apply: Self.answer),
      model: (queues: [[Int]](repeating: [], count: 3), next: 0),
      depth: 7,
      alphabet: { model in
        [.put(0), .put(1), .put(2)] + (model.queues.allSatisfy { !$0.isEmpty } ? [.read] : []) as [RowEvent]
      },
      answer: { $0.step($1) },
      expect: { model, event in
        switch event {
        case .put(let index):
          model.next += 1
          model.queues[index].append(model.next)
          return [model.queues.allSatisfy { !$0.isEmpty } ? 1 : 0] + model.queues.map { $0.isEmpty ? 1 : 0 }
        case .read:
          return model.queues.indices.map { model.queues[$0].removeFirst() }
        }
      }
    )
  }

  @Test func latestValuesOfSlots() {
    expectSameAnswers(
      "Slots2 of latest values",
      machine: (row: Slots2<LatestValue<Int>, LatestValue<Int>>(), next: 0),
      model: (values: [nil, nil] as [Int?], next: 0),
      depth: 8,
      alphabet: { model in [.put(0), .put(1)] + (model.values.contains(nil) ? [] : [.read]) as [RowEvent] },
      answer: { machine, event -> [Int?] in
        switch event {
        case .put(let index):
          machine.next += 1
          return [index == 0 ? machine.row.a.put(machine.next) : machine.row.b.put(machine.next)]
        case .read:
          let (a, b) = machine.row.read()
          return [a, b]
        }
      },
      expect: { model, event in
        guard case .put(let index) = event else { return model.values }
        model.next += 1
        return [exchange(&model.values[index], with: model.next)]
      }
    )
  }
}
