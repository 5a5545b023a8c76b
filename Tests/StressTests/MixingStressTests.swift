import CombineCore
import Foundation
import TestSupport
import Testing

extension AllStressTests {

  /// The operators that mix several publishers.
  @Suite struct MixingStressTests {

    @Test(arguments: StressedOperator.lossless, DemandStyle.allCases)
    func serialSourcesOnSeparateThreadsLoseNothing(_ stressed: StressedOperator, _ style: DemandStyle) async {
      await stress("\(stressed), demand \(style)", rounds: Load.rounds / 4) { round in
        let sources = (0..<3).map { PacedSource(index: $0, round) }
        let downstream = StressedOperator.Downstream(
          round,
          requesting: style.initial,
          order: .gapless,
          items: { $0 },
          respond: style.respond { $0[0].number }
        )
        stressed.attach(downstream, to: sources.map { $0.eraseToAnyPublisher() })
        let sending = sources.map { source in
          { @Sendable (worker: Worker) in source.run(worker) }
        }
        let requesting = { @Sendable (worker: Worker) in
          while style.needsRequester && !downstream.hasCompleted {
            let demand = worker.random(below: 3) + 1
            worker.note("requests", demand)
            downstream.request(.max(demand))
          }
        }
        round.run(sending + [requesting])
        round.judge(downstream)
        round.expect(downstream.completionCount == 1, "\(downstream.completionCount) completions")
        for source in sources {
          let count = downstream.count(of: source.index)
          round.expect(count == Load.steps, "\(count) of \(Load.steps) values of source \(source.index)")
          round.expect(stressed == .zip || source.cancellations == 0, "source \(source.index) was cancelled")
        }
      }
    }

    @Test(arguments: StressedOperator.allCases, [DemandStyle.unlimited, .mixed])
    func aFailureRacesWithValues(_ stressed: StressedOperator, _ style: DemandStyle) async {
      await stress("\(stressed), a failure, demand \(style)") { round in
        let sources = (0..<3).map { PacedSource(index: $0, round) }
        let downstream = StressedOperator.Downstream(
          round,
          requesting: style.initial,
          order: stressed.order,
          items: { $0 },
          respond: style.respond { $0[0].number }
        )
        stressed.attach(downstream, to: sources.map { $0.eraseToAnyPublisher() })
        let isOver = Guarded(0)
        let sending = sources.map { source in
          { @Sendable (worker: Worker) in
            // Later publishers of a sequence, and replaced ones, may never be subscribed to.
            let completion: Subscribers.Completion<TestError> = source.index == 2 ? .finished : .failure("end")
            source.run(worker, count: worker.random(below: 10), completion: completion) { downstream.hasCompleted }
            isOver.withLock { $0 += 1 }
          }
        }
        let requesting = { @Sendable (worker: Worker) in
          while style.needsRequester && !downstream.hasCompleted && isOver.withLock({ $0 }) < 3 {
            worker.note("requests")
            downstream.request(.max(1))
          }
        }
        round.run(sending + [requesting])
        round.judge(downstream)
        round.expect(downstream.completionCount == 1, "\(downstream.completionCount) completions")
        for source in sources {
          round.expect(source.cancellations <= 1, "source \(source.index) was cancelled twice")
        }
      }
    }

    @Test(arguments: StressedOperator.allCases, [Subscribers.Demand.unlimited, .max(1)])
    func everythingAtOnce(_ stressed: StressedOperator, _ demand: Subscribers.Demand) async {
      await stress("\(stressed), everything at once, demand \(demand)") { round in
        let tally = round.tally
        let sources = (0..<3).map { index in
          StressedSubject(keepsValue: (index + round.number) % 3 == 0, source: index, tally)
        }
        // Any thread may use a subject. The erased publishers that this one sends are of shareable kinds too.
        nonisolated(unsafe) let outer = PassthroughSubject<StressedOperator.Upstream, TestError>()
        let isCancelling = round.number % 2 == 0
        let downstream = StressedOperator.Downstream(
          round,
          requesting: demand,
          order: stressed.hasOuter ? .any : stressed == .combineLatest ? .rising : .ascending,
          items: { $0 },
          respond: { downstream, items in
            switch items[0].number % 5 {
            case 0: downstream.request(.max(2))
            case 1: return .max(1)
            case 2 where isCancelling && items[0].number > 20: downstream.cancel()
            default: break
            }
            return .none
          }
        )
        stressed.attach(downstream, to: sources.map(\.publisher), outer: outer.eraseToAnyPublisher())
        if stressed.hasOuter { outer.send(sources[0].publisher) }
        let sending = sources.indices.map { index in
          { @Sendable (worker: Worker) in
            for number in 1...Load.steps {
              worker.note("sends", number)
              sources[index].send(Item(source: index, number: number, tally))
              if worker.random(below: 4 * Load.steps) == 0 {
                worker.note("completes")
                sources[worker.random(below: 3)].send(
                  completion: index == 0 ? .finished : .failure(TestError("\(index)"))
                )
              }
            }
          }
        }
        let controlling = { @Sendable (worker: Worker) in
          for step in 0..<Load.steps {
            switch worker.random(below: 4) {
            case 0:
              worker.note("makes the outer publisher send", step)
              if stressed.hasOuter { outer.send(sources[worker.random(below: 3)].publisher) }
            case 1 where isCancelling && step > Load.steps / 2:
              worker.note("cancels", step)
              downstream.cancel()
            default:
              worker.note("requests", step)
              downstream.request(.max(1 + worker.random(below: 3)))
            }
          }
          if worker.random(below: 2) == 0 {
            worker.note("completes the outer publisher")
            outer.send(completion: worker.random(below: 2) == 0 ? .finished : .failure("outer"))
          }
        }
        round.run(sending + [controlling])
        for source in sources { source.send(completion: .finished) }
        // `flatMap` does not cancel its upstream when an inner publisher fails. A subject and its subscription then
        // stay alive.
        outer.send(completion: .finished)
        downstream.cancel()
        let count = downstream.valueCount
        for source in sources { source.send(Item(source: 0, number: 1000, tally)) }
        round.expect(downstream.valueCount == count, "values after the end")
        round.judge(downstream)
      }
    }
  }
}
