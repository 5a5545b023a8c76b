import Dispatch
import TestSupport
import Testing

@testable import CombineCore

/// The behaviour that `catch` and `tryCatch` share.
@Suite struct CatchTests {

  enum Kind: String, CaseIterable, Sendable {
    case plain = "Catch"
    case throwing = "TryCatch"
  }

  private typealias Publisher = ManualPublisher<Int, TestError>
  private typealias Recorder = RecordingSubscriber<Int, any Error>

  /// One original, one replacement and one subscriber, joined by `catch` or by `tryCatch`.
  private final class Setup {
    let kind: Kind
    let original: Publisher
    let replacement: Publisher
    let subscriber: Recorder
    var caught: [TestError] = []
    var onCatch: () -> Void = {}

    init(
      _ kind: Kind,
      original: ManualSubscription? = ManualSubscription(),
      replacement: ManualSubscription? = ManualSubscription(),
      subscriber: Recorder = Recorder()
    ) {
      self.kind = kind
      self.original = Publisher(subscription: original)
      self.replacement = Publisher(subscription: replacement)
      self.subscriber = subscriber
      switch kind {
      case .plain:
        self.original.catch { [unowned self] in handle($0) }.subscribe(TypedFront(subscriber))
      case .throwing:
        self.original.tryCatch { [unowned self] in handle($0) }.subscribe(subscriber)
      }
    }

    private func handle(_ error: TestError) -> Publisher {
      caught.append(error)
      onCatch()
      return replacement
    }

    func fail(_ error: TestError = "original") {
      original.send(completion: .failure(error))
    }
  }

  /// A subscriber with a typed failure that forwards to a subscriber of any error.
  private struct TypedFront: Subscriber {
    let base: Recorder
    var combineIdentifier: CombineIdentifier { base.combineIdentifier }

    init(_ base: Recorder) { self.base = base }
    func receive(subscription: any Subscription) { base.receive(subscription: subscription) }
    func receive(_ input: Int) -> Subscribers.Demand { base.receive(input) }
    func receive(completion: Subscribers.Completion<TestError>) {
      base.receive(completion: completion.erasingFailure())
    }
  }

  private func requests(_ counts: Int...) -> [ManualSubscription.Call] {
    counts.map { .requested(.max($0)) }
  }

  // MARK: Values, demand and completions

  @Test(arguments: Kind.allCases)
  func forwardsTheOriginalWhileItDoesNotFail(kind: Kind) {
    let setup = Setup(kind, subscriber: Recorder(requesting: .max(2), returning: [.max(3), .none]))
    #expect(setup.original.send(1) == .max(3))
    #expect(setup.original.send(2) == .none)
    setup.original.send(completion: .finished)
    #expect(setup.subscriber.events == [.subscription(kind.rawValue), .value(1), .value(2), .finished])
    #expect(setup.original.history == requests(2))
    #expect(setup.caught == [])
    #expect(setup.replacement.subscribeCount == 0)
  }

