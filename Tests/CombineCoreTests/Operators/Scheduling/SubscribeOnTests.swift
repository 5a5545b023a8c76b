import CombineCore
import Synchronization
import TestSupport
import Testing

@Suite(.serialized) struct SubscribeOnTests {

  private let scheduler = VirtualScheduler()
  private let upstream = ManualPublisher<Int, TestError>()

  /// Subscribes a subscriber, runs the scheduled subscribing and clears the traffic.
  private func attach(
    requesting demand: Subscribers.Demand? = nil,
    returning: [Subscribers.Demand] = []
  ) -> RecordingSubscriber<Int, TestError> {
    var rest = returning[...]
    let downstream = RecordingSubscriber<Int, TestError>(
      onSubscription: { if let demand { $0.request(demand) } },
      onValue: { _ in rest.popFirst() ?? .none }
    )
    upstream.subscribe(on: scheduler, options: 3).subscribe(downstream)
    scheduler.runDue()
    scheduler.clearTraffic()
    return downstream
  }

  @Test func keepsItsArguments() {
    let publisher: Publishers.SubscribeOn<ManualPublisher<Int, TestError>, VirtualScheduler> =
      upstream.subscribe(on: scheduler, options: 3)
    #expect(publisher.upstream === upstream)
    #expect(publisher.scheduler === scheduler)
    #expect(publisher.options == 3)
    #expect(upstream.subscribe(on: scheduler).options == nil)
    #expect(Publishers.SubscribeOn(upstream: upstream, scheduler: scheduler, options: 4).options == 4)
    #expect(scheduler.traffic == [])
  }

  @Test func theDownstreamReceivesNothingUntilTheSchedulerHasSubscribed() {
    let downstream = RecordingSubscriber<Int, TestError>()
    upstream.subscribe(on: scheduler, options: 3).subscribe(downstream)
    #expect(scheduler.traffic == [.run(3)])
    #expect(upstream.subscribeCount == 0)
    #expect(downstream.events == [])
    scheduler.runDue()
    #expect(upstream.subscribeCount == 1)
    #expect(downstream.events == [.subscription("SubscribeOn")])
    #expect(scheduler.traffic == [.run(3)])
  }

  @Test func forwardsValuesAndDemandSynchronously() {
    let downstream = attach(returning: [.max(4), .none, .unlimited])
    #expect(upstream.send(1) == .max(4))
    #expect(upstream.send(2) == .none)
    #expect(upstream.send(3) == .unlimited)
    #expect(downstream.values == [1, 2, 3])
    #expect(scheduler.traffic == [])
    #expect(upstream.history == [])
  }

  @Test(arguments: [Subscribers.Completion<TestError>.finished, .failure("end")])
  func forwardsTheCompletionSynchronously(_ completion: Subscribers.Completion<TestError>) {
    let downstream = attach()
    upstream.send(completion: completion)
    #expect(downstream.events == [.subscription("SubscribeOn"), completion == .finished ? .finished : .failure("end")])
    #expect(scheduler.traffic == [])
    #expect(upstream.send(1) == .none)
    downstream.request(.max(1))
    downstream.cancel()
    #expect(scheduler.traffic == [])
    #expect(upstream.history == [])
  }

  @Test func eachRequestIsASeparateAction() {
    let downstream = attach()
    downstream.request(.max(1))
    downstream.request(.none)
    downstream.request(.unlimited)
    #expect(scheduler.traffic == [.run(3), .run(3), .run(3)])
    #expect(upstream.history == [])
    scheduler.runDue()
    #expect(upstream.history == [.requested(.max(1)), .requested(.none), .requested(.unlimited)])
  }

