import Dispatch
import TestSupport
import Testing

@testable import CombineCore

@Suite struct MulticastTests {

  private typealias Upstream = ManualPublisher<Int, TestError>
  private typealias Recorder = RecordingSubscriber<Int, TestError>

  // MARK: The subject

  @Test func makesOneSubjectAtTheFirstSubscription() {
    var count = 0
    let multicast = Upstream().multicast {
      count += 1
      return PassthroughSubject<Int, TestError>()
    }
    #expect(count == 0)
    multicast.subscribe(Recorder())
    #expect(count == 1)
    multicast.subscribe(Recorder())
    _ = multicast.connect()
    _ = multicast.connect()
    #expect(count == 1)
  }

  @Test func makesTheSubjectAtTheFirstConnection() {
    var count = 0
    let upstream = Upstream()
    let multicast = upstream.multicast {
      count += 1
      return PassthroughSubject<Int, TestError>()
    }
    let connection = multicast.connect()
    #expect(count == 1)
    let subscriber = Recorder(requesting: .unlimited)
    multicast.subscribe(subscriber)
    #expect(count == 1)
    upstream.send(1)
    #expect(subscriber.values == [1])
    connection.cancel()
  }

  @Test func keepsTheSubjectAfterItsCompletion() {
    var count = 0
    let upstream = Upstream()
    let multicast = upstream.multicast {
      count += 1
      return PassthroughSubject<Int, TestError>()
    }
    let connection = multicast.connect()
    upstream.send(completion: .failure("end"))
    let subscriber = Recorder()
    multicast.subscribe(subscriber)
    #expect(subscriber.events == [.subscription("Multicast"), .failure("end")])
    #expect(count == 1)
    connection.cancel()
  }

  @Test func keepsAGivenSubjectAlive() {
    let upstream = Upstream()
    weak var weakSubject: PassthroughSubject<Int, TestError>?
    let multicast: Publishers.Multicast<Upstream, PassthroughSubject<Int, TestError>>
    do {
      let subject = PassthroughSubject<Int, TestError>()
      weakSubject = subject
      multicast = upstream.multicast(subject: subject)
    }
    #expect(weakSubject != nil)
    #expect(multicast.createSubject() === weakSubject)
    #expect(multicast.upstream === upstream)
    let subscriber = Recorder(requesting: .unlimited)
    multicast.subscribe(subscriber)
    weakSubject?.send(3)
    #expect(subscriber.values == [3])
  }

  // MARK: Connections

  @Test func doesNotSubscribeUpstreamBeforeItIsConnected() {
    let upstream = Upstream()
    let multicast = upstream.multicast { PassthroughSubject() }
    let subscriber = Recorder(requesting: .unlimited)
    multicast.subscribe(subscriber)
    #expect(upstream.subscribeCount == 0)
    #expect(subscriber.events == [.subscription("Multicast")])

    let connection = multicast.connect()
    #expect(upstream.subscribeCount == 1)
    #expect(upstream.history == [.requested(.unlimited)])
    #expect(upstream.send(1) == .none)
    #expect(subscriber.values == [1])
    connection.cancel()
  }

  @Test func aSubscriptionThatArrivesAfterTheConnectionWasCancelledIsCancelled() {
    let upstream = Upstream(subscription: nil)
    let multicast = upstream.multicast { PassthroughSubject() }
    let subscriber = Recorder(requesting: .unlimited)
    multicast.subscribe(subscriber)
    multicast.connect().cancel()
    let late = ManualSubscription()
    upstream.send(subscription: late)
    #expect(late.history == [.cancelled])
    upstream.send(1)
    #expect(subscriber.values == [])
  }

  @Test func cancellingAConnectionKeepsTheSubscribersForTheNextOne() {
    let upstream = Upstream()
    let multicast = upstream.multicast { PassthroughSubject() }
    let subscriber = Recorder(requesting: .unlimited)
    multicast.subscribe(subscriber)
    let first = multicast.connect()
    upstream.send(1)
    first.cancel()
    first.cancel()
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
    upstream.send(2)
    upstream.send(completion: .finished)
    #expect(subscriber.events == [.subscription("Multicast"), .value(1)])

    let second = multicast.connect()
    upstream.send(3)
    #expect(subscriber.values == [1, 3])
    #expect(upstream.history == [.requested(.unlimited), .cancelled, .requested(.unlimited)])
    second.cancel()
  }