  @Test(arguments: Kind.allCases)
  func continuesWithTheReplacementAndRequestsTheOutstandingDemandFromIt(kind: Kind) {
    let setup = Setup(kind)
    setup.subscriber.onValue = { _ in .max(3) }
    setup.subscriber.request(.max(12))
    setup.subscriber.request(.max(5))
    for value in 1...8 { #expect(setup.original.send(value) == .max(3)) }
    setup.fail()
    #expect(setup.caught == ["original"])
    #expect(setup.original.history == requests(12, 5))
    #expect(setup.replacement.history == requests(33))

    #expect(setup.replacement.send(9) == .max(3))
    setup.subscriber.request(.max(4))
    #expect(setup.replacement.history == requests(33, 4))
    setup.replacement.send(completion: .finished)
    let values = (1...9).map { Event.value($0) }
    #expect(setup.subscriber.events == [.subscription(kind.rawValue)] + values + [.finished])
    #expect(setup.original.history == requests(12, 5))
  }

  @Test(arguments: Kind.allCases)
  func aSynchronousReplacementDeliversItsValues(kind: Kind) {
    let upstream = Publisher()
    let subscriber = Recorder(requesting: .max(2))
    switch kind {
    case .plain:
      upstream.catch { _ in Publishers.Sequence<[Int], any Error>(sequence: [7]) }.subscribe(subscriber)
    case .throwing:
      upstream.tryCatch { _ in Just(7) }.subscribe(subscriber)
    }
    upstream.send(1)
    upstream.send(completion: .failure("x"))
    #expect(subscriber.events == [.subscription(kind.rawValue), .value(1), .value(7), .finished])
  }

  // MARK: Events in each state

  @Test(arguments: Kind.allCases)
  func cancelsTheSameSubscriptionWhenItArrivesAgainAndKeepsIt(kind: Kind) {
    let setup = Setup(kind)
    setup.original.send(subscription: setup.original.subscription!)
    #expect(setup.original.history == [.cancelled])
    setup.subscriber.cancel()
    #expect(setup.original.history == [.cancelled, .cancelled])
  }

  @Test(arguments: Kind.allCases)
  func ignoresTheOriginalsFinishUnlessSubscribedToIt(kind: Kind) {
    let setup = Setup(kind, original: nil, replacement: nil)
    setup.original.send(completion: .finished)  // waiting
    setup.original.send(subscription: ManualSubscription())
    setup.subscriber.request(.unlimited)
    setup.fail()
    setup.original.send(completion: .finished)  // replacing
    setup.replacement.send(subscription: ManualSubscription())
    setup.original.send(completion: .finished)  // replacement
    #expect(setup.subscriber.events == [.subscription(kind.rawValue)])
    setup.replacement.send(completion: .finished)
    setup.original.send(completion: .finished)  // ended
    #expect(setup.subscriber.events == [.subscription(kind.rawValue), .finished])
  }

  @Test(arguments: Kind.allCases)
  func withoutDemandNothingIsRequestedFromTheReplacementUntilTheDownstreamRequests(kind: Kind) {
    let setup = Setup(kind)
    setup.fail()
    #expect(setup.replacement.history == [])
    setup.subscriber.request(.max(2))
    #expect(setup.replacement.history == requests(2))
    #expect(setup.original.history == [])
  }

  @Test(arguments: Kind.allCases)
  func demandReturnedForAValueDuringWhichTheOriginalFailsIsRequestedFromTheReplacement(kind: Kind) {
    let setup = Setup(kind, subscriber: Recorder(requesting: .max(2)))
    setup.subscriber.onValue = { _ in
      setup.fail()
      return .max(3)
    }
    #expect(setup.original.send(1) == .max(3))
    #expect(setup.replacement.history == requests(1, 3))

    setup.subscriber.onValue = { _ in .max(5) }
    #expect(setup.original.send(2) == .max(5))
    #expect(setup.replacement.history == requests(1, 3), "a late value adds no demand")
  }

  // MARK: Cancelling

  @Test(arguments: Kind.allCases)
  func cancelDuringTheHandlerCancelsTheReplacementWhenItsSubscriptionArrives(kind: Kind) {
    let setup = Setup(kind, replacement: nil, subscriber: Recorder(requesting: .max(2)))
    setup.onCatch = { setup.subscriber.cancel() }
    setup.fail()
    let subscription = ManualSubscription()
    setup.replacement.send(subscription: subscription)
    #expect(subscription.history == [.cancelled])
    setup.replacement.send(completion: .finished)
    #expect(setup.subscriber.events == [.subscription(kind.rawValue)])
    #expect(setup.original.history == requests(2))
  }

  // MARK: Reentrancy

  @Test(arguments: Kind.allCases)
  func aNestedValueFindsTheDemandOfTheOuterValueUsed(kind: Kind) {
    let setup = Setup(kind, subscriber: Recorder(requesting: .max(5)))
    setup.subscriber.onValue = { [unowned setup] value in
      if value < 3 { setup.original.send(value + 1) }
      return value == 2 ? .max(4) : .none
    }
    setup.original.send(1)
    #expect(setup.subscriber.values == [1, 2, 3])
    setup.fail()
    #expect(setup.replacement.history == requests(6))
  }

  // MARK: Retention

  @Test func keepsTheDownstreamAfterACancelAndAfterAFailure() {
    for endsByCancel in [true, false] {
      var isReleased = false
      var original: Publisher? = Publisher()
      weak let weakSubscriber: RecordingSubscriber<Int, Never>?
      do {
        let subscriber = RecordingSubscriber<Int, Never>(onDeinit: { isReleased = true })
        weakSubscriber = subscriber
        original!.catch { _ in ManualPublisher<Int, Never>() }.subscribe(subscriber)
      }
      if endsByCancel {
        weakSubscriber?.cancel()
      } else {
        original?.send(completion: .failure("x"))
      }
      original = nil
      #expect(!isReleased, "only the downstream can break its cycle")
      weakSubscriber?.dropSubscription()
      #expect(isReleased)
    }
  }

  @Test func releasesADownstreamThatDropsItsSubscriptionOnTheCompletion() {
    var isReleased = false
    var upstream: ManualPublisher<Int, TestError>?
    do {
      upstream = ManualPublisher()
      let subscriber = RecordingSubscriber<Int, Never>(onDeinit: { isReleased = true })
      subscriber.dropsSubscriptionOnCompletion = true
      upstream?.catch { _ in Just(0) }.subscribe(subscriber)
    }
    upstream?.send(completion: .finished)
    #expect(!isReleased)
    upstream = nil
    #expect(isReleased)
  }

  private final class Token {}

  @Test(arguments: Kind.allCases)
  func keepsItsHandlerForLife(kind: Kind) {
    typealias Replacement = Publishers.Sequence<[Int], any Error>
    let upstream = Publisher()
    let subscriber = Recorder()
    weak var released: Token?
    do {
      let token = Token()
      released = token
      switch kind {
      case .plain:
        upstream.catch { _ in withExtendedLifetime(token) { Replacement(sequence: []) } }.subscribe(subscriber)
      case .throwing:
        upstream.tryCatch { _ in withExtendedLifetime(token) { Replacement(sequence: []) } }.subscribe(subscriber)
      }
    }
    upstream.send(completion: .failure("x"))
    #expect(subscriber.events.last == .finished)
    #expect(released != nil)
    upstream.dropSubscriber()
    subscriber.dropSubscription()
    #expect(released == nil)
  }

  @Test(arguments: Kind.allCases)
  func releasesTheSubscriptions(kind: Kind) {
    var released: [String] = []
    func subscription(_ name: String) -> ManualSubscription { ManualSubscription(onDeinit: { released.append(name) }) }
    let setup = Setup(kind, original: nil, replacement: nil)
    setup.original.send(subscription: subscription("original"))
    setup.fail()
    #expect(released == ["original"])
    setup.replacement.send(subscription: subscription("replacement"))
    #expect(released == ["original"])
    setup.replacement.send(completion: .finished)
    #expect(released == ["original", "replacement"])

    let cancelled = Setup(kind, original: nil)
    cancelled.original.send(subscription: subscription("cancelled"))
    cancelled.subscriber.cancel()
    #expect(released == ["original", "replacement", "cancelled"])
  }

  // MARK: Reflection

  @Test(arguments: Kind.allCases)
  func reflectsItself(kind: Kind) throws {
    let setup = Setup(kind)
    setup.fail()
    let first = try #require(setup.original.subscriber)
    let second = try #require(setup.replacement.subscriber)
    let inner = try #require(setup.subscriber.subscription)
    for object in [first, second, inner] as [Any] {
      expectReflection(of: object, description: kind.rawValue, children: ["downstream", "demand"])
      #expect(reflectedChild("demand", of: object).map { "\($0)" } == "max(0)")
    }
    #expect(first.combineIdentifier == inner.combineIdentifier)
    #expect(second.combineIdentifier == inner.combineIdentifier)
    #expect(!(first is any Subscription))
    #expect(!(second is any Subscription))
    #expect(!(inner is any Subscriber))
    let types = [first, second, inner].map { ObjectIdentifier(type(of: $0 as Any)) }
    #expect(Set(types).count == 3)
  }

  @Test func showsDownstreamAndDemand() throws {
    let upstream = Publisher()
    let subscriber = Recorder(requesting: .max(3))
    upstream.tryCatch { _ in Just(0) }.subscribe(subscriber)
    upstream.send(1)
    let inner = try #require(subscriber.subscription)
    #expect(reflectedChild("downstream", of: inner) as? Recorder === subscriber)
    #expect(reflectedChild("demand", of: inner) as? Subscribers.Demand == .max(2))
  }

  // MARK: Threads

  @Test func callsOfTwoThreadsDoNotOverlap() {
    expectSerializedCalls { $0.catch { Fail<Int, TestError>(error: $0) } }
    expectSerializedCalls { $0.tryCatch { Fail<Int, TestError>(error: $0) }.mapError { $0 as! TestError } }
    expectSerializedCalls { replacement in Fail<Int, TestError>(error: "x").catch { _ in replacement } }
  }

  @Test func requestsRacingWithTheReplacementsSubscriptionLoseNoDemand() {
    for _ in 0..<200 {
      let original = Publisher()
      let replacement = Publisher(subscription: nil)
      let subscriber = RecordingSubscriber<Int, TestError>()
      original.catch { _ in replacement }.subscribe(subscriber)
      original.send(completion: .failure("x"))
      let counted = CountingSubscription()
      // Any thread may call both.
      nonisolated(unsafe) let (side, subscription) = (replacement.subscriber!, subscriber.subscription!)
      DispatchQueue.concurrentPerform(iterations: 3) { index in
        if index == 0 {
          side.receive(subscription: counted)
        } else {
          for _ in 0..<50 { subscription.request(.max(1)) }
        }
      }
      #expect(counted.total.value == .max(100))
    }
  }

  private final class CountingSubscription: Subscription, Sendable {
    let counter = Counter()
    var total: DemandCounter { _read { yield counter.demand } }
    func request(_ demand: Subscribers.Demand) { counter.demand.add(demand) }
    func cancel() {}
  }

  private final class Counter: Sendable {
    let demand = DemandCounter()
  }
}

// MARK: tryCatch only

@Suite struct TryCatchTests {

