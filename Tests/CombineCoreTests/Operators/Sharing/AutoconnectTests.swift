import TestSupport
import Testing

@testable import CombineCore

@Suite struct AutoconnectTests {

  private typealias Recorder = RecordingSubscriber<Int, TestError>

  /// A connectable publisher that logs the calls it receives, in order.
  private final class Connectable: ConnectablePublisher {
    typealias Output = Int
    typealias Failure = TestError

    var log: [String] = []
    var subscribers: [any Subscriber<Int, TestError>] = []
    var subscriptions: [ManualSubscription] = []
    var sendsSubscription = true
    private var connectCount = 0

    /// A connection that logs its release.
    private final class Connection: Cancellable {
      let name: String
      unowned let publisher: Connectable

      init(name: String, publisher: Connectable) {
        self.name = name
        self.publisher = publisher
      }

      deinit { publisher.log.append("drop \(name)") }
      func cancel() { publisher.log.append("cancel \(name)") }
    }

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == TestError {
      log.append("subscribe")
      subscribers.append(subscriber)
      guard sendsSubscription else { return }
      let number = subscriptions.count + 1
      let subscription = ManualSubscription(onCancel: { [unowned self] in log.append("cancel subscription \(number)") })
      subscriptions.append(subscription)
      subscriber.receive(subscription: subscription)
    }

    func connect() -> any Cancellable {
      connectCount += 1
      log.append("connect \(connectCount)")
      return Connection(name: "\(connectCount)", publisher: self)
    }

    func takeLog() -> [String] {
      defer { log = [] }
      return log
    }
  }

  @Test(arguments: [false, true])
  func aConnectionThatCompletedSaysNothingAboutTheNext(isMadeConnectable: Bool) {
    let second = ManualPublisher<Int, Never>()
    var count = 0
    let upstream = Deferred { () -> AnyPublisher<Int, Never> in
      count += 1
      return count == 1 ? Empty().eraseToAnyPublisher() : second.eraseToAnyPublisher()
    }
    let shared =
      isMadeConnectable
      ? upstream.makeConnectable().autoconnect().eraseToAnyPublisher()
      : upstream.multicast { PassthroughSubject() }.autoconnect().eraseToAnyPublisher()
    // The first connection completes inside `connect()`. A completion does not disconnect, but the cancel does.
    let first = RecordingSubscriber<Int, Never>(requesting: .unlimited)
    shared.subscribe(first)
    #expect(first.events.last == .finished)
    first.cancel()
    // The second subscriber leaves before its connection exists.
    let leaving = RecordingSubscriber<Int, Never>(requesting: .none)
    leaving.onSubscription = { $0.cancel() }
    shared.subscribe(leaving)
    #expect(count == 2)
    #expect(second.history.last == .cancelled)
  }

  // MARK: The subscriber count

  @Test func connectsAfterTheFirstSubscriberAndDisconnectsWithTheLast() {
    let upstream = Connectable()
    let publisher = upstream.autoconnect()
    #expect(upstream.takeLog() == [])
    let first = Recorder()
    let second = Recorder()
    publisher.subscribe(first)
    #expect(upstream.takeLog() == ["subscribe", "connect 1"])
    publisher.subscribe(second)
    #expect(upstream.takeLog() == ["subscribe"])

    first.cancel()
    #expect(upstream.takeLog() == ["cancel subscription 1"])
    second.cancel()
    #expect(upstream.takeLog() == ["cancel 1", "drop 1", "cancel subscription 2"])

    let third = Recorder()
    publisher.subscribe(third)
    #expect(upstream.takeLog() == ["subscribe", "connect 2"])
    third.cancel()
    #expect(upstream.takeLog() == ["cancel 2", "drop 2", "cancel subscription 3"])
  }

  @Test func aRepeatedCancelReachesTheSubscriptionButCountsOnce() {
    let upstream = Connectable()
    let publisher = upstream.autoconnect()
    let first = Recorder()
    let second = Recorder()
    publisher.subscribe(first)
    publisher.subscribe(second)
    _ = upstream.takeLog()
    first.cancel()
    first.cancel()
    first.cancel()
    #expect(upstream.takeLog() == Array(repeating: "cancel subscription 1", count: 3))
    second.cancel()
    #expect(upstream.takeLog() == ["cancel 1", "drop 1", "cancel subscription 2"])
    second.cancel()
    #expect(upstream.takeLog() == ["cancel subscription 2"])
  }

