import CombineCore
import Synchronization
import TestSupport
import Testing

// The behaviour that the families of operators share. Each operator's tests call the checks of its family.

typealias TestUpstream = ManualPublisher<Int, TestError>

// MARK: Transparent operators

/// Checks an operator that has no subscription of its own: it forwards every event, in every order, any number of
/// times.
///
/// - Parameters:
///   - failure: A failure of the upstream, if it can fail. The operator may change it but not its description.
///   - dropsValues: Whether the operator drops every value, and requests unlimited demand from each subscription.
///   - make: A closure that applies the operator. The value 2 passes unchanged unless the operator drops it.
func expectTransparent<Failure: Error, P: Publisher>(
  failure: Failure?,
  dropsValues: Bool = false,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ make: (ManualPublisher<Int, Failure>) -> P
) where P.Output == Int {
  let upstream = ManualPublisher<Int, Failure>(subscription: nil)
  let subscriber = RecordingSubscriber<Int, P.Failure>(onValue: { .max($0) })
  make(upstream).subscribe(subscriber)
  #expect(upstream.subscribeCount == 1, sourceLocation: sourceLocation)
  #expect(!(upstream.subscriber is any Subscription), sourceLocation: sourceLocation)
  let returned: Subscribers.Demand = dropsValues ? .none : .max(2)
  let passed: [Event<Int>] = dropsValues ? [] : [.value(2)]
  let requested: [ManualSubscription.Call] = dropsValues ? [.requested(.unlimited)] : []

  #expect(upstream.send(2) == returned, "before a subscription", sourceLocation: sourceLocation)
  upstream.send(completion: .finished)

  let subscriptions = (0..<3).map { _ in ManualSubscription() }
  for subscription in subscriptions {
    upstream.send(subscription: subscription)
    #expect(subscriber.subscription as? ManualSubscription === subscription, sourceLocation: sourceLocation)
  }
  #expect(subscriptions.allSatisfy { $0.history == requested }, sourceLocation: sourceLocation)
  for subscription in subscriptions { subscription.clear() }

  subscriber.request(.none)
  subscriber.cancel()
  subscriber.request(.max(42))
  subscriber.cancel()
  #expect(
    subscriptions.map(\.history) == [[], [], [.requested(.none), .cancelled, .requested(.max(42)), .cancelled]],
    sourceLocation: sourceLocation
  )

  #expect(upstream.send(2) == returned, "after a cancel", sourceLocation: sourceLocation)
  upstream.send(completion: .finished)
  #expect(upstream.send(2) == returned, "after a completion", sourceLocation: sourceLocation)
  let failures = failure.map { [$0, $0] } ?? []
  for failure in failures { upstream.send(completion: .failure(failure)) }

  let subscribed = Event<Int>.subscription("ManualSubscription")
  let beforeCancel = passed + [.finished, subscribed, subscribed, subscribed]
  let afterCancel = passed + [.finished] + passed + failures.map { .failure($0) }
  #expect(subscriber.events == beforeCancel + afterCancel, sourceLocation: sourceLocation)

  expectNewConduits(sourceLocation: sourceLocation, make)
  expectReleaseWithUpstream(sourceLocation: sourceLocation, make)
}

/// Checks that each subscription gets its own conduit.
private func expectNewConduits<Failure: Error, P: Publisher>(
  sourceLocation: SourceLocation,
  _ make: (ManualPublisher<Int, Failure>) -> P
) {
  let upstream = ManualPublisher<Int, Failure>()
  let publisher = make(upstream)
  let identifiers = (0..<2).map { _ in
    publisher.subscribe(RecordingSubscriber())
    return upstream.subscriber!.combineIdentifier
  }
  #expect(upstream.subscribeCount == 2, sourceLocation: sourceLocation)
  #expect(identifiers[0] != identifiers[1], sourceLocation: sourceLocation)
}

