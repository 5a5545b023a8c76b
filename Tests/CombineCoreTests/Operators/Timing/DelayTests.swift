import CombineTesting
import TestSupport
import Testing

/// Behaviour of `delay` only. `ScheduledDeliveryTests` tests the rest.
@Suite struct DelayTests {

  private let scheduler = VirtualScheduler()
  private let upstream = ManualPublisher<Int, TestError>()

  @Test func keepsItsArguments() {
    let publisher: Publishers.Delay<ManualPublisher<Int, TestError>, VirtualScheduler> =
      upstream.delay(for: 10, tolerance: 2, scheduler: scheduler, options: 3)
    #expect(publisher.upstream === upstream)
    #expect(publisher.interval == 10)
    #expect(publisher.tolerance == 2)
    #expect(publisher.scheduler === scheduler)
    #expect(publisher.options == 3)
    let other = Publishers.Delay(upstream: upstream, interval: 4, tolerance: 5, scheduler: scheduler)
    #expect(other.interval == 4)
    #expect(other.tolerance == 5)
    #expect(other.options == nil)
    #expect(scheduler.traffic == [])
  }

  @Test func readsTheToleranceOnceWhenMadeByDefault() {
    let publisher = upstream.delay(for: 10, scheduler: scheduler)
    #expect(scheduler.traffic == [.minimumTolerance])
    #expect(publisher.tolerance == VirtualScheduler.tolerance)
    #expect(publisher.options == nil)
    for _ in 1...2 { publisher.subscribe(RecordingSubscriber(requesting: .unlimited)) }
    upstream.send(1)
    #expect(
      scheduler.traffic == [.minimumTolerance, .now, .at(10, tolerance: VirtualScheduler.tolerance, nil)]
    )
  }

  @Test func delaysEachValueAndTheCompletionByTheInterval() {
    marbles {
      "a--bc--(d|)"
      $0[0].delay(for: 5, scheduler: $0.scheduler)
      "-----a--bc--(d|)"
    }
  }

  @Test func aFailureIsDelayedToo() {
    marbles {
      "a--#"
      $0[0].delay(for: 5, scheduler: $0.scheduler)
      "-----a--#"
    }
  }

  @Test func aCancelIsNotDelayedAndDropsScheduledEvents() {
    marbles {
      "a--b--c--|"
      $0[0].delay(for: 5, scheduler: $0.scheduler)
      "-----a-!"
      "^------!"
    }
  }

  @Test func eachValueAndTheCompletionScheduleOneActionForADate() {
    let downstream = RecordingSubscriber<Int, TestError>(requesting: .unlimited)
    upstream.delay(for: 10, tolerance: 2, scheduler: scheduler, options: 3).subscribe(downstream)
    #expect(upstream.history == [.requested(.unlimited)], "subscription and request are not delayed")

    upstream.send(1)
    scheduler.advance(to: 4)
    upstream.send(2)
    upstream.send(completion: .finished)
    scheduler.advance(to: 100)
    #expect(
      scheduler.traffic == [
        .now, .at(10, tolerance: 2, 3), .now, .at(14, tolerance: 2, 3), .now, .at(14, tolerance: 2, 3),
      ]
    )
  }
}