  private typealias Recorder = RecordingSubscriber<Int, any Error>

  @Test func aThrownErrorBecomesTheFailure() {
    let upstream = ManualPublisher<Int, TestError>()
    let subscriber = Recorder(requesting: .unlimited)
    var calls = 0
    upstream.tryCatch { error -> Just<Int> in
      calls += 1
      throw TestError("thrown for \(error)")
    }.subscribe(subscriber)

    upstream.send(1)
    upstream.send(completion: .failure("x"))
    upstream.send(2)
    upstream.send(completion: .failure("y"))
    upstream.send(completion: .finished)
    subscriber.request(.max(1))
    subscriber.cancel()
    let late = ManualSubscription()
    upstream.send(subscription: late)

    #expect(
      subscriber.events == [.subscription("TryCatch"), .value(1), .failure("thrown for x"), .value(2)]
    )
    #expect(calls == 1)
    #expect(upstream.history == [.requested(.unlimited)])
    #expect(late.history == [.cancelled])
  }

  @Test func publishesNothingAfterACancelInAHandlerThatThrows() {
    let upstream = ManualPublisher<Int, TestError>()
    let subscriber = Recorder()
    upstream.tryCatch { error -> Just<Int> in
      subscriber.cancel()
      throw error
    }.subscribe(subscriber)
    upstream.send(completion: .failure("x"))
    #expect(subscriber.events == [.subscription("TryCatch")])
    #expect(upstream.history == [])
  }