/// Checks that only the upstream keeps the conduit, and the conduit the downstream, even if that keeps its
/// subscription.
private func expectReleaseWithUpstream<Failure: Error, P: Publisher>(
  sourceLocation: SourceLocation,
  _ make: (ManualPublisher<Int, Failure>) -> P
) {
  var isReleased = false
  let upstream = ManualPublisher<Int, Failure>()
  make(upstream).subscribe(RecordingSubscriber(onDeinit: { isReleased = true }))
  #expect(!isReleased, sourceLocation: sourceLocation)
  upstream.dropSubscriber()
  #expect(isReleased, sourceLocation: sourceLocation)
}

// MARK: Filtering operators with a subscription of their own

/// Checks an operator that filters and has its own subscription.
///
/// - Parameters:
///   - name: The description of the subscription.
///   - priming: The values to send, and publish, before the others.
///   - throwing: Whether the operator's closure can throw.
///   - dropping: Whether the operator drops values. One that does not receives no odd numbers.
///   - make: A closure that applies the operator so that it publishes even numbers and drops odd ones. It throws on 100
///     if it can throw. It calls its second parameter each time its closure runs.
func expectFiltering<P: Publisher>(
  name: String,
  priming: [Int] = [],
  throwing: Bool,
  dropping: Bool = true,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ make: (TestUpstream, _ onCall: @escaping () -> Void) -> P
) where P.Output == Int {
  if dropping { filteringAccountsForDemand(priming, sourceLocation, make) }
  filteringIgnoresWhatFollowsACompletion(name, sourceLocation, make)
  filteringIsRefusedByAnEarlyCancel(sourceLocation, make)
  if throwing {
    filteringEndsWithAnErrorThrown(name, priming, sourceLocation, make)
    filteringDropsAnErrorThrownAfterACancel(name, priming, sourceLocation, make)
  }
  expectReentrance(priming: priming, values: [2, 4], sourceLocation: sourceLocation) { make($0, {}) }
  expectOwnSubscription(name: name, sourceLocation: sourceLocation) { make($0, {}) }
}

private func filteringAccountsForDemand<P: Publisher>(
  _ priming: [Int],
  _ sourceLocation: SourceLocation,
  _ make: (TestUpstream, _ onCall: @escaping () -> Void) -> P
) where P.Output == Int {
  let upstream = TestUpstream()
  var returned: [Subscribers.Demand] = []
  let subscriber = RecordingSubscriber<Int, P.Failure>(
    onSubscription: { $0.request(.max(5)) },
    onValue: { _ in returned.popLast() ?? .none }
  )
  make(upstream, {}).subscribe(subscriber)
  for value in priming { upstream.send(value) }
  subscriber.clear()
  returned = [.max(80), .none, .max(2), .max(3)]

  #expect(upstream.send(1) == .max(1), sourceLocation: sourceLocation)
  #expect(upstream.send(2) == .max(3), sourceLocation: sourceLocation)
  #expect(upstream.send(4) == .max(2), sourceLocation: sourceLocation)
  #expect(upstream.send(3) == .max(1), sourceLocation: sourceLocation)
  subscriber.request(.max(15))
  subscriber.request(.max(5))
  #expect(upstream.send(6) == .none, sourceLocation: sourceLocation)
  subscriber.request(.max(121))
  subscriber.cancel()
  subscriber.cancel()
  subscriber.request(.max(3))
  #expect(upstream.send(8) == .none, sourceLocation: sourceLocation)

  #expect(subscriber.events == [.value(2), .value(4), .value(6)], sourceLocation: sourceLocation)
  #expect(
    upstream.history == [
      .requested(.max(5)), .requested(.max(15)), .requested(.max(5)), .requested(.max(121)), .cancelled,
    ],
    sourceLocation: sourceLocation
  )
}

