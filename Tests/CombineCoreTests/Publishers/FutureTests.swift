import Dispatch
import TestSupport
import Testing

@testable import CombineCore

@Suite struct FutureTests {

  private typealias IntFuture = Future<Int, TestError>
  private typealias Recorder = RecordingSubscriber<Int, TestError>

  /// A future and its promise.
  private func makeFuture() -> (future: IntFuture, promise: IntFuture.Promise) {
    var promise: IntFuture.Promise!
    let future = IntFuture { promise = $0 }
    return (future, promise)
  }

  private static let subscribed = Event<Int>.subscription("Future")

  // MARK: Resolution

  @Test func runsItsClosureOnceWhenCreated() {
    var calls = 0
    let future = IntFuture { promise in
      calls += 1
      promise(.success(1))
    }
    #expect(calls == 1)
    for _ in 0..<2 { future.subscribe(Recorder(requesting: .unlimited)) }
    #expect(calls == 1)

    _ = IntFuture { _ in calls += 1 }
    #expect(calls == 2)
  }

  @Test func retryingDoesNotRunItsClosureAgain() {
    var calls = 0
    let future = IntFuture { promise in
      calls += 1
      promise(.failure("oops"))
    }
    let subscriber = Recorder(requesting: .unlimited)
    future.retry(2).subscribe(subscriber)
    #expect(calls == 1)
    #expect(subscriber.events.dropFirst() == [.failure("oops")])
  }

  @Test func theFirstCallOfThePromiseWins() {
    let future = IntFuture { promise in
      promise(.success(1))
      promise(.failure("oops"))
      promise(.success(2))
    }
    let subscriber = Recorder(requesting: .unlimited)
    future.subscribe(subscriber)
    #expect(subscriber.events == [Self.subscribed, .value(1), .finished])
  }

  @Test func everySubscriberReceivesTheResultBeforeOrAfter() {
    let (future, promise) = makeFuture()
    let early = [Recorder(requesting: .unlimited), Recorder(requesting: .max(1)), Recorder(requesting: .unlimited)]
    for subscriber in early { future.subscribe(subscriber) }
    promise(.success(42))
    let late = Recorder(requesting: .unlimited)
    future.subscribe(late)
    for subscriber in early + [late] {
      #expect(subscriber.events == [Self.subscribed, .value(42), .finished])
    }
    #expect(Set(early.map { $0.subscription!.combineIdentifier }).count == 3)
  }

  // MARK: Scenarios

  @Test func aValueIsDeliveredOnceDuringThePromiseCall() {
    let (future, promise) = makeFuture()
    let subscriber = Recorder(requesting: .unlimited)
    future.subscribe(subscriber)
    #expect(subscriber.events == [Self.subscribed])
    promise(.success(42))
    #expect(subscriber.events == [Self.subscribed, .value(42), .finished])
    promise(.success(41))
    promise(.failure("oops"))
    subscriber.request(.max(1))
    subscriber.cancel()
    #expect(subscriber.events == [Self.subscribed, .value(42), .finished])
  }

  @Test(arguments: [true, false])
  func aFailureIsDeliveredDuringThePromiseCallWithOrWithoutDemand(hasDemand: Bool) {
    let (future, promise) = makeFuture()
    let subscriber = Recorder(onSubscription: { if hasDemand { $0.request(.unlimited) } })
    future.subscribe(subscriber)
    promise(.failure("oops"))
    #expect(subscriber.events == [Self.subscribed, .failure("oops")])
    promise(.success(1))
    subscriber.request(.max(1))
    #expect(subscriber.events == [Self.subscribed, .failure("oops")])
  }

  @Test func aCancelIsFinal() {
    let (future, promise) = makeFuture()
    let subscriber = Recorder(requesting: .unlimited)
    future.subscribe(subscriber)
    subscriber.cancel()
    subscriber.cancel()
    subscriber.request(.max(1))
    promise(.success(42))
    #expect(subscriber.events == [Self.subscribed])
  }

  @Test func aResolvedFutureDeliversDuringTheRequest() {
    let future = IntFuture { $0(.success(42)) }
    var eventsInside: [Event<Int>] = []
    let subscriber = Recorder()
    subscriber.onSubscription = { [unowned subscriber] in
      $0.request(.unlimited)
      eventsInside = subscriber.events
    }
    future.subscribe(subscriber)
    #expect(eventsInside == [Self.subscribed, .value(42), .finished])
    #expect(subscriber.events == eventsInside)
  }

