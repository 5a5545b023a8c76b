import CombineCore
import TestSupport
import Testing

/// A handler watches the whole process, and changes what other tests there see: each test runs in one of its own.
@Suite struct IntrospectionTests {

  /// Logs events of one test's pipelines: those whose values are of a type that only that test uses.
  private final class Log<Value>: _Introspection {

    private(set) var events: [String] = []

    private func note(_ event: @autoclosure () -> String, if isOurs: Bool) {
      if isOurs { events.append(event()) }
    }

    private func name(_ object: Any) -> String {
      let text = String(describing: object)
      return object is AnySubscriber<Value, Never> ? "Any(\(text))" : text
    }

    private func publisherName<P: Publisher>(_ publisher: P) -> String {
      (publisher as? any CustomStringConvertible)?.description
        ?? String(describing: P.self).prefix { $0 != "<" }.description
    }

    func willReceive<P: Publisher, S: Subscriber>(publisher: P, subscriber: S)
    where P.Failure == S.Failure, P.Output == S.Input {
      note("will(\(publisherName(publisher)), \(name(subscriber)))", if: P.Output.self == Value.self)
    }

    func didReceive<P: Publisher, S: Subscriber>(publisher: P, subscriber: S)
    where P.Failure == S.Failure, P.Output == S.Input {
      note("did(\(publisherName(publisher)), \(name(subscriber)))", if: P.Output.self == Value.self)
    }

    func willReceive<S: Subscriber>(subscriber: S, subscription: any Subscription) {
      note("will(\(name(subscriber)), \(name(subscription)))", if: S.Input.self == Value.self)
    }

    func didReceive<S: Subscriber>(subscriber: S, subscription: any Subscription) {
      note("did(\(name(subscriber)), \(name(subscription)))", if: S.Input.self == Value.self)
    }

    func willReceive<S: Subscriber>(subscriber: S, input: S.Input) {
      note("will(\(name(subscriber)), \(input))", if: S.Input.self == Value.self)
    }

    func didReceive<S: Subscriber>(subscriber: S, input: S.Input, resultingDemand: Subscribers.Demand) {
      note("did(\(name(subscriber)), \(input), \(resultingDemand))", if: S.Input.self == Value.self)
    }

    func willReceive<S: Subscriber>(subscriber: S, completion: Subscribers.Completion<S.Failure>) {
      note("will(\(name(subscriber)), \(completion))", if: S.Input.self == Value.self)
    }

    func didReceive<S: Subscriber>(subscriber: S, completion: Subscribers.Completion<S.Failure>) {
      note("did(\(name(subscriber)), \(completion))", if: S.Input.self == Value.self)
    }

    /// The subscription whose calls are logged.
    var watched: ManualSubscription?

    func willRequest(subscription: any Subscription, _ demand: Subscribers.Demand) {
      note("willRequest(\(demand))", if: subscription as? ManualSubscription === watched && watched != nil)
    }

    func didRequest(subscription: any Subscription, _ demand: Subscribers.Demand) {
      note("didRequest(\(demand))", if: subscription as? ManualSubscription === watched && watched != nil)
    }

    func willCancel(subscription: any Subscription) {
      note("willCancel", if: subscription as? ManualSubscription === watched && watched != nil)
    }

    func didCancel(subscription: any Subscription) {
      note("didCancel", if: subscription as? ManualSubscription === watched && watched != nil)
    }

    func clear() { events = [] }
  }

  @Test func reportsEveryEventOfAPlainSubscription() async {
    await #expect(processExitsWith: .success) {
      struct Value {}
      let log = Log<Value>()
      log.enable()
      defer { log.disable() }
      let upstream = ManualPublisher<Value, Never>()
      log.watched = upstream.subscription
      let subscriber = RecordingSubscriber<Value, Never>(onValue: { _ in .max(3) })
      upstream.subscribe(subscriber)
      #expect(
        log.events == [
          "will(ManualPublisher, RecordingSubscriber)", "will(RecordingSubscriber, ManualSubscription)",
          "did(RecordingSubscriber, ManualSubscription)", "did(ManualPublisher, RecordingSubscriber)",
        ]
      )