  @Test func aCompletionChangesNoCount() {
    let upstream = Connectable()
    let publisher = upstream.autoconnect()
    let first = Recorder()
    publisher.subscribe(first)
    upstream.subscribers[0].receive(completion: .finished)
    #expect(upstream.takeLog() == ["subscribe", "connect 1"])
    publisher.subscribe(Recorder())
    #expect(upstream.takeLog() == ["subscribe"])
    first.cancel()
    #expect(upstream.takeLog() == ["cancel subscription 1"])
  }

  @Test func eachCallReturnsAPublisherWithItsOwnCount() {
    let upstream = Connectable()
    let one = upstream.autoconnect()
    let other = upstream.autoconnect()
    #expect(one !== other)
    let first = Recorder()
    one.subscribe(first)
    other.subscribe(Recorder())
    #expect(upstream.takeLog() == ["subscribe", "connect 1", "subscribe", "connect 2"])
    first.cancel()
    #expect(upstream.takeLog() == ["cancel 1", "drop 1", "cancel subscription 1"])
  }

  // MARK: Reentrancy

  @Test func aNestedSubscriberConnectsTooAndTheOuterConnectionReplacesIts() {
    let upstream = Connectable()
    let publisher = upstream.autoconnect()
    let inner = Recorder()
    let outer = Recorder(onSubscription: { _ in publisher.subscribe(inner) })
    publisher.subscribe(outer)
    #expect(upstream.takeLog() == ["subscribe", "subscribe", "connect 1", "connect 2", "drop 1"])

    inner.cancel()
    #expect(upstream.takeLog() == ["cancel 2", "drop 2", "cancel subscription 2"])
    outer.cancel()
    #expect(upstream.takeLog() == ["cancel subscription 1"])
  }

  @Test func theOuterSubscriberDisconnectsTooIfItCancelsFirst() {
    let upstream = Connectable()
    let publisher = upstream.autoconnect()
    let inner = Recorder()
    let outer = Recorder(onSubscription: { _ in publisher.subscribe(inner) })
    publisher.subscribe(outer)
    _ = upstream.takeLog()

    outer.cancel()
    #expect(upstream.takeLog() == ["cancel 2", "drop 2", "cancel subscription 1"])
    inner.cancel()
    #expect(upstream.takeLog() == ["cancel subscription 2"])
  }

  @Test func aLateCancelOfAReplacedConnectionsSubscriberDoesNotAffectTheNextConnection() {
    let upstream = Connectable()
    let publisher = upstream.autoconnect()
    let inner = Recorder()
    let outer = Recorder(onSubscription: { _ in publisher.subscribe(inner) })
    publisher.subscribe(outer)
    inner.cancel()
    _ = upstream.takeLog()

    let next = Recorder(onSubscription: { _ in outer.cancel() })
    publisher.subscribe(next)
    #expect(upstream.takeLog() == ["subscribe", "cancel subscription 1", "connect 3"])
    next.cancel()
    #expect(upstream.takeLog() == ["cancel 3", "drop 3", "cancel subscription 3"])
  }

  @Test func aCancelDuringTheFirstSubscriptionLeavesNoConnection() {
    let upstream = Connectable()
    let publisher = upstream.autoconnect()
    publisher.subscribe(Recorder(onSubscription: { $0.cancel() }))
    #expect(upstream.takeLog() == ["subscribe", "cancel subscription 1", "connect 1", "cancel 1", "drop 1"])
    publisher.subscribe(Recorder())
    #expect(upstream.takeLog() == ["subscribe", "connect 2"])
  }

