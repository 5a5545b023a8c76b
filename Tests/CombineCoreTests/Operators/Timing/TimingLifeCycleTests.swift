import CombineCore
import TestSupport
import Testing

/// The operators that share the family's life cycle. A test checks `self` where they differ.
enum TimingOperator: String, CaseIterable, CustomTestStringConvertible {
  case debounce, throttle, delay, timeout, measureInterval, receiveOn, subscribeOn, collectByTime, collectByTimeOrCount,
    buffer

  var testDescription: String { rawValue }

  func attach<S: Scheduler<VirtualScheduler.SchedulerTimeType>>(
    _ subscriber: some Subscriber<Int, TestError>,
    to upstream: some Publisher<Int, TestError>,
    on scheduler: S
  ) {
    switch self {
    case .debounce: upstream.debounce(for: 10, scheduler: scheduler).subscribe(subscriber)
    case .throttle: upstream.throttle(for: 10, scheduler: scheduler, latest: true).subscribe(subscriber)
    case .delay: upstream.delay(for: 10, tolerance: 1, scheduler: scheduler).subscribe(subscriber)
    case .timeout: upstream.timeout(1000, scheduler: scheduler).subscribe(subscriber)
    case .measureInterval:
      // The operator publishes times. Each is converted back into the value that was measured.
      let values = upstream as! ManualPublisher<Int, TestError>
      values.notesValueBeingSent = true
      upstream.measureInterval(using: scheduler).map { [unowned values] _ in values.valueBeingSent! }.subscribe(
        subscriber
      )
    case .receiveOn: upstream.receive(on: scheduler).subscribe(subscriber)
    case .subscribeOn: upstream.subscribe(on: scheduler).subscribe(subscriber)
    case .collectByTime: upstream.collect(.byTime(scheduler, 10)).map { $0.last! }.subscribe(subscriber)
    case .collectByTimeOrCount:
      upstream.collect(.byTimeOrCount(scheduler, 10, 1)).map { $0.last! }.subscribe(subscriber)
    case .buffer: upstream.buffer(size: 10, prefetch: .byRequest, whenFull: .dropOldest).subscribe(subscriber)
    }
  }

  /// The traffic of a subscription without a request.
  func subscriptionTraffic(at time: VirtualScheduler.SchedulerTimeType) -> [VirtualScheduler.Traffic] {
    switch self {
    case .throttle, .measureInterval: [.now]
    case .timeout: VirtualScheduler.Traffic.timer(at: time, interval: 1000)
    case .collectByTime, .collectByTimeOrCount: VirtualScheduler.Traffic.timer(at: time, interval: 10)
    default: []
    }
  }

  /// Whether the operator requests unlimited demand at subscription, and does not forward requests.
  var asksForEverything: Bool { [.debounce, .throttle, .buffer].contains(self) }

  /// Whether values are delivered only on demand.
  var countsDemand: Bool { asksForEverything || self == .collectByTime }

  /// Whether the operator forwards a request unchanged, even one of `.none`.
  var forwardsRequests: Bool { [.delay, .timeout, .measureInterval, .receiveOn, .subscribeOn].contains(self) }

  /// The calls that the upstream receives for an unlimited request at subscription.
  var historyOfUnlimitedRequest: [ManualSubscription.Call] {
    [.requested(.unlimited)]
  }

  /// Whether a completion is scheduled while the upstream's subscription is still in use.
  var hasEndingState: Bool {
    [.throttle, .delay, .timeout, .receiveOn, .collectByTime, .collectByTimeOrCount].contains(self)
  }

  /// Whether a scheduled action that runs as soon as possible keeps the conduit and the downstream alive after a
  /// cancel.
  var actionsHoldTheCancelledConduit: Bool {
    self == .subscribeOn
  }

  /// The operators that schedule an action for a value.
  static var scheduling: [TimingOperator] { allCases.filter { ![.measureInterval, .buffer].contains($0) } }

  /// The traffic of a completion at time 0 with nothing pending.
  var completionTraffic: [VirtualScheduler.Traffic] {
    switch self {
    case .debounce, .timeout, .receiveOn, .collectByTime, .collectByTimeOrCount: [.run(nil)]
    case .throttle: [.now, .run(nil)]
    case .delay: [.now, .at(10, tolerance: 1, nil)]
    case .measureInterval, .subscribeOn, .buffer: []
    }
  }
}

