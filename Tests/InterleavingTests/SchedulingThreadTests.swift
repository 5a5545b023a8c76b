import CombineCore
import TestSupport
import Testing

/// One upstream, a scheduler, and the downstream.
private struct Line<Output: Equatable> {
  let a = Feed<Int>("A")
  let scheduler = StepScheduler()
  let downstream: Witness<Output>

  init(
    requesting initial: Subscribers.Demand,
    ignoringDemand: Bool = false,
    onValue: @escaping (Output) -> Subscribers.Demand = { _ in .none }
  ) {
    downstream = Witness(requesting: initial, ignoringDemand: ignoringDemand, onValue: onValue)
  }

  /// Runs the remaining actions of the scheduler, and judges the whole.
  func verdict(_ check: (inout Verdict) -> Void) -> [String] {
    scheduler.runAll()
    var verdict = Verdict(downstream)
    check(&verdict)
    return verdict.faults
  }
}

@Suite struct ReceiveOnThreadTests {

  @Test func valuesAndTheFinishArriveInOrderOnASerialScheduler() {
    expectNoFault("receive(on:), a serial scheduler") {
      let line = Line<Int>(requesting: .max(1)) { _ in .max(1) }
      line.a.receive(on: line.scheduler).subscribe(line.downstream)
      return ThreadedProgram(
        threads: [
          { line.a.send(1, 2, finishing: true) },
          {
            line.scheduler.run(); line.scheduler.run(); line.scheduler.run()
          },
          { line.downstream.request(.max(1)) },
        ],
        faults: {
          line.verdict {
            let sent = [1, 2].filter { !line.a.unsent.contains($0) }
            $0.require(line.downstream.values == sent, "\(line.downstream.values) of \(sent)")
            $0.require(line.downstream.isCompleted, "the finish is missing")
          }
        }
      )
    }
  }

  @Test func aConcurrentSchedulerNeitherOverlapsNorSendsAfterTheCompletion() {
    expectNoFault("receive(on:), a concurrent scheduler") {
      let line = Line<Int>(requesting: .unlimited)
      line.a.receive(on: line.scheduler).subscribe(line.downstream)
      return ThreadedProgram(
        threads: [
          { line.a.send(1, finishing: true) },
          {
            line.scheduler.run(); line.scheduler.run()
          }, { line.scheduler.run() },
        ],
        faults: { line.verdict { $0.require(line.downstream.isCompleted, "the finish is missing") } }
      )
    }
  }

  @Test func aCancelDropsScheduledEvents() {
    expectNoFault("receive(on:), a cancel") {
      let line = Line<Int>(requesting: .unlimited)
      line.a.receive(on: line.scheduler).subscribe(line.downstream)
      return ThreadedProgram(
        threads: [
          { line.a.send(1, finishing: true) },
          {
            line.scheduler.run(); line.scheduler.run()
          },
          { line.downstream.cancel() },
        ],
        faults: {
          line.verdict {
            $0.requireEndOrCancel(of: line.downstream, and: line.a)
          }
        }
      )
    }
  }
}

@Suite struct SubscribeOnThreadTests {

  @Test func requestsAndTheCancelReachTheUpstream() {
    expectNoFault("subscribe(on:), a request, a cancel and values") {
      let line = Line<Int>(requesting: .none)
      line.a.subscribe(on: line.scheduler).subscribe(line.downstream)
      line.scheduler.run()
      return ThreadedProgram(
        threads: [
          {
            line.downstream.request(.max(1)); line.downstream.cancel()
          },
          {
            line.scheduler.run(); line.a.send(1); line.scheduler.run()
          },
        ],
        faults: {
          line.verdict {
            $0.require(line.a.requests == [.max(1)], "A received requests of \(line.a.requests)")
            $0.require(line.a.cancelCount == 1, "A was cancelled \(line.a.cancelCount) times")
          }
        }
      )
    }
  }
}

@Suite struct BufferThreadTests {

  @Test(arguments: [.unlimited, .max(1)] as [Subscribers.Demand])
  func everythingThatFitsArrives(demand: Subscribers.Demand) {
    expectNoFault("buffer, requests of \(demand)") {
      let line = Line<Int>(requesting: .none)
      line.a.buffer(size: 3, prefetch: .keepFull, whenFull: .dropOldest).subscribe(line.downstream)
      return ThreadedProgram(
        threads: [
          { line.a.send(1, 2, finishing: true) },
          {
            line.downstream.request(demand); line.downstream.request(demand)
          },
        ],
        faults: {
          line.verdict {
            $0.require(line.downstream.values == [1, 2], "\(line.downstream.values)")
            $0.require(line.downstream.isCompleted == (demand == .unlimited), "the finish is missing or too early")
          }
        }
      )
    }
  }