  @Test func aCancelDuringTheFirstSubscriptionKeepsTheConnectionOfAnother() {
    let upstream = Connectable()
    let publisher = upstream.autoconnect()
    let other = Recorder()
    publisher.subscribe(
      Recorder(onSubscription: {
        publisher.subscribe(other)
        $0.cancel()
      })
    )
    #expect(
      upstream.takeLog() == [
        "subscribe", "subscribe", "connect 1", "cancel subscription 1", "connect 2", "cancel 2", "drop 2",
      ]
    )
    other.cancel()
    #expect(upstream.takeLog() == ["cancel 1", "drop 1", "cancel subscription 2"])
  }

  // MARK: The inner subscriber

  @Test func forwardsEveryEventInAnyOrder() {
    let upstream = Connectable()
    upstream.sendsSubscription = false
    let subscriber = Recorder(onValue: { .max($0) })
    upstream.autoconnect().subscribe(subscriber)
    let side = upstream.subscribers[0]
    #expect(side.receive(1) == .max(1))
    side.receive(completion: .finished)
    side.receive(subscription: ManualSubscription())
    side.receive(subscription: ManualSubscription())
    side.receive(completion: .failure("late"))
    #expect(side.receive(2) == .max(2))
    #expect(!(subscriber.subscription is ManualSubscription), "each is wrapped")
    #expect(
      subscriber.events == [
        .value(1), .finished, .subscription("ManualSubscription"), .subscription("ManualSubscription"),
        .failure("late"), .value(2),
      ]
    )
  }

  @Test func reflectsItself() throws {
    let upstream = Connectable()
    let publisher = upstream.autoconnect()
    let subscriber = Recorder()
    publisher.subscribe(subscriber)
    let side = upstream.subscribers[0]
    expectReflection(of: side, description: "Autoconnect", children: ["parent", "downstream"])
    let parent = try #require(reflectedChild("parent", of: side))
    #expect(parent as? Publishers.Autoconnect<Connectable> === publisher)
    // `CombineCore` is the name before Swift 6.3.
    #expect("\(parent)".contains(/^Combine(Core)?\.Publishers\.Autoconnect<CombineCoreTests\./))
    #expect(reflectedChild("downstream", of: side) as? Recorder === subscriber)
    #expect(!(side is any Subscription))

    publisher.subscribe(Recorder())
    #expect(upstream.subscribers[1].combineIdentifier != side.combineIdentifier)
    #expect(side.combineIdentifier != subscriber.combineIdentifier)
  }

  // MARK: The subscription

  @Test func theSubscriptionReflectsTheUpstreams() throws {
    let upstream = Connectable()
    let subscriber = Recorder()
    upstream.autoconnect().subscribe(subscriber)
    let subscription = try #require(subscriber.subscription)
    #expect(subscription.combineIdentifier == upstream.subscriptions[0].combineIdentifier)
    #expect(!(subscription is ManualSubscription))
    #expect(String(describing: subscription) == "ManualSubscription")
    let playground = (subscription as? any CustomPlaygroundDisplayConvertible)?.playgroundDescription
    #expect(playground as? String == "ManualSubscription")
    #expect(!(subscription is any CustomReflectable))
    #expect(!(subscription is any CustomDebugStringConvertible))
  }

  @Test func forwardsRequestsUnchanged() {
    let upstream = Connectable()
    let subscriber = Recorder()
    upstream.autoconnect().subscribe(subscriber)
    subscriber.request(.max(2))
    subscriber.request(.none)
    subscriber.cancel()
    subscriber.request(.unlimited)
    #expect(
      upstream.subscriptions[0].history
        == [.requested(.max(2)), .requested(.none), .cancelled, .requested(.unlimited)]
    )
  }

  // MARK: Retention

  @Test func dropsItsConnectionWhenReleased() {
    let upstream = Connectable()
    do {
      let publisher = upstream.autoconnect()
      publisher.subscribe(Recorder())
      _ = upstream.takeLog()
    }
    #expect(upstream.takeLog() == [], "each inner subscriber keeps the publisher alive")
    upstream.subscribers = []
    #expect(upstream.takeLog() == ["drop 1"])
  }

  @Test func theSubscriptionKeepsThePublisherAlive() {
    let upstream = Connectable()
    let subscriber = Recorder()
    do { upstream.autoconnect().subscribe(subscriber) }
    upstream.subscribers = []
    _ = upstream.takeLog()
    subscriber.cancel()
    #expect(upstream.takeLog() == ["cancel 1", "drop 1", "cancel subscription 1"])
  }

  @Test func aDroppedConnectionOfAMulticastIsCancelled() {
    let upstream = ManualPublisher<Int, TestError>()
    let subject = ManualSubject<Int, TestError>()
    do { upstream.multicast(subject: subject).autoconnect().subscribe(Recorder()) }
    #expect(upstream.history == [])
    subject.downstream.send(completion: .finished)
    subject.downstream.dropSubscriber()
    #expect(upstream.history == [.cancelled])
  }

  // MARK: Threads

  /// A connectable publisher whose connection has no effect.
  private struct Connected: ConnectablePublisher {
    typealias Output = Int
    typealias Failure = TestError

    let publisher: ConcurrentPublisher<Int, TestError>

    func connect() -> any Cancellable { AnyCancellable {} }
    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == TestError {
      publisher.subscribe(subscriber)
    }
  }

  @Test func doesNotMakeThreadsWaitForEachOther() {
    expectNoSerialisation { Connected(publisher: $0).autoconnect() }
  }

  // MARK: Surface

  @Test func theOperatorHasItsType() {
    let upstream = Connectable()
    let publisher: Publishers.Autoconnect<Connectable> = upstream.autoconnect()
    #expect(publisher.upstream === upstream)
    #expect(Publishers.Autoconnect(upstream: upstream).upstream === upstream)
    #expect(!((publisher as Any) is any CustomStringConvertible))
  }
}