private func filteringIgnoresWhatFollowsACompletion<P: Publisher>(
  _ name: String,
  _ sourceLocation: SourceLocation,
  _ make: (TestUpstream, _ onCall: @escaping () -> Void) -> P
) where P.Output == Int {
  for completion in [Subscribers.Completion<TestError>.finished, .failure("upstream")] {
    let upstream = TestUpstream()
    let subscriber = RecordingSubscriber<Int, P.Failure>(onValue: { .max($0) })
    var calls = 0
    make(upstream, { calls += 1 }).subscribe(subscriber)

    upstream.send(completion: completion)
    #expect(upstream.send(2) == .none, sourceLocation: sourceLocation)
    upstream.send(completion: .finished)
    upstream.send(completion: .failure("late"))
    subscriber.request(.max(3))
    subscriber.cancel()
    let late = ManualSubscription()
    upstream.send(subscription: late)

    let expected: Event<Int> = completion == .finished ? .finished : .failure("upstream")
    #expect(subscriber.events == [.subscription(name), expected], sourceLocation: sourceLocation)
    #expect(upstream.history == [], sourceLocation: sourceLocation)
    #expect(late.history == [.cancelled], sourceLocation: sourceLocation)
    #expect(calls == 0, sourceLocation: sourceLocation)
  }
}

private func filteringIsRefusedByAnEarlyCancel<P: Publisher>(
  _ sourceLocation: SourceLocation,
  _ make: (TestUpstream, _ onCall: @escaping () -> Void) -> P
) where P.Output == Int {
  let upstream = TestUpstream(subscription: nil)
  let subscriber = RecordingSubscriber<Int, P.Failure>(onValue: { .max($0) })
  make(upstream, {}).subscribe(subscriber)
  let conduit = upstream.subscriber as! any Subscription

  conduit.cancel()
  let subscription = ManualSubscription()
  upstream.send(subscription: subscription)
  #expect(upstream.send(2) == .none, sourceLocation: sourceLocation)
  upstream.send(completion: .finished)
  conduit.request(.max(1))
  conduit.cancel()

  #expect(subscription.history == [.cancelled], sourceLocation: sourceLocation)
  #expect(subscriber.events == [], sourceLocation: sourceLocation)
}

private func filteringEndsWithAnErrorThrown<P: Publisher>(
  _ name: String,
  _ priming: [Int],
  _ sourceLocation: SourceLocation,
  _ make: (TestUpstream, _ onCall: @escaping () -> Void) -> P
) where P.Output == Int {
  let upstream = TestUpstream()
  let subscriber = RecordingSubscriber<Int, P.Failure>(requesting: .unlimited)
  var calls = 0
  make(upstream, { calls += 1 }).subscribe(subscriber)
  for value in priming { upstream.send(value) }
  subscriber.clear()
  calls = 0
  upstream.subscription!.onCancel = {
    #expect(subscriber.events == [], "the upstream is cancelled first", sourceLocation: sourceLocation)
    subscriber.request(.max(1))
    #expect(upstream.send(2) == .none, "completed before that", sourceLocation: sourceLocation)
  }

  #expect(upstream.send(100) == .none, sourceLocation: sourceLocation)
  #expect(upstream.send(100) == .none, sourceLocation: sourceLocation)
  #expect(upstream.send(2) == .none, sourceLocation: sourceLocation)
  upstream.send(completion: .finished)
  upstream.send(completion: .failure("late"))
  subscriber.request(.max(1))
  subscriber.cancel()

  #expect(subscriber.events == [.failure("thrown")], sourceLocation: sourceLocation)
  #expect(upstream.history == [.requested(.unlimited), .cancelled], sourceLocation: sourceLocation)
  #expect(calls == 1, sourceLocation: sourceLocation)

  upstream.subscription!.onCancel = {}
  upstream.send(subscription: upstream.subscription!)
  #expect(upstream.history == [.requested(.unlimited), .cancelled, .cancelled], sourceLocation: sourceLocation)
}