  @Test func theReplacementsErrorIsTheSameErased() {
    let upstream = ManualPublisher<Int, TestError>()
    var received: (any Error)?
    let subscriber = Recorder()
    let replacement = ManualPublisher<Int, OtherError>()
    subscriber.onCompletion = { if case .failure(let error) = $0 { received = error } }
    upstream.tryCatch { _ in replacement }.subscribe(subscriber)
    upstream.send(completion: .failure("x"))
    replacement.send(completion: .failure(OtherError(number: 4)))
    #expect(received as? OtherError == OtherError(number: 4))
  }

  private struct OtherError: Error, Equatable {
    let number: Int
  }
}

// MARK: Surface

extension CatchTests {

  @Test func theOperatorsHaveTheirTypes() throws {
    let upstream = ManualPublisher<Int, TestError>()
    let caught: Publishers.Catch<ManualPublisher<Int, TestError>, Just<Int>> = upstream.catch { _ in Just(3) }
    let tried: Publishers.TryCatch<ManualPublisher<Int, TestError>, Just<Int>> = upstream.tryCatch { _ in Just(4) }
    #expect(caught.upstream === upstream)
    #expect(caught.handler("x") == Just(3))
    #expect(tried.upstream === upstream)
    #expect(try tried.handler("x") == Just(4))
    let made = Publishers.Catch(upstream: upstream, handler: { _ in Just(5) })
    #expect(made.handler("x") == Just(5))
    #expect(type(of: made).Failure.self == Never.self)
  }

  @Test func theirPublishersAreNotEquatable() {
    #expect(!(Fail<Int, TestError>(error: "x").catch { _ in Just(1) } as Any is any Equatable))
    #expect(!(Fail<Int, TestError>(error: "x").tryCatch { _ in Just(1) } as Any is any Equatable))
  }
}
