import CombineExt
import CombineTesting
import Testing

struct MaterializeTests {

  typealias Events = PassthroughSubject<Event<Int, TestError>, Never>

  @Test func describesItsValue() {
    #expect(String(describing: Event<Int, TestError>.value(1)) == "value(1)")
    #expect(String(describing: Event<Int, TestError>.failure(.first)) == "failure(first)")
    #expect(String(describing: Event<Int, TestError>.finished) == "finished")
  }

  @Test func eventsAreEqualByCaseAndValue() {
    let events: [Event<Int, TestError>] = [.value(1), .value(2), .failure(.first), .failure(.second), .finished]
    for (index, event) in events.enumerated() {
      for (other, otherEvent) in events.enumerated() { #expect((event == otherEvent) == (index == other)) }
    }
  }

  @Test func aCompletionIsAValueBeforeTheFinish() {
    let finished: Publishers.Materialize<Just<Int>> = Just(1).materialize()
    #expect(
      finished.received().signals == [.input(.value(1)), .input(.finished), .completion(.finished)]
    )
    let subject = PassthroughSubject<Int, TestError>()
    let failed = Publishers.Materialize(upstream: subject).received()
    subject.send(1)
    subject.send(completion: .failure(.first))
    #expect(failed.signals == [.input(.value(1)), .input(.failure(.first)), .completion(.finished)])
  }

  @Test func theValueOfTheCompletionWaitsForDemand() {
    let events = Just(1).materialize().received(requesting: .max(1))
    #expect(events.signals == [.input(.value(1))])
    events.request(.max(1))
    #expect(events.signals == [.input(.value(1)), .input(.finished), .completion(.finished)])
  }

  @Test func separatesValuesAndErrors() {
    let subject = PassthroughSubject<Int, TestError>()
    let values: AnyPublisher<Int, Never> = subject.materialize().values()
    let failures: AnyPublisher<TestError, Never> = subject.materialize().failures()
    let (receivedValues, receivedFailures) = (values.received(), failures.received())
    subject.send(1)
    subject.send(2)
    #expect(receivedFailures.signals == [])
    subject.send(completion: .failure(.first))
    #expect(receivedValues.signals == [.input(1), .input(2), .completion(.finished)])
    #expect(receivedFailures.signals == [.input(.first), .completion(.finished)])
  }

  @Test func withoutAnErrorFailuresOnlyFinish() {
    let subject = PassthroughSubject<Int, TestError>()
    let failures = subject.materialize().failures().received()
    subject.send(1)
    subject.send(completion: .finished)
    #expect(failures.signals == [.completion(.finished)])
  }

  @Test(arguments: [Subscribers.Completion<TestError>.finished, .failure(.first)])
  func dematerializeGivesTheEventsBack(_ end: Subscribers.Completion<TestError>) {
    let subject = PassthroughSubject<Int, TestError>()
    let events: Publishers.Dematerialize<Publishers.Materialize<PassthroughSubject<Int, TestError>>> =
      subject.materialize().dematerialize()
    let received = events.received()
    subject.send(1)
    subject.send(completion: end)
    #expect(received.signals == [.input(1), .completion(end)])
  }

  @Test func theEventOfTheCompletionCostsDemand() {
    let subject = Events()
    let received = subject.dematerialize().received(requesting: .max(2))
    for value in 1...3 { subject.send(.value(value)) }
    subject.send(.finished)
    #expect(received.signals == [.input(1), .input(2)])
  }

  @Test func theEventOfTheCompletionCancelsTheUpstream() {
    let subject = Events()
    var cancels = 0
    let received = subject.handleEvents(receiveCancel: { cancels += 1 }).dematerialize().received()
    subject.send(.value(1))
    subject.send(.failure(.first))
    #expect(cancels == 1)
    subject.send(.value(2))
    subject.send(.finished)
    subject.send(completion: .finished)
    #expect(received.signals == [.input(1), .completion(.failure(.first))])
  }

  @Test func anUpstreamThatFinishesWithoutAnEventOfItFinishes() {
    let subject = Events()
    let received = subject.dematerialize().received()
    subject.send(.value(1))
    subject.send(completion: .finished)
    #expect(received.signals == [.input(1), .completion(.finished)])
  }

  @Test func aFailingUpstreamOfDematerializeEndsTheProcess() async {
    await #expect(processExitsWith: .failure) {
      let failing = Fail<Event<Int, Never>, TestError>(error: .first)
      _ = Publishers.Dematerialize(upstream: failing).sink { _ in }
    }
  }

  @Test func anyTypeMayDescribeEvents() {
    struct Reply: EventConvertible {
      let number: Int
      var event: Event<String, TestError> { number == 0 ? .finished : .value("\(number)") }
    }
    let replies = [Reply(number: 1), Reply(number: 2), Reply(number: 0)].publisher
    #expect(replies.dematerialize().received().signals == [.input("1"), .input("2"), .completion(.finished)])
    #expect(replies.values().received().values == ["1", "2"])
  }

  @Test func subscriptionsDescribeThemselves() {
    #expect(Just(1).materialize().subscriptionDescription() == "Materialize.Subscription<Int, Never>")
    #expect(Events().dematerialize().subscriptionDescription() == "Dematerialize.Subscription<Int, TestError>")
  }
}
