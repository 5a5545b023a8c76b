import Testing

@testable import CombineExtras

/// The window of elements in work, event by event.
struct WorkWindowTests {

  @Test
  func withoutWeightsTheNumberAloneCounts() {
    var window = WorkWindow<Int>(maximumCount: 4)
    #expect(window.refill(undeliveredCount: 0) == 4)
    #expect(window.receive(1, weight: 0)?.input == 1)
    #expect(window.next() == nil)
    #expect(window.receive(2, weight: 0)?.input == 2)
    window.end(weight: 0)
    // Less than half of the window is free.
    #expect(window.refill(undeliveredCount: 0) == 0)
    window.end(weight: 0)
    #expect(window.refill(undeliveredCount: 1) == 0)
    #expect(window.refill(undeliveredCount: 0) == 2)
    #expect(window.requestedCount == 4)
  }

  @Test
  func theFirstElementSaysHowManyFit() {
    var window = WorkWindow<Int>(maximumCount: 1000, maximumWeight: 100)
    #expect(window.refill(undeliveredCount: 0) == 1)
    #expect(window.refill(undeliveredCount: 0) == 0)
    #expect(window.receive(1, weight: 10)?.input == 1)
    #expect(window.refill(undeliveredCount: 0) == 9)
    for number in 2...10 {
      #expect(window.next() == nil)
      #expect(window.receive(number, weight: 10)?.input == number)
    }
    #expect(window.weightInWork == 100)
    #expect(window.refill(undeliveredCount: 0) == 0)
    for _ in 1...4 { window.end(weight: 10) }
    #expect(window.refill(undeliveredCount: 0) == 0)
    window.end(weight: 10)
    #expect(window.refill(undeliveredCount: 0) == 5)
  }

  @Test
  func heavierElementsWaitInTheirOrder() {
    var window = WorkWindow<Int>(maximumCount: 1000, maximumWeight: 100)
    #expect(window.refill(undeliveredCount: 0) == 1)
    #expect(window.receive(1, weight: 20)?.input == 1)
    #expect(window.next() == nil)
    #expect(window.refill(undeliveredCount: 0) == 4)
    #expect(window.receive(2, weight: 70)?.input == 2)
    #expect(window.next() == nil)
    #expect(window.receive(3, weight: 60) == nil)
    // It would fit, but the one before waits.
    #expect(window.receive(4, weight: 5) == nil)
    #expect(window.weightInWork == 90)
    window.end(weight: 20)
    #expect(window.beginNext() == nil)
    window.end(weight: 70)
    #expect(window.beginNext()?.input == 3)
    #expect(window.next()?.input == 4)
    #expect(window.next() == nil)
    #expect(window.weightInWork == 65)
    #expect(window.workingCount == 2)
  }

  @Test
  func anElementThatIsTooHeavyIsAlone() {
    var window = WorkWindow<Int>(maximumCount: 10, maximumWeight: 100)
    #expect(window.refill(undeliveredCount: 0) == 1)
    #expect(window.receive(1, weight: 500)?.input == 1)
    #expect(window.next() == nil)
    #expect(window.refill(undeliveredCount: 0) == 0)
    window.end(weight: 500)
    #expect(window.refill(undeliveredCount: 0) == 1)
    #expect(window.receive(2, weight: 1)?.input == 2)
    #expect(window.next() == nil)
  }

  /// What waits in the operator counts against the room, so that no more is asked for meanwhile.
  @Test
  func elementsThatWaitHoldUpTheDemand() {
    var window = WorkWindow<Int>(maximumCount: 1000, maximumWeight: 1000)
    #expect(window.refill(undeliveredCount: 0) == 1)
    #expect(window.receive(0, weight: 10)?.input == 0)
    #expect(window.next() == nil)
    #expect(window.refill(undeliveredCount: 0) == 99)
    #expect(window.receive(1, weight: 995) == nil)
    // Light ones follow, so the next ones are expected to be light.
    for number in 2...99 { #expect(window.receive(number, weight: 10) == nil) }
    #expect(window.requestedCount == 0)
    #expect(window.refill(undeliveredCount: 0) == 0)
    window.end(weight: 10)
    #expect(window.beginNext()?.input == 1)
    #expect(window.next() == nil)
    window.end(weight: 995)
    #expect(window.beginNext()?.input == 2)
  }

  /// While one thread begins work, elements of another one wait behind it.
  @Test
  func oneThreadBeginsWorkAtATime() {
    var window = WorkWindow<Int>(maximumCount: 10, maximumWeight: 100)
    #expect(window.refill(undeliveredCount: 0) == 1)
    #expect(window.receive(1, weight: 10)?.input == 1)
    #expect(window.refill(undeliveredCount: 0) == 9)
    #expect(window.receive(2, weight: 10) == nil)
    #expect(window.beginNext() == nil)
    #expect(window.next()?.input == 2)
    #expect(window.next() == nil)
  }

  /// The expectation falls slowly after a heavy element, and the demand grows again.
  @Test
  func theDemandGrowsAgainAfterAHeavyElement() {
    var window = WorkWindow<Int>(maximumCount: 1000, maximumWeight: 1000)
    var portions: [Int] = []
    var weight = 1000
    for _ in 0..<300 {
      let portion = window.refill(undeliveredCount: 0)
      portions.append(portion)
      for _ in 0..<portion {
        #expect(window.receive(0, weight: weight) != nil)
        #expect(window.next() == nil)
      }
      for _ in 0..<portion { window.end(weight: weight) }
      weight = 1
    }
    #expect(portions.prefix(3) == [1, 1, 1])
    #expect(portions.max() == 1000)
  }

  @Test
  func whatWaitsIsDroppedAtTheEnd() {
    var window = WorkWindow<Int>(maximumCount: 10, maximumWeight: 10)
    _ = window.refill(undeliveredCount: 0)
    #expect(window.receive(1, weight: 10) != nil)
    #expect(window.receive(2, weight: 10) == nil)
    #expect(window.next() == nil)
    let dropped = window.removeAll()
    #expect(dropped.count == 1)
    window.end(weight: 10)
    #expect(window.beginNext() == nil)
  }
}