  @Test func aRequestDuringTheSubscriptionIsScheduledToo() {
    let downstream = RecordingSubscriber<Int, TestError>(requesting: .max(2))
    upstream.subscription!.onRequest = { [scheduler] _ in #expect(scheduler.traffic == [.run(nil), .run(nil)]) }
    upstream.subscribe(on: scheduler).subscribe(downstream)
    #expect(scheduler.traffic == [.run(nil)])
    scheduler.runDue()
    #expect(scheduler.traffic == [.run(nil), .run(nil)])
    #expect(upstream.history == [.requested(.max(2))])
  }

  @Test func cancelStopsValuesAtOnceAndTheUpstreamLater() {
    let downstream = attach()
    downstream.onValue = { _ in .max(1) }
    downstream.cancel()
    #expect(scheduler.traffic == [.run(3)])
    #expect(upstream.history == [])
    #expect(upstream.send(1) == .none)
    upstream.send(completion: .finished)
    #expect(downstream.events == [.subscription("SubscribeOn")])
    scheduler.runDue()
    #expect(upstream.history == [.cancelled])
  }

  @Test func aRequestFollowedByACancelBothReachTheUpstream() {
    let downstream = attach()
    downstream.request(.max(5))
    downstream.cancel()
    #expect(scheduler.traffic == [.run(3), .run(3)])
    scheduler.runDue()
    #expect(upstream.history == [.requested(.max(5)), .cancelled])
  }

  @Test func ignoresEverythingAfterTheCancel() {
    let downstream = attach()
    downstream.cancel()
    downstream.cancel()
    downstream.request(.max(5))
    #expect(scheduler.traffic == [.run(3)])
    scheduler.runDue()
    downstream.cancel()
    downstream.request(.max(5))
    #expect(scheduler.traffic == [.run(3)])
    #expect(upstream.history == [.cancelled])
  }

  @Test func forwardsValuesSentDuringTheRequest() {
    let downstream = attach(returning: [.max(2)])
    upstream.subscription!.onRequest = { [upstream] _ in
      #expect(upstream.send(1) == .max(2))
      upstream.send(completion: .finished)
    }
    downstream.request(.max(1))
    scheduler.runDue()
    #expect(downstream.events == [.subscription("SubscribeOn"), .value(1), .finished])
  }

  @Test func aRequestDuringADeliveryIsScheduledAfterTheRunningOne() {
    let downstream = attach()
    upstream.subscription!.onRequest = { [upstream] _ in
      if upstream.history.count < 3 { upstream.send(upstream.history.count) }
    }
    downstream.onValue = { [unowned downstream] _ in
      downstream.request(.max(1))
      return .none
    }
    downstream.request(.max(1))
    scheduler.runDue()
    #expect(downstream.values == [1, 2])
    #expect(upstream.history == [.requested(.max(1)), .requested(.max(1)), .requested(.max(1))])
  }

  @Test func scheduledRequestsKeepTheUpstreamsSubscriptionUntilTheyRun() {
    var isReleased = false
    let upstream = ManualPublisher<Int, TestError>(subscription: nil)
    let downstream = RecordingSubscriber<Int, TestError>()
    upstream.subscribe(on: scheduler).subscribe(downstream)
    scheduler.runDue()
    upstream.send(subscription: ManualSubscription(onDeinit: { isReleased = true }))
    downstream.request(.max(1))
    downstream.cancel()
    #expect(!isReleased)
    scheduler.runDue()
    #expect(isReleased)
  }

  // MARK: Immediate scheduler

  @Test func isSynchronousWithTheImmediateScheduler() {
    let downstream = RecordingSubscriber<Int, Never>(requesting: .max(1), returning: [.max(1)])
    [1, 2, 3].publisher.subscribe(on: ImmediateScheduler.shared).subscribe(downstream)
    #expect(downstream.values == [1, 2])
    downstream.request(.unlimited)
    #expect(downstream.events.dropFirst() == [.value(1), .value(2), .value(3), .finished])
  }

  /// The same as above without the nesting, so that that test cannot succeed for another reason.
  @Test func successiveRequestsDoNotTrap() async {
    await #expect(processExitsWith: .success) {
      let upstream = ManualPublisher<Int, TestError>()
      let downstream = RecordingSubscriber<Int, TestError>()
      upstream.subscribe(on: ImmediateScheduler.shared).subscribe(downstream)
      downstream.request(.max(1))
      downstream.request(.max(1))
      downstream.cancel()
    }
  }