private func filteringDropsAnErrorThrownAfterACancel<P: Publisher>(
  _ name: String,
  _ priming: [Int],
  _ sourceLocation: SourceLocation,
  _ make: (TestUpstream, _ onCall: @escaping () -> Void) -> P
) where P.Output == Int {
  let upstream = TestUpstream()
  let subscriber = RecordingSubscriber<Int, P.Failure>()
  var onCall: () -> Void = {}
  make(upstream, { onCall() }).subscribe(subscriber)
  for value in priming { upstream.send(value) }
  subscriber.clear()
  onCall = { subscriber.cancel() }

  #expect(upstream.send(100) == .none, sourceLocation: sourceLocation)
  #expect(subscriber.events == [], sourceLocation: sourceLocation)
  #expect(upstream.history == [.cancelled], sourceLocation: sourceLocation)
}

/// An event that traps in a filtering operator with its own subscription.
enum FilteringMisuse: String, CaseIterable, Codable, Sendable {

  case valueFirst, finishFirst, failureFirst, requestFirst
  case emptyRequestFirst, emptyRequestWhileConnected, emptyRequestAfterCompletion

  var mistake: Misuse {
    switch self {
    case .valueFirst: .valueBeforeSubscription
    case .finishFirst, .failureFirst: .completionBeforeSubscription
    case .requestFirst: .requestBeforeSubscription
    case .emptyRequestFirst, .emptyRequestWhileConnected, .emptyRequestAfterCompletion: .zeroDemand
    }
  }

  /// Subscribes through the operator and leads up to the event.
  ///
  /// - Returns: A closure that makes the event.
  func prepare<P: Publisher>(_ make: (TestUpstream) -> P) -> () -> Void where P.Output == Int {
    let upstream = TestUpstream(subscription: nil)
    make(upstream).subscribe(RecordingSubscriber())
    let conduit = upstream.subscriber as! any Subscription
    switch self {
    case .valueFirst: return { upstream.send(2) }
    case .finishFirst: return { upstream.send(completion: .finished) }
    case .failureFirst: return { upstream.send(completion: .failure("early")) }
    case .requestFirst: return { conduit.request(.max(1)) }
    case .emptyRequestFirst: break
    case .emptyRequestWhileConnected: upstream.send(subscription: ManualSubscription())
    case .emptyRequestAfterCompletion:
      upstream.send(subscription: ManualSubscription())
      upstream.send(completion: .finished)
    }
    return { conduit.request(.none) }
  }
}

// MARK: All operators with a subscription of their own

/// Checks the behaviour that all operators with their own subscription share.
///
/// - Parameters:
///   - name: The description of the subscription.
///   - keepsUpstreamAfterCompletion: Whether the operator keeps the upstream's subscription after the upstream's
///     completion, and can cancel it.
///   - requestsAll: Whether the operator requests unlimited demand once the downstream has its subscription.
///   - make: A closure that applies the operator.
func expectOwnSubscription<P: Publisher>(
  name: String,
  keepsUpstreamAfterCompletion: Bool = false,
  requestsAll: Bool = false,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ make: (TestUpstream) -> P
) {
  ownSubscriptionIsTheOnlyOne(name, requestsAll, sourceLocation, make)
  ownSubscriptionWorksWhileItIsHandedOver(name, sourceLocation, make)
  ownSubscriptionEndsBeforeTheDownstreamIsTold(keepsUpstreamAfterCompletion, requestsAll, sourceLocation, make)
  expectRetention(keepsUpstreamAfterCompletion: keepsUpstreamAfterCompletion, sourceLocation: sourceLocation, make)
}

/// Checks which objects an operator with its own subscription keeps alive, and until when.
///
/// - Parameters:
///   - keepsUpstreamAfterCompletion: Whether the operator keeps the upstream's subscription after the upstream's
///     completion.
///   - make: A closure that applies the operator.
func expectRetention<P: Publisher>(
  keepsUpstreamAfterCompletion: Bool = false,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ make: (TestUpstream) -> P
) {
  ownSubscriptionReleasesUpstream(keepsUpstreamAfterCompletion, sourceLocation, make)
  ownSubscriptionKeepsDownstream(sourceLocation, make)
  expectNewConduits(sourceLocation: sourceLocation, make)
}

private func ownRequests(_ requestsAll: Bool) -> [ManualSubscription.Call] {
  requestsAll ? [.requested(.unlimited)] : []
}

