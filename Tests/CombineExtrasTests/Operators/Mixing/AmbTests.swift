import CombineExtras
import CombineTesting
import TestSupport
import Testing

@Suite struct AmbTests {

  typealias Upstream = ManualPublisher<Int, TestError>
  typealias Downstream = RecordingSubscriber<Int, TestError>

  @Test func theFirstToPublishWins() {
    marbles {
      "--1----2--|"
      "----x--y----#"
      $0[0].amb($0[1])
      "--1----2--|"
      "^"
      "^-!"
    }
  }

  @Test func aCompletionWinsToo() {
    marbles {
      "---------1"
      "---#"
      $0[0].amb($0[1])
      "---#"
    }
    marbles {
      "---------1"
      "---|"
      $0[0].amb($0[1])
      "---|"
      "^--!"
    }
  }

  @Test func aWinnerPublishesNoMoreThanTheDemand() {
    let (first, second) = (PassthroughSubject<Int, TestError>(), PassthroughSubject<Int, TestError>())
    let downstream = Downstream(requesting: .max(2))
    first.amb(second).subscribe(downstream)
    for value in 1...4 { second.send(value) }
    #expect(downstream.values == [1, 2])
    downstream.request(.max(1))
    for value in 5...6 { second.send(value) }
    #expect(downstream.values == [1, 2, 5])
  }

  @Test func asksEachForOneAndTheWinnerForTheRest() {
    let (first, second) = (Upstream(), Upstream())
    let downstream = Downstream(requesting: .max(2))
    first.amb(second).subscribe(downstream)
    #expect(first.history == [.requested(.max(1))])
    #expect(second.history == [.requested(.max(1))])
    #expect(second.send(1) == .max(1))
    #expect(first.history == [.requested(.max(1)), .cancelled])
    second.send(2)
    #expect(downstream.values == [1, 2])
    downstream.request(.max(3))
    #expect(second.history == [.requested(.max(1)), .requested(.max(3))])
  }

  @Test func theDecidingElementWaitsForDemand() {
    let (first, second) = (Upstream(), Upstream())
    let downstream = Downstream()
    first.amb(second).subscribe(downstream)
    #expect(first.send(1) == .none)
    first.send(completion: .finished)
    #expect(downstream.events.count == 1)
    downstream.request(.max(2))
    #expect(downstream.events.dropFirst() == [.value(1), .finished])
    #expect(first.history == [.requested(.max(1))])
  }

  @Test func theLoserIsCancelledBeforeTheEventIsDelivered() {
    let (first, second) = (Upstream(), Upstream())
    let downstream = Downstream(requesting: .unlimited)
    downstream.onValue = { _ in
      #expect(second.history.contains(.cancelled))
      return .none
    }
    first.amb(second).subscribe(downstream)
    first.send(1)
    second.send(2)
    second.send(completion: .finished)
    #expect(downstream.values == [1])
  }

  @Test func theSecondIsNotSubscribedToIfTheFirstDecidesAtOnce() {
    let second = Upstream()
    let downstream = Downstream(requesting: .unlimited)
    Just(1).setFailureType(to: TestError.self).amb(second).subscribe(downstream)
    #expect(second.subscribeCount == 0)
    #expect(downstream.events.dropFirst() == [.value(1), .finished])
  }

  @Test func aLateSubscriptionOfTheLoserIsCancelled() {
    let (first, second) = (Upstream(), Upstream(subscription: nil))
    let downstream = Downstream(requesting: .unlimited)
    first.amb(second).subscribe(downstream)
    first.send(1)
    let late = ManualSubscription()
    second.send(subscription: late)
    #expect(late.history == [.cancelled])
  }

  @Test func aCancelReachesBothBeforeTheDecision() {
    let (first, second) = (Upstream(), Upstream())
    let downstream = Downstream(requesting: .max(1))
    first.amb(second).subscribe(downstream)
    downstream.cancel()
    #expect(first.history.last == .cancelled)
    #expect(second.history.last == .cancelled)
  }

  @Test func anyNumberOfPublishersTakesPart() {
    let subjects = (0..<4).map { _ in PassthroughSubject<Int, TestError>() }
    let downstream = Downstream(requesting: .unlimited)
    subjects.amb().subscribe(downstream)
    subjects[2].send(2)
    subjects[1].send(1)
    #expect(downstream.values == [2])
  }

  @Test func anEmptyCollectionFinishesAndOneElementIsPassedThrough() {
    let none = Downstream()
    [PassthroughSubject<Int, TestError>]().amb().subscribe(none)
    #expect(none.events.last == .finished)
    let one = Downstream(requesting: .unlimited)
    [Just(1).setFailureType(to: TestError.self)].amb().subscribe(one)
    #expect(one.events.dropFirst() == [.value(1), .finished])
  }
}
