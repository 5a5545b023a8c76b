import CombineCore
import Synchronization
import TestSupport
import Testing

/// The events that the closures of `handleEvents` received, in order.
private final class EventLog {

  var lines: [String] = []

  /// Receives each line.
  var onLine: (String) -> Void = { _ in }

  func apply(_ upstream: TestUpstream) -> Publishers.HandleEvents<TestUpstream> {
    let write = { (line: String) in
      self.lines.append(line)
      self.onLine(line)
    }
    return upstream.handleEvents(
      receiveSubscription: { write("subscription \($0)") },
      receiveOutput: { write("output \($0)") },
      receiveCompletion: { write("completion \($0)") },
      receiveCancel: { write("cancel") },
      receiveRequest: { write("request \($0)") }
    )
  }
}

@Suite struct HandleEventsTests {

  @Test func doesNotSerializeValues() {
    expectNoSerialisation { $0.handleEvents(receiveOutput: { _ in }) }
  }

  @Test func hasItsOwnSubscription() {
    expectLenient(name: "HandleEvents", rules: LenientRules()) { $0.handleEvents() }
    expectLenient(name: "HandleEvents", rules: LenientRules()) { EventLog().apply($0) }
  }

  @Test func callsTheClosureOfEachEventUntilACompletion() {
    let log = EventLog()
    let upstream = TestUpstream()
    let subscriber = RecordingSubscriber<Int, TestError>(onValue: { .max($0) })
    log.apply(upstream).subscribe(subscriber)

    #expect(upstream.send(0) == .none)
    #expect(upstream.send(1) == .max(1))
    for demand in [Subscribers.Demand.max(14), .max(10), .none] { subscriber.request(demand) }
    upstream.send(completion: .finished)
    upstream.send(completion: .failure("late"))
    upstream.send(completion: .finished)
    #expect(upstream.send(144) == .max(144))
    subscriber.request(.max(1))
    subscriber.cancel()
    upstream.send(subscription: ManualSubscription())

    #expect(
      log.lines == [
        "subscription ManualSubscription", "output 0", "output 1", "request max(1)", "request max(14)",
        "request max(10)", "request max(0)", "completion finished",
      ]
    )
    #expect(
      subscriber.events == [
        .subscription("HandleEvents"), .value(0), .value(1), .finished, .failure("late"), .finished, .value(144),
      ]
    )
    #expect(upstream.history == [.requested(.max(14)), .requested(.max(10)), .requested(.none)])
  }

  @Test func callsNoClosureAfterACancel() {
    let log = EventLog()
    let upstream = TestUpstream()
    let subscriber = RecordingSubscriber<Int, TestError>(onValue: { _ in .max(5) })
    log.apply(upstream).subscribe(subscriber)

    subscriber.request(.max(2))
    subscriber.cancel()
    subscriber.request(.max(1))
    subscriber.cancel()
    #expect(upstream.send(1) == .max(5))
    upstream.send(completion: .finished)
    upstream.send(completion: .failure("late"))

    #expect(log.lines == ["subscription ManualSubscription", "request max(2)", "cancel"])
    #expect(upstream.history == [.requested(.max(2)), .cancelled])
    #expect(
      subscriber.events == [.subscription("HandleEvents"), .value(1), .finished, .failure("late")]
    )
  }

  @Test func callsAClosureBeforeForwardingTheEvent() {
    let log = EventLog()
    let upstream = TestUpstream(subscription: nil)
    let subscriber = RecordingSubscriber<Int, TestError>()
    let subscription = ManualSubscription()
    var seen: [String: (events: Int, calls: Int)] = [:]
    log.onLine = { seen[$0] = (subscriber.events.count, subscription.history.count) }
    log.apply(upstream).subscribe(subscriber)

    upstream.send(subscription: subscription)
    subscriber.request(.max(3))
    upstream.send(7)
    subscriber.cancel()

    #expect(seen["subscription ManualSubscription"]! == (0, 0))
    #expect(seen["request max(3)"]! == (1, 0))
    #expect(seen["output 7"]! == (1, 1))
    #expect(seen["cancel"]! == (2, 1))

    log.lines = []
    log.apply(upstream).subscribe(subscriber)
    subscriber.clear()
    upstream.send(completion: .finished)
    #expect(seen["completion finished"]!.events == 0)
  }

  @Test func reportsRequestsMadeWhileTheDownstreamReceivesItsSubscription() {
    let log = EventLog()
    let upstream = TestUpstream()
    let subscriber = RecordingSubscriber<Int, TestError>(onSubscription: {
      $0.request(.max(1))
      $0.request(.unlimited)
    })
    log.apply(upstream).subscribe(subscriber)
    #expect(log.lines == ["subscription ManualSubscription", "request max(1)", "request unlimited"])
  }

  @Test func reportsASubscriptionThatItCancels() {
    let log = EventLog()
    let upstream = TestUpstream()
    let subscriber = RecordingSubscriber<Int, TestError>()
    log.apply(upstream).subscribe(subscriber)
    log.lines = []

    let second = ManualSubscription()
    second.onCancel = { #expect(log.lines == ["subscription ManualSubscription"]) }
    upstream.send(subscription: second)

    #expect(log.lines == ["subscription ManualSubscription"])
    #expect(second.history == [.cancelled])
    #expect(subscriber.events == [.subscription("HandleEvents")])
  }

  @Test func reportsEventsBeforeASubscription() {
    let log = EventLog()
    let upstream = TestUpstream(subscription: nil)
    let subscriber = RecordingSubscriber<Int, TestError>(onValue: { .max($0) })
    log.apply(upstream).subscribe(subscriber)
    let conduit = upstream.subscriber as! any Subscription

    conduit.cancel()
    conduit.request(.max(2))
    conduit.cancel()
    #expect(upstream.send(3) == .max(3))
    let subscription = ManualSubscription()
    upstream.send(subscription: subscription)

    #expect(
      log.lines == [
        "cancel", "request max(2)", "cancel", "output 3", "request max(3)", "subscription ManualSubscription",
      ]
    )
    #expect(subscription.history == [])
    #expect(subscriber.events == [.value(3), .subscription("HandleEvents")])
  }

  @Test func reportsACompletionBeforeASubscriptionAndCancelsThatSubscription() {
    let log = EventLog()
    let upstream = TestUpstream(subscription: nil)
    let subscriber = RecordingSubscriber<Int, TestError>()
    log.apply(upstream).subscribe(subscriber)

    upstream.send(completion: .failure("early"))
    let subscription = ManualSubscription()
    upstream.send(subscription: subscription)

    #expect(log.lines == ["completion failure(early)"])
    #expect(subscription.history == [.cancelled])
    #expect(subscriber.events == [.failure("early")])
  }

  @Test func aDemandReturnedAfterACancelIsNotReported() {
    let log = EventLog()
    let upstream = TestUpstream()
    let subscriber = RecordingSubscriber<Int, TestError>()
    log.apply(upstream).subscribe(subscriber)
    subscriber.onValue = { _ in
      subscriber.cancel()
      return .max(1)
    }

    #expect(upstream.send(1) == .max(1))
    #expect(log.lines == ["subscription ManualSubscription", "output 1", "cancel"])
  }

  @Test func releasesTheClosuresAtACompletionAndAtACancel() {
    final class Token {}
    for end in [Subscribers.Completion<TestError>?.some(.finished), .some(.failure("upstream")), nil] {
      let upstream = TestUpstream()
      let subscriber = RecordingSubscriber<Int, TestError>()
      var tokens: [() -> Token?] = []
      func token() -> Token {
        let token = Token()
        tokens.append { [weak token] in token }
        return token
      }
      func attach() {
        let (one, two, three, four, five) = (token(), token(), token(), token(), token())
        upstream.handleEvents(
          receiveSubscription: { _ in withExtendedLifetime(one) {} },
          receiveOutput: { _ in withExtendedLifetime(two) {} },
          receiveCompletion: { _ in withExtendedLifetime(three) {} },
          receiveCancel: { withExtendedLifetime(four) {} },
          receiveRequest: { _ in withExtendedLifetime(five) {} }
        ).subscribe(subscriber)
      }
      attach()
      upstream.send(1)
      #expect(tokens.allSatisfy { $0() != nil })
      if let end { upstream.send(completion: end) } else { subscriber.cancel() }
      #expect(tokens.allSatisfy { $0() == nil })
      #expect(upstream.subscriber != nil, "the conduit stays alive")
    }
  }

  @Test func releasesTheClosuresBeforeTheDownstreamReceivesTheCompletion() {
    final class Token {}
    let upstream = TestUpstream()
    let subscriber = RecordingSubscriber<Int, TestError>()
    weak var weakToken: Token?
    func attach() {
      let token = Token()
      weakToken = token
      upstream.handleEvents(
        receiveSubscription: { _ in withExtendedLifetime(token) {} },
        receiveOutput: { _ in withExtendedLifetime(token) {} },
        receiveCompletion: { _ in withExtendedLifetime(token) {} },
        receiveCancel: { withExtendedLifetime(token) {} },
        receiveRequest: { _ in withExtendedLifetime(token) {} }
      ).subscribe(subscriber)
    }
    attach()
    #expect(weakToken != nil)
    var wasReleased = false
    subscriber.onCompletion = { _ in wasReleased = weakToken == nil }
    upstream.send(completion: .finished)
    #expect(wasReleased)
  }

  @Test func keepsTheClosuresAfterACancelBeforeTheSubscription() {
    let log = EventLog()
    let upstream = TestUpstream(subscription: nil)
    log.apply(upstream).subscribe(RecordingSubscriber())
    (upstream.subscriber as! any Subscription).cancel()
    upstream.send(1)
    #expect(log.lines == ["cancel", "output 1"])
  }

  @Test func aClosureMayCancel() {
    let upstream = TestUpstream()
    let subscriber = RecordingSubscriber<Int, TestError>()
    var calls = 0
    upstream.handleEvents(receiveOutput: { _ in
      calls += 1
      subscriber.cancel()
    }).subscribe(subscriber)

    upstream.send(1)
    upstream.send(2)
    #expect(calls == 1)
    #expect(subscriber.values == [1, 2])
    #expect(upstream.history == [.cancelled])
  }

  @Test func doesNotReportEventsDuringTheUpstreamsCancel() {
    let log = EventLog()
    let upstream = TestUpstream()
    let subscriber = RecordingSubscriber<Int, TestError>()
    log.apply(upstream).subscribe(subscriber)
    upstream.subscription!.onCancel = {
      upstream.send(1)
      subscriber.request(.max(1))
      subscriber.cancel()
      upstream.send(completion: .finished)
    }

    subscriber.cancel()
    #expect(log.lines == ["subscription ManualSubscription", "cancel"])
    #expect(subscriber.events == [.subscription("HandleEvents"), .value(1), .finished])
    #expect(upstream.history == [.cancelled])
  }

  @Test func exposesItsClosuresWhichCanBeReplaced() {
    let upstream = TestUpstream()
    var publisher = upstream.handleEvents()
    #expect(publisher.upstream === upstream)
    #expect(publisher.receiveSubscription == nil)
    #expect(publisher.receiveOutput == nil)
    #expect(publisher.receiveCompletion == nil)
    #expect(publisher.receiveCancel == nil)
    #expect(publisher.receiveRequest == nil)

    var values: [Int] = []
    publisher.receiveOutput = { values.append($0) }
    publisher.subscribe(RecordingSubscriber())
    upstream.send(4)
    #expect(values == [4])

    let made = Publishers.HandleEvents(upstream: upstream, receiveRequest: { _ in })
    #expect(made.receiveRequest != nil)
    #expect(made.receiveOutput == nil)
  }

  @Test func reflectsItself() {
    let upstream = TestUpstream()
    upstream.handleEvents().subscribe(RecordingSubscriber())
    expectReflection(of: upstream.subscriber!, description: "HandleEvents")
  }

  @Test func valuesAndACancelOnSeveralThreadsAreSafe() {
    final class Token: Sendable {}
    for _ in 0..<200 {
      let upstream = TestUpstream()
      let subscriber = CountingSubscriber<Int, TestError>(returning: .max(1))
      let calls = Counter()
      weak var weakToken: Token?
      do {
        let token = Token()
        weakToken = token
        upstream.handleEvents(
          receiveOutput: { _ in calls.add(token) },
          receiveRequest: { _ in calls.add(token) }
        ).subscribe(subscriber)
      }
      // The test is of the conduit: several threads call it at once.
      nonisolated(unsafe) let conduit = upstream.subscriber!
      nonisolated(unsafe) let subscription = subscriber.subscription!
      onThreads(3) { thread in
        if thread == 2 {
          subscription.cancel()
        } else {
          for value in 0..<100 { _ = conduit.receive(value) }
        }
      }
      #expect(subscriber.values == 200)
      #expect(calls.value <= 400)
      #expect(weakToken == nil, "the closures are released")
      #expect(upstream.history == [.cancelled])
      subscriber.subscription = nil
    }
  }

  private final class Counter: Sendable {
    private let count = Atomic<Int>(0)
    var value: Int { count.load(ordering: .acquiring) }
    func add(_ token: AnyObject) { count.wrappingAdd(1, ordering: .acquiringAndReleasing) }
  }
}