  @Test func droppingAConnectionDisconnects() {
    let upstream = Upstream()
    let multicast = upstream.multicast { PassthroughSubject() }
    let connection: any Cancellable = multicast.connect()
    #expect(connection is AnyCancellable)
    _ = multicast.connect()
    #expect(upstream.history == [.cancelled])
    connection.cancel()
  }

  @Test func twoConnectionsDeliverEverythingTwiceAndTheFirstCompletionEndsTheSubject() {
    let source = PassthroughSubject<Int, TestError>()
    let multicast = source.multicast { PassthroughSubject() }
    let subscriber = Recorder(requesting: .unlimited)
    multicast.subscribe(subscriber)
    let connections = [multicast.connect(), multicast.connect()]
    source.send(1)
    source.send(2)
    #expect(subscriber.values == [1, 1, 2, 2])
    source.send(completion: .finished)
    #expect(subscriber.events.filter { $0 == .finished }.count == 1)
    for connection in connections { connection.cancel() }
  }

  @Test func theCompletionOfOneConnectionEndsTheSubjectForAnother() {
    var sources: [PassthroughSubject<Int, TestError>] = []
    let upstream = Deferred { () -> PassthroughSubject<Int, TestError> in
      sources.append(PassthroughSubject())
      return sources.last!
    }
    let multicast = upstream.multicast { PassthroughSubject() }
    let subscriber = Recorder(requesting: .unlimited)
    multicast.subscribe(subscriber)
    let connections = [multicast.connect(), multicast.connect()]
    sources[0].send(1)
    sources[1].send(completion: .failure("end"))
    sources[0].send(2)
    sources[0].send(completion: .finished)
    #expect(subscriber.events == [.subscription("Multicast"), .value(1), .failure("end")])
    for connection in connections { connection.cancel() }
  }

  @Test func theSubjectDecidesTheDemand() {
    let upstream = Upstream()
    let multicast = upstream.multicast { PassthroughSubject() }
    let first = multicast.connect()
    #expect(upstream.history == [])
    let subscriber = Recorder(requesting: .max(1))
    multicast.subscribe(subscriber)
    #expect(upstream.history == [.requested(.unlimited)])
    let second = multicast.connect()
    #expect(upstream.history == [.requested(.unlimited), .requested(.unlimited)])
    first.cancel()
    second.cancel()

    let other = Upstream()
    let multicastValue = other.multicast(subject: CurrentValueSubject(0))
    let connection = multicastValue.connect()
    #expect(other.history == [.requested(.unlimited)])
    connection.cancel()
    withExtendedLifetime(multicastValue) {}
  }

  @Test func theConnectionKeepsNeitherThePublisherNorTheSubjectAlive() throws {
    let upstream = Upstream()
    weak var weakSubject: PassthroughSubject<Int, TestError>?
    weak var weakMulticast: Publishers.Multicast<Upstream, PassthroughSubject<Int, TestError>>?
    var connection: (any Cancellable)?
    do {
      let subject = PassthroughSubject<Int, TestError>()
      let multicast = upstream.multicast(subject: subject)
      weakSubject = subject
      weakMulticast = multicast
      connection = multicast.connect()
    }
    #expect(weakMulticast == nil)
    #expect(weakSubject == nil)
    connection?.cancel()
    #expect(upstream.history == [.cancelled])
    #expect(upstream.send(1) == .none)
  }

  @Test func theAdapterReflectsItselfAsASubject() throws {
    let upstream = Upstream()
    let connection = upstream.multicast { PassthroughSubject() }.connect()
    let adapter = try #require(upstream.subscriber)
    #expect(String(describing: adapter) == "Subject")
    #expect((adapter as? any CustomPlaygroundDisplayConvertible)?.playgroundDescription as? String == "Subject")
    connection.cancel()
  }

  // MARK: Many subscribers

