import CombineCore
import TestSupport
import Testing

/// A handler watches the whole process and affects other tests there. So each test runs in its own process.
@Suite struct IntrospectionTests {

  /// Logs every event.
  private final class Log: _Introspection {

    private(set) var events: [String] = []

    /// Runs a test's body with an enabled new log.
    static func watching(_ body: (Log) throws -> Void) rethrows {
      let log = Log()
      log.enable()
      defer { log.disable() }
      try body(log)
    }

    private func name(_ object: Any) -> String {
      let text = String(describing: object)
      return object is AnySubscriber<Int, Never> ? "Any(\(text))" : text
    }

    private func publisherName<P: Publisher>(_ publisher: P) -> String {
      (publisher as? any CustomStringConvertible)?.description
        ?? String(describing: P.self).prefix { $0 != "<" }.description
    }

    func willReceive<P: Publisher, S: Subscriber>(publisher: P, subscriber: S)
    where P.Failure == S.Failure, P.Output == S.Input {
      events.append("will(\(publisherName(publisher)), \(name(subscriber)))")
    }

    func didReceive<P: Publisher, S: Subscriber>(publisher: P, subscriber: S)
    where P.Failure == S.Failure, P.Output == S.Input {
      events.append("did(\(publisherName(publisher)), \(name(subscriber)))")
    }

    func willReceive<S: Subscriber>(subscriber: S, subscription: any Subscription) {
      events.append("will(\(name(subscriber)), \(name(subscription)))")
    }

    func didReceive<S: Subscriber>(subscriber: S, subscription: any Subscription) {
      events.append("did(\(name(subscriber)), \(name(subscription)))")
    }

    func willReceive<S: Subscriber>(subscriber: S, input: S.Input) {
      events.append("will(\(name(subscriber)), \(input))")
    }

    func didReceive<S: Subscriber>(subscriber: S, input: S.Input, resultingDemand: Subscribers.Demand) {
      events.append("did(\(name(subscriber)), \(input), \(resultingDemand))")
    }

    func willReceive<S: Subscriber>(subscriber: S, completion: Subscribers.Completion<S.Failure>) {
      events.append("will(\(name(subscriber)), \(completion))")
    }

    func didReceive<S: Subscriber>(subscriber: S, completion: Subscribers.Completion<S.Failure>) {
      events.append("did(\(name(subscriber)), \(completion))")
    }

    func willRequest(subscription: any Subscription, _ demand: Subscribers.Demand) {
      events.append("willRequest(\(name(subscription)), \(demand))")
    }

    func didRequest(subscription: any Subscription, _ demand: Subscribers.Demand) {
      events.append("didRequest(\(name(subscription)), \(demand))")
    }

    func willCancel(subscription: any Subscription) { events.append("willCancel(\(name(subscription)))") }

    func didCancel(subscription: any Subscription) { events.append("didCancel(\(name(subscription)))") }

    func clear() { events = [] }
  }