private func ownSubscriptionIsTheOnlyOne<P: Publisher>(
  _ name: String,
  _ requestsAll: Bool,
  _ sourceLocation: SourceLocation,
  _ make: (TestUpstream) -> P
) {
  let upstream = TestUpstream()
  let subscriber = RecordingSubscriber<P.Output, P.Failure>()
  make(upstream).subscribe(subscriber)
  #expect(subscriber.subscription as AnyObject === upstream.subscriber as AnyObject, sourceLocation: sourceLocation)
  let own = ownRequests(requestsAll)
  #expect(upstream.history == own, "nothing else is requested without demand", sourceLocation: sourceLocation)

  let second = ManualSubscription()
  upstream.send(subscription: second)
  #expect(second.history == [.cancelled], sourceLocation: sourceLocation)
  #expect(upstream.history == own, sourceLocation: sourceLocation)

  upstream.send(subscription: upstream.subscription!)
  #expect(upstream.history == own + [.cancelled], sourceLocation: sourceLocation)
  subscriber.request(.max(3))
  subscriber.cancel()
  subscriber.cancel()
  subscriber.request(.max(1))
  #expect(upstream.history == own + [.cancelled, .requested(.max(3)), .cancelled], sourceLocation: sourceLocation)

  let third = ManualSubscription()
  upstream.send(subscription: third)
  #expect(third.history == [.cancelled], sourceLocation: sourceLocation)
  let subscriptions = subscriber.events.map { if case .subscription(name) = $0 { true } else { false } }
  #expect(subscriptions == [true], "one subscription is received", sourceLocation: sourceLocation)
}

private func ownSubscriptionWorksWhileItIsHandedOver<P: Publisher>(
  _ name: String,
  _ sourceLocation: SourceLocation,
  _ make: (TestUpstream) -> P
) {
  let upstream = TestUpstream()
  let subscriber = RecordingSubscriber<P.Output, P.Failure>(onSubscription: {
    $0.request(.unlimited)
    $0.request(.max(2))
    $0.cancel()
    $0.request(.max(3))
  })
  make(upstream).subscribe(subscriber)
  #expect(
    upstream.history == [.requested(.unlimited), .requested(.max(2)), .cancelled],
    sourceLocation: sourceLocation
  )

  let cancelling = ManualSubscription()
  cancelling.onCancel = { subscriber.cancel() }
  let other = TestUpstream(subscription: cancelling)
  make(other).subscribe(subscriber)
  #expect(cancelling.history.count { $0 == .cancelled } == 1, "cancelled once", sourceLocation: sourceLocation)
}

private func ownSubscriptionEndsBeforeTheDownstreamIsTold<P: Publisher>(
  _ keepsUpstreamAfterCompletion: Bool,
  _ requestsAll: Bool,
  _ sourceLocation: SourceLocation,
  _ make: (TestUpstream) -> P
) {
  for completion in [Subscribers.Completion<TestError>.finished, .failure("upstream")] {
    let upstream = TestUpstream()
    let subscriber = RecordingSubscriber<P.Output, P.Failure>(requesting: .max(1))
    make(upstream).subscribe(subscriber)
    var isTold = false
    subscriber.onCompletion = { _ in
      isTold = true
      subscriber.request(.max(7))
      subscriber.cancel()
    }
    upstream.send(completion: completion)
    #expect(isTold, sourceLocation: sourceLocation)
    let late: [ManualSubscription.Call] = keepsUpstreamAfterCompletion ? [.requested(.max(7)), .cancelled] : []
    // A request made while the downstream receives its subscription comes before the operator's own request.
    #expect(
      upstream.history == [.requested(.max(1))] + ownRequests(requestsAll) + late,
      sourceLocation: sourceLocation
    )
    subscriber.dropSubscription()
  }
}

