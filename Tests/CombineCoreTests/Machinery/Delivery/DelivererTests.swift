import CombineCore
import TestSupport
import Testing

@Suite struct DelivererTests {

  /// The macro cannot expand a step, which changes the deliverer.
  private func expect(_ answer: Bool, _ expected: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(answer == expected, sourceLocation: sourceLocation)
  }

  @Test func oneTaskDeliversAllThatWaits() {
    var deliverer = Deliverer<Int, TestError>(.afterValues)
    deliverer.demand = .unlimited
    deliverer.enqueue(1)
    expect(deliverer.claim(), false)
    deliverer.didOpen()
    expect(deliverer.claim(), true)
    deliverer.enqueue(2)
    expect(deliverer.claim(), false)
    guard case .value(1) = deliverer.next(), case .value(2) = deliverer.next(), case .nothing = deliverer.next() else {
      Issue.record("another delivery")
      return
    }
    deliverer.enqueue(completion: .finished)
    expect(deliverer.claim(), true)
    deliverer.enqueue(completion: .failure("late"))
    deliverer.enqueue(3)
    guard case .completion(.finished) = deliverer.next(), case .release = deliverer.next() else {
      Issue.record("another delivery")
      return
    }
    expect(deliverer.hasEnded, true)
  }

  @Test func nothingIsClaimedWithoutDemand() {
    var deliverer = Deliverer<Int, TestError>(.afterValues)
    deliverer.didOpen()
    deliverer.enqueue(1)
    deliverer.enqueue(completion: .finished)
    expect(deliverer.claim(), false)
    expect(deliverer.add(.max(1)), false)
    expect(deliverer.claim(), true)
  }

  @Test func aValueIsQueuedWhileAnotherIsDelivered() {
    var deliverer = Deliverer<Int, TestError>(.afterValues)
    deliverer.demand = .unlimited
    deliverer.didOpen()
    guard case .value(1) = deliverer.send(1), case .queued = deliverer.send(2) else {
      Issue.record("another delivery")
      return
    }
    deliverer.enqueue(3)
    guard case .queued = deliverer.drain(), case .value(2) = deliverer.next(), case .value(3) = deliverer.next() else {
      Issue.record("another delivery")
      return
    }
    // Nobody waits for a completion, nor for a value that is dropped.
    guard case .nothing = deliverer.send(completion: .finished), case .nothing = deliverer.send(4) else {
      Issue.record("another delivery")
      return
    }
  }

  @Test func aValueWithoutDemandIsNotQueued() {
    var deliverer = Deliverer<Int, TestError>(.afterValues)
    deliverer.didOpen()
    guard case .nothing = deliverer.send(1), case .nothing = deliverer.drain() else {
      Issue.record("another delivery")
      return
    }
  }

  @Test func aCancelEmptiesTheQueue() {
    var deliverer = Deliverer<Int, TestError>(.afterValues)
    deliverer.demand = .unlimited
    deliverer.didOpen()
    deliverer.enqueue(1)
    expect(deliverer.claim(), true)
    deliverer.enqueue(2)
    expect(deliverer.cancel().values == [1, 2], true)
    guard case .release = deliverer.next() else {
      Issue.record("another delivery")
      return
    }
    deliverer.enqueue(3)
    deliverer.enqueue(completion: .finished)
    expect(deliverer.claim(), false)
  }
}