      log.clear()
      subscriber.request(.max(2))
      #expect(upstream.send(Value()) == .max(3))
      upstream.send(completion: .finished)
      upstream.send(completion: .finished)
      subscriber.cancel()
      #expect(
        log.events == [
          "willRequest(max(2))", "didRequest(max(2))",
          "will(RecordingSubscriber, Value())", "did(RecordingSubscriber, Value(), max(3))",
          "will(RecordingSubscriber, finished)", "did(RecordingSubscriber, finished)",
          "will(RecordingSubscriber, finished)", "did(RecordingSubscriber, finished)",
          "willCancel", "didCancel",
        ]
      )
      #expect(upstream.history == [.requested(.max(2)), .cancelled])
    }
  }

  @Test func anOperatorThatPassesTheSubscriptionThroughIsReportedOnEachLevel() async {
    await #expect(processExitsWith: .success) {
      struct Value {}
      let log = Log<Value>()
      log.enable()
      defer { log.disable() }
      let upstream = ManualPublisher<Value, Never>()
      log.watched = upstream.subscription
      let subscriber = RecordingSubscriber<Value, Never>()
      upstream.map { $0 }.subscribe(subscriber)
      #expect(
        log.events == [
          "will(Map, RecordingSubscriber)", "will(ManualPublisher, Map)", "will(Map, ManualSubscription)",
          "will(RecordingSubscriber, ManualSubscription)", "did(RecordingSubscriber, ManualSubscription)",
          "did(Map, ManualSubscription)", "did(ManualPublisher, Map)", "did(Map, RecordingSubscriber)",
        ]
      )
      log.clear()
      subscriber.request(.max(1))
      #expect(log.events == ["willRequest(max(1))", "didRequest(max(1))"], "reported once")
    }
  }

  @Test func anOperatorWithItsOwnSubscriptionShowsIt() async {
    await #expect(processExitsWith: .success) {
      struct Value {}
      let log = Log<Value>()
      log.enable()
      defer { log.disable() }
      let upstream = ManualPublisher<Value, any Error>()
      upstream.tryMap { $0 }.subscribe(RecordingSubscriber())
      #expect(
        log.events == [
          "will(TryMap, RecordingSubscriber)", "will(ManualPublisher, TryMap)", "will(TryMap, ManualSubscription)",
          "will(RecordingSubscriber, TryMap)", "did(RecordingSubscriber, TryMap)", "did(TryMap, ManualSubscription)",
          "did(ManualPublisher, TryMap)", "did(TryMap, RecordingSubscriber)",
        ]
      )
    }
  }

  private struct Forwarding<Base: Publisher>: Publisher, CustomStringConvertible {
    typealias Output = Base.Output
    typealias Failure = Base.Failure
    let base: Base
    var description: String { "Forwarding" }

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      base.subscribe(subscriber)
    }
  }

  @Test func aSubscriberThatIsHandedOnIsReportedErased() async {
    await #expect(processExitsWith: .success) {
      struct Value {}
      let log = Log<Value>()
      log.enable()
      defer { log.disable() }
      Forwarding(base: ManualPublisher<Value, Never>()).subscribe(RecordingSubscriber())
      #expect(
        log.events == [
          "will(Forwarding, RecordingSubscriber)", "will(ManualPublisher, Any(RecordingSubscriber))",
          "will(RecordingSubscriber, ManualSubscription)", "did(RecordingSubscriber, ManualSubscription)",
          "did(ManualPublisher, Any(RecordingSubscriber))", "did(Forwarding, RecordingSubscriber)",
        ]
      )
    }
  }

  @Test func erasedPublishersAreOneLevel() async {
    await #expect(processExitsWith: .success) {
      struct Value {}
      let log = Log<Value>()
      log.enable()
      defer { log.disable() }
      let upstream = ManualPublisher<Value, Never>()
      upstream.eraseToAnyPublisher().eraseToAnyPublisher().subscribe(RecordingSubscriber())
      #expect(
        log.events == [
          "will(AnyPublisher, RecordingSubscriber)", "will(RecordingSubscriber, ManualSubscription)",
          "did(RecordingSubscriber, ManualSubscription)", "did(AnyPublisher, RecordingSubscriber)",
        ]
      )
    }
  }

  @Test func wrappersLookLikeWhatTheyWrap() async {
    await #expect(processExitsWith: .success) {
      struct Value {}
      let log = Log<Value>()
      log.enable()
      defer { log.disable() }
      let upstream = ManualPublisher<Value, Never>()
      let subscriber = RecordingSubscriber<Value, Never>()
      upstream.subscribe(subscriber)
      let wrappedSubscriber = try #require(upstream.subscriber)
      #expect(wrappedSubscriber.combineIdentifier == subscriber.combineIdentifier)
      let wrappedSubscription = try #require(subscriber.subscription)
      #expect(wrappedSubscription.combineIdentifier == upstream.subscription!.combineIdentifier)
      for (wrapper, name) in [
        (wrappedSubscriber as Any, "RecordingSubscriber"), (wrappedSubscription, "ManualSubscription"),
      ] {
        #expect(String(describing: wrapper) == name)
        #expect(!(wrapper is any CustomDebugStringConvertible))
        #expect(!(wrapper is any CustomReflectable))
        #expect(!(wrapper is any CustomPlaygroundDisplayConvertible))
      }
      #expect(!(wrappedSubscriber is RecordingSubscriber<Value, Never>))
      #expect(!(wrappedSubscriber is AnySubscriber<Value, Never>))
    }
  }

  @Test func enablingTwiceCountsOnceAndEachHandlerIsIndependent() async {
    await #expect(processExitsWith: .success) {
      struct Value {}
      let (one, two) = (Log<Value>(), Log<Value>())
      #expect(!one.isEnabled)
      one.enable()
      one.enable()
      two.enable()
      #expect(one.isEnabled && two.isEnabled)
      let upstream = ManualPublisher<Value, Never>()
      upstream.subscribe(RecordingSubscriber())
      #expect(one.events.count == 4 && two.events.count == 4)
      one.disable()
      #expect(!one.isEnabled && two.isEnabled)
      upstream.send(Value())
      #expect(one.events.count == 4 && two.events.count == 6)
      two.disable()
      upstream.send(Value())
      #expect(two.events.count == 6)
      one.enable()
      upstream.send(Value())
      #expect(one.events.count == 6, "a pipeline that was wrapped stays so")
      one.disable()
    }
  }

  @Test func aHandlerIsKeptAliveWhileEnabled() async {
    await #expect(processExitsWith: .success) {
      weak var weakLog: Log<Int8>?
      do {
        let log = Log<Int8>()
        weakLog = log
        log.enable()
      }
      #expect(weakLog != nil)
      weakLog?.disable()
      #expect(weakLog == nil)
    }
  }

  @Test func directCallsAreNotReported() async {
    await #expect(processExitsWith: .success) {
      struct Value {}
      let log = Log<Value>()
      log.enable()
      defer { log.disable() }
      ManualPublisher<Value, Never>().receive(subscriber: RecordingSubscriber())
      #expect(log.events == [])
    }
  }
}