private func ownSubscriptionReleasesUpstream<P: Publisher>(
  _ keepsUpstreamAfterCompletion: Bool,
  _ sourceLocation: SourceLocation,
  _ make: (TestUpstream) -> P
) {
  var isReleased = false
  func connected() -> (TestUpstream, RecordingSubscriber<P.Output, P.Failure>) {
    isReleased = false
    let upstream = TestUpstream(subscription: nil)
    let subscriber = RecordingSubscriber<P.Output, P.Failure>(requesting: .max(1))
    make(upstream).subscribe(subscriber)
    upstream.send(subscription: ManualSubscription(onDeinit: { isReleased = true }))
    #expect(!isReleased, sourceLocation: sourceLocation)
    return (upstream, subscriber)
  }
  var (upstream, subscriber) = connected()
  subscriber.cancel()
  #expect(isReleased, "by a cancel", sourceLocation: sourceLocation)
  subscriber.dropSubscription()

  for completion in [Subscribers.Completion<TestError>.finished, .failure("upstream")] {
    (upstream, subscriber) = connected()
    upstream.send(completion: completion)
    #expect(isReleased != keepsUpstreamAfterCompletion, "by a completion", sourceLocation: sourceLocation)
    subscriber.cancel()
    #expect(isReleased, "by a completion and a cancel", sourceLocation: sourceLocation)
    subscriber.dropSubscription()
  }
}

/// Checks that the downstream and the conduit keep each other until the downstream drops its subscription.
private func ownSubscriptionKeepsDownstream<P: Publisher>(_ sourceLocation: SourceLocation, _ make: (TestUpstream) -> P)
{
  for end in [Subscribers.Completion<TestError>?.some(.finished), .some(.failure("upstream")), nil] {
    var isReleased = false
    let upstream = TestUpstream()
    weak var downstream: RecordingSubscriber<P.Output, P.Failure>?
    do {
      let subscriber = RecordingSubscriber<P.Output, P.Failure>(requesting: .max(1), onDeinit: { isReleased = true })
      downstream = subscriber
      make(upstream).subscribe(subscriber)
      if let end { upstream.send(completion: end) } else { subscriber.cancel() }
      upstream.dropSubscriber()
    }
    #expect(!isReleased, sourceLocation: sourceLocation)
    downstream?.dropSubscription()
    #expect(isReleased, sourceLocation: sourceLocation)

    guard let end else { continue }
    isReleased = false
    do {
      let subscriber = RecordingSubscriber<P.Output, P.Failure>(requesting: .max(1), onDeinit: { isReleased = true })
      subscriber.dropsSubscriptionOnCompletion = true
      make(upstream).subscribe(subscriber)
      upstream.send(completion: end)
    }
    #expect(!isReleased, sourceLocation: sourceLocation)
    upstream.dropSubscriber()
    #expect(isReleased, sourceLocation: sourceLocation)
  }
}

extension RecordingSubscriber {

  fileprivate convenience init(requesting initial: Subscribers.Demand, onDeinit: @escaping () -> Void) {
    self.init(onSubscription: { $0.request(initial) }, onDeinit: onDeinit)
  }
}

/// Checks that the downstream may send another value, request and cancel while it receives a value.
///
/// - Parameters:
///   - priming: The values to send before.
///   - values: Two values that pass unchanged one after the other.
///   - requestsAll: Whether the operator requests unlimited demand.
private func expectReentrance<P: Publisher>(
  priming: [Int] = [],
  values: [Int],
  requestsAll: Bool = false,
  sourceLocation: SourceLocation,
  _ make: (TestUpstream) -> P
) where P.Output == Int {
  let upstream = TestUpstream()
  let subscriber = RecordingSubscriber<Int, P.Failure>(requesting: .unlimited)
  make(upstream).subscribe(subscriber)
  for value in priming { upstream.send(value) }
  subscriber.clear()
  subscriber.onValue = { [unowned subscriber] _ in
    if subscriber.values.count > 1 { return .max(2) }
    #expect(upstream.send(values[1]) == .max(2), sourceLocation: sourceLocation)
    subscriber.request(.max(3))
    subscriber.cancel()
    subscriber.request(.max(4))
    return .max(1)
  }

  #expect(upstream.send(values[0]) == .max(1), sourceLocation: sourceLocation)
  #expect(subscriber.events == values.map { .value($0) }, sourceLocation: sourceLocation)
  #expect(
    upstream.history == [.requested(.unlimited)] + ownRequests(requestsAll) + [.requested(.max(3)), .cancelled],
    sourceLocation: sourceLocation
  )
}

