import CombineCore
import CombineDispatch
import Foundation
import TestSupport
import Testing

extension AllStressTests {

  /// The operators that use a scheduler, on queues and on threads without a clock, whose timers fire at once.
  @Suite struct SchedulingStressTests {

    typealias Downstream = CheckingSubscriber<[Item], TestError>

    enum Stressed: String, CaseIterable, Sendable {

      case receiveOn, subscribeOn, delay, debounce, throttleFirst, throttleLatest, timeout, collect, collectByCount
      case receiveOnAndSubscribeOn

      func attach<S: Scheduler>(
        _ downstream: Downstream,
        to upstream: some Publisher<Item, TestError>,
        on scheduler: S,
        _ interval: S.SchedulerTimeType.Stride
      ) {
        func single(_ publisher: some Publisher<Item, TestError>) {
          publisher.map { [$0] }.subscribe(downstream)
        }
        switch self {
        case .receiveOn: single(upstream.receive(on: scheduler))
        case .subscribeOn: single(upstream.subscribe(on: scheduler))
        case .delay: single(upstream.delay(for: interval, scheduler: scheduler))
        case .debounce: single(upstream.debounce(for: interval, scheduler: scheduler))
        case .throttleFirst: single(upstream.throttle(for: interval, scheduler: scheduler, latest: false))
        case .throttleLatest: single(upstream.throttle(for: interval, scheduler: scheduler, latest: true))
        case .timeout: single(upstream.timeout(interval, scheduler: scheduler, customError: { "timeout" }))
        case .collect: upstream.collect(.byTime(scheduler, interval)).subscribe(downstream)
        case .collectByCount: upstream.collect(.byTimeOrCount(scheduler, interval, 3)).subscribe(downstream)
        case .receiveOnAndSubscribeOn: single(upstream.subscribe(on: scheduler).receive(on: scheduler))
        }
      }

      /// Whether a scheduler that runs one action at a time keeps the order.
      var isOrdered: Bool { self != .collectByCount }

      /// Whether every value arrives, in order, if the scheduler runs one action at a time and demand is unlimited.
      var isLossless: Bool {
        switch self {
        case .receiveOn, .subscribeOn, .delay, .collect, .receiveOnAndSubscribeOn: true
        case .debounce, .throttleFirst, .throttleLatest, .timeout, .collectByCount: false
        }
      }
    }

    enum Context: String, CaseIterable, Sendable {

      case serialQueue, concurrentQueue, threads

      var isSerial: Bool { self == .serialQueue }
    }

    private func run(
      _ stressed: Stressed,
      on context: Context,
      _ downstream: Downstream,
      _ upstream: some Publisher<Item, TestError>,
      body: () -> Void
    ) {
      switch context {
      case .serialQueue, .concurrentQueue:
        let queue = DispatchQueue(label: "stress", attributes: context.isSerial ? [] : .concurrent)
        stressed.attach(downstream, to: upstream, on: queue, .microseconds(stressed == .timeout ? 2000 : 100))
        body()
        queue.sync(flags: .barrier) {}
      case .threads:
        // A repeating timer without a clock ends a stream, or a thread, too early.
        let firesTimers = ![.timeout, .collect, .collectByCount].contains(stressed)
        let scheduler = ThreadScheduler(workers: 2, firesTimers: firesTimers)
        stressed.attach(downstream, to: upstream, on: scheduler, 10)
        body()
        scheduler.finish()
      }
    }

    @Test(arguments: Stressed.allCases, Context.allCases)
    func valuesRequestsAndTheCompletionRaceWithActions(_ stressed: Stressed, _ context: Context) async {
      await stress("\(stressed) on \(context)", rounds: Load.rounds / 4) { round in
        let tally = round.tally
        let subject = PassthroughSubject<Item, TestError>()
        let end = round.number % 3
        let downstream = Downstream(
          round,
          // By time and count, a short array at the end of a window uses no demand. So it may arrive without a request.
          requesting: round.number % 2 == 0 || stressed == .collectByCount ? .unlimited : .max(3),
          order: context.isSerial && stressed.isOrdered ? .ascending : .any,
          items: { $0 },
          respond: { downstream, items in
            if items[0].number % 5 == 0 { downstream.request(.max(1)) }
            return .max(items[0].number % 2)
          }
        )
        run(stressed, on: context, downstream, subject) {
          round.run(threads: 3) { worker in
            for step in 0..<Load.steps / 2 {
              worker.note(worker.index < 2 ? "sends" : "requests", step)
              if worker.index < 2 {
                subject.send(Item(source: worker.index, number: step, tally))
              } else {
                downstream.request(.max(1))
              }
            }
            guard worker.index == 2 else { return }
            worker.note("ends it", end)
            switch end {
            case 0: downstream.cancel()
            case 1: subject.send(completion: .finished)
            default: subject.send(completion: .failure("end"))
            }
          }
          subject.send(completion: .finished)
          let worker = Worker(index: 0, seed: 0)
          while !downstream.hasEnded && downstream.hasSubscription {
            worker.note("waits for the end")
            usleep(100)
          }
        }
        downstream.cancel()
        round.judge(downstream)
      }
    }