  @Test func aResolvedFutureDeliversOnDemand() {
    let subscriber = Recorder()
    IntFuture { $0(.success(42)) }.subscribe(subscriber)
    #expect(subscriber.events == [Self.subscribed])
    subscriber.request(.max(1))
    #expect(subscriber.events == [Self.subscribed, .value(42), .finished])
  }

  @Test func aFailedFutureFailsAtOnceWithItsOwnSubscription() {
    let future = IntFuture { $0(.failure("oops")) }
    let subscriber = Recorder()
    future.subscribe(subscriber)
    #expect(subscriber.events == [Self.subscribed, .failure("oops")])

    var eventsInside: [Event<Int>] = []
    let requesting = Recorder()
    requesting.onSubscription = { [unowned requesting] in
      $0.request(.max(1))
      eventsInside = requesting.events
    }
    future.subscribe(requesting)
    #expect(eventsInside == [Self.subscribed, .failure("oops")])
    #expect(requesting.events == eventsInside)
  }

  @Test func cancelDuringTheSubscriptionSuppressesTheFailureOfAFailedFuture() {
    let subscriber = Recorder(onSubscription: { $0.cancel() })
    IntFuture { $0(.failure("oops")) }.subscribe(subscriber)
    #expect(subscriber.events == [Self.subscribed])
  }

  @Test func aValueWithoutDemandIsDeliveredAtTheRequest() {
    let (future, promise) = makeFuture()
    let subscriber = Recorder()
    future.subscribe(subscriber)
    promise(.success(42))
    #expect(subscriber.events == [Self.subscribed])
    subscriber.request(.max(1))
    #expect(subscriber.events == [Self.subscribed, .value(42), .finished])
    subscriber.request(.max(1))
    #expect(subscriber.events.count == 3)
  }

  @Test func cancelDoesNotAffectOtherSubscribers() {
    let (future, promise) = makeFuture()
    let subscribers = (0..<3).map { _ in Recorder(requesting: .unlimited) }
    for subscriber in subscribers { future.subscribe(subscriber) }
    subscribers[1].cancel()
    promise(.success(42))
    #expect(subscribers.map { $0.values } == [[42], [], [42]])
  }

  @Test(arguments: [true, false])
  func aCancelDuringTheDeliveryToAnotherSubscriberIsInTime(isSuccess: Bool) {
    let (future, promise) = makeFuture()
    let subscribers = [Recorder(requesting: .unlimited), Recorder(requesting: .unlimited)]
    for (subscriber, other) in zip(subscribers, subscribers.reversed()) {
      subscriber.onCompletion = { [unowned other] _ in other.cancel() }
      future.subscribe(subscriber)
    }
    promise(isSuccess ? .success(42) : .failure("oops"))
    // The first of the two cancels the other.
    let all: [Event<Int>] = [Self.subscribed] + (isSuccess ? [.value(42), .finished] : [.failure("oops")])
    #expect(subscribers.filter { $0.events == all }.count == 1)
    #expect(subscribers.filter { $0.events == [Self.subscribed] }.count == 1)
  }

  @Test func aCancelWhileAValueIsHeldIsFinal() {
    let (future, promise) = makeFuture()
    let subscriber = Recorder()
    future.subscribe(subscriber)
    promise(.success(42))
    subscriber.cancel()
    subscriber.request(.max(1))
    #expect(subscriber.events == [Self.subscribed])
  }

  @Test(arguments: [true, false], [true, false])
  func thePromiseMayBeCalledWhileTheSubscriptionArrives(isSuccess: Bool, hasDemand: Bool) {
    let (future, promise) = makeFuture()
    var eventsInside: [Event<Int>] = []
    let subscriber = Recorder()
    subscriber.onSubscription = { [unowned subscriber] in
      if hasDemand { $0.request(.max(1)) }
      promise(isSuccess ? .success(42) : .failure("oops"))
      eventsInside = subscriber.events
    }
    future.subscribe(subscriber)
    let all: [Event<Int>] = [Self.subscribed] + (isSuccess ? [.value(42), .finished] : [.failure("oops")])
    #expect(eventsInside == (isSuccess && !hasDemand ? [Self.subscribed] : all))
    #expect(subscriber.events == eventsInside)
    subscriber.request(.max(1))
    #expect(subscriber.events == all)
  }