  @Test func twoRequestsAndAValue() {
    expectNoFault("buffer, a value and two requests") {
      let line = Line<Int>(requesting: .none)
      line.a.buffer(size: 2, prefetch: .keepFull, whenFull: .dropOldest).subscribe(line.downstream)
      line.a.send(1)
      return ThreadedProgram(
        threads: [{ line.a.send(2) }, { line.downstream.request(.max(1)) }, { line.downstream.request(.max(2)) }],
        faults: {
          line.verdict {
            $0.require(line.downstream.values == [1, 2], "\(line.downstream.values)")
            $0.require(line.a.demand == .max(2), "A is to send \(line.a.demand) more, and not 2: \(line.a.requests)")
          }
        }
      )
    }
  }

  @Test func anOverflowFails() {
    expectNoFault("buffer, an overflow and requests") {
      let line = Line<Int>(requesting: .none)
      line.a.buffer(size: 1, prefetch: .byRequest, whenFull: .customError { "full" }).subscribe(line.downstream)
      return ThreadedProgram(
        threads: [
          { line.a.send(1, 2, 3) },
          {
            line.downstream.request(.max(1)); line.downstream.request(.max(1))
          },
        ],
        faults: {
          line.verdict {
            let isFull = line.downstream.isCompleted
            $0.require(
              !isFull || line.a.cancelCount == 1,
              "A was cancelled \(line.a.cancelCount) times, the downstream told: \(isFull)"
            )
            $0.require(line.downstream.values, areOf: [[1, 2, 3]], completely: false)
          }
        }
      )
    }
  }

  @Test func aCancelStopsEverything() {
    expectNoFault("buffer, a cancel") {
      let line = Line<Int>(requesting: .none)
      line.a.buffer(size: 3, prefetch: .keepFull, whenFull: .dropOldest).subscribe(line.downstream)
      return ThreadedProgram(
        threads: [
          { line.a.send(1, finishing: true) }, { line.downstream.request(.unlimited) }, { line.downstream.cancel() },
        ],
        faults: {
          line.verdict {
            $0.requireEndOrCancel(of: line.downstream, and: line.a)
          }
        }
      )
    }
  }

  @Test func theFailureOfTheUpstreamComesLast() {
    expectNoFault("buffer, a failure") {
      let line = Line<Int>(requesting: .none)
      line.a.buffer(size: 3, prefetch: .keepFull, whenFull: .dropOldest).subscribe(line.downstream)
      return ThreadedProgram(
        threads: [
          {
            line.a.send(1); line.a.fail()
          }, { line.downstream.request(.max(1)) }, { line.downstream.request(.max(1)) },
        ],
        faults: { line.verdict { $0.require(line.downstream.isCompleted, "the failure is missing") } }
      )
    }
  }
}

@Suite struct TimingThreadTests {

  @Test func debouncePublishesTheLatestValueOnce() {
    expectNoFault("debounce, values and timers") {
      let line = Line<Int>(requesting: .max(2))
      line.a.debounce(for: 10, scheduler: line.scheduler).subscribe(line.downstream)
      return ThreadedProgram(
        threads: [
          { line.a.send(1, 2) },
          {
            line.scheduler.fire(); line.scheduler.fire()
          },
          { line.downstream.request(.max(1)) },
        ],
        faults: {
          // A timer that was set for the first value is set again for the second.
          line.scheduler.fire()
          line.scheduler.fire()
          return line.verdict {
            $0.require(line.downstream.values, areOf: [[1, 2]], completely: false)
            $0.require(line.downstream.values.last == 2, "\(line.downstream.values)")
          }
        }
      )
    }
  }

  @Test func debounceKeepsTheOrderOnAConcurrentScheduler() {
    expectNoFault("debounce, timers on two threads") {
      let line = Line<Int>(requesting: .unlimited)
      line.a.debounce(for: 10, scheduler: line.scheduler).subscribe(line.downstream)
      line.a.send(1)
      return ThreadedProgram(
        threads: [{ line.a.send(2) }, { line.scheduler.fire() }, { line.scheduler.fire() }],
        faults: {
          // A timer that was set for the first value is set again for the second.
          line.scheduler.fire()
          line.scheduler.fire()
          return line.verdict {
            $0.require(line.downstream.values, areOf: [[1, 2]], completely: false)
            $0.require(line.downstream.values.last == 2, "\(line.downstream.values)")
          }
        }
      )
    }
  }

  @Test func debouncePublishesNothingAfterTheEnd() {
    for cancels in [true, false] {
      expectNoFault("debounce, a timer and a \(cancels ? "cancel" : "finish")") {
        let line = Line<Int>(requesting: .unlimited)
        line.a.debounce(for: 10, scheduler: line.scheduler).subscribe(line.downstream)
        line.a.send(1)
        return ThreadedProgram(
          threads: [
            { cancels ? line.downstream.cancel() : line.a.complete() },
            { line.scheduler.fire() },
            { line.scheduler.run() },
          ],
          faults: {
            line.verdict {
              $0.require(line.downstream.isCompleted == !cancels, "completed: \(line.downstream.isCompleted)")
              $0.require(line.a.cancelCount == (cancels ? 1 : 0), "A was cancelled \(line.a.cancelCount) times")
            }
          }
        )
      }
    }
  }

