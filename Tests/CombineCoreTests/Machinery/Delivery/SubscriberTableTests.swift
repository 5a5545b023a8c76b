import Dispatch
import Synchronization
import Testing

@testable import CombineCore

@Suite struct SubscriberTableTests {

  private final class Element: SubscriberTableElement, @unchecked Sendable {
    let name: Int
    let onRelease: @Sendable () -> Void
    let onDeinit: @Sendable () -> Void

    init(_ name: Int, onRelease: @escaping @Sendable () -> Void = {}, onDeinit: @escaping @Sendable () -> Void = {}) {
      self.name = name
      self.onRelease = onRelease
      self.onDeinit = onDeinit
    }

    deinit { onDeinit() }

    override func releaseContents(leavesGate: Bool) {
      onRelease()
    }

    override func releaseContentsUnlessVisited() {}  // These traversals do not enter the gate.
  }

  /// Safe to share as the table is: that is tested here.
  private final class Table: @unchecked Sendable {
    let table = SubscriberTable()

    var names: [Int] {
      var names: [Int] = []
      table.forEach(Element.self) { names.append($0.name) }
      return names.sorted()
    }

    func removeAll() -> [Int] {
      var names: [Int] = []
      table.removeAll(Element.self) { names.append($0.name) }
      return names.sorted()
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

  @Test func reusesItsPlacesWithoutGrowing() {
    let table = Table()
    for round in 0..<1000 {
      let element = Element(round)
      table.table.add(element)
      #expect(element.tableIndex < 16)
      table.table.remove(element)
    }
    #expect(table.names == [])
  }

  @Test func aTraversalSeesNeitherElementsAddedNorElementsRemovedDuringIt() {
    let table = Table()
    let elements = (0..<4).map { Element($0) }
    for element in elements { table.table.add(element) }
    var seen: [Int] = []
    table.table.forEach(Element.self) { element in
      seen.append(element.name)
      if element.name == 0 {
        table.table.remove(elements[2])
        for name in 10..<30 { table.table.add(Element(name)) }
      }
    }
    #expect(seen == [0, 1, 3])
    #expect(table.names == [0, 1, 3] + Array(10..<30))
  }

  @Test func aTraversalDoesNotSeeAnElementAddedAfterTheTableWasEmptiedDuringIt() {
    let table = Table()
    let elements = (0..<3).map { Element($0) }
    for element in elements { table.table.add(element) }
    var seen: [Int] = []
    table.table.forEach(Element.self) { element in
      seen.append(element.name)
      for element in elements { table.table.remove(element) }
      table.table.add(Element(7))
    }
    #expect(seen == [0])
    #expect(table.names == [7])
  }

  @Test func anElementRemovedDuringATraversalIsReleasedAfterIt() {
    let table = Table()
    let released = Counter()
    table.table.add(Element(1, onDeinit: { released.add() }))
    table.table.forEach(Element.self) { element in
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

  @Test func aRemovedElementReleasesItsContentsWhenNoTraversalIsInside() {
    let table = Table()
    let released = Counter()
    let elements = (0..<4).map { Element($0, onRelease: { released.add() }) }
    for element in elements { table.table.add(element) }
    table.table.remove(elements[0])
    #expect(released.count == 1, "while idle: at once")
    table.table.forEach(Element.self) { element in
      guard element.name == 1 else { return }
      table.table.forEach(Element.self) { if $0.name == 1 { table.table.remove($0) } }
      #expect(released.count == 1, "not at the end of a traversal inside a traversal")
    }
    #expect(released.count == 2)
    table.table.removeAll(Element.self) { _ in
      #expect(released.count == 2, "not before all were visited")
    }
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
        table.removeAll(Element.self) {
          // It is removed already. The object stays until all elements are visited.
          table.remove($0)
          #expect(weakObject != nil)
        }
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

  @Test func survivesThreadsThatTraverseAddAndRemove() {
    let released = Counter()
    let visited = Counter()
    do {
      let table = Table()
      DispatchQueue.concurrentPerform(iterations: 4) { index in
        var own: [Element] = []
        for round in 0..<1000 {
          switch index {
          case 0, 1:
            table.table.forEach(Element.self) { _ in visited.add() }
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
