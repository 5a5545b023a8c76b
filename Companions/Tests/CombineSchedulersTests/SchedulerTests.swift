// Imports of the library only as in code that was written for combine-schedulers.
import CombineSchedulers
import Foundation
import Testing

/// The declarations that code and tests written for combine-schedulers use.
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

  @Test func theTestMovesATestScheduler() {
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