    /// A scheduler whose timers fire on another thread before their token is returned.
    private struct HastyScheduler: Scheduler {

      typealias SchedulerTimeType = VirtualScheduler.SchedulerTimeType
      typealias SchedulerOptions = VirtualScheduler.SchedulerOptions

      let done = DispatchGroup()

      var now: SchedulerTimeType { 0 }
      var minimumTolerance: SchedulerTimeType.Stride { 0 }

      func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) { action() }

      func schedule(
        after date: SchedulerTimeType,
        tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?,
        _ action: @escaping () -> Void
      ) {
        action()
      }

      func schedule(
        after date: SchedulerTimeType,
        interval: SchedulerTimeType.Stride,
        tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?,
        _ action: @escaping () -> Void
      ) -> any Cancellable {
        // The scheduler may run the action on any thread.
        nonisolated(unsafe) let action = action
        let hasFired = DispatchSemaphore(value: 0)
        done.enter()
        Thread.detachNewThread {
          action()
          hasFired.signal()
          done.leave()
        }
        // An action that need not wait is done within this time. An action that must wait makes no progress.
        _ = hasFired.wait(timeout: .now() + .milliseconds(30))
        return AnyCancellable {}
      }
    }

    /// A scheduler whose actions run on request, in the reverse of the order in which they were scheduled.
    private final class ReversingScheduler: Scheduler {

      typealias SchedulerTimeType = VirtualScheduler.SchedulerTimeType
      typealias SchedulerOptions = VirtualScheduler.SchedulerOptions

      private var actions: [() -> Void] = []

      var now: SchedulerTimeType { 0 }
      var minimumTolerance: SchedulerTimeType.Stride { 0 }

      func run() {
        while let action = actions.popLast() { action() }
      }

      func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) { actions.append(action) }

      func schedule(
        after date: SchedulerTimeType,
        tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?,
        _ action: @escaping () -> Void
      ) {
        actions.append(action)
      }

      func schedule(
        after date: SchedulerTimeType,
        interval: SchedulerTimeType.Stride,
        tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?,
        _ action: @escaping () -> Void
      ) -> any Cancellable {
        AnyCancellable {}
      }
    }

    @Test func aDelayKeepsTheOrderEvenIfItsActionsDoNot() async {
      await stress("delay, actions in reverse", rounds: 2) { round in
        let scheduler = ReversingScheduler()
        let subject = PassthroughSubject<Item, TestError>()
        let downstream = CheckingSubscriber<Item, TestError>(round, requesting: .unlimited, order: .gapless)
        subject.delay(for: 1, scheduler: scheduler).subscribe(downstream)
        for number in 0..<5 { subject.send(Item(source: 0, number: number, round.tally)) }
        subject.send(completion: .finished)
        scheduler.run()
        round.expect(downstream.valueCount == 5, "\(downstream.valueCount) of 5 values")
        round.expect(downstream.completionCount == 1, "\(downstream.completionCount) completions")
        round.judge(downstream)
      }
    }

    @Test func aTimeoutThatFiresAtOnceComesAfterTheSubscription() async {
      await stress("timeout, at once", rounds: 2) { round in
        let scheduler = HastyScheduler()
        let subject = PassthroughSubject<Item, TestError>()
        let downstream = CheckingSubscriber<Item, TestError>(round, requesting: .none)
        subject.timeout(1, scheduler: scheduler).subscribe(downstream)
        scheduler.done.wait()
        round.expect(downstream.completionCount == 1, "\(downstream.completionCount) completions")
        round.judge(downstream)
      }
    }

    @Test(arguments: Stressed.allCases.filter(\.isLossless))
    func aSerialQueueLosesNothing(_ stressed: Stressed) async {
      await stress("\(stressed) on a serial queue, everything arrives", rounds: Load.rounds / 4) { round in
        let sources = (0..<2).map { PacedSource(index: $0, round) }
        let downstream = Downstream(round, requesting: .unlimited, order: .gapless, items: { $0 })
        run(stressed, on: .serialQueue, downstream, Publishers.MergeMany(sources)) {
          round.run(threads: 2) { worker in sources[worker.index].run(worker) }
          let worker = Worker(index: 0, seed: 0)
          while !downstream.hasCompleted {
            worker.note("waits for the end")
            usleep(100)
          }
        }
        let counts = sources.map { downstream.count(of: $0.index) }
        round.expect(counts == [Load.steps, Load.steps], "\(counts) values")
        round.judge(downstream)
      }
    }
  }
}
