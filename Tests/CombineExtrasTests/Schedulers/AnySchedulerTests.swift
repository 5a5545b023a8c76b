import CombineExtras
import Foundation
import TestSupport
import Testing

// Only the thread of one test uses it.
extension VirtualScheduler: @unchecked Sendable {}

@Suite struct AnySchedulerTests {

  @Test func forwardsEveryCall() {
    let scheduler = VirtualScheduler()
    let erased = scheduler.eraseToAnyScheduler()
    scheduler.advance(to: 5)
    #expect(erased.now == 5)
    #expect(erased.minimumTolerance == VirtualScheduler.tolerance)
    let log = Guarded<[String]>([])
    func note(_ text: String) -> () -> Void { { log.withLock { $0.append(text) } } }
    erased.schedule(options: 1, note("now"))
    erased.schedule(after: 10, tolerance: 2, options: 3, note("later"))
    let token = erased.schedule(after: 20, interval: 30, tolerance: 4, options: 5, note("again"))
    #expect(
      scheduler.traffic == [
        .now, .minimumTolerance, .run(1), .at(10, tolerance: 2, 3), .every(20, interval: 30, tolerance: 4, 5),
      ]
    )
    scheduler.advance(to: 50)
    token.cancel()
    scheduler.advance(to: 100)
    #expect(log.withLock { $0 } == ["now", "later", "again", "again"])
  }

  @Test func readsTheTimeAnewEachTime() {
    let scheduler = VirtualScheduler()
    let erased = scheduler.eraseToAnyScheduler()
    for time in [1, 2, 3] {
      scheduler.advance(to: .init(time))
      #expect(erased.now == .init(time))
    }
  }

  @Test func callsOneClosureForEachRequirement() {
    let log = Guarded<[String]>([])
    @Sendable func note(_ text: String) { log.withLock { $0.append(text) } }
    let made = AnySchedulerOf<VirtualScheduler>(
      minimumTolerance: {
        note("tolerance")
        return 3
      },
      now: {
        note("now")
        return 7
      },
      scheduleImmediately: { options, action in
        note("run \(options?.number ?? 0)")
        action()
      },
      delayed: { date, tolerance, options, action in
        note("at \(date) tolerance \(tolerance) \(options?.number ?? 0)")
        action()
      },
      interval: { date, interval, tolerance, options, action in
        note("every \(interval) from \(date) tolerance \(tolerance) \(options?.number ?? 0)")
        action()
        return AnyCancellable { note("cancelled") }
      }
    )
    #expect(made.minimumTolerance == 3)
    #expect(made.now == 7)
    made.schedule(options: 1) { note("action") }
    made.schedule(after: 10, tolerance: 2, options: 3) { note("action") }
    made.schedule(after: 20, interval: 30, tolerance: 4, options: 5) { note("action") }.cancel()
    #expect(
      log.withLock { $0 } == [
        "tolerance", "now", "run 1", "action", "at 10 tolerance 2 3", "action", "every 30 from 20 tolerance 4 5",
        "action", "cancelled",
      ]
    )
  }

  @Test func isNotWrappedTwice() {
    let calls = Guarded(0)
    struct Counting: Scheduler {
      let calls: Guarded<Int>
      var now: ImmediateScheduler.SchedulerTimeType { ImmediateScheduler.shared.now }
      var minimumTolerance: ImmediateScheduler.SchedulerTimeType.Stride { 0 }
      func schedule(options: Never?, _ action: @escaping () -> Void) { calls.withLock { $0 += 1 } }
      func schedule(
        after date: ImmediateScheduler.SchedulerTimeType,
        tolerance: ImmediateScheduler.SchedulerTimeType.Stride,
        options: Never?,
        _ action: @escaping () -> Void
      ) {}
      func schedule(
        after date: ImmediateScheduler.SchedulerTimeType,
        interval: ImmediateScheduler.SchedulerTimeType.Stride,
        tolerance: ImmediateScheduler.SchedulerTimeType.Stride,
        options: Never?,
        _ action: @escaping () -> Void
      ) -> any Cancellable { Subscriptions.empty }
    }
    let once = Counting(calls: calls).eraseToAnyScheduler()
    let twice = once.eraseToAnyScheduler()
    func box(of scheduler: AnySchedulerOf<ImmediateScheduler>) -> ObjectIdentifier? {
      reflectedChild("box", of: scheduler).map { ObjectIdentifier($0 as AnyObject) }
    }
    #expect(box(of: once) != nil)
    #expect(box(of: once) == box(of: twice))
    twice.schedule {}
    #expect(calls.withLock { $0 } == 1)
  }

  @Test func isSendableAndSoIsTheErasedScheduler() async {
    func requireSendable<T: Sendable>(_: T) {}
    let queue = DispatchQueue(label: "queue").eraseToAnyScheduler()
    requireSendable(queue)
    // The conformance lets another task use it.
    let isRun = await Task.detached {
      await withCheckedContinuation { continuation in queue.schedule { continuation.resume(returning: true) } }
    }.value
    #expect(isRun)
  }

  @Test func erasesARunLoopWhichFoundationDoesNotDeclareSendable() async {
    let log = SharedLog<String>()
    Thread {
      let loop = RunLoop.current
      let erased: [AnySchedulerOf<RunLoop>] = [loop.eraseToAnyScheduler(), AnyScheduler(loop)]
      for scheduler in erased { scheduler.schedule { log.append("now") } }
      erased[0].schedule(after: erased[0].now.advanced(by: 0.001)) { log.append("later") }
      let token = erased[1].schedule(after: erased[1].now, interval: 0.001) { log.append("again") }
      let deadline = Date() + 60
      while Set(log.values).count < 3, Date() < deadline { _ = loop.run(mode: .default, before: Date() + 0.002) }
      token.cancel()
      log.append("end")
    }.start()
    while !log.values.contains("end") { try? await Task.sleep(for: .milliseconds(1)) }
    #expect(Set(log.values) == ["now", "later", "again", "end"])
    #expect(log.values.filter { $0 == "now" }.count == 2)
  }

  @Test func erasesTheSchedulersOfThePlatform() async {
    func run(on scheduler: AnyScheduler<some Any, some Any>) async {
      await withCheckedContinuation { continuation in
        scheduler.schedule { continuation.resume() }
      }
    }
    await run(on: AnySchedulerOf<DispatchQueue>.global())
    await run(on: AnySchedulerOf<DispatchQueue>.global(qos: .utility))
    await run(on: DispatchQueue(label: "queue").eraseToAnyScheduler())
    await run(on: OperationQueue().eraseToAnyScheduler())
    // The main thread belongs to the test runner.
    let _: AnySchedulerOf<DispatchQueue> = .main
    let _: AnySchedulerOf<RunLoop> = .main
    let _: AnySchedulerOf<OperationQueue> = .main
  }
}