  @Test(arguments: [true, false]) func throttlePublishesTheFirstOrTheLatest(latest: Bool) {
    expectNoFault("throttle, \(latest ? "latest" : "first")") {
      let line = Line<Int>(requesting: .unlimited)
      line.a.throttle(for: 10, scheduler: line.scheduler, latest: latest).subscribe(line.downstream)
      return ThreadedProgram(
        threads: [
          { line.a.send(1, 2, finishing: true) },
          {
            line.scheduler.run(); line.scheduler.run()
          },
          { line.scheduler.run() },
        ],
        faults: {
          line.verdict {
            $0.require(line.downstream.values, areOf: [[1, 2]], completely: false)
            if latest {
              $0.require(line.downstream.values.last == 2, "\(line.downstream.values)")
            } else {
              $0.require(line.downstream.values.first == 1, "\(line.downstream.values)")
            }
            $0.require(line.downstream.isCompleted, "the finish is missing")
          }
        }
      )
    }
  }

  @Test func throttlePublishesNothingAfterACancel() {
    expectNoFault("throttle, a cancel") {
      let line = Line<Int>(requesting: .unlimited)
      line.a.throttle(for: 10, scheduler: line.scheduler, latest: true).subscribe(line.downstream)
      return ThreadedProgram(
        threads: [{ line.a.send(1, finishing: true) }, { line.scheduler.run() }, { line.downstream.cancel() }],
        faults: {
          line.verdict {
            $0.requireEndOrCancel(of: line.downstream, and: line.a)
          }
        }
      )
    }
  }

  @Test func timeoutEndsOnce() {
    expectNoFault("timeout, a value, a finish and a timer") {
      let line = Line<Int>(requesting: .unlimited)
      line.a.timeout(10, scheduler: line.scheduler) { "late" }.subscribe(line.downstream)
      return ThreadedProgram(
        threads: [
          { line.a.send(1, finishing: true) }, { line.scheduler.fire() },
          {
            line.scheduler.run(); line.scheduler.run()
          },
        ],
        faults: {
          line.verdict {
            $0.require(line.downstream.isCompleted, "the end is missing")
            $0.require(
              (line.a.cancelCount == 1) == (line.downstream.completion == .failure("late")),
              "\(String(describing: line.downstream.completion)), cancelled \(line.a.cancelCount) times"
            )
          }
        }
      )
    }
    expectNoFault("timeout, a value, a cancel and a timer") {
      let line = Line<Int>(requesting: .unlimited)
      line.a.timeout(10, scheduler: line.scheduler) { "late" }.subscribe(line.downstream)
      return ThreadedProgram(
        threads: [{ line.a.send(1) }, { line.scheduler.fire() }, { line.downstream.cancel() }],
        faults: {
          line.verdict { $0.require(line.a.cancelCount == 1, "A was cancelled \(line.a.cancelCount) times") }
        }
      )
    }
  }

  @Test(arguments: [nil, 2] as [Int?]) func collectByTimeLosesNothing(count: Int?) {
    let strategy = { (scheduler: StepScheduler) -> Publishers.TimeGroupingStrategy<StepScheduler> in
      count.map { .byTimeOrCount(scheduler, 10, $0) } ?? .byTime(scheduler, 10)
    }
    expectNoFault("collect by time\(count.map { " or count \($0)" } ?? "")") {
      let line = Line<[Int]>(requesting: .unlimited, ignoringDemand: true)
      line.a.collect(strategy(line.scheduler)).subscribe(line.downstream)
      return ThreadedProgram(
        threads: [
          { line.a.send(1, 2, 3, finishing: true) },
          {
            line.scheduler.fire(); line.scheduler.run()
          },
        ],
        faults: {
          line.verdict {
            let values = line.downstream.values.flatMap { $0 }
            // With a count, too: the array that a tick ends comes behind the full ones that wait.
            $0.require(values == [1, 2, 3], "\(line.downstream.values)")
            $0.require(line.downstream.values.allSatisfy { !$0.isEmpty }, "\(line.downstream.values)")
            $0.require(line.downstream.isCompleted, "the finish is missing")
          }
        }
      )
    }
    expectNoFault("collect by time\(count.map { " or count \($0)" } ?? ""), a cancel") {
      let line = Line<[Int]>(requesting: .max(1), ignoringDemand: true)
      line.a.collect(strategy(line.scheduler)).subscribe(line.downstream)
      return ThreadedProgram(
        threads: [
          { line.a.send(1, finishing: true) },
          {
            line.scheduler.fire(); line.scheduler.run()
          },
          { line.downstream.cancel() },
        ],
        faults: {
          line.verdict {
            $0.requireEndOrCancel(of: line.downstream, and: line.a)
          }
        }
      )
    }
  }
}
