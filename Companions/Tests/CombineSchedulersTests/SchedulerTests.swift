// No import of the library but that of code which was written for combine-schedulers.
import CombineSchedulers
import Foundation
import Testing

/// What code and tests that were written for combine-schedulers find by its name.
@Suite struct SchedulerTests {

  private final class Clock {

    private(set) var ticks = 0
    private var cancellable: AnyCancellable?

    init(scheduler: AnySchedulerOf<DispatchQueue>) {
      cancellable = Just(())
        .delay(for: .seconds(1), scheduler: scheduler)
        .sink { [unowned self] in ticks += 1 }
    }
  }

  @Test func aTestSchedulerMovesWhenTold() {
    let scheduler = DispatchQueue.test
    let clock = Clock(scheduler: scheduler.eraseToAnyScheduler())
    scheduler.advance(by: .milliseconds(999))
    #expect(clock.ticks == 0)
    scheduler.advance(by: .milliseconds(1))
    #expect(clock.ticks == 1)
  }

  @Test func anImmediateSchedulerDoesNotWait() {
    #expect(Clock(scheduler: .immediate).ticks == 1)
  }

  @Test func theSchedulersOfThePlatformAreErased() {
    let _: AnySchedulerOf<DispatchQueue> = .main
    let _: AnySchedulerOf<RunLoop> = .main
    let _: AnySchedulerOf<OperationQueue> = .main
  }

  @Test func anUnimplementedSchedulerFailsTheTest() {
    withKnownIssue {
      let scheduler: AnySchedulerOf<DispatchQueue> = .unimplemented("nothing is scheduled here")
      scheduler.schedule {}
    } matching: { issue in
      issue.comments.contains { $0.rawValue.contains("nothing is scheduled here") }
    }
  }
}
