import CombineExt
import CombineTesting
import Testing

struct PrefixTests {

  @Test func finishesAfterTheDuration() {
    marbles {
      "-a-b-c-d-|"
      $0[0].prefix(duration: 4, on: $0.scheduler)
      "-a-b|"
      "^---!"
    }
  }

  @Test(arguments: [Subscribers.Completion<TestError>.finished, .failure(.first)])
  func anEndWithinTheDurationPasses(_ end: Subscribers.Completion<TestError>) {
    let scheduler = TestScheduler()
    let subject = PassthroughSubject<Int, TestError>()
    let received = subject.prefix(duration: 4, on: scheduler).received()
    subject.send(1)
    scheduler.advance(by: 3)
    subject.send(completion: end)
    scheduler.resume()
    #expect(received.signals == [.input(1), .completion(end)])
    // The end has cancelled the timer.
    #expect(scheduler.now == 3)
  }

  @Test func theTimerTicksOnce() {
    let scheduler = TestScheduler()
    let subject = PassthroughSubject<Int, TestError>()
    let received = subject.prefix(duration: 4, on: scheduler).received()
    scheduler.resume()
    #expect(scheduler.now == 4)
    #expect(received.signals == [.completion(.finished)])
  }

  @Test func anEndAfterTheDurationIsNotSeen() {
    let scheduler = TestScheduler()
    let subject = PassthroughSubject<Int, TestError>()
    let received = subject.prefix(duration: 4, on: scheduler).received()
    scheduler.advance(by: 4)
    subject.send(1)
    subject.send(completion: .failure(.first))
    #expect(received.signals == [.completion(.finished)])
  }

  @Test func theDurationBeginsWithTheSubscription() {
    let scheduler = TestScheduler()
    let subject = PassthroughSubject<Int, TestError>()
    let publisher = subject.prefix(duration: 4, on: scheduler)
    scheduler.advance(by: 10)
    let received = publisher.received()
    scheduler.advance(by: 3)
    subject.send(1)
    scheduler.advance(by: 1)
    #expect(received.signals == [.input(1), .completion(.finished)])
  }

  @Test func theFirstElementThatFailsThePredicateIsIncludedOnRequest() {
    let numbers = [0, 2, 4, 5, 6].publisher
    let isEven: (Int) -> Bool = { $0 % 2 == 0 }
    let exclusive: AnyPublisher<Int, Never> = numbers.prefix(while: isEven, behavior: .exclusive)
    #expect(exclusive.received().signals == [.input(0), .input(2), .input(4), .completion(.finished)])
    let inclusive = numbers.prefix(while: isEven, behavior: .inclusive)
    #expect(inclusive.received().signals == [.input(0), .input(2), .input(4), .input(5), .completion(.finished)])
  }

  @Test(arguments: [PrefixWhileBehavior.inclusive, .exclusive])
  func thePredicateIsCalledOnceForEachElement(_ behavior: PrefixWhileBehavior) {
    var calls: [Int] = []
    let publisher = (1...9).publisher.prefix(
      while: {
        calls.append($0)
        return $0 < 3
      },
      behavior: behavior
    )
    #expect(publisher.received().values == (behavior == .inclusive ? [1, 2, 3] : [1, 2]))
    #expect(calls == [1, 2, 3])
  }

  @Test(
    arguments: [PrefixWhileBehavior.inclusive, .exclusive],
    [Subscribers.Completion<TestError>.finished, .failure(.first)]
  )
  func anEndBeforeItPasses(_ behavior: PrefixWhileBehavior, _ end: Subscribers.Completion<TestError>) {
    let subject = PassthroughSubject<Int, TestError>()
    let received = subject.prefix(while: { $0 < 3 }, behavior: behavior).received()
    subject.send(1)
    subject.send(completion: end)
    #expect(received.signals == [.input(1), .completion(end)])
  }

  /// In the original the finish needs one more unit of demand, and the upstream is asked for everything.
  @Test func theFinishFollowsTheIncludedElementAtOnce() {
    let subject = PassthroughSubject<Int, TestError>()
    var log: [String] = []
    let received =
      subject
      .handleEvents(receiveCancel: { log.append("cancel") }, receiveRequest: { log.append("\($0)") })
      .prefix(while: { $0 < 2 }, behavior: .inclusive)
      .received(requesting: .max(2))
    subject.send(1)
    subject.send(2)
    #expect(received.signals == [.input(1), .input(2), .completion(.finished)])
    #expect(log == ["max(2)", "cancel"])
  }

  @Test func partitionCallsThePredicateOnceForEachElement() {
    let subject = PassthroughSubject<Int, TestError>()
    var calls = 0
    let (even, odd): (AnyPublisher<Int, TestError>, AnyPublisher<Int, TestError>) = subject.partition {
      calls += 1
      return $0 % 2 == 0
    }
    let (matches, nonMatches) = (even.received(), odd.received())
    for value in 1...4 { subject.send(value) }
    subject.send(completion: .finished)
    #expect(matches.signals == [.input(2), .input(4), .completion(.finished)])
    #expect(nonMatches.signals == [.input(1), .input(3), .completion(.finished)])
    #expect(calls == 4)
  }

  @Test func theSideSubscribedFirstStartsASynchronousUpstream() {
    let (even, odd) = (1...4).publisher.partition { $0 % 2 == 0 }
    #expect(even.received().signals == [.input(2), .input(4), .completion(.finished)])
    #expect(odd.received().signals == [.completion(.finished)])
  }
}