  @Test func reportsEveryEventOfAPlainSubscription() async {
    await #expect(processExitsWith: .success) {
      Log.watching { log in
        let upstream = ManualPublisher<Int, Never>()
        let subscriber = RecordingSubscriber<Int, Never>(onValue: { _ in .max(3) })
        upstream.subscribe(subscriber)
        #expect(
          log.events == [
            "will(ManualPublisher, RecordingSubscriber)", "will(RecordingSubscriber, ManualSubscription)",
            "did(RecordingSubscriber, ManualSubscription)", "did(ManualPublisher, RecordingSubscriber)",
          ]
        )

        log.clear()
        subscriber.request(.max(2))
        #expect(upstream.send(1) == .max(3))
        upstream.send(completion: .finished)
        upstream.send(completion: .finished)
        subscriber.cancel()
        #expect(
          log.events == [
            "willRequest(ManualSubscription, max(2))", "didRequest(ManualSubscription, max(2))",
            "will(RecordingSubscriber, 1)", "did(RecordingSubscriber, 1, max(3))",
            "will(RecordingSubscriber, finished)", "did(RecordingSubscriber, finished)",
            "will(RecordingSubscriber, finished)", "did(RecordingSubscriber, finished)",
            "willCancel(ManualSubscription)", "didCancel(ManualSubscription)",
          ]
        )
        #expect(upstream.history == [.requested(.max(2)), .cancelled])
      }
    }
  }

  @Test func anOperatorThatForwardsTheSubscriptionIsReportedOnEachLevel() async {
    await #expect(processExitsWith: .success) {
      Log.watching { log in
        let upstream = ManualPublisher<Int, Never>()
        let subscriber = RecordingSubscriber<Int, Never>()
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
        #expect(
          log.events == ["willRequest(ManualSubscription, max(1))", "didRequest(ManualSubscription, max(1))"],
          "reported once"
        )
      }
    }
  }

  @Test func anOperatorWithItsOwnSubscriptionReportsIt() async {
    await #expect(processExitsWith: .success) {
      Log.watching { log in
        let upstream = ManualPublisher<Int, any Error>()
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

  @Test func aForwardedSubscriberIsReportedErased() async {
    await #expect(processExitsWith: .success) {
      Log.watching { log in
        Forwarding(base: ManualPublisher<Int, Never>()).subscribe(RecordingSubscriber())
        #expect(
          log.events == [
            "will(Forwarding, RecordingSubscriber)", "will(ManualPublisher, Any(RecordingSubscriber))",
            "will(RecordingSubscriber, ManualSubscription)", "did(RecordingSubscriber, ManualSubscription)",
            "did(ManualPublisher, Any(RecordingSubscriber))", "did(Forwarding, RecordingSubscriber)",
          ]
        )
      }
    }
  }

  @Test func erasedPublishersAreOneLevel() async {
    await #expect(processExitsWith: .success) {
      Log.watching { log in
        let upstream = ManualPublisher<Int, Never>()
        upstream.eraseToAnyPublisher().eraseToAnyPublisher().subscribe(RecordingSubscriber())
        #expect(
          log.events == [
            "will(AnyPublisher, RecordingSubscriber)", "will(RecordingSubscriber, ManualSubscription)",
            "did(RecordingSubscriber, ManualSubscription)", "did(AnyPublisher, RecordingSubscriber)",
          ]
        )
      }
    }
  }

  @Test func wrappersReflectWhatTheyWrap() async {
    await #expect(processExitsWith: .success) {
      try Log.watching { log in
        let upstream = ManualPublisher<Int, Never>()
        let subscriber = RecordingSubscriber<Int, Never>()
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
        #expect(!(wrappedSubscriber is RecordingSubscriber<Int, Never>))
        #expect(!(wrappedSubscriber is AnySubscriber<Int, Never>))
      }
    }
  }

  /// Keeps what it receives.
  private final class Keeper: _Introspection {

    private(set) var subscribers: [Any] = []
    private(set) var subscriptions: [any Subscription] = []

    func willReceive<P: Publisher, S: Subscriber>(publisher: P, subscriber: S)
    where P.Failure == S.Failure, P.Output == S.Input { subscribers.append(subscriber) }

    func didReceive<P: Publisher, S: Subscriber>(publisher: P, subscriber: S)
    where P.Failure == S.Failure, P.Output == S.Input { subscribers.append(subscriber) }

    func willReceive<S: Subscriber>(subscriber: S, subscription: any Subscription) {
      subscribers.append(subscriber)
      subscriptions.append(subscription)
    }

    func didReceive<S: Subscriber>(subscriber: S, subscription: any Subscription) {
      subscribers.append(subscriber)
      subscriptions.append(subscription)
    }

    func willReceive<S: Subscriber>(subscriber: S, input: S.Input) { subscribers.append(subscriber) }

    func didReceive<S: Subscriber>(subscriber: S, input: S.Input, resultingDemand: Subscribers.Demand) {
      subscribers.append(subscriber)
    }

    func willReceive<S: Subscriber>(subscriber: S, completion: Subscribers.Completion<S.Failure>) {
      subscribers.append(subscriber)
    }

    func didReceive<S: Subscriber>(subscriber: S, completion: Subscribers.Completion<S.Failure>) {
      subscribers.append(subscriber)
    }

    func willRequest(subscription: any Subscription, _ demand: Subscribers.Demand) { keep(subscription) }
    func didRequest(subscription: any Subscription, _ demand: Subscribers.Demand) { keep(subscription) }
    func willCancel(subscription: any Subscription) { keep(subscription) }
    func didCancel(subscription: any Subscription) { keep(subscription) }

    private func keep(_ subscription: any Subscription) { subscriptions.append(subscription) }
  }

  @Test func handlersReceiveTheOriginalSubscriberAndSubscription() async {
    await #expect(processExitsWith: .success) {
      let keeper = Keeper()
      keeper.enable()
      let upstream = ManualPublisher<Int, Never>()
      let subscriber = RecordingSubscriber<Int, Never>(requesting: .max(1))
      upstream.subscribe(subscriber)
      upstream.send(1)
      upstream.send(completion: .finished)
      subscriber.cancel()
      keeper.disable()
      let subscribers = keeper.subscribers.filter { ($0 as? RecordingSubscriber<Int, Never>) === subscriber }
      let subscriptions = keeper.subscriptions.filter { ($0 as? ManualSubscription) === upstream.subscription }
      #expect(subscribers.count == 8 && keeper.subscribers.count == 8)
      #expect(subscriptions.count == 6 && keeper.subscriptions.count == 6)
    }
  }

  @Test func enablingTwiceCountsOnceAndEachHandlerIsIndependent() async {
    await #expect(processExitsWith: .success) {
      let (one, two) = (Log(), Log())
      #expect(!one.isEnabled)
      one.enable()
      one.enable()
      two.enable()
      #expect(one.isEnabled && two.isEnabled)
      let upstream = ManualPublisher<Int, Never>()
      upstream.subscribe(RecordingSubscriber())
      #expect(one.events.count == 4 && two.events.count == 4)
      one.disable()
      #expect(!one.isEnabled && two.isEnabled)
      upstream.send(1)
      #expect(one.events.count == 4 && two.events.count == 6)
      two.disable()
      upstream.send(1)
      #expect(two.events.count == 6)
      one.enable()
      upstream.send(1)
      #expect(one.events.count == 6, "a wrapped pipeline stays wrapped")
      one.disable()
    }
  }

  @Test func aHandlerIsKeptAliveWhileEnabled() async {
    await #expect(processExitsWith: .success) {
      weak var weakLog: Log?
      do {
        let log = Log()
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
      Log.watching { log in
        ManualPublisher<Int, Never>().receive(subscriber: RecordingSubscriber())
        #expect(log.events == [])
      }
    }
  }

  @Test func aSubjectBehindAnErasedPublisherIsNotALevel() async {
    await #expect(processExitsWith: .success) {
      Log.watching { log in
        // This subject subscribes a private publisher.
        let subject = ManualSubject<Int, Never>()
        subject.eraseToAnyPublisher().eraseToAnyPublisher().subscribe(RecordingSubscriber())
        #expect(
          log.events == [
            "will(AnyPublisher, RecordingSubscriber)", "will(ManualPublisher, Any(RecordingSubscriber))",
            "will(RecordingSubscriber, ManualSubscription)", "did(RecordingSubscriber, ManualSubscription)",
            "did(ManualPublisher, Any(RecordingSubscriber))", "did(AnyPublisher, RecordingSubscriber)",
          ]
        )
      }
    }
  }

  private final class Identities: _Introspection {
    var publisherEvents: [CombineIdentifier] = []
    var subscriptionEvents: [CombineIdentifier] = []

    func willReceive<P: Publisher, S: Subscriber>(publisher: P, subscriber: S)
    where P.Failure == S.Failure, P.Output == S.Input { publisherEvents.append(subscriber.combineIdentifier) }

    func didReceive<P: Publisher, S: Subscriber>(publisher: P, subscriber: S)
    where P.Failure == S.Failure, P.Output == S.Input { publisherEvents.append(subscriber.combineIdentifier) }

    func willReceive<S: Subscriber>(subscriber: S, subscription: any Subscription) {
      subscriptionEvents.append(subscriber.combineIdentifier)
    }

    func didReceive<S: Subscriber>(subscriber: S, subscription: any Subscription) {
      subscriptionEvents.append(subscriber.combineIdentifier)
    }
  }

  @Test func aDoublyErasedSubscriberIsReportedOnceUnderItsOwnIdentifier() async {
    await #expect(processExitsWith: .success) {
      let identities = Identities()
      identities.enable()
      let subscriber = RecordingSubscriber<Int, Never>()
      PassthroughSubject<Int, Never>().subscribe(AnySubscriber(AnySubscriber(subscriber)))
      identities.disable()
      let identifier = subscriber.combineIdentifier
      #expect(identities.publisherEvents == [identifier, identifier])
      #expect(identities.subscriptionEvents == [identifier, identifier])
    }
  }

  @Test func inputThroughAnOperatorIsReportedUpstreamAndDownstreamOfIt() async {
    await #expect(processExitsWith: .success) {
      Log.watching { log in
        let upstream = ManualPublisher<Int, any Error>()
        let subscriber = RecordingSubscriber<Int, any Error>(requesting: .unlimited, returning: [.max(3)])
        upstream.tryFilter { $0 > 1 }.subscribe(subscriber)
        log.clear()
        #expect(upstream.send(1) == .max(1))
        #expect(log.events == ["will(TryFilter, 1)", "did(TryFilter, 1, max(1))"])
        log.clear()
        #expect(upstream.send(2) == .max(3))
        #expect(
          log.events == [
            "will(TryFilter, 2)", "will(RecordingSubscriber, 2)", "did(RecordingSubscriber, 2, max(3))",
            "did(TryFilter, 2, max(3))",
          ]
        )
      }
    }
  }

  @Test func aWrapperWrapsSubscriptionsEvenWithoutAHandler() async {
    await #expect(processExitsWith: .success) {
      let log = Log()
      let upstream = ManualPublisher<Int, Never>(subscription: nil)
      let subscriber = RecordingSubscriber<Int, Never>()
      log.enable()
      upstream.subscribe(subscriber)
      log.disable()
      log.clear()
      upstream.send(subscription: ManualSubscription())
      let isOriginal = subscriber.subscription is ManualSubscription
      #expect(!isOriginal)
      #expect(log.events == [])
      log.enable()
      subscriber.request(.max(1))
      subscriber.cancel()
      subscriber.cancel()
      log.disable()
      #expect(
        log.events == [
          "willRequest(ManualSubscription, max(1))", "didRequest(ManualSubscription, max(1))",
          "willCancel(ManualSubscription)", "didCancel(ManualSubscription)",
          "willCancel(ManualSubscription)", "didCancel(ManualSubscription)",
        ]
      )
    }
  }

  @Test func aPipelineBuiltWithoutAHandlerIsNeverReported() async {
    await #expect(processExitsWith: .success) {
      let upstream = ManualPublisher<Int, Never>()
      let subscriber = RecordingSubscriber<Int, Never>()
      upstream.subscribe(subscriber)
      Log.watching { log in
        subscriber.request(.max(1))
        upstream.send(1)
        upstream.send(completion: .finished)
        #expect(log.events == [])
      }
    }
  }

  /// A release build of a client specializes the chain, which then asks once whether a handler is enabled.
  @Test func eachStageOfASpecializedChainIsReported() async {
    await #expect(processExitsWith: .success) {
      Log.watching { log in
        let numbers = PassthroughSubject<Int, Never>()
        let cancellable = numbers.map { $0 + 1 }.removeDuplicates().scan(0) { $0 + $1 }.sink { _ in }
        let stages = ["Scan", "RemoveDuplicates", "Map", "PassthroughSubject"].filter { stage in
          log.events.contains { $0.hasPrefix("will(\(stage), ") }
        }
        precondition(stages.count == 4, "\(log.events)")
        cancellable.cancel()
      }
    }
  }

  /// Keeps the publishers that are subscribed to, if they are objects.
  private final class Levels: _Introspection {

    private(set) var publishers: [AnyObject] = []

    func willReceive<P: Publisher, S: Subscriber>(publisher: P, subscriber: S)
    where P.Failure == S.Failure, P.Output == S.Input {
      if P.self is AnyClass { publishers.append(publisher as AnyObject) }
    }

    /// Whether a handler sees a subscription to a publisher at each of its upstreams.
    static func include<P: Publisher>(_ upstreams: AnyObject..., whenSubscribingTo publisher: P) -> Bool {
      upstreams.allSatisfy { upstream in
        include(upstream) { publisher.subscribe(RecordingSubscriber<P.Output, P.Failure>(requesting: .unlimited)) }
      }
    }

    /// Whether a handler sees a subscription to a publisher at its upstream.
    static func include(_ upstream: AnyObject, whenSubscribing subscribe: () -> Void) -> Bool {
      let levels = Levels()
      levels.enable()
      defer { levels.disable() }
      subscribe()
      return levels.publishers.contains { $0 === upstream }
    }
  }

  @Test func everyOperatorWithOneUpstreamIsReportedThere() async {
    await #expect(processExitsWith: .success) {
      for tolerance in Tolerance.all {
        let upstream = ManualPublisher<Int, TestError>()
        let isReported = Levels.include(upstream) { tolerance.attach(upstream) }
        #expect(isReported, "\(tolerance.name)")
      }
    }
  }

  @Test func theOtherOperatorsAreReportedAtEachUpstream() async {
    await #expect(processExitsWith: .success) {
      let (first, second) = (ManualPublisher<Int, TestError>(), ManualPublisher<Int, TestError>())
      let unfailing = ManualPublisher<Int, Never>()
      let outer = ManualPublisher<Just<Int>, Never>()
      #expect(Levels.include(unfailing, whenSubscribingTo: unfailing.setFailureType(to: TestError.self)))
      #expect(Levels.include(first, whenSubscribingTo: first.breakpointOnError()))
      #expect(Levels.include(outer, whenSubscribingTo: outer.switchToLatest()))
      #expect(Levels.include(first, whenSubscribingTo: first.timeout(100, scheduler: VirtualScheduler())))
      #expect(Levels.include(first, whenSubscribingTo: first.prepend(0)))
      #expect(Levels.include(first, second, whenSubscribingTo: first.merge(with: second)))
      #expect(Levels.include(first, second, whenSubscribingTo: first.combineLatest(second)))
      #expect(Levels.include(first, second, whenSubscribingTo: first.zip(second)))
      #expect(Levels.include(second, whenSubscribingTo: first.prefix(untilOutputFrom: second)))
      #expect(Levels.include(second, whenSubscribingTo: first.drop(untilOutputFrom: second)))
      #expect(Levels.include(first, whenSubscribingTo: first.share()))
      #expect(
        Levels.include(first, whenSubscribingTo: first.multicast { PassthroughSubject<Int, TestError>() }.autoconnect())
      )
      #expect(Levels.include(unfailing, whenSubscribingTo: unfailing.makeConnectable().autoconnect()))
    }
  }

  @Test func aPublisherThatComesLaterIsReportedInAPipelineBuiltWithoutAHandler() async {
    await #expect(processExitsWith: .success) {
      let numbers = PassthroughSubject<Int, Never>()
      let choices = PassthroughSubject<Int, Never>()
      let failing = PassthroughSubject<Int, any Error>()
      let first = PassthroughSubject<Int, Never>()
      let cancellables = [
        numbers.flatMap { Just($0) }.sink { _ in },
        choices.map { Just($0) }.switchToLatest().sink { _ in },
        failing.catch { _ in Just(0) }.sink { _ in },
        first.append(Just(1)).sink { _ in },
      ]
      Log.watching { log in
        numbers.send(1)
        choices.send(1)
        failing.send(completion: .failure(CancellationError()))
        first.send(completion: .finished)
        let reported = log.events.filter { $0.hasPrefix("will(Just, ") }
        precondition(reported.count == 4, "\(log.events)")
      }
      withExtendedLifetime(cancellables) {}
    }
  }

  @Test func theHandlersAreReadAgainForEachHalfOfAnEvent() async {
    await #expect(processExitsWith: .success) {
      let (early, late) = (Log(), Log())
      let upstream = ManualPublisher<Int, Never>()
      let subscriber = RecordingSubscriber<Int, Never>(onValue: { _ in
        early.disable()
        late.enable()
        return .none
      })
      early.enable()
      upstream.subscribe(subscriber)
      early.clear()
      upstream.send(1)
      late.disable()
      #expect(early.events == ["will(RecordingSubscriber, 1)"])
      #expect(late.events == ["did(RecordingSubscriber, 1, max(0))"])
    }
  }

  private final class Silent: _Introspection {}

  @Test func handlersComeAndGoOnManyThreads() async {
    await #expect(processExitsWith: .success) {
      onThreads(4) { _ in
        for _ in 0..<200 {
          let handler = Silent()
          handler.enable()
          let upstream = ManualPublisher<Int, Never>()
          let subscriber = RecordingSubscriber<Int, Never>()
          upstream.subscribe(subscriber)
          subscriber.request(.max(1))
          upstream.send(1)
          upstream.send(completion: .finished)
          precondition(subscriber.values == [1] && handler.isEnabled)
          handler.disable()
          precondition(!handler.isEnabled)
        }
      }
      let upstream = ManualPublisher<Int, Never>()
      upstream.subscribe(RecordingSubscriber())
      #expect(upstream.subscriber is RecordingSubscriber<Int, Never>, "no handler is left")
    }
  }
}