@Suite struct AutoconnectMachineTests {

  private enum Step {
    case attach(UInt)

    /// A named connection, for a subscriber that is counted or has left.
    case connected(String, isCounted: Bool)

    /// On thread 1, as the next step.
    case leave
    case didDisconnect
  }

  private struct Connection: Cancellable {
    let name: String
    func cancel() {}
  }

  private func answers(_ steps: Step...) -> [String] {
    var state = AutoconnectMachine.disconnected
    func name(_ connection: (any Cancellable)?) -> String { (connection as? Connection)?.name ?? "nothing" }
    return steps.map { step in
      switch step {
      case .attach(let thread): state.register(thread: thread) ? "counted" : "connect"
      case .connected(let connection, let isCounted):
        name(state.connected(Connection(name: connection), isCounted: isCounted))
      case .leave: name(state.leave(thread: 1))
      case .didDisconnect: state.didDisconnect(thread: 1) ? "connect" : "nothing"
      }
    }
  }

  @Test func countsSubscribers() {
    #expect(
      answers(.attach(1), .connected("a", isCounted: true), .attach(1), .attach(2), .leave, .leave, .leave, .leave)
        == ["connect", "nothing", "counted", "counted", "nothing", "nothing", "a", "nothing"]
    )
  }

  @Test func anotherThreadDoesNotConnectWhileOneIsConnecting() {
    #expect(
      answers(.attach(1), .attach(2), .attach(3), .leave, .connected("a", isCounted: true), .leave, .leave)
        == ["connect", "counted", "counted", "nothing", "nothing", "nothing", "a"]
    )
    #expect(
      answers(.attach(1), .attach(2), .connected("a", isCounted: false), .leave)
        == ["connect", "counted", "nothing", "a"]
    )
  }

  @Test func anotherThreadWaitsWhileOneDisconnects() {
    #expect(
      answers(.attach(1), .connected("a", isCounted: true), .leave, .didDisconnect, .attach(2))
        == ["connect", "nothing", "a", "nothing", "connect"]
    )
    #expect(
      answers(
        .attach(1),
        .connected("a", isCounted: true),
        .leave,
        .attach(2),
        .attach(3),
        .didDisconnect,
        .connected("b", isCounted: false),
        .leave,
        .leave
      ) == ["connect", "nothing", "a", "counted", "counted", "connect", "nothing", "nothing", "b"]
    )
    // The waiting subscriber has left again.
    #expect(
      answers(.attach(1), .connected("a", isCounted: true), .leave, .attach(2), .leave, .didDisconnect, .attach(2))
        == ["connect", "nothing", "a", "counted", "nothing", "nothing", "connect"]
    )
    // A subscriber that arrives during the cancel connects at once, for the waiting subscribers too.
    #expect(
      answers(
        .attach(1),
        .connected("a", isCounted: true),
        .leave,
        .attach(2),
        .attach(1),
        .connected("b", isCounted: true),
        .didDisconnect,
        .leave,
        .leave
      ) == ["connect", "nothing", "a", "counted", "connect", "nothing", "nothing", "nothing", "b"]
    )
  }

  @Test func aConnectionWithoutSubscribersIsReturned() {
    #expect(
      answers(.attach(1), .connected("a", isCounted: false), .leave, .attach(1))
        == ["connect", "a", "nothing", "connect"]
    )
  }

  @Test func theSameThreadConnectsAgainAndTheLaterConnectionReplacesTheEarlier() {
    #expect(
      answers(
        .attach(1),
        .attach(1),
        .connected("inner", isCounted: true),
        .connected("outer", isCounted: true),
        .leave,
        .leave
      ) == ["connect", "connect", "nothing", "inner", "outer", "nothing"]
    )
    #expect(
      answers(
        .attach(1),
        .attach(1),
        .connected("inner", isCounted: true),
        .connected("outer", isCounted: false),
        .leave
      ) == ["connect", "connect", "nothing", "outer", "inner"]
    )
    #expect(
      answers(
        .attach(1),
        .attach(1),
        .connected("inner", isCounted: true),
        .leave,
        .connected("outer", isCounted: true),
        .leave
      ) == ["connect", "connect", "nothing", "inner", "nothing", "outer"]
    )
    #expect(
      answers(
        .attach(1),
        .attach(1),
        .connected("inner", isCounted: true),
        .leave,
        .connected("outer", isCounted: false)
      ) == ["connect", "connect", "nothing", "inner", "outer"]
    )
  }
}