/// An upstream, one of the operators, and a downstream. The traffic of subscribing is cleared.
final class TimingRig {

  let scheduler = VirtualScheduler()
  let upstream: ManualPublisher<Int, TestError>
  let downstream: RecordingSubscriber<Int, TestError>

  init(
    _ timingOperator: TimingOperator,
    subscription: ManualSubscription? = ManualSubscription(),
    downstream: RecordingSubscriber<Int, TestError> = RecordingSubscriber(requesting: .unlimited)
  ) {
    upstream = ManualPublisher(subscription: subscription)
    self.downstream = downstream
    timingOperator.attach(downstream, to: upstream, on: scheduler)
    settle()
    clear()
  }

  /// The operator's conduit.
  var conduit: any Subscription { upstream.subscriber as! any Subscription }

  /// Lets the scheduler run everything.
  func settle() { scheduler.advance(by: 100) }

  /// Clears the recorded events.
  func clear() {
    scheduler.clearTraffic()
    upstream.subscription?.clear()
    downstream.clear()
  }
}

@Suite struct TimingLifeCycleTests {

  @Test(arguments: TimingOperator.allCases)
  func theDownstreamReceivesTheConduitDuringTheUpstreamsSubscription(_ timingOperator: TimingOperator) {
    let rig = TimingRig(timingOperator, subscription: nil, downstream: RecordingSubscriber())
    rig.upstream.send(subscription: ManualSubscription())
    #expect(rig.downstream.subscription as AnyObject? === rig.upstream.subscriber as AnyObject?)
    #expect(rig.scheduler.traffic == timingOperator.subscriptionTraffic(at: 100))
  }

