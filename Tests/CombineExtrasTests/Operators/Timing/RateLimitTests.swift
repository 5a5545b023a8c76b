import CombineTesting
import TestSupport
import Testing

@testable import CombineExtras

@Suite struct RateLimitTests {

  @Test func delaysWhatExceedsTheRate() {
    marbles {
      "abcdef-----------|"
      $0[0].rateLimit(2, per: 5, scheduler: $0.scheduler)
      "ab---cd---ef-----|"
    }
  }

  @Test func noIntervalHoldsMoreElements() {
    marbles {
      "a---bcd---------|"
      $0[0].rateLimit(2, per: 5, scheduler: $0.scheduler)
      "a---bc---d------|"
    }
  }

  @Test func elementsThatAreFarEnoughApartPassAtOnce() {
    marbles {
      "a---b---c|"
      $0[0].rateLimit(1, per: 3, scheduler: $0.scheduler)
      "a---b---c|"
    }
  }

  @Test func aCancelDropsTheElementsThatWaitAndTheTimer() {
    let scheduler = TestScheduler()
    var released = 0
    let upstream = PassthroughSubject<CallsOnDeinit, Never>()
    let cancellable = upstream.rateLimit(1, per: 10, scheduler: scheduler).sink { _ in }
    for _ in 1...3 { upstream.send(CallsOnDeinit { released += 1 }) }
    #expect(released == 1)
    cancellable.cancel()
    #expect(released == 3)
    scheduler.resume()
    #expect(scheduler.now == 0)
  }

  @Test func aSchedulerWithoutAClockDelaysNothing() {
    let downstream = RecordingSubscriber<Int, Never>(requesting: .unlimited)
    (1...5).publisher.rateLimit(2, per: .seconds(1), scheduler: ImmediateScheduler.shared).subscribe(downstream)
    #expect(downstream.values == [1, 2, 3, 4, 5])
    #expect(downstream.events.last == .finished)
  }

  @Test(arguments: [0, -1])
  func aCountThatIsNotPositiveEndsTheProcess(_ count: Int) async {
    if count == 0 {
      await #expect(processExitsWith: .failure) {
        _ = Just(1).rateLimit(0, per: .seconds(1), scheduler: ImmediateScheduler.shared)
      }
    } else {
      await #expect(processExitsWith: .failure) {
        _ = Just(1).rateLimit(-1, per: .seconds(1), scheduler: ImmediateScheduler.shared)
      }
    }
  }

  // MARK: Machine

  private typealias Machine = RateLimitMachine<Int, VirtualTime, TestError>

  private func text(_ action: Machine.Action) -> String {
    switch action {
    case .none: "none"
    case .send(let value): "send \(value)"
    case .complete: "complete"
    case .setTimer(let time): "timer \(time)"
    }
  }

  /// Does a step at a time, as the conduit does.
  private func step(_ machine: inout Machine, at now: VirtualTime, _ value: Int? = nil) -> String {
    let mayPublish = machine.nextTime.map { now >= $0 } ?? true
    let end = now.advanced(by: 10)
    return text(
      value.map { machine.receive($0, mayPublish: mayPublish, until: end) }
        ?? machine.next(mayPublish: mayPublish, until: end)
    )
  }

  @Test func theMachineSetsOneTimerForAllThatWait() {
    var machine = Machine(count: 2)
    #expect(step(&machine, at: 0, 1) == "send 1")
    #expect(step(&machine, at: 3, 2) == "send 2")
    #expect(step(&machine, at: 4, 3) == "timer 10")
    #expect(step(&machine, at: 5, 4) == "none")
    #expect(text(machine.receive(completion: .finished)) == "none")
    #expect(step(&machine, at: 6, 5) == "none")
    _ = machine.removeTimer()
    #expect(step(&machine, at: 10) == "send 3")
    #expect(step(&machine, at: 10) == "timer 13")
    _ = machine.removeTimer()
    #expect(step(&machine, at: 13) == "send 4")
    #expect(step(&machine, at: 13) == "complete")
  }
}
