import CombineCore
import TestSupport
import Testing

extension AllStressTests {

  @Suite struct BufferStressTests {

    typealias Downstream = CheckingSubscriber<Item, TestError>

    enum Strategy: String, CaseIterable, Sendable {

      case dropNewest, dropOldest, customError

      var whenFull: Publishers.BufferingStrategy<TestError> {
        switch self {
        case .dropNewest: .dropNewest
        case .dropOldest: .dropOldest
        case .customError: .customError { "full" }
        }
      }
    }

    /// A buffer that requests no more than it can keep loses nothing, for any way of requesting downstream.
    @Test(arguments: Strategy.allCases, DemandStyle.allCases)
    func aFullBufferLosesNothing(_ strategy: Strategy, _ style: DemandStyle) async {
      await stress("buffer, \(strategy), demand \(style)", rounds: Load.rounds / 4) { round in
        let source = PacedSource(index: 0, round)
        let downstream = Downstream(
          round,
          requesting: style.initial,
          order: .gapless,
          respond: style.respond(\.number)
        )
        source.buffer(size: 3, prefetch: .keepFull, whenFull: strategy.whenFull).subscribe(downstream)
        round.run(threads: 3) { worker in
          if worker.index == 0 { return source.run(worker) }
          while style.needsRequester && !downstream.hasCompleted {
            worker.note("requests")
            downstream.request(.max(1))
          }
          // A completion without a value before it waits for demand.
          while !downstream.hasCompleted {
            worker.note("asks for the completion")
            if source.sent == Load.steps { downstream.request(.max(1)) }
          }
        }
        round.expect(downstream.valueCount == Load.steps, "\(downstream.valueCount) values")
        round.expect(downstream.completionCount == 1, "\(downstream.completionCount) completions")
        round.judge(downstream)
      }
    }

    /// A buffer with unlimited requests drops the values that exceed its size, or fails.
    @Test(arguments: Strategy.allCases)
    func everythingAtOnce(_ strategy: Strategy) async {
      await stress("buffer, \(strategy), everything at once") { round in
        let tally = round.tally
        let subject = PassthroughSubject<Item, TestError>()
        let isCancelling = round.number % 3 == 0
        let downstream = Downstream(round, requesting: .max(2)) { downstream, item in
          switch item.number % 5 {
          case 0: downstream.request(.max(1))
          case 1: return .max(1)
          case 2 where isCancelling && item.number > Load.steps / 2: downstream.cancel()
          default: break
          }
          return .none
        }
        subject.buffer(size: 4, prefetch: .byRequest, whenFull: strategy.whenFull).subscribe(downstream)
        round.run(threads: 4) { worker in
          for step in 0..<Load.steps {
            if worker.index < 2 {
              worker.note("sends", step)
              subject.send(Item(source: worker.index, number: step, tally))
            } else {
              worker.note("requests", step)
              downstream.request(.max(1 + worker.random(below: 2)))
            }
          }
          if worker.index == 0 { subject.send(completion: round.number % 2 == 0 ? .finished : .failure("end")) }
          if worker.index == 3 && isCancelling { downstream.cancel() }
        }
        while !downstream.hasEnded { downstream.request(.max(1)) }
        round.judge(downstream)
      }
    }
  }
}
