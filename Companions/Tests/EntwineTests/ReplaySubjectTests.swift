import EntwineTest
import Testing

@testable import Entwine

@Suite struct ReplaySubjectTests {

  typealias Subject = ReplaySubject<Int, TestError>

  private static let subjects: [@Sendable () -> Subject] = [
    { Subject(maxBufferSize: 2) }, { Subject.create(bufferSize: 2) },
  ]

  @Test(arguments: 0..<subjects.count)
  func replaysTheLastValuesAndThenPublishesLiveOnes(_ index: Int) {
    let subject = Self.subjects[index]()
    for value in 1...3 { subject.send(value) }
    let received = subject.received()
    subject.send(4)
    #expect(received.signals == [.input(2), .input(3), .input(4)])
  }

  @Test func withoutALimitItReplaysEverything() {
    let subject = Subject.createUnbounded()
    for value in 1...100 { subject.send(value) }
    #expect(subject.received().values == Array(1...100))
  }

  /// In CombineExt the completion overtakes the values.
  @Test func theCompletionWaitsForTheValuesBeforeIt() {
    let subject = Subject(maxBufferSize: 4)
    for value in 1...4 { subject.send(value) }
    let received = subject.received(requesting: .max(3))
    subject.send(completion: .finished)
    #expect(received.signals == [.input(1), .input(2), .input(3)])
    received.request(.max(1))
    #expect(received.signals == [.input(1), .input(2), .input(3), .input(4), .completion(.finished)])
  }

  @Test func aCancelStopsOneSubscription() {
    let subject = Subject(maxBufferSize: 0)
    let (first, second) = (subject.received(), subject.received())
    subject.send(1)
    first.cancel()
    subject.send(2)
    #expect(first.values == [1])
    #expect(second.values == [1, 2])
  }

  /// In the original it comes early and twice.
  @Test func aValueSentDuringTheSubscriptionComesOnceAndAfterTheReplay() {
    let subject = Subject(maxBufferSize: 2)
    subject.send(1)
    let received = Received<Int, TestError>()
    received.onSubscription = { subject.send(2) }
    subject.subscribe(received)
    #expect(received.values == [1, 2])
  }

  @Test func aValueSentFromInsideADeliveryComesAfterIt() {
    let subject = Subject(maxBufferSize: 2)
    let (first, second) = (subject.received(), subject.received())
    first.onValue = { if $0 < 3 { subject.send($0 + 1) } }
    subject.send(1)
    #expect(first.values == [1, 2, 3])
    #expect(second.values == [1, 2, 3])
  }

  @Test func queuedValuesDoNotComeAfterACancel() {
    let subject = Subject(maxBufferSize: 3)
    for value in 1...3 { subject.send(value) }
    let received = subject.received(requesting: .max(1))
    let subscription = received.subscription
    received.cancel()
    subscription?.request(.unlimited)
    subject.send(completion: .finished)
    #expect(received.signals == [.input(1)])
  }

  @Test func aSubscriberMayCancelOneOfItsTwoSubscriptions() {
    let subject = Subject(maxBufferSize: 1)
    let received = Received<Int, TestError>()
    subject.subscribe(received)
    let first = received.subscription
    subject.subscribe(received)
    subject.send(1)
    #expect(received.values == [1, 1])
    first?.cancel()
    subject.send(2)
    #expect(received.values == [1, 1, 2])
  }

  @Test func releasesItsSubscribersWithItself() {
    weak var released: Received<Int, TestError>?
    weak var releasedSubject: Subject?
    do {
      let subject = Subject(maxBufferSize: 1)
      let received = subject.received()
      subject.send(1)
      (released, releasedSubject) = (received, subject)
      received.dropSubscription()
    }
    #expect(released == nil)
    #expect(releasedSubject == nil)
  }

  @Test func aSharedPublisherReplaysToLaterSubscribers() {
    var subscriptions = 0
    let source = PassthroughSubject<Int, TestError>()
    let shared = source.handleEvents(receiveSubscription: { _ in subscriptions += 1 }).share(replay: 2)
    let first = shared.received()
    for value in 1...3 { source.send(value) }
    #expect(shared.received().values == [2, 3])
    #expect(first.values == [1, 2, 3])
    #expect(subscriptions == 1)
  }

  /// In CombineExt the next subscriber receives the old elements.
  @Test func aSharedPublisherStartsAnewAfterTheLastCancel() {
    let source = PassthroughSubject<Int, TestError>()
    let shared:
      Publishers.ReferenceCounted<
        Publishers.Concatenate<Publishers.Sequence<[Int], TestError>, PassthroughSubject<Int, TestError>>,
        ReplaySubject<Int, TestError>
      > = source.prepend([-1]).share(replay: 2)
    let first = shared.received()
    for value in 1...3 { source.send(value) }
    first.cancel()
    let second = shared.received()
    #expect(first.values == [-1, 1, 2, 3])
    #expect(second.values == [-1])
  }

  @Test func aReferenceCountedMulticastCancelsItsUpstreamWithTheLastSubscriber() {
    var (subjects, cancels) = (0, 0)
    let source = PassthroughSubject<Int, TestError>()
    let shared = source.handleEvents(receiveCancel: { cancels += 1 })
      .multicast { () -> PassthroughSubject<Int, TestError> in
        subjects += 1
        return PassthroughSubject()
      }
      .referenceCounted()
    let (first, second) = (shared.received(), shared.received())
    #expect(subjects == 1)
    first.cancel()
    source.send(1)
    #expect(second.values == [1])
    #expect(cancels == 0)
    second.cancel()
    #expect(cancels == 1)
    _ = shared.received()
    #expect(subjects == 2)
  }

  @Test func afterTheEndNewcomersReceiveTheLastElementsWhileASubscriptionIsHeld() {
    var subscriptions = 0
    let source = PassthroughSubject<Int, TestError>()
    let shared = source.handleEvents(receiveSubscription: { _ in subscriptions += 1 }).share(replay: 1)
    let holder = shared.received()
    source.send(1)
    source.send(completion: .finished)
    let newcomer = shared.received()
    #expect(newcomer.signals == [.input(1), .completion(.finished)])
    #expect(subscriptions == 1)
    holder.dropSubscription()
    newcomer.dropSubscription()
    #expect(shared.received().signals == [.completion(.finished)])
    #expect(subscriptions == 2)
  }

  @Test func countsItsSubscriptions() {
    let subject = Subject(maxBufferSize: 1)
    #expect(subject.subscriptionCount == 0)
    let (first, second) = (subject.received(), subject.received())
    #expect(subject.subscriptionCount == 2)
    first.cancel()
    #expect(subject.subscriptionCount == 1)
    subject.send(completion: .finished)
    #expect(subject.subscriptionCount == 0)
    withExtendedLifetime(second) {}
  }
}