/// The differences among operators that have their own subscription and accept events before it.
struct LenientRules {

  var deliversValuesBeforeSubscription = true
  var deliversValuesAfterEnd = true
  var deliversCompletionBeforeSubscription = true
  var deliversCompletionsAfterEnd = true
  var staysSubscribedAfterCompletion = false
  var forwardsEmptyRequests = true

  /// Whether the operator requests unlimited demand once the downstream has its subscription.
  var requestsAll = false
}

/// Checks an operator that has its own subscription and accepts events before it.
///
/// - Parameters:
///   - name: The description of the subscription.
///   - rules: The operator's differences from others.
///   - make: A closure that applies the operator. The value 2 passes unchanged, and a failure with its description.
func expectLenient<P: Publisher>(
  name: String,
  rules: LenientRules,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ make: (TestUpstream) -> P
) where P.Output == Int {
  lenientWhileWaiting(name, rules, sourceLocation, make)
  lenientAfterAnEarlyCompletion(name, rules, sourceLocation, make)
  lenientAfterEnd(name, rules, sourceLocation, make)
  expectReentrance(values: [2, 2], requestsAll: rules.requestsAll, sourceLocation: sourceLocation, make)
  if rules.forwardsEmptyRequests {
    let upstream = TestUpstream()
    make(upstream).subscribe(RecordingSubscriber<Int, P.Failure>(requesting: .none))
    #expect(upstream.history == [.requested(.none)], sourceLocation: sourceLocation)
  }
  expectOwnSubscription(
    name: name,
    keepsUpstreamAfterCompletion: rules.staysSubscribedAfterCompletion,
    requestsAll: rules.requestsAll,
    sourceLocation: sourceLocation,
    make
  )
}

private func lenientWhileWaiting<P: Publisher>(
  _ name: String,
  _ rules: LenientRules,
  _ sourceLocation: SourceLocation,
  _ make: (TestUpstream) -> P
) where P.Output == Int {
  let upstream = TestUpstream(subscription: nil)
  let subscriber = RecordingSubscriber<Int, P.Failure>(onValue: { .max($0) })
  make(upstream).subscribe(subscriber)
  let conduit = upstream.subscriber as! any Subscription

  conduit.cancel()
  conduit.request(.max(5))
  conduit.cancel()
  #expect(
    upstream.send(2) == (rules.deliversValuesBeforeSubscription ? .max(2) : .none),
    sourceLocation: sourceLocation
  )
  let subscription = ManualSubscription()
  upstream.send(subscription: subscription)

  #expect(
    subscription.history == ownRequests(rules.requestsAll),
    "accepted, and nothing replayed",
    sourceLocation: sourceLocation
  )
  #expect(
    subscriber.events == (rules.deliversValuesBeforeSubscription ? [.value(2)] : []) + [.subscription(name)],
    sourceLocation: sourceLocation
  )
}

private func lenientAfterAnEarlyCompletion<P: Publisher>(
  _ name: String,
  _ rules: LenientRules,
  _ sourceLocation: SourceLocation,
  _ make: (TestUpstream) -> P
) where P.Output == Int {
  for completion in [Subscribers.Completion<TestError>.finished, .failure("upstream")] {
    let upstream = TestUpstream(subscription: nil)
    let subscriber = RecordingSubscriber<Int, P.Failure>()
    make(upstream).subscribe(subscriber)

    upstream.send(completion: completion)
    let subscription = ManualSubscription()
    upstream.send(subscription: subscription)
    subscriber.request(.max(3))

    if rules.deliversCompletionBeforeSubscription {
      let event: Event<Int> = completion == .finished ? .finished : .failure("upstream")
      #expect(subscriber.events == [event], sourceLocation: sourceLocation)
      #expect(subscription.history == [.cancelled], sourceLocation: sourceLocation)
    } else {
      #expect(subscriber.events == [.subscription(name)], sourceLocation: sourceLocation)
      let requests = ownRequests(rules.requestsAll) + [.requested(.max(3))]
      #expect(subscription.history == requests, sourceLocation: sourceLocation)
    }
  }
}

