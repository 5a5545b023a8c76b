import Dispatch
import Synchronization
import Testing

@testable import CombineCore

@Suite struct SubscriberTableTests {

  private final class Element: SubscriberListElement, @unchecked Sendable {
    let name: Int
    let onRelease: @Sendable () -> Void
    let onDeinit: @Sendable () -> Void

    init(_ name: Int, onRelease: @escaping @Sendable () -> Void = {}, onDeinit: @escaping @Sendable () -> Void = {}) {
      self.name = name
      self.onRelease = onRelease
      self.onDeinit = onDeinit
    }

    deinit { onDeinit() }

    override func releaseContents() {
      onRelease()
    }
  }

  /// Safe to share as the table is: that is tested here.
  private final class Table: @unchecked Sendable {
    let table = SubscriberTable()

    var names: [Int] {
      var names: [Int] = []
      table.send { names.append(($0 as! Element).name) }
      return names.sorted()
    }

    func removeAll() -> [Int] {
      let all = names
      table.removeAll()
      return all
    }
  }

  @Test func visitsWhatIsInIt() {
    let table = Table()
    let elements = (0..<40).map { Element($0) }
    for element in elements { table.table.add(element) }
    #expect(table.names == Array(0..<40))
    for element in elements where element.name % 3 != 0 { table.table.remove(element) }
    #expect(table.names == Array(stride(from: 0, to: 40, by: 3)))
    table.table.remove(elements[1])
    let removed = table.removeAll()
    #expect(removed == Array(stride(from: 0, to: 40, by: 3)))
    #expect(table.names == [])
    table.table.add(elements[5])
    #expect(table.names == [5])
  }

  @Test func aSendMeetsNeitherElementsAddedNorElementsRemovedDuringIt() {
    let table = Table()
    let elements = (0..<4).map { Element($0) }
    for element in elements { table.table.add(element) }
    var seen: [Int] = []
    table.table.send { element in
      let name = (element as! Element).name
      seen.append(name)
      if name == 0 {
        table.table.remove(elements[2])
        for name in 10..<30 { table.table.add(Element(name)) }
      }
    }
    #expect(seen == [0, 1, 3])
    #expect(table.names == [0, 1, 3] + Array(10..<30))
  }

  @Test func aSendDoesNotMeetAnElementAddedAfterTheTableWasEmptiedDuringIt() {
    let table = Table()
    let elements = (0..<3).map { Element($0) }
    for element in elements { table.table.add(element) }
    var seen: [Int] = []
    table.table.send { element in
      seen.append((element as! Element).name)
      for element in elements { table.table.remove(element) }
      table.table.add(Element(7))
    }
    #expect(seen == [0])
    #expect(table.names == [7])
  }

  @Test func anElementRemovedDuringItsCallIsReleasedAfterIt() {
    let table = Table()
    let released = Counter()
    table.table.add(Element(1, onDeinit: { released.add() }))
    table.table.send { element in
      table.table.remove(element)
      #expect(released.count == 0)
    }
    #expect(released.count == 1)
  }

  @Test func whatIsRemovedWhileIdleIsReleasedAtOnceAndMayCallBack() {
    let table = Table()
    let released = Counter()
    var element: Element? = Element(
      1,
      onDeinit: {
        released.add()
        table.table.add(Element(2))
      }
    )
    table.table.add(element!)
    table.table.remove(element!)
    element = nil
    #expect(released.count == 1)
    #expect(table.names == [2])
  }

  @Test func aRemovedElementIsReleasedWhenNoCallToItIsRunning() {
    let table = Table()
    let released = Counter()
    let elements = (0..<4).map { Element($0, onRelease: { released.add() }) }
    for element in elements { table.table.add(element) }
    table.table.remove(elements[0])
    #expect(released.count == 1, "while idle: at once")
    table.table.send { element in
      guard element === elements[1] else { return }
      table.table.remove(elements[2])
      #expect(released.count == 2, "in a call to another one: at once")
      table.table.send { if $0 === elements[1] { table.table.remove($0) } }
      #expect(released.count == 2, "not at the end of a call inside a call")
    }
    #expect(released.count == 3)
    table.table.removeAll()
    #expect(released.count == 4)
    table.table.remove(elements[0])
    #expect(table.removeAll() == [])
    #expect(released.count == 4, "once")
  }

  @Test func keepsAnObjectAliveWhileItIsNotEmpty() {
    final class Object {}
    let table = SubscriberTable()
    for empties in [true, false] {
      weak var weakObject: Object?
      let elements = (0..<3).map { Element($0) }
      do {
        let object = Object()
        weakObject = object
        for element in elements { table.lock.withLock { table.insert(element, sustaining: object) } }
      }
      for element in elements.dropLast(empties ? 2 : 1) { table.remove(element) }
      #expect(weakObject != nil)
      if empties {
        table.removeAll()
      } else {
        table.remove(elements[2])
      }
      #expect(weakObject == nil)
    }
  }

  @Test func releasesWhatIsLeftWhenItDies() {
    let released = Counter()
    do {
      let table = Table()
      for name in 0..<5 { table.table.add(Element(name, onDeinit: { released.add() })) }
    }
    #expect(released.count == 5)
  }

  @Test func survivesThreadsThatSendAddAndRemove() {
    let released = Counter()
    let visited = Counter()
    do {
      let table = Table()
      DispatchQueue.concurrentPerform(iterations: 4) { index in
        var own: [Element] = []
        for round in 0..<1000 {
          switch index {
          case 0, 1:
            table.table.send { _ in visited.add() }
          default:
            let element = Element(round, onDeinit: { released.add() })
            table.table.add(element)
            own.append(element)
            if own.count > 20 { table.table.remove(own.remove(at: round % 20)) }
          }
        }
        for element in own { table.table.remove(element) }
      }
      #expect(table.names == [])
    }
    #expect(released.count == 2000)
  }

  private final class Counter: Sendable {
    private let value = Atomic<Int>(0)
    var count: Int { value.load(ordering: .relaxed) }
    func add() { value.wrappingAdd(1, ordering: .relaxed) }
  }
}