  @Test(arguments: [true, false])
  func nestedCallsDuringADeliveryHaveNoEffect(isSuccess: Bool) {
    let (future, promise) = makeFuture()
    let subscriber = Recorder(requesting: .unlimited)
    func meddle() {
      promise(.success(43))
      subscriber.request(.unlimited)
      subscriber.cancel()
      _ = String(describing: subscriber.subscription!)
      _ = Mirror(reflecting: subscriber.subscription!).children.count
    }
    subscriber.onValue = { _ in
      meddle()
      return .unlimited
    }
    subscriber.onCompletion = { _ in meddle() }
    future.subscribe(subscriber)
    promise(isSuccess ? .success(42) : .failure("oops"))
    // A cancel during the value is too late for the completion.
    #expect(subscriber.events == [Self.subscribed] + (isSuccess ? [.value(42), .finished] : [.failure("oops")]))
    subscriber.onValue = { _ in .none }
    subscriber.onCompletion = { _ in }
  }

  @Test func subscribingDuringADeliveryWorks() {
    let (future, promise) = makeFuture()
    let inner = Recorder(requesting: .unlimited)
    let outer = Recorder(requesting: .unlimited)
    outer.onValue = { _ in
      future.subscribe(inner)
      return .none
    }
    future.subscribe(outer)
    promise(.success(42))
    #expect(inner.events == [Self.subscribed, .value(42), .finished])
    #expect(outer.events == inner.events)
  }

  @Test func comparesWithNothing() {
    let future: Any = makeFuture().future
    #expect(!(future is any Equatable))
  }

  // MARK: Reflection

