import CombineCore
import Dispatch
import Synchronization
import TestSupport
import Testing

extension AllStressTests {

  /// The subscribers at the end of a pipeline, cancelled while they receive.
  @Suite struct SubscriberStressTests {

    @Test func aSinkIsCancelledWhileItReceives() async {
      await stress("sink") { round in
        let tally = round.tally
        let subject = PassthroughSubject<Item, TestError>()
        let sinks = Guarded<[AnyCancellable]>([])
        let inside = Atomic<Int>(0)
        round.run(threads: 4) { worker in
          for step in 0..<Load.steps {
            switch worker.index {
            case 0, 1:
              worker.note("sends", step)
              subject.send(Item(source: worker.index, number: step, tally))
            case 2:
              worker.note("makes a sink", step)
              // Both closures capture it, so it is released with the sink.
              let token = Tally.Token(tally)
              let (isInside, hasEnded) = (Guarded(0), Guarded(false))
              let sink = subject.sink(
                receiveCompletion: { _ in
                  hasEnded.withLock { $0 = true }
                  withExtendedLifetime(token) {}
                },
                receiveValue: { item in
                  let others = isInside.withLock { exchange(&$0, with: $0 + 1) }
                  round.expect(others == 0, "two threads ran the closure at once")
                  round.expect(!hasEnded.withLock { $0 }, "a value after the completion")
                  inside.wrappingAdd(1, ordering: .relaxed)
                  withExtendedLifetime(token) {}
                  isInside.withLock { $0 -= 1 }
                }
              )
              sinks.withLock { sink.store(in: &$0) }
            default:
              worker.note("cancels or drops a sink", step)
              let sink = sinks.withLock { $0.isEmpty ? nil : $0.removeFirst() }
              if step % 2 == 0 { sink?.cancel() }
            }
          }
          if worker.index == 0 && round.number % 2 == 0 { subject.send(completion: .finished) }
        }
        let last = sinks.withLock { exchange(&$0, with: []) }
        for sink in last { sink.cancel() }
        let count = inside.load(ordering: .relaxed)
        subject.send(Item(source: 0, number: 1000, tally))
        round.expect(inside.load(ordering: .relaxed) == count, "values after the end")
      }
    }

    private final class Target: @unchecked Sendable {
      // Sendable: the property is behind a lock.
      let token: Tally.Token
      private let stored = Guarded(-1)
      var number: Int {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
      }
      init(_ round: Round) {
        token = Tally.Token(round.tally)
        round.involve("target", self)
      }
    }

    @Test func anAssignIsCancelledWhileItReceives() async {
      await stress("assign") { round in
        let subject = PassthroughSubject<Int, Never>()
        let kept = Target(round)
        let keeping = subject.assign(to: \.number, on: kept)
        let assigns = Guarded<[AnyCancellable]>([])
        round.run(threads: 3) { worker in
          for step in 0..<Load.steps {
            switch worker.index {
            case 0:
              worker.note("sends", step)
              subject.send(step)
            case 1:
              worker.note("makes an assign", step)
              let assign = subject.assign(to: \.number, on: Target(round))
              assigns.withLock { assign.store(in: &$0) }
            default:
              worker.note("cancels or drops one", step)
              let assign = assigns.withLock { $0.popLast() }
              if step % 2 == 0 { assign?.cancel() }
            }
          }
        }
        round.expect(kept.number == Load.steps - 1, "the last value assigned is \(kept.number)")
        keeping.cancel()
        assigns.withLock { exchange(&$0, with: []) }.forEach { $0.cancel() }
      }
    }

    @Test func anAnyCancellableIsCancelledOnceByManyThreads() async {
      await stress("AnyCancellable", rounds: Load.rounds * 4) { round in
        let count = Atomic<Int>(0)
        let token = Tally.Token(round.tally)
        let kept = AnyCancellable {
          count.wrappingAdd(1, ordering: .relaxed)
          withExtendedLifetime(token) {}
        }
        let all = Guarded<Set<AnyCancellable>>([kept])
        round.run(threads: 4) { worker in
          worker.note("cancels")
          let own = AnyCancellable { count.wrappingAdd(1, ordering: .relaxed) }
          all.withLock { own.store(in: &$0) }
          let present = all.withLock { $0 }
          for cancellable in present { cancellable.cancel() }
        }
        all.withLock { $0.removeAll() }
        round.expect(count.load(ordering: .relaxed) == 5, "\(count.load(ordering: .relaxed)) of 5 cancels")
      }
    }

    // MARK: Tasks

    /// A task that is cancelled at some moment receives values. The iteration of other tasks ends with the subject.
    @Test func tasksIterateWhileThreadsSendAndCancelThem() async {
      await stress("values", rounds: Load.rounds / 2) { round in
        let tally = round.tally
        let subject = PassthroughSubject<Item, Never>()
        let (started, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let tasks = (0..<3).map { _ in
          Task.detached {
            var last = [-1, -1]
            var isAscending = true
            let values = subject.buffer(size: 1000, prefetch: .byRequest, whenFull: .dropNewest).values
            started.signal()
            for await item in values {
              isAscending = isAscending && item.number > last[item.source]
              last[item.source] = item.number
              if item.number % 8 == 0 { await Task.yield() }
            }
            round.expect(isAscending, "values out of order")
            done.signal()
          }
        }
        for _ in 0..<3 { started.wait() }
        round.run(threads: 3) { worker in
          for step in 0..<Load.steps {
            if worker.index < 2 {
              worker.note("sends", step)
              subject.send(Item(source: worker.index, number: step, tally))
            } else if step == round.number % Load.steps {
              worker.note("cancels a task")
              tasks[0].cancel()
            }
          }
        }
        subject.send(completion: .finished)
        let worker = Worker(index: 9, seed: 0)
        worker.note("waits for the tasks")
        for _ in 0..<3 { done.wait() }
      }
    }

    /// The tasks that share one iteration receive each value once.
    @Test func tasksShareAnIteration() async {
      await stress("values, one iterator for all", rounds: Load.rounds / 2) { round in
        let source = PacedSource(index: 0, round)
        let iterator = AsyncThrowingPublisher(source).makeAsyncIterator()
        let (received, done) = (Guarded<[Int]>([]), DispatchSemaphore(value: 0))
        for _ in 0..<3 {
          Task.detached {
            var copy = iterator
            while let item = try? await copy.next() { received.withLock { $0.append(item.number) } }
            done.signal()
          }
        }
        round.run([{ worker in source.run(worker) }])
        for _ in 0..<3 { done.wait() }
        let numbers = received.withLock { $0 }.sorted()
        round.expect(numbers == Array(0..<Load.steps), "\(numbers)")
      }
    }
  }
}
