import CombineCore
import TestSupport
import Testing

@testable import CombineExtras

/// The machines of groups and windows, each beside a model of its rules.
@Suite struct ExtrasGroupingModelTests {

  private typealias Demand = Subscribers.Demand

  // MARK: GroupTable

  private enum GroupEvent {
    case use(String), insert(String), remove(String), removeOlderGroup(String), removeAll
  }

  private final class Group {
    let number: Int

    init(_ number: Int) {
      self.number = number
    }
  }

  private final class GroupReplay {
    private var table: GroupTable<String, Group>

    /// The groups of each key, the latest last.
    private var groups: [String: [Group]] = [:]
    private var groupCount = 0

    init(limit: Int) {
      table = GroupTable(limit: limit)
    }

    func step(_ event: GroupEvent) -> [Int] {
      switch event {
      case .use(let key):
        return table.use(key).map { [$0.number] } ?? []
      case .insert(let key):
        groupCount += 1
        let group = Group(groupCount)
        groups[key, default: []].append(group)
        return table.insert(group, for: key).map { [$0.group.number] } ?? []
      case .remove(let key):
        return groups[key]?.last.flatMap { table.remove($0, for: key) }.map { [$0.group.number] } ?? []
      case .removeOlderGroup(let key):
        return groups[key]?.first.flatMap { table.remove($0, for: key) }.map { [$0.group.number] } ?? []
      case .removeAll:
        return table.removeAll().map(\.group.number)
      }
    }

    func contains(_ number: Int) -> Bool {
      table.contains { $0.number == number }
    }
  }

  /// The open groups, the one used least recently first.
  private struct GroupModel {
    let limit: Int
    var open: [(key: String, number: Int)] = []
    var first: [String: Int] = [:]
    var groupCount = 0

    var events: [GroupEvent] {
      ["a", "b", "c"].flatMap { key -> [GroupEvent] in
        let isOpen = open.contains { $0.key == key }
        let older: [GroupEvent] = first[key] == nil ? [] : [.removeOlderGroup(key)]
        return isOpen ? [.use(key), .remove(key)] + older : [.use(key), .insert(key)] + older
      } + [.removeAll]
    }

    mutating func step(_ event: GroupEvent) -> [Int] {
      switch event {
      case .use(let key):
        guard let index = open.firstIndex(where: { $0.key == key }) else { return [] }
        let used = open.remove(at: index)
        open.append(used)
        return [used.number]
      case .insert(let key):
        groupCount += 1
        let evicted = open.count == limit ? [open.removeFirst().number] : []
        open.append((key, groupCount))
        if first[key] == nil { first[key] = groupCount }
        return evicted
      case .remove(let key):
        return remove { $0.key == key }
      case .removeOlderGroup(let key):
        return remove { [first] in $0.number == first[key] }
      case .removeAll:
        return remove { _ in true }
      }
    }

    private mutating func remove(where predicate: ((key: String, number: Int)) -> Bool) -> [Int] {
      let removed = open.filter(predicate).map(\.number)
      open.removeAll(where: predicate)
      return removed
    }
  }

  @Test(arguments: [1, 2, .max]) func evictsTheGroupUsedLeastRecently(limit: Int) {
    struct Answer: Equatable {
      var removed: [Int]
      var open: [Bool]
    }
    expectSameAnswers(
      "GroupTable, at most \(limit == .max ? "any number" : "\(limit)")",
      machine: Replayed<GroupReplay, GroupEvent, Answer>(make: { GroupReplay(limit: limit) }) { table, event in
        Answer(removed: table.step(event), open: (1...6).map(table.contains))
      },
      model: GroupModel(limit: limit),
      depth: 6,
      alphabet: \.events,
      answer: { $0.step($1) },
      expect: { model, event in
        let removed = model.step(event)
        return Answer(removed: removed, open: (1...6).map { number in model.open.contains { $0.number == number } })
      }
    )
  }

  // MARK: WindowMachine

  private enum WindowEvent {
    case element, tick, expire(Int), request(Subscribers.Demand)
  }

