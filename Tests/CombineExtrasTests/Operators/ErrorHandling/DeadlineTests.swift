import CombineTesting
import TestSupport
import Testing

@testable import CombineExtras

@Suite struct DeadlineTests {

  @Test func finishesWithoutAFirstElementInTime() {
    marbles {
      "------a-|"
      $0[0].timeout(first: 5, scheduler: $0.scheduler)
      "-----|"
      "^----!"
    }
  }

  @Test func anElementInTimeIsEnoughWithoutANextInterval() {
    marbles {
      "---a--------------b-|"
      $0[0].timeout(first: 5, scheduler: $0.scheduler)
      "---a--------------b-|"
    }
  }

  @Test func eachElementStartsTheNextInterval() {
    marbles {
      "----a-b--c----d|"
      $0[0].timeout(first: 5, next: 3, scheduler: $0.scheduler)
      "----a-b--c--|"
      "^-----------!"
    }
  }

  @Test func failsWithTheError() {
    marbles {
      "-a------b|"
      $0[0].timeout(first: 5, next: 3, scheduler: $0.scheduler, customError: { MarbleError() })
      "-a--#"
      "^---!"
    }
  }

  @Test func anElementAtTheTimeOfTheDeadlineCounts() {
    marbles {
      "-----a-|"
      $0[0].timeout(first: 5, scheduler: $0.scheduler)
      "-----a-|"
    }
  }

  @Test func passesCompletionsOn() {
    marbles {
      "-a#"
      $0[0].timeout(first: 5, next: 5, scheduler: $0.scheduler)
      "-a#"
    }
    marbles {
      "-a|"
      $0[0].timeout(first: 5, next: 5, scheduler: $0.scheduler)
      "-a|"
    }
  }

  @Test func continuesWithTheFallback() {
    marbles {
      "-a-b------c|"
      "-x-y|"
      $0[0].timeout(first: 5, next: 4, scheduler: $0.scheduler, fallback: $0.cold(1))
      "-a-b----x-y|"
      "^------!"
      "-------^"
    }
  }

  @Test func theUpstreamsFailureDoesNotLeadToTheFallback() {
    marbles {
      "-a#"
      "-x-y|"
      $0[0].timeout(first: 5, next: 4, scheduler: $0.scheduler, fallback: $0.cold(1))
      "-a#"
    }
  }

  @Test func theFallbackIsAskedForTheRest() {
    let scheduler = TestScheduler()
    let upstream = PassthroughSubject<Int, Never>()
    let downstream = RecordingSubscriber<Int, Never>(requesting: .max(3))
    upstream.timeout(first: 5, next: 5, scheduler: scheduler, fallback: (10...19).publisher).subscribe(downstream)
    upstream.send(1)
    scheduler.resume()
    #expect(downstream.values == [1, 10, 11])
    downstream.request(.max(1))
    #expect(downstream.values == [1, 10, 11, 12])
  }

  @Test func aCancelStopsTheTimer() {
    let scheduler = TestScheduler()
    var errors = 0
    let cancellable = PassthroughSubject<Int, TestError>()
      .timeout(first: 50, scheduler: scheduler) {
        errors += 1
        return "late"
      }
      .sink(receiveCompletion: { _ in Issue.record("completed") }, receiveValue: { _ in })
    cancellable.cancel()
    scheduler.resume()
    #expect(errors == 0)
    #expect(scheduler.now == 0)
  }

  @Test func aSchedulerWithoutAClockTimesOutAtOnce() {
    let downstream = RecordingSubscriber<Int, Never>(requesting: .unlimited)
    PassthroughSubject<Int, Never>()
      .timeout(first: .seconds(1), next: .seconds(1), scheduler: ImmediateScheduler.shared)
      .subscribe(downstream)
    #expect(downstream.events.last == .finished)
  }
}
