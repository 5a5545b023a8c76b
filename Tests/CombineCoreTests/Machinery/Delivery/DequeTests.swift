import Testing

@testable import CombineCore

@Suite struct DequeTests {

  @Test func returnsElementsInTheOrderOfArrival() {
    var deque = Deque<Int>()
    var taken: [Int] = []
    for element in 0..<10 { deque.append(element) }
    while let element = deque.popFirst() { taken.append(element) }
    #expect(taken == Array(0..<10))
    let isEmpty = deque.isEmpty
    #expect(isEmpty)
  }

  @Test(arguments: 0..<20)
  func keepsTheOrderWhenItGrowsAfterHavingWrapped(offset: Int) {
    var deque = Deque<Int>()
    var taken: [Int] = []
    for element in 0..<offset {
      deque.append(element)
      if element % 3 != 0, let first = deque.popFirst() { taken.append(first) }
    }
    for element in offset..<(offset + 50) { deque.append(element) }
    let count = deque.count
    #expect(count == offset + 50 - taken.count)
    while let element = deque.popFirst() { taken.append(element) }
    #expect(taken == Array(0..<(offset + 50)))
  }

  @Test(arguments: 0...5, [[], [90, 91]])
  func movesItsFirstElementsToTheEndOfAnother(number: Int, others: [Int]) {
    var deque = Deque<Int>()
    // Moved from the front first, so that the ring has wrapped.
    for element in 0..<4 { deque.append(element - 3) }
    for _ in 0..<3 { _ = deque.popFirst() }
    for element in 1..<5 { deque.append(element) }
    var other = Deque<Int>()
    for element in others { other.append(element) }
    deque.moveFirst(number, to: &other)
    let (rest, moved) = (deque.elements, other.elements)
    #expect(rest == Array(number..<5))
    #expect(moved == others + Array(0..<number))
    other.append(100)
    let last = other.elements.last
    #expect(last == 100)
  }

  @Test func movingMoreThanThereIsMovesAll() {
    var deque = Deque<Int>()
    deque.append(1)
    var other = Deque<Int>()
    other.append(0)
    deque.moveFirst(7, to: &other)
    let (rest, moved) = (deque.elements, other.elements)
    #expect(rest == [])
    #expect(moved == [0, 1])
  }

  @Test func holdsOnToNothingItHasGivenAway() {
    final class Element {}
    weak var taken: Element?
    weak var left: Element?
    do {
      var deque = Deque<Element>()
      do {
        let first = Element()
        let second = Element()
        (taken, left) = (first, second)
        deque.append(first)
        deque.append(second)
      }
      _ = deque.popFirst()
      #expect(taken == nil)
      #expect(left != nil)
      let count = deque.count
      #expect(count == 1)
    }
    #expect(left == nil)
  }
}