  @Test(arguments: TimingOperator.allCases)
  func requestsNothingOrUnlimitedDemandAtSubscription(_ timingOperator: TimingOperator) {
    let subscription = ManualSubscription()
    let downstream = RecordingSubscriber<Int, TestError>()
    downstream.onSubscription = { _ in
      #expect(
        (subscription.history == []) == (timingOperator != .buffer),
        "the downstream receives it first, except with buffer"
      )
    }
    let rig = TimingRig(timingOperator, subscription: nil, downstream: downstream)
    rig.upstream.send(subscription: subscription)
    #expect(subscription.history == (timingOperator.asksForEverything ? [.requested(.unlimited)] : []))
    #expect(downstream.events.count == 1)
  }

  @Test(arguments: TimingOperator.allCases)
  func requestsNothingIfTheDownstreamCancelsItsSubscriptionAtOnce(_ timingOperator: TimingOperator) {
    let downstream = RecordingSubscriber<Int, TestError>(onSubscription: { $0.cancel() })
    let subscription = ManualSubscription()
    let rig = TimingRig(timingOperator, subscription: nil, downstream: downstream)
    rig.upstream.send(subscription: subscription)
    rig.settle()
    #expect(subscription.history == (timingOperator == .buffer ? [.requested(.unlimited), .cancelled] : [.cancelled]))
  }

  @Test(arguments: TimingOperator.allCases)
  func cancelsAnyFurtherSubscriptionInEveryState(_ timingOperator: TimingOperator) {
    func check(_ rig: TimingRig, _ state: Comment) {
      let other = ManualSubscription()
      rig.upstream.send(subscription: other)
      #expect(other.history == [.cancelled], state)
      #expect(rig.upstream.history == [], state)
      #expect(rig.downstream.events == [], state)
      #expect(rig.scheduler.traffic == [], state)
    }

    let subscribed = TimingRig(timingOperator)
    check(subscribed, "subscribed")

    let ending = TimingRig(timingOperator)
    ending.upstream.send(completion: .finished)
    ending.scheduler.clearTraffic()
    ending.downstream.clear()
    check(ending, "ending")

    let completed = TimingRig(timingOperator)
    completed.upstream.send(completion: .finished)
    completed.settle()
    completed.clear()
    check(completed, "completed")

    let cancelled = TimingRig(timingOperator)
    cancelled.downstream.cancel()
    cancelled.settle()
    cancelled.clear()
    check(cancelled, "cancelled")
  }

  @Test(arguments: TimingOperator.allCases)
  func cancelsTheSameSubscriptionSentAgain(_ timingOperator: TimingOperator) {
    let rig = TimingRig(timingOperator)
    rig.upstream.send(subscription: rig.upstream.subscription!)
    #expect(rig.upstream.history == [.cancelled])
    rig.upstream.send(1)
    rig.settle()
    #expect(rig.downstream.events == [.value(1)], "it is still subscribed")
  }

  @Test(arguments: TimingOperator.allCases)
  func ignoresEventsBeforeTheSubscription(_ timingOperator: TimingOperator) {
    let rig = TimingRig(timingOperator, subscription: nil, downstream: RecordingSubscriber())
    #expect(rig.upstream.send(1) == .none)
    rig.upstream.send(completion: .finished)
    rig.conduit.request(.max(3))
    rig.settle()
    #expect(rig.scheduler.traffic == [])
    #expect(rig.downstream.events == [])

    let subscription = ManualSubscription()
    rig.upstream.send(subscription: subscription)
    rig.settle()
    #expect(
      subscription.history == (timingOperator.asksForEverything ? [.requested(.unlimited)] : []),
      "no request was remembered"
    )
    #expect(rig.downstream.events.count == 1)

    // The value is not counted either.
    rig.upstream.send(2)
    rig.settle()
    #expect(rig.downstream.values == (timingOperator.countsDemand ? [] : [2]))
  }

  @Test(arguments: TimingOperator.allCases)
  func ignoresACancelBeforeTheSubscriptionExceptThrottle(_ timingOperator: TimingOperator) {
    let rig = TimingRig(timingOperator, subscription: nil)
    rig.conduit.cancel()
    rig.settle()
    #expect(rig.scheduler.traffic == [])

    let subscription = ManualSubscription()
    rig.upstream.send(subscription: subscription)
    rig.upstream.send(1)
    rig.settle()
    if timingOperator == .throttle {
      #expect(subscription.history == [.cancelled])
      #expect(rig.downstream.events == [])
      #expect(rig.scheduler.traffic == [])
    } else {
      #expect(subscription.history == timingOperator.historyOfUnlimitedRequest)
      #expect(rig.downstream.values == [1])
    }
  }

  @Test(arguments: TimingOperator.allCases)
  func cancelEndsTheStateFirstAndThenTheUpstreamOnce(_ timingOperator: TimingOperator) {
    let rig = TimingRig(timingOperator)
    var isCancelledInside = false
    rig.upstream.subscription!.onCancel = { [unowned rig] in
      isCancelledInside = true
      rig.scheduler.clearTraffic()
      #expect(rig.upstream.send(1) == .none)
      rig.upstream.send(completion: .finished)
      rig.downstream.cancel()
      rig.downstream.request(.max(1))
      #expect(rig.scheduler.traffic == [])
    }
    rig.downstream.cancel()
    rig.settle()
    #expect(isCancelledInside)
    #expect(rig.upstream.history == [.cancelled])
    #expect(rig.downstream.events == [])
  }

  @Test(arguments: TimingOperator.allCases)
  func ignoresEverythingAfterACancel(_ timingOperator: TimingOperator) {
    let rig = TimingRig(timingOperator)
    rig.downstream.cancel()
    rig.settle()
    rig.clear()

    rig.downstream.cancel()
    rig.downstream.request(.max(1))
    #expect(rig.upstream.send(1) == .none)
    rig.upstream.send(completion: .finished)
    rig.upstream.send(completion: .failure("late"))
    rig.settle()
    #expect(rig.upstream.history == [])
    #expect(rig.scheduler.traffic == [])
    #expect(rig.downstream.events == [])
  }

  @Test(arguments: TimingOperator.allCases)
  func ignoresEverythingAfterACompletion(_ timingOperator: TimingOperator) {
    let rig = TimingRig(timingOperator)
    rig.upstream.send(completion: .failure("first"))
    #expect(rig.scheduler.traffic == timingOperator.completionTraffic.map { $0.moved(by: 100) })
    // Until it delivers its completion, `timeout` accepts values but does not publish them.
    if timingOperator == .timeout { rig.settle() }
    rig.scheduler.clearTraffic()

    for _ in 1...2 {
      // While the completion is scheduled, if the operator schedules it, and once more after it.
      #expect(rig.upstream.send(1) == .none)
      rig.upstream.send(completion: .finished)
      rig.downstream.request(.max(1))
      #expect(rig.upstream.history == [])
      #expect(rig.scheduler.traffic == [])
      rig.settle()
      #expect(rig.downstream.events == [.failure("first")])
    }
    rig.downstream.cancel()
    rig.settle()
    #expect(rig.upstream.history == [], "the upstream is not cancelled by its completion, nor after it")
    #expect(rig.scheduler.traffic == [])
  }

  @Test(arguments: TimingOperator.allCases)
  func aZeroRequestDoesNotTrap(_ timingOperator: TimingOperator) {
    let rig = TimingRig(timingOperator, downstream: RecordingSubscriber())
    rig.downstream.request(.none)
    rig.settle()
    #expect(rig.upstream.history == (timingOperator.forwardsRequests ? [.requested(.none)] : []))
    rig.upstream.send(1)
    rig.settle()
    #expect(rig.downstream.values == (timingOperator.countsDemand ? [] : [1]))
  }

  @Test(arguments: TimingOperator.allCases)
  func handlesTheReturnedDemand(_ timingOperator: TimingOperator) {
    let downstream = RecordingSubscriber<Int, TestError>(requesting: .max(1), returning: [.max(2)])
    let rig = TimingRig(timingOperator, downstream: downstream)
    let returned = rig.upstream.send(1)
    rig.settle()
    #expect(rig.downstream.values == [1])
    let values = [2, 3, 4]

    switch timingOperator {
    case .debounce, .throttle, .collectByTime, .buffer:
      let answer: Subscribers.Demand = timingOperator == .collectByTime ? .max(1) : .none
      #expect(returned == answer)
      for value in values {
        #expect(rig.upstream.send(value) == answer)
        rig.settle()
      }
      #expect(rig.upstream.history == [], "the demand is added to its own")
      #expect(rig.downstream.values == [1, 2, 3], "and used up")
    case .delay, .timeout, .measureInterval, .receiveOn, .collectByTimeOrCount:
      #expect(returned == .none)
      #expect(rig.upstream.history == [.requested(.max(2))])
      for value in values { #expect(rig.upstream.send(value) == .none) }
      rig.settle()
      #expect(rig.upstream.history == [.requested(.max(2))], "zero demand is not requested")
    case .subscribeOn:
      #expect(returned == .max(2))
      #expect(rig.upstream.send(2) == .none)
      rig.settle()
      #expect(rig.upstream.history == [])
    }
  }

  @Test(arguments: TimingOperator.allCases)
  func theDownstreamMaySendRequestAndCancelDuringItsCallbacks(_ timingOperator: TimingOperator) {
    let rig = TimingRig(timingOperator, subscription: nil, downstream: RecordingSubscriber())
    let subscription = ManualSubscription()
    rig.downstream.onSubscription = { [unowned rig] subscription in
      subscription.request(.max(5))
      rig.upstream.send(1)
      // With `subscribe(on:)`, the nested request below must not arrive while the outer one runs.
      rig.settle()
    }
    rig.downstream.onValue = { [unowned rig] value in
      if value == 1 {
        rig.downstream.request(.max(1))
        rig.upstream.send(2)
      } else {
        rig.downstream.cancel()
        rig.upstream.send(3)
        rig.upstream.send(completion: .finished)
      }
      return .max(1)
    }
    rig.upstream.send(subscription: subscription)
    rig.settle()
    #expect(rig.downstream.values == [1, 2])
    #expect(rig.downstream.events.count == 3)
    #expect(subscription.history.filter { $0 == .cancelled } == [.cancelled])
  }

  @Test(arguments: TimingOperator.allCases, [Subscribers.Completion<TestError>.finished, .failure("end")])
  func ignoresNestedCallsDuringTheCompletion(
    _ timingOperator: TimingOperator,
    _ completion: Subscribers.Completion<TestError>
  ) {
    let rig = TimingRig(timingOperator)
    rig.downstream.onCompletion = { [unowned rig] _ in
      rig.scheduler.clearTraffic()
      rig.downstream.cancel()
      rig.downstream.request(.max(1))
      #expect(rig.upstream.send(1) == .none)
      rig.upstream.send(completion: .finished)
      #expect(rig.scheduler.traffic == [])
    }
    rig.upstream.send(completion: completion)
    rig.settle()
    #expect(rig.downstream.events == [Event(completion)])
    #expect(rig.upstream.history == [])
  }

  // MARK: Retention

  @Test(arguments: TimingOperator.allCases)
  func keepsTheDownstreamUntilReleasedExceptThrottle(_ timingOperator: TimingOperator) {
    for end in ["finish", "failure", "cancel"] {
      weak var released: RecordingSubscriber<Int, TestError>?
      let scheduler = VirtualScheduler()
      let upstream = ManualPublisher<Int, TestError>()
      do {
        let downstream = RecordingSubscriber<Int, TestError>(requesting: .unlimited)
        released = downstream
        timingOperator.attach(downstream, to: upstream, on: scheduler)
        scheduler.advance(by: 100)
        switch end {
        case "finish": upstream.send(completion: .finished)
        case "failure": upstream.send(completion: .failure("end"))
        default: downstream.cancel()
        }
        scheduler.advance(by: 100)
      }
      let conduit = upstream.subscriber as AnyObject?
      upstream.dropSubscriber()
      #expect((released == nil) == (timingOperator == .throttle), "\(end)")

      // The subscriber must break the cycle of subscription and subscriber.
      released?.dropSubscription()
      #expect((released == nil) == (timingOperator == .throttle), "the conduit keeps it: \(end)")
      withExtendedLifetime(conduit) {}
    }
  }

  @Test(arguments: TimingOperator.allCases)
  func isReleasedWithASubscriberThatDropsItsSubscriptionOnCompletion(_ timingOperator: TimingOperator) {
    weak var conduit: AnyObject?
    weak var released: RecordingSubscriber<Int, TestError>?
    let rig = TimingRig(timingOperator)
    do {
      let downstream = RecordingSubscriber<Int, TestError>(requesting: .unlimited)
      downstream.dropsSubscriptionOnCompletion = true
      released = downstream
      timingOperator.attach(downstream, to: rig.upstream, on: rig.scheduler)
      rig.settle()
      conduit = rig.upstream.subscriber as AnyObject?
      rig.upstream.send(1)
      rig.settle()
      rig.upstream.send(completion: .finished)
      rig.settle()
      #expect(downstream.values == [1])
      rig.upstream.dropSubscriber()
    }
    #expect(conduit == nil)
    #expect(released == nil)
  }

  @Test(arguments: TimingOperator.allCases)
  func aSubscriberThatKeepsItsSubscriptionIsNeverReleasedExceptByThrottle(_ timingOperator: TimingOperator) {
    weak var released: RecordingSubscriber<Int, TestError>?
    do {
      let rig = TimingRig(timingOperator)
      released = rig.downstream
      rig.upstream.send(completion: .finished)
      rig.settle()
    }
    #expect((released == nil) == (timingOperator == .throttle))
    released?.dropSubscription()
    #expect(released == nil)
  }

  @Test(arguments: TimingOperator.scheduling)
  func pendingActionsDoNotKeepACancelledConduitAlive(_ timingOperator: TimingOperator) {
    weak var conduit: AnyObject?
    weak var released: RecordingSubscriber<Int, TestError>?
    let scheduler = VirtualScheduler()
    scheduler.tokensWork = false
    do {
      let rig = TimingRig(timingOperator)
      let downstream = RecordingSubscriber<Int, TestError>(requesting: .unlimited)
      released = downstream
      timingOperator.attach(downstream, to: rig.upstream, on: scheduler)
      scheduler.runDue()
      conduit = rig.upstream.subscriber as AnyObject?
      rig.upstream.send(1)
      downstream.cancel()
      downstream.dropSubscription()
      rig.upstream.dropSubscriber()
    }
    #expect(scheduler.pendingCount > 0)
    #expect((conduit != nil) == timingOperator.actionsHoldTheCancelledConduit)
    #expect((released != nil) == timingOperator.actionsHoldTheCancelledConduit)
    scheduler.dropAll()
    #expect(conduit == nil)
    #expect(released == nil)
  }

  @Test(arguments: [TimingOperator.debounce, .delay, .timeout, .receiveOn, .collectByTimeOrCount])
  func actionsKeepAConduitAliveThatNothingElseKeeps(_ timingOperator: TimingOperator) {
    weak var conduit: AnyObject?
    let values = Guarded<[Int]>([])
    func start(on scheduler: VirtualScheduler) {
      let upstream = ManualPublisher<Int, TestError>()
      let downstream = AnySubscriber<Int, TestError>(
        receiveSubscription: { $0.request(.unlimited) },
        receiveValue: { value in
          values.withLock { $0.append(value) }
          return .none
        }
      )
      timingOperator.attach(downstream, to: upstream, on: scheduler)
      conduit = upstream.subscriber as AnyObject?
      upstream.send(1)
      upstream.dropSubscriber()
    }
    let scheduler = VirtualScheduler()
    start(on: scheduler)
    #expect(conduit != nil)
    scheduler.advance(by: 10)
    #expect(values.withLock { $0 } == [1])

    let dropping = VirtualScheduler()
    start(on: dropping)
    #expect(conduit != nil)
    dropping.dropAll()
    #expect(conduit == nil)
  }

  @Test(arguments: [TimingOperator.debounce, .delay, .throttle])
  func cancelReleasesScheduledValues(_ timingOperator: TimingOperator) {
    let scheduler = VirtualScheduler()
    scheduler.tokensWork = false
    let upstream = PassthroughSubject<CallsOnDeinit, TestError>()
    let downstream = RecordingSubscriber<CallsOnDeinit, TestError>(requesting: .unlimited)
    switch timingOperator {
    case .debounce: upstream.debounce(for: 10, scheduler: scheduler).subscribe(downstream)
    case .delay: upstream.delay(for: 10, scheduler: scheduler).subscribe(downstream)
    default: upstream.throttle(for: 10, scheduler: scheduler, latest: true).subscribe(downstream)
    }
    var releasedCount = 0
    for _ in 0..<2 { upstream.send(CallsOnDeinit { releasedCount += 1 }) }
    downstream.cancel()
    #expect(releasedCount == 2)
    #expect(scheduler.pendingCount > 0)
    scheduler.advance(by: 100)
    #expect(downstream.values.isEmpty)
  }

  @Test(arguments: TimingOperator.allCases)
  func keepsTheUpstreamsSubscriptionOnlyWhileSubscribed(_ timingOperator: TimingOperator) {
    for ending in ["finish", "cancel"] {
      var isReleased = false
      let rig = TimingRig(timingOperator, subscription: nil)
      rig.upstream.send(subscription: ManualSubscription(onDeinit: { isReleased = true }))
      rig.settle()
      #expect(!isReleased)
      if ending == "finish" {
        rig.upstream.send(completion: .finished)
        #expect(isReleased != timingOperator.hasEndingState)
      } else {
        rig.downstream.cancel()
      }
      rig.settle()
      #expect(isReleased, "\(ending)")
    }
  }

  @Test(arguments: TimingOperator.allCases)
  func doesNotKeepTheUpstreamPublisher(_ timingOperator: TimingOperator) {
    weak var upstream: ManualPublisher<Int, TestError>?
    let downstream = RecordingSubscriber<Int, TestError>(requesting: .unlimited)
    let scheduler = VirtualScheduler()
    do {
      let publisher = ManualPublisher<Int, TestError>()
      upstream = publisher
      timingOperator.attach(downstream, to: publisher, on: scheduler)
    }
    // Only the scheduled subscribing keeps it.
    #expect((upstream != nil) == (timingOperator == .subscribeOn))
    scheduler.advance(by: 100)
    #expect(upstream == nil)
    #expect(downstream.subscription != nil)
    downstream.dropSubscription()
  }

  // MARK: Reflection and types

  @Test func reflectsItself() {
    expectReflection(
      of: TimingRig(.debounce).conduit,
      description: "Debounce",
      children: ["downstream", "downstreamDemand", "currentValue"]
    )
    expectReflection(of: TimingRig(.throttle).conduit, description: "Throttle")
    expectReflection(of: TimingRig(.timeout).conduit, description: "Timeout")
    expectReflection(of: TimingRig(.measureInterval).conduit, description: "MeasureInterval")
    expectReflection(
      of: TimingRig(.collectByTime).conduit,
      description: "CollectByTime",
      children: ["downstream", "upstreamSubscription", "buffer", "count"]
    )
    expectReflection(
      of: TimingRig(.buffer).conduit,
      description: "Buffer",
      children: ["values", "state", "downstreamDemand", "terminal"]
    )
    expectReflection(of: TimingRig(.receiveOn).conduit, description: "ReceiveOn")
    expectReflection(of: TimingRig(.subscribeOn).conduit, description: "SubscribeOn")
  }

  private typealias Context = VirtualScheduler

  /// The operators of `Just` and `Sequence` are overloads elsewhere.
  @Test func noPublisherOverloadsTheseOperators() {
    let scheduler = VirtualScheduler()
    let one = Just(1)
    #expect(type(of: one.debounce(for: 1, scheduler: scheduler)) == Publishers.Debounce<Just<Int>, Context>.self)
    #expect(
      type(of: one.throttle(for: 1, scheduler: scheduler, latest: true)) == Publishers.Throttle<Just<Int>, Context>.self
    )
    #expect(type(of: one.delay(for: 1, scheduler: scheduler)) == Publishers.Delay<Just<Int>, Context>.self)
    #expect(type(of: one.receive(on: scheduler)) == Publishers.ReceiveOn<Just<Int>, Context>.self)
    #expect(type(of: one.subscribe(on: scheduler)) == Publishers.SubscribeOn<Just<Int>, Context>.self)
    #expect(type(of: one.share()) == Publishers.Share<Just<Int>>.self)
    #expect(type(of: one.makeConnectable()) == Publishers.MakeConnectable<Just<Int>>.self)

    typealias Numbers = Publishers.Sequence<[Int], Never>
    let numbers = Numbers(sequence: [1])
    #expect(type(of: numbers.debounce(for: 1, scheduler: scheduler)) == Publishers.Debounce<Numbers, Context>.self)
    #expect(type(of: numbers.delay(for: 1, scheduler: scheduler)) == Publishers.Delay<Numbers, Context>.self)
    #expect(type(of: numbers.receive(on: scheduler)) == Publishers.ReceiveOn<Numbers, Context>.self)
    #expect(type(of: numbers.subscribe(on: scheduler)) == Publishers.SubscribeOn<Numbers, Context>.self)
    #expect(type(of: numbers.share()) == Publishers.Share<Numbers>.self)
  }

  @Test func noneButShareIsEquatable() {
    let scheduler = VirtualScheduler()
    let one = Just(1)  // Just is `Equatable`, so a conditional conformance would show.
    func check(_ publisher: Any) { #expect(!(publisher is any Equatable), "\(type(of: publisher))") }
    check(one.debounce(for: 1, scheduler: scheduler))
    check(one.throttle(for: 1, scheduler: scheduler, latest: true))
    check(one.delay(for: 1, scheduler: scheduler))
    check(one.timeout(1, scheduler: scheduler))
    check(one.measureInterval(using: scheduler))
    check(one.receive(on: scheduler))
    check(one.subscribe(on: scheduler))
    check(one.collect(.byTime(scheduler, 1)))
    check(one.buffer(size: 1, prefetch: .keepFull, whenFull: .dropNewest))
    check(one.multicast(subject: PassthroughSubject()))
    check(one.makeConnectable())
    check(one.makeConnectable().autoconnect())
    #expect(one.share() as Any is any Equatable)
  }

  @Test func delayDoesNotDescribeItself() {
    let conduit = TimingRig(.delay).conduit
    #expect(!(conduit is any CustomStringConvertible))
    #expect(!(conduit is any CustomDebugStringConvertible))
    #expect(!(conduit is any CustomReflectable))
    #expect(!(conduit is any CustomPlaygroundDisplayConvertible))
  }
}

extension VirtualScheduler.Traffic {

  /// The same call with its date moved by a stride.
  func moved(by stride: VirtualScheduler.SchedulerTimeType.Stride) -> Self {
    switch self {
    case .at(let date, let tolerance, let options):
      .at(date.advanced(by: stride), tolerance: tolerance, options)
    case .every(let date, let interval, let tolerance, let options):
      .every(date.advanced(by: stride), interval: interval, tolerance: tolerance, options)
    default: self
    }
  }
}
