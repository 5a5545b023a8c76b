import CombineCore
import Synchronization
import TestSupport
import Testing

@testable import CombineExtras

/// Calls of several threads to `asyncMap`. Its tasks wait, and the threads of a program bring their results.
@Suite struct ExtrasTaskThreadTests {

  /// Where tasks wait until a program is over.
  private final class Latch: Sendable {
    private typealias State = (isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])

    private let state = Mutex<State>((false, []))

    func wait() async {
      await withCheckedContinuation { continuation in
        let isOpen = state.withLock { state in
          if !state.isOpen { state.waiting.append(continuation) }
          return state.isOpen
        }
        if isOpen { continuation.resume() }
      }
    }

    func open() {
      let waiting = state.withLock { state in
        state.isOpen = true
        return exchange(&state.waiting, with: [])
      }
      for continuation in waiting { continuation.resume() }
    }
  }

  /// An `asyncMap` whose results are ten times its elements.
  private final class Tasks {
    typealias Conduit = ExtraConduits.AsyncMap<Int, Witness<Int>>

    let upstream = Feed<Int>("upstream")
    let downstream: Witness<Int>
    let conduit: Conduit
    private let latch = Latch()

    /// The number of results that were brought.
    private var resultCount = 0

    init(maxConcurrent: Int, preservesOrder: Bool, requesting initial: Subscribers.Demand = .unlimited) {
      downstream = Witness(requesting: initial)
      conduit = Conduit(
        name: "AsyncMap",
        downstream: downstream,
        state: AsyncMapMachine(maxConcurrent: maxConcurrent, preservesOrder: preservesOrder),
        priority: nil,
        transform: { [latch] _ in
          await latch.wait()
          return .success(0)
        }
      )
      conduit.open()
      upstream.subscribe(conduit)
    }

    /// The slot of the next element without a result, if its task runs. The programs have two elements, or one slot.
    private func runningSlot() -> Int? {
      conduit.lock.withLock {
        conduit.state.slots.firstIndex { if case .running = $0 { true } else { false } }
      }
    }

    /// Brings the result of the next element, if that has come.
    func bringResult() {
      Interleavings.point("a task ends")
      guard let slot = runningSlot() else { return }
      resultCount += 1
      _ = conduit.receive(.success(resultCount * 10), of: slot)
    }

    /// Brings the result of the next element, and of those that its task takes along.
    func bringResults() {
      Interleavings.point("a task ends an element")
      guard var slot = runningSlot() else { return }
      while true {
        resultCount += 1
        let next = conduit.receive(.success(resultCount * 10), of: slot, takesNext: true)
        guard let next else { return }
        Interleavings.point("a task goes on with \(next.input)")
        slot = next.slot
      }
    }

    func failTask() {
      Interleavings.point("a task fails")
      if let slot = runningSlot() { _ = conduit.receive(.failure(""), of: slot) }
    }

    /// Ends the subscription and its tasks.
    func verdict(_ body: (inout Verdict) -> Void) -> [String] {
      var verdict = Verdict(downstream)
      body(&verdict)
      downstream.cancel()
      verdict.require(conduit.lock.withLock { conduit.tasks.isEmpty }, "a task is left at the end")
      verdict.require(conduit.taker == nil && conduit.takerThread == 0, "a task still requests")
      verdict.require(conduit.taken == nil, "an element is in no task")
      latch.open()
      return verdict.faults
    }
  }

  @Test(arguments: [true, false]) func startsAndResultsOfAsyncMap(preservesOrder: Bool) {
    expectNoFault("asyncMap, elements and results, \(preservesOrder ? "in order" : "in any order")") {
      let tasks = Tasks(maxConcurrent: 2, preservesOrder: preservesOrder)
      return ThreadedProgram(
        threads: [
          {
            tasks.upstream.send(1)
            tasks.upstream.send(2)
            tasks.upstream.complete()
          },
          {
            tasks.bringResult()
            tasks.bringResult()
          },
        ],
        faults: {
          tasks.bringResult()
          tasks.bringResult()
          return tasks.verdict { $0.requireEnd(of: tasks.downstream, after: [10, 20]) }
        }
      )
    }
  }

  @Test func aResultBeforeTheTaskIsStored() {
    expectNoFault("asyncMap, a result while its task starts") {
      let tasks = Tasks(maxConcurrent: 1, preservesOrder: true)
      return ThreadedProgram(
        threads: [{ tasks.upstream.send(1) }, { tasks.bringResult() }],
        faults: {
          tasks.bringResult()
          return tasks.verdict {
            $0.require(tasks.downstream.values == [10], "\(tasks.downstream.values)")
            $0.require(tasks.upstream.demand == .max(1), "demand for \(tasks.upstream.demand)")
            $0.require(tasks.conduit.tasks.allSatisfy { $0 == nil }, "a task that has ended is stored")
          }
        }
      )
    }
  }

  @Test func aTaskGoesOnBesideACancel() {
    expectNoFault("asyncMap, a task that takes elements along, and a cancel") {
      let tasks = Tasks(maxConcurrent: 1, preservesOrder: true)
      tasks.upstream.onRequest = { [unowned upstream = tasks.upstream] in
        if upstream.requests.count < 4 { upstream.send(upstream.requests.count) }
      }
      tasks.upstream.send(1)
      return ThreadedProgram(
        threads: [{ tasks.bringResults() }, { tasks.downstream.cancel() }],
        faults: {
          tasks.verdict {
            $0.require(tasks.downstream.values, areOf: [[10, 20, 30]], completely: false)
            $0.require(tasks.upstream.cancelCount == 1, "\(tasks.upstream.cancelCount) cancels")
          }
        }
      )
    }
  }

  @Test func aTaskGoesOnBesideAnElementOfAnotherThread() {
    expectNoFault("asyncMap, a task that takes elements along, and another thread's element") {
      let tasks = Tasks(maxConcurrent: 1, preservesOrder: true)
      tasks.upstream.send(1)
      return ThreadedProgram(
        threads: [
          { tasks.bringResults() },
          {
            tasks.upstream.send(2)
            tasks.upstream.complete()
          },
        ],
        faults: {
          tasks.bringResult()
          return tasks.verdict {
            $0.requireEnd(of: tasks.downstream, after: tasks.upstream.unsent == [] ? [10, 20] : [10])
          }
        }
      )
    }
  }

  @Test func aCancelBetweenStartsAndResults() {
    expectNoFault("asyncMap, elements, results and a cancel") {
      let tasks = Tasks(maxConcurrent: 2, preservesOrder: true)
      return ThreadedProgram(
        threads: [
          {
            tasks.upstream.send(1)
            tasks.upstream.send(2)
          },
          {
            tasks.bringResult()
            tasks.bringResult()
          }, { tasks.downstream.cancel() },
        ],
        faults: {
          tasks.verdict {
            $0.require(tasks.downstream.values, areOf: [[10, 20]], completely: false)
            $0.require(
              tasks.upstream.cancelCount == 1,
              "the upstream was cancelled \(tasks.upstream.cancelCount) times"
            )
          }
        }
      )
    }
  }

  @Test func aFailureOfATaskBesideElementsAndRequests() {
    expectNoFault("asyncMap, a task's failure, elements and a request") {
      let tasks = Tasks(maxConcurrent: 2, preservesOrder: false, requesting: .max(1))
      tasks.upstream.send(1)
      return ThreadedProgram(
        threads: [
          { tasks.failTask() },
          {
            tasks.downstream.request(.max(1))
            tasks.upstream.send(2)
          },
        ],
        faults: {
          tasks.verdict {
            $0.requireEnd(of: tasks.downstream, after: [])
            $0.require(
              tasks.upstream.cancelCount == 1,
              "the upstream was cancelled \(tasks.upstream.cancelCount) times"
            )
          }
        }
      )
    }
  }

  @Test func requestsAndResultsNeverExceedTheMaximum() {
    expectNoFault("asyncMap, results and requests") {
      let tasks = Tasks(maxConcurrent: 2, preservesOrder: true, requesting: .max(1))
      tasks.upstream.send(1)
      return ThreadedProgram(
        threads: [{ tasks.bringResult() }, { tasks.downstream.request(.max(2)) }],
        faults: {
          tasks.verdict {
            $0.require(tasks.downstream.values == [10], "\(tasks.downstream.values)")
            $0.require(tasks.upstream.demand == .max(2), "demand for \(tasks.upstream.demand)")
          }
        }
      )
    }
  }
}