  /// Checks the mirror of a subscriber's subscription.
  private func expectMirror(
    of subscriber: Recorder,
    parent: IntFuture?,
    isActive: Bool,
    hasAnyDemand: Bool,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let subscription = subscriber.subscription!
    expectReflection(
      of: subscription,
      description: "Future",
      children: ["parent", "downstream", "hasAnyDemand", "subject"],
      sourceLocation: sourceLocation
    )
    for label in ["parent", "downstream", "subject"] {
      let child = reflectedChild(label, of: subscription)!
      #expect(Mirror(reflecting: child).displayStyle == .optional, sourceLocation: sourceLocation)
    }
    for label in ["parent", "subject"] {
      let child = reflectedChild(label, of: subscription)!
      #expect(child as? IntFuture === parent, sourceLocation: sourceLocation)
      if parent == nil { #expect(String(describing: child) == "nil", sourceLocation: sourceLocation) }
    }
    let downstream = reflectedChild("downstream", of: subscription)!
    #expect(downstream as? Recorder === (isActive ? subscriber : nil), sourceLocation: sourceLocation)
    if !isActive { #expect(String(describing: downstream) == "nil", sourceLocation: sourceLocation) }
    #expect(
      reflectedChild("hasAnyDemand", of: subscription) as? Bool == hasAnyDemand,
      sourceLocation: sourceLocation
    )
  }

  @Test(arguments: [true, false])
  func reflectsAPromisedResult(isSuccess: Bool) {
    let (future, promise) = makeFuture()
    let subscriber = Recorder()
    var deliveries = 0
    subscriber.onValue = { [unowned subscriber] _ in
      deliveries += 1
      self.expectMirror(of: subscriber, parent: future, isActive: false, hasAnyDemand: false)
      return .none
    }
    subscriber.onCompletion = { [unowned subscriber] completion in
      if completion == .finished { return }
      deliveries += 1
      self.expectMirror(of: subscriber, parent: future, isActive: false, hasAnyDemand: false)
    }
    future.subscribe(subscriber)
    expectMirror(of: subscriber, parent: future, isActive: true, hasAnyDemand: false)
    subscriber.request(.max(1))
    expectMirror(of: subscriber, parent: future, isActive: true, hasAnyDemand: true)
    promise(isSuccess ? .success(42) : .failure("oops"))
    #expect(deliveries == 1)
    expectMirror(of: subscriber, parent: nil, isActive: false, hasAnyDemand: false)
  }

  @Test func reflectsAResultThatIsRequestedLater() {
    let (future, promise) = makeFuture()
    let subscriber = Recorder()
    var deliveries = 0
    subscriber.onValue = { [unowned subscriber] _ in
      deliveries += 1
      self.expectMirror(of: subscriber, parent: future, isActive: false, hasAnyDemand: false)
      return .none
    }
    future.subscribe(subscriber)
    promise(.success(42))
    expectMirror(of: subscriber, parent: future, isActive: true, hasAnyDemand: false)
    subscriber.request(.max(1))
    #expect(deliveries == 1)
    expectMirror(of: subscriber, parent: future, isActive: false, hasAnyDemand: false)
  }

  @Test(arguments: [true, false])
  func reflectsAFailedFuture(requests: Bool) {
    let subscriber = Recorder(onSubscription: { if requests { $0.request(.max(1)) } })
    IntFuture { $0(.failure("oops")) }.subscribe(subscriber)
    expectMirror(of: subscriber, parent: nil, isActive: false, hasAnyDemand: false)
  }

  @Test func reflectsACancel() {
    let (future, promise) = makeFuture()
    let subscriber = Recorder(requesting: .unlimited)
    future.subscribe(subscriber)
    subscriber.cancel()
    expectMirror(of: subscriber, parent: nil, isActive: false, hasAnyDemand: false)
    withExtendedLifetime(promise) {}
  }

  // MARK: Lifetime

  @Test func keepsASubscriptionThatNothingElseKeeps() {
    let (future, promise) = makeFuture()
    var values: [Int] = []
    do {
      let subscriber = Recorder(
        onSubscription: { $0.request(.max(1)) },
        onValue: { value in
          values.append(value)
          return .none
        }
      )
      future.subscribe(subscriber)
      subscriber.dropSubscription()  // Otherwise the two would keep each other alive.
    }
    promise(.success(42))
    #expect(values == [42])
  }

  @Test func aSubscriptionKeepsTheFutureUntilItIsCancelled() {
    weak var weakFuture: IntFuture?
    let subscriber = Recorder()
    do {
      let future = IntFuture { _ in }
      weakFuture = future
      future.subscribe(subscriber)
    }
    #expect(weakFuture != nil)
    subscriber.cancel()
    #expect(weakFuture == nil)
    #expect(subscriber.subscription != nil)
  }

  enum End: CaseIterable {
    case cancel, value, failure, laterRequest
  }

  @Test(arguments: End.allCases)
  func releasesEverythingAtTheEnd(end: End) {
    var isSubscriberReleased = false
    weak var weakFuture: IntFuture?
    weak var weakSubscription: AnyObject?
    var promise: IntFuture.Promise?
    do {
      let future = IntFuture { promise = $0 }
      weakFuture = future
      do {
        let subscriber = Recorder(onDeinit: { isSubscriberReleased = true })
        if end != .laterRequest { subscriber.onSubscription = { $0.request(.unlimited) } }
        subscriber.dropsSubscriptionOnCompletion = true
        future.subscribe(subscriber)
        weakSubscription = subscriber.subscription as AnyObject
      }
      #expect(!isSubscriberReleased)
      #expect(weakSubscription != nil)
      switch end {
      case .cancel: (weakSubscription as? any Subscription)?.cancel()
      case .value: promise?(.success(42))
      case .failure: promise?(.failure("oops"))
      case .laterRequest:
        promise?(.success(42))
        #expect(!isSubscriberReleased)
        (weakSubscription as? any Subscription)?.request(.max(1))
      }
      #expect(isSubscriberReleased)
      #expect(weakSubscription == nil)
    }
    #expect(weakFuture != nil, "the promise keeps it")
    promise = nil
    #expect(weakFuture == nil)
  }

  @Test func aHeldSubscriptionHoldsNeitherSubscriberNorFutureAfterTheEnd() {
    for isSuccess in [true, false] {
      var isSubscriberReleased = false
      weak var weakFuture: IntFuture?
      var subscription: (any Subscription)?
      do {
        let (future, promise) = makeFuture()
        weakFuture = future
        do {
          let subscriber = Recorder(requesting: .max(1))
          let token = CallsOnDeinit { isSubscriberReleased = true }
          subscriber.onCompletion = { _ in withExtendedLifetime(token) {} }
          future.subscribe(subscriber)
          subscription = subscriber.subscription
        }
        promise(isSuccess ? .success(42) : .failure("oops"))
        #expect(isSubscriberReleased)
      }
      #expect(weakFuture == nil)
      withExtendedLifetime(subscription) {}
    }
  }

  @Test func aFutureWithAResultDoesNotKeepASubscriberThatNeverRequests() {
    var isReleased = false
    let future = IntFuture { $0(.success(42)) }
    do {
      let subscriber = Recorder(onDeinit: { isReleased = true })
      future.subscribe(subscriber)
      subscriber.dropSubscription()
    }
    #expect(isReleased)
  }

  // MARK: Threads

  @Test func isSendableWhenTheOutputIs() {
    let future: any Sendable = IntFuture { _ in }
    #expect(future is IntFuture)
  }

  @Test func promiseCallsOnManyThreadsGiveEverySubscriberOneResult() {
    for round in 0..<200 {
      let (future, promise) = makeFuture()
      let shared = CrossingThreads(promise)
      let probes = (0..<4).map { _ in OverlapProbe() }
      let results = Guarded<[Int?]>([])
      DispatchQueue.concurrentPerform(iterations: 6) { index in
        if index < 2 {
          shared.value((round + index) % 3 == 0 ? .failure("oops") : .success(index))
        } else {
          future.subscribe(
            ResultSubscriber(probe: probes[index - 2]) { value in results.withLock { $0.append(value) } }
          )
        }
      }
      let all = results.withLock { $0 }
      #expect(all.count == 4)
      #expect(Set(all).count == 1, "every subscriber receives the same")
      for probe in probes {
        #expect(probe.completions == 1)
        #expect(probe.count == (all[0] == nil ? 0 : 1))
        #expect(!probe.hasOverlapped && !probe.hasReceivedAfterCompletion)
      }
    }
  }

  @Test func cancellingWhileThePromiseIsCalledDeliversAllOrNothingAndLeaksNothing() {
    for round in 0..<300 {
      let released = ThreadCounter()
      let probe = OverlapProbe()
      let promise: CrossingThreads<IntFuture.Promise>
      let subscription: CrossingThreads<any Subscription>
      do {
        let (future, plainPromise) = makeFuture()
        promise = CrossingThreads(plainPromise)
        let subscriber = Recorder(
          onSubscription: { if round % 2 == 0 { $0.request(.max(1)) } },
          onValue: { _ in
            probe.enter {}
            return .none
          },
          onCompletion: { _ in probe.complete() },
          onDeinit: { released.add() }
        )
        future.subscribe(subscriber)
        subscription = CrossingThreads(subscriber.subscription!)
      }
      DispatchQueue.concurrentPerform(iterations: 3) { index in
        switch index {
        case 0: promise.value(.success(1))
        case 1: subscription.value.cancel()
        default: subscription.value.request(.max(1))
        }
      }
      #expect(probe.count == probe.completions && probe.count <= 1)
      #expect(!probe.hasOverlapped && !probe.hasReceivedAfterCompletion)
      #expect(released.count == 1)
    }
  }

  @Test func aSubscriberReceivesItsSubscriptionBeforeAFailureFromAnotherThread() {
    for _ in 0..<300 {
      let (future, promise) = makeFuture()
      let shared = CrossingThreads(promise)
      let outOfOrder = ThreadCounter()
      let completions = ThreadCounter()
      DispatchQueue.concurrentPerform(iterations: 2) { index in
        if index == 0 { return shared.value(.failure("oops")) }
        var isSubscribed = false
        future.subscribe(
          Recorder(
            onSubscription: { _ in isSubscribed = true },
            onCompletion: { _ in
              if !isSubscribed { outOfOrder.add() }
              completions.add()
            }
          )
        )
      }
      #expect(outOfOrder.count == 0)
      #expect(completions.count == 1)
    }
  }

  /// A subscriber that requests one value and reports the result: the value, or `nil` for a failure.
  private struct ResultSubscriber: Subscriber {
    let combineIdentifier = CombineIdentifier()
    let probe: OverlapProbe
    let report: (Int?) -> Void

    func receive(subscription: any Subscription) { subscription.request(.max(1)) }

    func receive(_ input: Int) -> Subscribers.Demand {
      probe.enter { report(input) }
      return .none
    }

    func receive(completion: Subscribers.Completion<TestError>) {
      probe.complete()
      if case .failure = completion { report(nil) }
    }
  }
}