private func lenientAfterEnd<P: Publisher>(
  _ name: String,
  _ rules: LenientRules,
  _ sourceLocation: SourceLocation,
  _ make: (TestUpstream) -> P
) where P.Output == Int {
  for endsByCancel in [true, false] {
    let upstream = TestUpstream()
    let subscriber = RecordingSubscriber<Int, P.Failure>(onValue: { .max($0) })
    make(upstream).subscribe(subscriber)
    upstream.subscription!.clear()
    subscriber.request(.max(5))
    if endsByCancel { subscriber.cancel() } else { upstream.send(completion: .finished) }
    subscriber.clear()

    let isStillSubscribed = !endsByCancel && rules.staysSubscribedAfterCompletion
    let value = rules.deliversValuesAfterEnd ? [Event.value(2)] : []
    #expect(
      upstream.send(2) == (rules.deliversValuesAfterEnd ? .max(2) : .none),
      sourceLocation: sourceLocation
    )
    upstream.send(completion: .finished)
    upstream.send(completion: .failure("late"))
    let completions: [Event<Int>] =
      rules.deliversCompletionsAfterEnd || isStillSubscribed ? [.finished, .failure("late")] : []
    #expect(subscriber.events == value + completions, sourceLocation: sourceLocation)

    subscriber.request(.max(7))
    subscriber.cancel()
    subscriber.cancel()
    let expected: [ManualSubscription.Call] =
      if endsByCancel {
        [.requested(.max(5)), .cancelled]
      } else if isStillSubscribed {
        [.requested(.max(5)), .requested(.max(7)), .cancelled]
      } else {
        [.requested(.max(5))]
      }
    #expect(upstream.history == expected, sourceLocation: sourceLocation)

    let late = ManualSubscription()
    upstream.send(subscription: late)
    #expect(late.history == [.cancelled], sourceLocation: sourceLocation)
  }
}

// MARK: Reflection

/// Returns the value of a labelled child of an object's mirror, if that child is an optional.
///
/// - Returns: The wrapped value, or the string `no optional child`.
func reflectedOptionalChild(_ label: String, of object: Any) -> Any? {
  guard let child = reflectedChild(label, of: object) else { return "no optional child" }
  let mirror = Mirror(reflecting: child)
  return mirror.displayStyle == .optional ? mirror.children.first?.value : "no optional child"
}

// MARK: Threads

/// A subscriber that many threads may call at once, and that counts its events.
final class CountingSubscriber<Input, Failure: Error>: Subscriber {

  /// Written before the threads start.
  var subscription: (any Subscription)?

  private let valueCount = Atomic<Int>(0)
  private let completionCount = Atomic<Int>(0)
  private let demand: Subscribers.Demand

  init(returning demand: Subscribers.Demand = .none) {
    self.demand = demand
  }

  var values: Int { valueCount.load(ordering: .acquiring) }

  var completions: Int { completionCount.load(ordering: .acquiring) }

  func receive(subscription: any Subscription) {
    self.subscription = subscription
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    valueCount.wrappingAdd(1, ordering: .acquiringAndReleasing)
    return demand
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    completionCount.wrappingAdd(1, ordering: .acquiringAndReleasing)
  }
}

/// An `Equatable` upstream that uses the general operators. The operators of `Just` are evaluated at once.
func equatableUpstream(_ value: Int) -> Publishers.SetFailureType<Just<Int>, TestError> {
  Publishers.SetFailureType(upstream: Just(value))
}