  @Test func eachSubscriberReceivesValuesWithinItsOwnDemand() {
    let upstream = Upstream()
    let multicast = upstream.multicast { PassthroughSubject() }
    let all = Recorder(requesting: .unlimited)
    let some = Recorder(requesting: .max(1), returning: [.max(1)])
    let none = Recorder()
    for subscriber in [all, some, none] { multicast.subscribe(subscriber) }
    let connection = multicast.connect()
    for value in 1...3 { #expect(upstream.send(value) == .none) }
    #expect(all.values == [1, 2, 3])
    #expect(some.values == [1, 2])
    #expect(none.values == [])
    none.request(.max(1))
    upstream.send(4)
    #expect(none.values == [4])
    upstream.send(completion: .finished)
    for subscriber in [all, some, none] { #expect(subscriber.events.last == .finished) }
    #expect(upstream.history == [.requested(.unlimited)])
    connection.cancel()
  }

  @Test func aLateSubscriberReceivesOnlyWhatTheSubjectReplays() {
    let upstream = Upstream()
    let multicast = upstream.multicast { PassthroughSubject() }
    let connection = multicast.connect()
    upstream.send(1)
    let late = Recorder(requesting: .unlimited)
    multicast.subscribe(late)
    upstream.send(2)
    #expect(late.values == [2])
    upstream.send(completion: .finished)

    let asking = Recorder(requesting: .max(1))
    let askingNothing = Recorder(requesting: .none)
    let silent = Recorder()
    for subscriber in [asking, askingNothing, silent] {
      multicast.subscribe(subscriber)
      #expect(subscriber.events == [.subscription("Multicast"), .finished])
    }
    connection.cancel()

    let silentSubject = ManualSubject<Int, TestError>()
    silentSubject.send(completion: .finished)
    let other = Upstream().multicast(subject: silentSubject)
    let only = Recorder(requesting: .unlimited)
    other.subscribe(only)
    #expect(only.events == [.subscription("Multicast")])
  }

  @Test func aCurrentValueSubjectReplaysItsValue() {
    let upstream = Upstream()
    let multicast = upstream.multicast(subject: CurrentValueSubject(0))
    let connection = multicast.connect()
    upstream.send(5)
    let subscriber = Recorder(requesting: .unlimited)
    multicast.subscribe(subscriber)
    #expect(subscriber.events == [.subscription("Multicast"), .value(5)])
    connection.cancel()
  }

  // MARK: The conduit, driven manually

  private func setUp(
    subscription: ManualSubscription? = ManualSubscription(),
    subscriber: RecordingSubscriber<Int, TestError>
  ) -> ManualPublisher<Int, TestError> {
    let subject = ManualSubject<Int, TestError>(subscription: subscription)
    Upstream().multicast(subject: subject).subscribe(subscriber)
    return subject.downstream
  }

  @Test func requestsTheReturnedDemandAndReturnsNone() {
    let subscriber = Recorder(requesting: .max(1), returning: [.max(2), .none])
    let subject = setUp(subscriber: subscriber)
    #expect(subject.send(1) == .none)
    #expect(subject.send(2) == .none)
    #expect(subject.history == [.requested(.max(1)), .requested(.max(2))])
    #expect(subscriber.values == [1, 2])
  }

  @Test func forwardsEachRequestUnchanged() {
    let subscriber = Recorder()
    let subject = setUp(subscriber: subscriber)
    subscriber.request(.max(1))
    subscriber.request(.none)
    subscriber.request(.unlimited)
    #expect(subject.history == [.requested(.max(1)), .requested(.none), .requested(.unlimited)])
  }

  @Test func cancelsFurtherSubscriptionsInAnyLaterState() {
    let subscriber = Recorder()
    let subject = setUp(subscriber: subscriber)
    func expectCancelled() {
      let further = ManualSubscription()
      subject.send(subscription: further)
      #expect(further.history == [.cancelled])
    }
    expectCancelled()
    subject.send(subscription: subject.subscription!)
    #expect(subject.history == [.cancelled])
    subscriber.cancel()
    #expect(subject.history == [.cancelled, .cancelled])
    expectCancelled()
    #expect(subscriber.events == [.subscription("Multicast")])

    let completed = Recorder()
    let other = setUp(subscriber: completed)
    other.send(completion: .finished)
    let further = ManualSubscription()
    other.send(subscription: further)
    #expect(further.history == [.cancelled])
    #expect(completed.events == [.subscription("Multicast"), .finished])
  }

  @Test func ignoresEventsBeforeTheSubscription() throws {
    let subscriber = Recorder()
    let subject = setUp(subscription: nil, subscriber: subscriber)
    let conduit = try #require(subject.subscriber as? any Subscription)
    #expect(subject.send(1) == .none)
    subject.send(completion: .finished)
    conduit.request(.max(3))
    conduit.cancel()
    #expect(subscriber.events == [])
    let subscription = ManualSubscription()
    subject.send(subscription: subscription)
    subject.send(2)
    #expect(subscriber.events == [.subscription("Multicast"), .value(2)])
    #expect(subscription.history == [])
  }

  @Test func nothingFollowsACancel() {
    let subscriber = Recorder()
    let subject = setUp(subscriber: subscriber)
    subscriber.cancel()
    subscriber.cancel()
    subscriber.request(.max(1))
    #expect(subject.send(1) == .none)
    subject.send(completion: .failure("late"))
    #expect(subject.history == [.cancelled])
    #expect(subscriber.events == [.subscription("Multicast")])
  }

  @Test func nothingFollowsACompletion() {
    let subscriber = Recorder()
    let subject = setUp(subscriber: subscriber)
    subject.send(completion: .failure("end"))
    subject.send(completion: .finished)
    #expect(subject.send(1) == .none)
    subscriber.request(.max(1))
    subscriber.cancel()
    #expect(subject.history == [])
    #expect(subscriber.events == [.subscription("Multicast"), .failure("end")])
  }

  @Test func theDownstreamMayMakeNestedCalls() {
    let subject = PassthroughSubject<Int, TestError>()
    let multicast = Upstream().multicast(subject: subject)
    let subscriber = Recorder(requesting: .max(1))
    subscriber.onValue = { value in
      subscriber.request(.max(1))
      if value < 4 { subject.send(value + 1) }
      if value == 4 { subscriber.cancel() }
      return .max(1)
    }
    multicast.subscribe(subscriber)
    subject.send(1)
    subject.send(9)
    #expect(subscriber.values == [1, 2, 3, 4])
  }

  @Test func aCancelDuringTheSubscriptionCounts() {
    let subscriber = Recorder(onSubscription: { $0.cancel() })
    let subject = setUp(subscriber: subscriber)
    #expect(subject.send(1) == .none)
    #expect(subject.history == [.cancelled])
    #expect(subscriber.events == [.subscription("Multicast")])
  }

  @Test func ignoresEventsThatTheSubjectSendsDuringItsCancel() {
    let subscriber = Recorder()
    let subject = setUp(subscriber: subscriber)
    subject.subscription!.onCancel = {
      #expect(subject.send(1) == .none)
      subject.send(completion: .finished)
      subscriber.request(.max(1))
      subscriber.cancel()
    }
    subscriber.cancel()
    #expect(subject.history == [.cancelled])
    #expect(subscriber.events == [.subscription("Multicast")])
  }

  @Test func ignoresNestedCallsDuringTheCompletion() {
    let subscriber = Recorder()
    let subject = setUp(subscriber: subscriber)
    subscriber.onCompletion = { _ in
      subscriber.cancel()
      subscriber.request(.max(1))
      #expect(subject.send(1) == .none)
      subject.send(completion: .finished)
    }
    subject.send(completion: .failure("end"))
    #expect(subject.history == [])
    #expect(subscriber.events == [.subscription("Multicast"), .failure("end")])
  }

  // MARK: Retention

  private enum Ending: CaseIterable { case finish, fail, cancel }

  @Test func releasesTheDownstreamAndTheUpstreamAtTheEnd() {
    for ending in Ending.allCases {
      var isReleased = false
      weak var weakUpstream: Upstream?
      weak var weakMulticast: AnyObject?
      let subject = ManualSubject<Int, TestError>()
      do {
        // The subscriber keeps its subscription, and the subject its subscriber. Only the conduit can break this cycle.
        let subscriber = Recorder(onDeinit: { isReleased = true })
        let upstream = Upstream()
        let multicast = upstream.multicast(subject: subject)
        multicast.subscribe(subscriber)
        weakUpstream = upstream
        weakMulticast = multicast
      }
      #expect(!isReleased)
      #expect(weakUpstream != nil)
      #expect(weakMulticast == nil)
      switch ending {
      case .finish: subject.downstream.send(completion: .finished)
      case .fail: subject.downstream.send(completion: .failure("end"))
      case .cancel: (subject.downstream.subscriber as? any Subscription)?.cancel()
      }
      #expect(isReleased, "\(ending)")
      #expect(weakUpstream == nil, "\(ending)")
      #expect(subject.downstream.subscriber != nil)
    }
  }

  @Test func releasesTheSubjectsSubscriptionAtTheEnd() {
    for ending in Ending.allCases {
      var isReleased = false
      let subscriber = Recorder()
      let subject = setUp(subscription: nil, subscriber: subscriber)
      subject.send(subscription: ManualSubscription(onDeinit: { isReleased = true }))
      #expect(!isReleased)
      switch ending {
      case .finish: subject.send(completion: .finished)
      case .fail: subject.send(completion: .failure("end"))
      case .cancel: subscriber.cancel()
      }
      #expect(isReleased, "\(ending)")
    }
  }

  // MARK: Surface

  @Test func reflectsItself() {
    let subject = ManualSubject<Int, TestError>()
    let subscriber = Recorder()
    Upstream().multicast(subject: subject).subscribe(subscriber)
    expectReflection(of: subscriber.subscription!, description: "Multicast")
    expectReflection(of: subject.downstream.subscriber!, description: "Multicast")
    let identities = [subscriber.subscription! as AnyObject, subject.downstream.subscriber! as AnyObject]
    #expect(Set(identities.map(ObjectIdentifier.init)).count == 1)
  }

  @Test func theOperatorsHaveTheirTypes() {
    let upstream = Upstream()
    let subject = CurrentValueSubject<Int, TestError>(1)
    let made: Publishers.Multicast<Upstream, CurrentValueSubject<Int, TestError>> = upstream.multicast { subject }
    #expect(made.createSubject() === subject)
    let given: Publishers.Multicast<Upstream, CurrentValueSubject<Int, TestError>> =
      upstream.multicast(subject: subject)
    #expect(given.createSubject() === subject)
    let constructed = Publishers.Multicast(upstream: upstream, createSubject: { subject })
    #expect(constructed.upstream === upstream)
    func isConnectable<P: ConnectablePublisher>(_ publisher: P) -> Bool { P.Output.self == Int.self }
    #expect(isConnectable(constructed))
  }

  // MARK: Threads

  /// A subject that subscribes its subscriber to a publisher, and so serializes nothing itself.
  private final class OpenSubject: Subject {
    typealias Output = Int
    typealias Failure = TestError

    let publisher: ConcurrentPublisher<Int, TestError>

    init(_ publisher: ConcurrentPublisher<Int, TestError>) { self.publisher = publisher }
    func send(_ value: Int) {}
    func send(completion: Subscribers.Completion<TestError>) {}
    func send(subscription: any Subscription) {}
    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == TestError {
      publisher.subscribe(subscriber)
    }
  }

  @Test func doesNotMakeThreadsWaitForEachOther() {
    expectNoSerialisation { Empty<Int, TestError>().multicast(subject: OpenSubject($0)) }
  }

  @Test func manyThreadsMakeOneSubject() {
    for _ in 0..<50 {
      let count = Guarded(0)
      nonisolated(unsafe) let multicast = Just(1).multicast { () -> PassthroughSubject<Int, Never> in
        count.withLock { $0 += 1 }
        return PassthroughSubject()
      }  // The test uses it from several threads on purpose.
      DispatchQueue.concurrentPerform(iterations: 4) { index in
        if index.isMultiple(of: 2) {
          _ = multicast.connect()
        } else {
          multicast.sink { _ in }.cancel()
        }
      }
      #expect(count.withLock { $0 } == 1)
    }
  }

  @Test func sendingSubscribingAndCancellingFromManyThreadsIsSafe() {
    let source = ConcurrentPublisher<Int, Never>()
    nonisolated(unsafe) let multicast = source.multicast { PassthroughSubject() }  // See above.
    let connection = multicast.connect()
    let steady = Guarded(0)
    let keep = multicast.sink { _ in steady.withLock { $0 += 1 } }
    DispatchQueue.concurrentPerform(iterations: 4) { index in
      if index < 2 {
        for value in 0..<1000 { source.send(value) }
      } else {
        for _ in 0..<200 { multicast.sink { _ in }.cancel() }
      }
    }
    #expect(steady.withLock { $0 } == 2000)
    keep.cancel()
    connection.cancel()
  }
}
