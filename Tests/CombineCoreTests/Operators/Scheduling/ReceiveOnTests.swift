import CombineCore
import TestSupport
import Testing

/// Behaviour of `receive(on:)` only. `ScheduledDeliveryTests` tests the rest.
@Suite struct ReceiveOnTests {

  private let scheduler = VirtualScheduler()
  private let upstream = ManualPublisher<Int, TestError>()

  @Test func keepsItsArguments() {
    let publisher: Publishers.ReceiveOn<ManualPublisher<Int, TestError>, VirtualScheduler> =
      upstream.receive(on: scheduler, options: 3)
    #expect(publisher.upstream === upstream)
    #expect(publisher.scheduler === scheduler)
    #expect(publisher.options == 3)
    #expect(upstream.receive(on: scheduler).options == nil)
    #expect(Publishers.ReceiveOn(upstream: upstream, scheduler: scheduler, options: 4).options == 4)
    #expect(scheduler.traffic == [])
  }

  @Test func runsEachValueAndTheCompletionWithItsOptions() {
    let downstream = RecordingSubscriber<Int, TestError>(requesting: .unlimited)
    upstream.receive(on: scheduler, options: 3).subscribe(downstream)
    #expect(scheduler.traffic == [], "subscription and request are synchronous")
    #expect(upstream.history == [.requested(.unlimited)])
    upstream.send(1)
    upstream.send(2)
    upstream.send(completion: .finished)
    #expect(scheduler.traffic == [.run(3), .run(3), .run(3)])
    #expect(downstream.events == [.subscription("ReceiveOn")])
    scheduler.runDue()
    #expect(downstream.events == [.subscription("ReceiveOn"), .value(1), .value(2), .finished])
  }

  @Test func deliversAtOnceOnTheImmediateScheduler() {
    let downstream = RecordingSubscriber<Int, Never>(requesting: .unlimited)
    (1...3).publisher.receive(on: ImmediateScheduler.shared).subscribe(downstream)
    #expect(downstream.events == [.subscription("ReceiveOn"), .value(1), .value(2), .value(3), .finished])
  }
}
