import CombineCore
import Dispatch
import TestSupport
import Testing

extension AllStressTests {

  @Suite struct FutureStressTests {

    typealias Downstream = CheckingSubscriber<Item, TestError>

    private final class Promise: @unchecked Sendable {
      // Sendable: it is set before the threads start, and any thread may call the promise.
      var fulfil: (@Sendable (Result<Item, TestError>) -> Void)!
    }

    @Test func resolvingSubscribingRequestingAndCancellingAtOnce() async {
      await stress("Future") { round in
        let tally = round.tally
        let promise = Promise()
        let future = Future<Item, TestError> { promise.fulfil = $0 }
        round.involve("future", future)
        let fails = round.number % 4 == 0
        let all = Guarded<[Downstream]>([])
        let present = Guarded<[Downstream]>([])
        round.run(threads: 4) { worker in
          for step in 0..<Load.steps / 4 {
            if worker.index == 0 && step == round.number % 10 {
              worker.note("resolves", step)
              // The second call has no effect.
              for number in 0..<2 {
                promise.fulfil(fails ? .failure("end") : .success(Item(source: 0, number: number, tally)))
              }
            }
            let isPresent = (worker.index + step) % 3 != 0
            let downstream = Downstream(round, requesting: step % 2 == 0 ? .max(1) : .none)
            worker.note("subscribes", step)
            future.subscribe(downstream)
            all.withLock { $0.append(downstream) }
            if isPresent { present.withLock { $0.append(downstream) } }
            // Now and then the thread uses another thread's subscriber.
            let other = all.withLock { $0[worker.random(below: $0.count)] }
            worker.note("requests", step)
            other.request(.max(1))
            downstream.request(.max(1))
            if !isPresent {
              worker.note("cancels", step)
              downstream.cancel()
            }
          }
        }
        for downstream in present.withLock({ exchange(&$0, with: []) }) {
          round.expect(downstream.completionCount == 1, "\(downstream.completionCount) completions")
          round.expect(downstream.valueCount == (fails ? 0 : 1), "\(downstream.valueCount) values")
          round.expect(fails || downstream.lastNumber(of: 0) == 0, "another value than the first")
        }
        for downstream in all.withLock({ exchange(&$0, with: []) }) {
          round.judge(downstream)
          downstream.releaseContents()
        }
        promise.fulfil = nil
      }
    }

    @Test func awaitingWhileItIsResolved() async {
      await stress("Future.value", rounds: Load.rounds / 2) { round in
        let tally = round.tally
        let promise = Promise()
        let future = Future<Item, TestError> { promise.fulfil = $0 }
        let done = DispatchSemaphore(value: 0)
        let numbers = Guarded<[Int]>([])
        for index in 0..<4 {
          let task = Task.detached {
            let number = (try? await future.value.number) ?? -1
            numbers.withLock { $0.append(number) }
            done.signal()
          }
          if index == 3 { task.cancel() }
        }
        round.run(threads: 2) { worker in
          worker.note("resolves")
          promise.fulfil(.success(Item(source: 0, number: worker.index, tally)))
        }
        for _ in 0..<4 { done.wait() }
        promise.fulfil = nil
        // A cancelled task may have received the cancel, or the result.
        let values = Set(numbers.withLock { $0 }).subtracting([-1])
        round.expect(values.count == 1, "\(numbers.withLock { $0 })")
      }
    }
  }
}