  private final class WindowReplay {
    private var machine: WindowMachine

    init(count: Int?, opening: WindowOpening) {
      machine = WindowMachine(count: count, opening: opening)
    }

    func step(_ event: WindowEvent) -> String {
      switch event {
      case .element: "\(machine.receive())"
      case .tick: "\(machine.tick())"
      case .expire(let number): "\(machine.expire(number))"
      case .request(let demand): "\(machine.elements(for: demand))"
      }
    }
  }

  /// The open windows with their elements.
  private struct WindowModel {

    struct Window {
      let number: Int
      var elements: [Int] = []

      /// The number of ticks before the window has opened.
      let tick: Int
    }

    let count: Int?
    let opening: WindowOpening
    var open: [Window] = []
    var windowCount = 0
    var elementCount = 0
    var tickCount = 0
    var requested = 0

    var events: [WindowEvent] {
      if case .everyElements = opening { return [.element, .request(.none), .request(.max(1)), .request(.max(2))] }
      // The clock begins before the first element.
      return tickCount == 0 ? [.tick] : [.element, .tick] + open.map { .expire($0.number) }
    }

    private mutating func openWindow() {
      open.append(Window(number: windowCount, tick: tickCount))
      windowCount += 1
    }

    private mutating func close(_ predicate: (Window) -> Bool) -> Int {
      defer { open.removeAll(where: predicate) }
      return open.count(where: predicate)
    }

    mutating func step(_ event: WindowEvent) -> String {
      var change = WindowChange()
      switch event {
      case .element:
        if case .everyElements(let step) = opening, elementCount % step == 0 {
          change.opens = true
          openWindow()
        }
        elementCount += 1
        for index in open.indices { open[index].elements.append(elementCount) }
        change.filled = close { [count] in $0.elements.count == count }
        if opening == .oneAfterAnother, change.filled > 0 {
          change.reopens = true
          openWindow()
        }
      case .tick:
        tickCount += 1
        if case .everyTick(let lifetime) = opening {
          change.expired = close { [tickCount] in $0.tick + lifetime <= tickCount }
        } else {
          change.expired = close { _ in true }
        }
        change.opens = true
        openWindow()
      case .expire(let number):
        change.expired = close { $0.number <= number }
      case .request(let windows):
        // The last of the windows begins after the steps of those before it.
        func elements(_ windows: Int) -> Int {
          guard case .everyElements(let step) = opening, windows > 0 else { return 0 }
          return (windows - 1) * step + (count ?? 0)
        }
        defer { requested += windows.max ?? 0 }
        return "\(Demand.max(elements(requested + (windows.max ?? 0)) - elements(requested)))"
      }
      return "\(change)"
    }
  }

  private func windows(count: Int?, _ opening: WindowOpening, depth: Int) {
    expectSameAnswers(
      "WindowMachine, \(count.map { "\($0) elements" } ?? "any number of elements"), \(opening)",
      machine: Replayed<WindowReplay, WindowEvent, String>(make: { WindowReplay(count: count, opening: opening) }) {
        $0.step($1)
      },
      model: WindowModel(count: count, opening: opening),
      depth: depth,
      alphabet: \.events,
      answer: { $0.step($1) },
      expect: { $0.step($1) }
    )
  }

  @Test(arguments: [1, 2, 3], [1, 2, 3]) func opensWindowsEveryFewElements(count: Int, step: Int) {
    windows(count: count, .everyElements(step), depth: 7)
  }

  @Test(arguments: [nil, 1, 2]) func opensWindowsAtTicks(count: Int?) {
    windows(count: count, .everyTick(lifetime: 1), depth: 8)
    windows(count: count, .everyTick(lifetime: 2), depth: 8)
    windows(count: count, .everyTick(lifetime: 3), depth: 7)
  }

  @Test(arguments: [nil, 1, 2]) func opensOneWindowAfterAnother(count: Int?) {
    windows(count: count, .oneAfterAnother, depth: 8)
  }
}
