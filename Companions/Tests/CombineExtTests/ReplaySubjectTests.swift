import CombineTesting
import Testing

@testable import CombineExt

struct ReplaySubjectTests {

  typealias Subject = ReplaySubject<Int, TestError>

  @Test func replaysTheLastValuesAndThenPublishesLiveOnes() {
    let subject = Subject(bufferSize: 2)
    for value in 1...3 { subject.send(value) }
    let received = subject.received()
    subject.send(4)
    #expect(received.signals == [.input(2), .input(3), .input(4)])
  }

  @Test(arguments: [0, -1])
  func keepsNothingWithoutASize(_ size: Int) {
    let subject = Subject(bufferSize: size)
    subject.send(1)
    let received = subject.received()
    subject.send(2)
    #expect(received.signals == [.input(2)])
  }

  @Test func theCompletionOvertakesTheValuesBeyondTheDemand() {
    let subject = Subject(bufferSize: 4)
    for value in 1...4 { subject.send(value) }
    let received = subject.received(requesting: .max(3))
    #expect(received.values == [1, 2, 3])
    subject.send(completion: .finished)
    #expect(received.signals == [.input(1), .input(2), .input(3), .completion(.finished)])
    received.request(.max(1))
    #expect(received.signals.count == 4)
  }

  @Test func aRequestForNothingGetsTheCompletionOnly() {
    let subject = Subject(bufferSize: 4)
    subject.send(1)
    subject.send(completion: .finished)
    var subscription: (any Subscription)?
    var (values, completions) = (0, 0)
    let subscriber = AnySubscriber<Int, TestError>(
      receiveSubscription: { subscription = $0 },
      receiveValue: { _ in
        values += 1
        return .none
      },
      receiveCompletion: { _ in completions += 1 }
    )
    subject.subscribe(subscriber)
    #expect(completions == 0)
    subscription?.request(.none)
    #expect(values == 0)
    #expect(completions == 1)
  }

  @Test func ignoresWhatFollowsTheCompletion() {
    let subject = Subject(bufferSize: 3)
    let live = subject.received()
    subject.send(1)
    subject.send(completion: .failure(.first))
    subject.send(2)
    subject.send(completion: .finished)
    #expect(live.signals == [.input(1), .completion(.failure(.first))])
    for _ in 1...2 { #expect(subject.received().signals == [.input(1), .completion(.failure(.first))]) }
  }

  @Test func oneSubscriberMaySubscribeTwice() {
    let subject = Subject(bufferSize: 1)
    var values: [Int] = []
    let subscriber = AnySubscriber<Int, TestError>(
      receiveSubscription: { $0.request(.unlimited) },
      receiveValue: {
        values.append($0)
        return .none
      }
    )
    subject.send(1)
    subject.subscribe(subscriber)
    subject.subscribe(subscriber)
    subject.send(2)
    #expect(values == [1, 1, 2, 2])
  }

  @Test func sharesOneSubscriptionAndReplaysTheLastElements() {
    var subscriptions = 0
    let source = PassthroughSubject<Int, TestError>()
    let shared:
      Publishers.Autoconnect<
        Publishers.Multicast<Publishers.HandleEvents<PassthroughSubject<Int, TestError>>, ReplaySubject<Int, TestError>>
      > = source.handleEvents(receiveSubscription: { _ in subscriptions += 1 }).share(replay: 2)
    let first = shared.received()
    for value in 1...3 { source.send(value) }
    let second = shared.received()
    source.send(4)
    #expect(first.values == [1, 2, 3, 4])
    #expect(second.values == [2, 3, 4])
    #expect(subscriptions == 1)
  }

  @Test func afterTheEndItReplaysAndDoesNotSubscribeAgain() {
    var subscriptions = 0
    let source = PassthroughSubject<Int, TestError>()
    let shared = source.handleEvents(receiveSubscription: { _ in subscriptions += 1 }).share(replay: 1)
    let first = shared.received()
    source.send(1)
    source.send(2)
    source.send(completion: .failure(.first))
    #expect(first.values == [1, 2])
    #expect(shared.received().signals == [.input(2), .completion(.failure(.first))])
    #expect(subscriptions == 1)
  }

  /// In Entwine the next subscriber starts anew.
  @Test func theOldElementsAreReplayedAfterAllHaveCancelled() {
    var (subscriptions, cancels) = (0, 0)
    let source = PassthroughSubject<Int, TestError>()
    let shared = source.handleEvents(
      receiveSubscription: { _ in subscriptions += 1 },
      receiveCancel: { cancels += 1 }
    ).share(replay: 2)
    let first = shared.received()
    for value in 1...3 { source.send(value) }
    first.cancel()
    #expect(cancels == 1)
    source.send(4)
    let second = shared.received()
    source.send(5)
    #expect(second.values == [2, 3, 5])
    #expect(subscriptions == 2)
  }

  @Test func aSharedValueMeetsItself() {
    let shared = Just(1).share(replay: 1)
    #expect(shared.zip(shared).map { [$0, $1] }.received().signals == [.input([1, 1]), .completion(.finished)])
  }

  @Test func theSourceIsReleasedWithTheSharedPublisher() {
    final class Source: Publisher {
      typealias Output = Int
      typealias Failure = Never
      let subject = PassthroughSubject<Int, Never>()
      func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
        subject.subscribe(subscriber)
      }
    }
    weak var released: Source?
    do {
      let source = Source()
      released = source
      let shared = source.share(replay: 2)
      let sinks = [shared.sink { _ in }, shared.sink { _ in }]
      source.subject.send(1)
      for sink in sinks { sink.cancel() }
    }
    #expect(released == nil)
  }

  @Test func showsItsSubscriptionsInOrderToTestableImports() {
    let subject = Subject(bufferSize: 1)
    var given: [CombineIdentifier] = []
    var cancellables: [any Cancellable] = []
    for _ in 0..<3 {
      let sink = Subscribers.Sink<Int, TestError>(receiveCompletion: { _ in }, receiveValue: { _ in })
      subject.handleEvents(receiveSubscription: { given.append($0.combineIdentifier) }).subscribe(sink)
      cancellables.append(sink)
    }
    #expect(subject.subscriptions.map(\.combineIdentifier) == given)
    cancellables[1].cancel()
    #expect(subject.subscriptions.map(\.combineIdentifier) == [given[0], given[2]])
    subject.send(completion: .finished)
    #expect(subject.subscriptions.isEmpty)
  }
}