  /// A downstream that cancels, with an upstream that answers the request at once. Nothing must trap.
  @Test func aCancelDuringARequestOnTheSameThreadReachesTheUpstream() {
    let downstream = RecordingSubscriber<Int, TestError>()
    downstream.onValue = { [unowned downstream] _ in
      downstream.cancel()
      return .none
    }
    upstream.subscription!.onRequest = { [upstream] _ in
      upstream.send(1)
      upstream.send(2)
    }
    upstream.subscribe(on: ImmediateScheduler.shared).subscribe(downstream)
    downstream.request(.max(1))
    #expect(downstream.values == [1])
    #expect(upstream.history == [.requested(.max(1)), .cancelled])
  }

  @Test func aCancelOrRequestDuringTheCancelHasNoEffect() {
    let downstream = RecordingSubscriber<Int, TestError>()
    upstream.subscription!.onCancel = {
      downstream.cancel()
      downstream.request(.max(1))
    }
    upstream.subscribe(on: ImmediateScheduler.shared).subscribe(downstream)
    downstream.cancel()
    #expect(upstream.history == [.cancelled])
  }

  // MARK: Threads

  /// An upstream that counts overlapping calls of its subscription.
  private final class Upstream: Publisher, Subscription {
    typealias Output = Int
    typealias Failure = TestError
    let callers = Atomic<Int>(0)
    let overlapCount = Atomic<Int>(0)
    let requestCount = Atomic<Int>(0)
    let cancelCount = Atomic<Int>(0)

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == TestError {
      subscriber.receive(subscription: self)
    }

    private func exclusively(_ body: () -> Void) {
      if callers.add(1, ordering: .relaxed).oldValue != 0 { overlapCount.add(1, ordering: .relaxed) }
      body()
      callers.subtract(1, ordering: .relaxed)
    }

    func request(_ demand: Subscribers.Demand) {
      exclusively { _ = requestCount.add(1, ordering: .relaxed) }
    }

    func cancel() {
      exclusively { _ = cancelCount.add(1, ordering: .relaxed) }
    }
  }

  @Test func sendingThreadsDoNotWaitForEachOther() {
    expectNoSerialisation { $0.subscribe(on: ImmediateScheduler.shared) }
  }

  /// If a cancel waited for a request on another thread, it could hold a gate that the request needs.
  @Test func aCancelDoesNotWaitForARequestOnAnotherThread() {
    let upstream = ManualPublisher<Int, TestError>()
    let downstream = RecordingSubscriber<Int, TestError>()
    upstream.subscribe(on: ImmediateScheduler.shared).subscribe(downstream)
    nonisolated(unsafe) let subscription = downstream.subscription!
    upstream.subscription!.onRequest = { _ in
      onThreads(1) { _ in subscription.cancel() }
      #expect(upstream.history == [.requested(.max(1))], "the thread of the request cancels, after the request")
    }
    subscription.request(.max(1))
    #expect(upstream.history == [.requested(.max(1)), .cancelled])
  }

  @Test func scheduledCallsUpstreamDoNotOverlap() {
    let scheduler = ThreadScheduler(workers: 3)
    let upstream = Upstream()
    let downstream = RecordingSubscriber<Int, TestError>()
    upstream.subscribe(on: scheduler).subscribe(downstream)
    scheduler.drain()
    // The test uses the subscription from several threads on purpose.
    nonisolated(unsafe) let subscription = downstream.subscription!
    onThreads(2) { _ in
      for _ in 0..<1000 { subscription.request(.max(1)) }
    }
    onThreads(2) { _ in subscription.cancel() }
    scheduler.finish()
    #expect(upstream.overlapCount.load(ordering: .relaxed) == 0)
    #expect(upstream.requestCount.load(ordering: .relaxed) == 2000)
    #expect(upstream.cancelCount.load(ordering: .relaxed) == 1)
  }
}
