import CombineCore
import TestSupport
import Testing

/// The rules of all operators of the reducing family, tested on each of them.
@Suite struct ReducingFamilyTests {

  private typealias Recorder = ReducingMember.Recorder

  // MARK: Demand

  @Test(arguments: ReducingMember.allCases)
  func requestsUnlimitedDemandOnceAndNeverForwardsDemand(_ member: ReducingMember) {
    let upstream = TestUpstream()
    let recorder = Recorder()
    recorder.onSubscription = { _ in #expect(upstream.history == [], "not before the downstream has its own") }
    member.subscribe(recorder, to: upstream)

    #expect(recorder.events == [.subscription(member.name)])
    #expect(upstream.history == [.requested(.unlimited)])
    recorder.request(.max(1))
    recorder.request(.unlimited)
    #expect(upstream.history == [.requested(.unlimited)])
  }

  @Test(arguments: ReducingMember.allCases)
  func aResultIsHeldUntilThereIsDemand(_ member: ReducingMember) {
    let (upstream, recorder) = member.attach()
    for value in member.others { #expect(upstream.send(value) == .none) }
    upstream.send(completion: .finished)
    #expect(recorder.events == [])

    recorder.request(.max(1))
    #expect(recorder.events == ReducingMember.events(member.resultOfOthers))
    recorder.request(.max(1))
    recorder.cancel()
    #expect(recorder.events.count == ReducingMember.events(member.resultOfOthers).count)
    #expect(upstream.history == [.requested(.unlimited)])
  }

  @Test(arguments: ReducingMember.allCases, [Subscribers.Demand.max(1), .max(7), .unlimited])
  func demandIsHeldUntilThereIsAResult(_ member: ReducingMember, demand: Subscribers.Demand) {
    let (upstream, recorder) = member.attach(requesting: demand)
    for value in member.others { #expect(upstream.send(value) == .none) }
    #expect(recorder.events == [])
    upstream.send(completion: .finished)
    #expect(recorder.events == ReducingMember.events(member.resultOfOthers))

    upstream.send(completion: .failure("late"))
    for value in [10, 11] { #expect(upstream.send(value) == .none) }
    recorder.request(.max(1))
    #expect(recorder.events == ReducingMember.events(member.resultOfOthers))
    #expect(upstream.history == [.requested(.unlimited)])
  }

  @Test(arguments: ReducingMember.allCases)
  func anEmptyUpstreamGivesTheInitialResult(_ member: ReducingMember) {
    let (upstream, recorder) = member.attach(requesting: .max(1))
    upstream.send(completion: .finished)
    #expect(recorder.events == ReducingMember.events(member.initial))
  }

  @Test(arguments: ReducingMember.allCases)
  func aCompletionWithoutAResultNeedsDemandToo(_ member: ReducingMember) {
    let (upstream, recorder) = member.attach()
    upstream.send(completion: .finished)
    upstream.send(completion: .failure("late"))
    upstream.send(10)
    upstream.send(completion: .finished)
    #expect(recorder.events == [])

    recorder.request(.max(1))
    #expect(recorder.events == ReducingMember.events(member.initial))
  }

  @Test(arguments: ReducingMember.allCases)
  func nestedCallsDuringTheDeliveryHaveNoEffect(_ member: ReducingMember) {
    for requestsFirst in [true, false] {
      let (upstream, recorder) = member.attach(requesting: requestsFirst ? .max(1) : nil)
      recorder.onValue = { _ in
        recorder.request(.unlimited)
        upstream.send(10)
        return .unlimited
      }
      recorder.onCompletion = { _ in recorder.request(.max(1)) }
      for value in member.others { upstream.send(value) }
      upstream.send(completion: .finished)
      if !requestsFirst { recorder.request(.max(1)) }

      #expect(recorder.events == ReducingMember.events(member.resultOfOthers))
      #expect(upstream.history == [.requested(.unlimited)])
    }
  }

  // MARK: Failures

  @Test(arguments: ReducingMember.allCases, [Subscribers.Demand?.none, .max(1)])
  func aFailureNeedsNoDemandAndReplacesTheResult(_ member: ReducingMember, demand: Subscribers.Demand?) {
    let (upstream, recorder) = member.attach(requesting: demand)
    for value in member.others { upstream.send(value) }
    upstream.send(completion: .failure("upstream"))
    upstream.send(completion: .finished)
    upstream.send(10)
    recorder.request(.max(1))
    recorder.cancel()

    #expect(recorder.events == [.failure("upstream")])
    #expect(upstream.history == [.requested(.unlimited)])
  }

  @Test(arguments: ReducingMember.throwing, [Subscribers.Demand?.none, .max(1)])
  func aThrownErrorCancelsTheUpstreamAndNeedsNoDemand(_ member: ReducingMember, demand: Subscribers.Demand?) {
    var calls = 0
    let (upstream, recorder) = member.attach(requesting: demand) { _ in calls += 1 }
    for value in member.others { upstream.send(value) }
    calls = 0
    upstream.subscription!.onCancel = {
      #expect(recorder.events == [], "the upstream is cancelled first")
      recorder.request(.max(1))
      #expect(upstream.send(10) == .none, "ended before that")
    }

    #expect(upstream.send(100) == .none)
    #expect(upstream.send(100) == .none)
    #expect(upstream.send(10) == .none)
    upstream.send(completion: .finished)
    upstream.send(completion: .failure("late"))
    recorder.request(.max(1))
    recorder.cancel()

    #expect(recorder.events == [.failure("thrown")])
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
    #expect(calls == 1)
  }

  // MARK: Early finish

  @Test(arguments: ReducingMember.finishingEarly)
  func anEarlyFinishCancelsTheUpstreamAtOnceAndNeedsDemand(_ member: ReducingMember) {
    var calls = 0
    let (upstream, recorder) = member.attach { _ in calls += 1 }
    for value in member.others + [10] { #expect(upstream.send(value) == .none) }
    let callsSoFar = calls
    #expect(recorder.events == [])
    #expect(upstream.history == [.requested(.unlimited), .cancelled])

    #expect(upstream.send(11) == .none)
    upstream.send(completion: .failure("late"))
    upstream.send(completion: .finished)
    #expect(recorder.events == [])
    recorder.request(.unlimited)
    #expect(recorder.events == ReducingMember.events(member.resultOfTen))
    recorder.request(.max(1))
    recorder.cancel()

    #expect(recorder.events.count == 2)
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
    #expect(calls == callsSoFar)
  }

  @Test(arguments: ReducingMember.finishingEarly)
  func anEarlyFinishIsSentAfterTheUpstreamsCancel(_ member: ReducingMember) {
    let (upstream, recorder) = member.attach(requesting: .max(1))
    upstream.subscription!.onCancel = { #expect(recorder.events == []) }
    recorder.onValue = { _ in
      #expect(upstream.history == [.requested(.unlimited), .cancelled])
      return .none
    }
    for value in member.others + [10] { #expect(upstream.send(value) == .none) }
    upstream.send(completion: .finished)
    #expect(recorder.events == ReducingMember.events(member.resultOfTen))
  }

  @Test(arguments: ReducingMember.finishingEarly)
  func demandDuringTheUpstreamsCancelSendsAnEarlyFinishOnce(_ member: ReducingMember) {
    let (upstream, recorder) = member.attach()
    upstream.subscription!.onCancel = { recorder.request(.max(1)) }
    for value in member.others + [10] { upstream.send(value) }
    #expect(recorder.events == ReducingMember.events(member.resultOfTen))
  }

  @Test(arguments: ReducingMember.allCases.filter { !ReducingMember.finishingEarly.contains($0) })
  func otherwiseOnlyTheUpstreamFinishes(_ member: ReducingMember) {
    let (upstream, recorder) = member.attach(requesting: .unlimited)
    for value in member.others + [10] { upstream.send(value) }
    #expect(recorder.events == [])
    #expect(upstream.history == [.requested(.unlimited)])
    upstream.send(completion: .finished)
    #expect(recorder.events == ReducingMember.events(member.resultOfTen))
  }

  // MARK: Cancelling

  @Test(arguments: ReducingMember.allCases)
  func cancelReachesTheUpstreamOnceAndSuppressesLaterEvents(_ member: ReducingMember) {
    var calls = 0
    let (upstream, recorder) = member.attach(requesting: .max(1)) { _ in calls += 1 }
    upstream.subscription!.onCancel = { recorder.cancel() }
    recorder.cancel()
    recorder.request(.max(1))
    recorder.cancel()
    for value in member.others + [10] { #expect(upstream.send(value) == .none) }
    upstream.send(completion: .finished)
    upstream.send(completion: .failure("late"))
    recorder.request(.max(1))

    #expect(recorder.events == [])
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
    #expect(calls == 0)
  }

  @Test(arguments: ReducingMember.allCases)
  func cancelDropsAHeldResult(_ member: ReducingMember) {
    let (upstream, recorder) = member.attach()
    for value in member.others { upstream.send(value) }
    upstream.send(completion: .finished)
    recorder.cancel()
    recorder.request(.max(1))

    #expect(recorder.events == [])
    #expect(upstream.history == [.requested(.unlimited)], "the upstream has completed")
  }

  @Test(arguments: ReducingMember.callingAClosure, [10, 100])
  func aClosureMayCancelAndItsResultIsThenIgnored(_ member: ReducingMember, value: Int) {
    var onCall: () -> Void = {}
    let (upstream, recorder) = member.attach(requesting: .max(1)) { _ in onCall() }
    for value in member.others { upstream.send(value) }
    onCall = { recorder.cancel() }
    #expect(upstream.send(value) == .none)

    #expect(recorder.events == [])
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
  }

  @Test(arguments: ReducingMember.callingAClosure)
  func aClosureMaySendAnotherValue(_ member: ReducingMember) {
    var calls = 0
    var onCall: () -> Void = {}
    let (upstream, recorder) = member.attach(requesting: .max(1)) { _ in
      calls += 1
      onCall()
    }
    for value in member.others { upstream.send(value) }
    calls = 0
    onCall = {
      onCall = {}
      upstream.send(2)
    }
    upstream.send(1)
    upstream.send(completion: .finished)

    #expect(calls == 2)
    #expect(recorder.events.last == .finished)
  }

  // MARK: Order of events

  @Test(arguments: ReducingMember.allCases)
  func ignoresEventsBeforeASubscriptionButKeepsDemand(_ member: ReducingMember) {
    var calls = 0
    let (upstream, recorder) = member.attach(subscription: nil) { _ in calls += 1 }
    let conduit = upstream.subscriber as! any Subscription
    for value in member.others + [10] { #expect(upstream.send(value) == .none) }
    upstream.send(completion: .finished)
    upstream.send(completion: .failure("early"))
    conduit.cancel()
    conduit.request(.max(1))
    conduit.cancel()
    #expect(recorder.events == [])
    #expect(calls == 0)

    let subscription = ManualSubscription()
    upstream.send(subscription: subscription)
    #expect(recorder.events == [.subscription(member.name)])
    #expect(subscription.history == [.requested(.unlimited)])
    upstream.send(completion: .finished)
    #expect(recorder.events == [.subscription(member.name)] + ReducingMember.events(member.initial))
  }

  @Test(arguments: ReducingMember.allCases)
  func takesOneSubscription(_ member: ReducingMember) {
    let (upstream, recorder) = member.attach()
    let second = ManualSubscription()
    upstream.send(subscription: second)
    #expect(second.history == [.cancelled])
    upstream.send(subscription: upstream.subscription!)
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
    recorder.cancel()
    #expect(upstream.history == [.requested(.unlimited), .cancelled, .cancelled])
    upstream.send(subscription: second)
    #expect(second.history == [.cancelled, .cancelled])
    #expect(recorder.events == [])

    let (other, _) = member.attach(requesting: .max(1))
    other.send(completion: .finished)
    other.send(subscription: second)
    #expect(second.history == [.cancelled, .cancelled, .cancelled])
  }

  @Test(arguments: ReducingMember.allCases)
  func aCancelDuringTheSubscriptionPrecedesTheRequest(_ member: ReducingMember) {
    let upstream = TestUpstream()
    let recorder = Recorder(onSubscription: { $0.cancel() })
    member.subscribe(recorder, to: upstream)
    upstream.send(completion: .finished)
    recorder.request(.max(1))

    #expect(upstream.history == [.cancelled, .requested(.unlimited)])
    #expect(recorder.events == [.subscription(member.name)])
  }

  @Test(arguments: ReducingMember.allCases)
  func eachSubscriptionStartsAnewWithItsOwnConduit(_ member: ReducingMember) {
    let upstream = TestUpstream()
    let identifiers = (0..<2).map { _ in
      let recorder = Recorder(requesting: .max(1))
      member.subscribe(recorder, to: upstream)
      #expect(recorder.subscription!.combineIdentifier == upstream.subscriber!.combineIdentifier, "one object for both")
      for value in member.others { upstream.send(value) }
      upstream.send(completion: .finished)
      #expect(recorder.events == [.subscription(member.name)] + ReducingMember.events(member.resultOfOthers))
      recorder.dropSubscription()
      return upstream.subscriber!.combineIdentifier
    }
    #expect(identifiers[0] != identifiers[1])
    #expect(upstream.subscribeCount == 2)
  }

  /// The stage at which a request of `.none` traps.
  enum Stage: String, CaseIterable, Codable, Sendable {

    case awaiting, connected, waitingForDemand, afterCompletion, afterCancel

    /// Subscribes through an operator and leads up to the request.
    func prepare(_ member: ReducingMember) -> any Subscription {
      let (upstream, recorder) = member.attach(subscription: nil)
      let conduit = upstream.subscriber as! any Subscription
      if self == .awaiting { return conduit }
      upstream.send(subscription: ManualSubscription())
      if self == .afterCompletion { recorder.request(.max(1)) }
      if self == .waitingForDemand || self == .afterCompletion { upstream.send(completion: .finished) }
      if self == .afterCancel { recorder.cancel() }
      return conduit
    }
  }

  #if compiler(>=6.3)  // The capture list of an exit test.
    @Test(arguments: [ReducingMember.collect, .tryReduce], Stage.allCases)
    func aZeroRequestTraps(_ member: ReducingMember, at stage: Stage) async {
      _ = stage.prepare(member)  // The preparation itself must not trap.
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [member, stage] in
        stage.prepare(member).request(.none)
      }.expectMisuse(member.name, .zeroDemand)
    }
  #endif

  // MARK: Memory

  /// How a subscription ends.
  enum End: CaseIterable {
    case finish, failure, cancel, earlyFinish, error

    func apply(to upstream: TestUpstream, _ recorder: ReducingMember.Recorder) {
      switch self {
      case .finish: upstream.send(completion: .finished)
      case .failure: upstream.send(completion: .failure("upstream"))
      case .cancel: recorder.cancel()
      case .earlyFinish: upstream.send(10)
      case .error: upstream.send(100)
      }
    }

    static func ends(of member: ReducingMember) -> [End] {
      allCases.filter {
        switch $0 {
        case .earlyFinish: ReducingMember.finishingEarly.contains(member)
        case .error: ReducingMember.throwing.contains(member)
        default: true
        }
      }
    }
  }

  @Test(arguments: ReducingMember.allCases)
  func everyEndReleasesTheUpstream(_ member: ReducingMember) {
    for end in End.ends(of: member) {
      var isReleased = false
      let (upstream, recorder) = member.attach(subscription: nil)
      upstream.send(subscription: ManualSubscription(onDeinit: { isReleased = true }))
      for value in member.others { upstream.send(value) }
      #expect(!isReleased)
      end.apply(to: upstream, recorder)
      #expect(isReleased, "\(end)")
      recorder.dropSubscription()
    }
  }

  @Test(arguments: ReducingMember.allCases)
  func noEndReleasesADownstreamThatKeepsItsSubscription(_ member: ReducingMember) {
    for end in End.ends(of: member) {
      var isReleased = false
      weak var downstream: Recorder?
      let upstream = TestUpstream()
      do {
        let recorder = Recorder(onSubscription: { $0.request(.max(1)) }, onDeinit: { isReleased = true })
        downstream = recorder
        member.subscribe(recorder, to: upstream)
        for value in member.others { upstream.send(value) }
        end.apply(to: upstream, recorder)
        upstream.dropSubscriber()
      }
      #expect(!isReleased, "\(end)")
      downstream?.dropSubscription()
      #expect(isReleased, "\(end)")
    }
  }

  @Test(arguments: ReducingMember.allCases)
  func releasesADownstreamThatDropsItsSubscriptionOnCompletion(_ member: ReducingMember) {
    for requests in [true, false] {
      var isReleased = false
      weak var downstream: Recorder?
      let upstream = TestUpstream()
      do {
        let recorder = Recorder(
          onSubscription: { if requests { $0.request(.max(1)) } },
          onDeinit: { isReleased = true }
        )
        recorder.dropsSubscriptionOnCompletion = true
        downstream = recorder
        member.subscribe(recorder, to: upstream)
        upstream.send(completion: .finished)
        upstream.dropSubscriber()
      }
      #expect(isReleased == requests, "without demand it never receives the completion")
      downstream?.request(.max(1))
      #expect(isReleased)
    }
  }

  // MARK: Reflection

  @Test(arguments: ReducingMember.allCases)
  func reflectsItself(_ member: ReducingMember) {
    let upstream = TestUpstream(subscription: nil)
    let recorder = Recorder()
    member.subscribe(recorder, to: upstream)
    let conduit = upstream.subscriber!
    guard member != .collect else {
      expectReflection(of: conduit, description: "Collect", children: ["count"])
      #expect(reflectedChild("count", of: conduit) as? Int == 0)
      upstream.send(subscription: ManualSubscription())
      for value in 1...3 { upstream.send(value) }
      #expect(reflectedChild("count", of: conduit) as? Int == 3)
      return
    }
    func text(_ label: String) -> String? {
      reflectedOptionalChild(label, of: conduit).map { String(describing: $0) }
    }
    func status() -> String {
      String(describing: reflectedChild("status", of: conduit)!)
    }
    expectReflection(of: conduit, description: member.name, children: ["downstream", "result", "initial", "status"])
    #expect(String(describing: reflectedChild("downstream", of: conduit)!).contains("Erasing"))
    #expect(text("result") == member.initial)
    #expect(text("initial") == member.initial)
    #expect(status() == "awaiting")

    upstream.send(subscription: ManualSubscription())
    for value in member.others { upstream.send(value) }
    #expect(text("result") == member.resultOfOthers)
    #expect(text("initial") == member.initial)
    #expect(status() == "subscribed")

    recorder.cancel()
    #expect(status() == "terminal")
  }

  // MARK: Threads

  @Test(arguments: [ReducingMember.collect, .first, .tryFirstWhere])
  func aRequestRacingWithTheFinishGivesOneResult(_ member: ReducingMember) {
    for _ in 0..<500 {
      let (upstream, recorder) = member.attach()
      // Each thread uses one of the two, and they share no state. The test is of the conduit.
      nonisolated(unsafe) let source = upstream
      nonisolated(unsafe) let subscription = recorder.subscription!
      onThreads(2) { index in
        if index == 0 {
          source.send(10)
          source.send(completion: .finished)
        } else {
          subscription.request(.max(1))
        }
      }
      #expect(recorder.events == (member == .collect ? [.value("[10]"), .finished] : [.value("10"), .finished]))
    }
  }

  @Test(arguments: [ReducingMember.collect, .first, .tryFirstWhere])
  func cancelsRacingWithTheFinishReachTheUpstreamAtMostOnce(_ member: ReducingMember) {
    for _ in 0..<500 {
      let upstream = SharedUpstream<Int>()
      let subscriber = CountingSubscriber<Void, any Error>()
      switch member {
      case .collect: upstream.collect().map { _ in }.mapError { $0 as any Error }.subscribe(subscriber)
      case .first: upstream.first().map { _ in }.mapError { $0 as any Error }.subscribe(subscriber)
      default: upstream.tryFirst { $0 == 10 }.map { _ in }.subscribe(subscriber)
      }
      nonisolated(unsafe) let subscription = subscriber.subscription!
      subscription.request(.unlimited)
      onThreads(3) { index in
        if index == 0 {
          for value in 0...10 { upstream.send(value) }
          upstream.finish()
        } else {
          subscription.cancel()
        }
      }
      #expect(upstream.cancelCount <= 1)
      // A cancel may come between the result and the finish. Then no finish follows.
      #expect(subscriber.values <= 1)
      #expect(subscriber.completions <= subscriber.values)
    }
  }
}
