import CombineCore
import Synchronization
import TestSupport
import Testing

extension AllStressTests {

  /// Operators that replace one publisher by another, or that another publisher ends. The end races with values and a
  /// cancel.
  @Suite struct SuccessionStressTests {

    typealias Downstream = CheckingSubscriber<Item, TestError>

    enum Stressed: String, CaseIterable, Sendable {

      case concatenate, catching, tryCatching, retry, prefixUntilOutput, dropUntilOutput

      /// - Parameters:
      ///   - first: The publisher that is replaced, or limited.
      ///   - second: The publisher that follows, or limits.
      func attach(
        _ downstream: Downstream,
        to first: some Publisher<Item, TestError>,
        and second: some Publisher<Item, TestError>
      ) {
        switch self {
        case .concatenate: first.append(second).subscribe(downstream)
        case .catching: first.catch { _ in second }.subscribe(downstream)
        case .tryCatching:
          first.tryCatch { _ in second }.mapError { $0 as? TestError ?? "other" }.subscribe(downstream)
        case .retry: first.retry(3).subscribe(downstream)
        case .prefixUntilOutput: first.prefix(untilOutputFrom: second).subscribe(downstream)
        case .dropUntilOutput: first.drop(untilOutputFrom: second).subscribe(downstream)
        }
      }

      /// The completion of the first publisher after which the second follows.
      var turning: Subscribers.Completion<TestError> {
        self == .concatenate ? .finished : .failure("end")
      }
    }

    /// Two threads drive the publishers, and a third requests and cancels.
    @Test(arguments: Stressed.allCases)
    func bothPublishersRaceWithRequestsAndACancel(_ stressed: Stressed) async {
      await stress("\(stressed), requests and a cancel") { round in
        let tally = round.tally
        let subjects = (0..<2).map { index in
          // A value during the subscribing would finish a prefix before it has a subscription.
          let keepsValue = (round.number >> index) % 2 == 0 && (stressed != .prefixUntilOutput || index == 0)
          return StressedSubject(keepsValue: keepsValue, source: index, tally)
        }
        let cancels = Atomic<Int>(0)
        // An operator that subscribes again to a subject with a value receives that value again, but none older.
        let downstream = Downstream(round, requesting: round.number % 3 == 0 ? .unlimited : .max(3), order: .rising) {
          downstream,
          item in
          if item.number % 4 == 0 { downstream.request(.max(1)) }
          return .max(item.number % 2)
        }
        let (first, second) = (subjects[0].publisher, subjects[1].publisher)
        let watched = second.handleEvents(receiveCancel: { cancels.wrappingAdd(1, ordering: .relaxed) })
        stressed.attach(downstream, to: first, and: watched)
        let turn = round.number % Load.steps
        round.run(threads: 3) { worker in
          for step in 1...Load.steps {
            switch worker.index {
            case 0:
              worker.note("sends to the first", step)
              subjects[0].send(Item(source: 0, number: step, tally))
              if step == turn {
                worker.note("ends the first", step)
                subjects[0].send(completion: stressed.turning)
              }
            case 1:
              // In the operators that the other publisher limits, its first value counts.
              if step < Load.steps / 4 && worker.random(below: 4) > 0 { continue }
              worker.note("sends to the second", step)
              subjects[1].send(Item(source: 1, number: step, tally))
            default:
              worker.note("requests", step)
              downstream.request(.max(1))
              if step == Load.steps / 2 && round.number % 2 == 0 {
                worker.note("cancels")
                downstream.cancel()
              }
            }
          }
        }
        for subject in subjects { subject.send(completion: .finished) }
        round.expect(downstream.hasEnded, "neither completed nor cancelled")
        round.expect(cancels.load(ordering: .relaxed) <= 1, "the second publisher was cancelled twice")
        downstream.cancel()
        round.judge(downstream)
      }
    }

    /// Sources that wait for demand, one after the other. Nothing is lost in between, for any way of requesting.
    @Test(arguments: [Stressed.concatenate, .catching, .tryCatching], DemandStyle.allCases)
    func nothingIsLostInBetween(_ stressed: Stressed, _ style: DemandStyle) async {
      await stress("\(stressed), demand \(style)", rounds: Load.rounds / 4) { round in
        let sources = (0..<2).map { PacedSource(index: $0, round) }
        let downstream = Downstream(
          round,
          requesting: style.initial,
          order: .gapless,
          respond: style.respond(\.number)
        )
        stressed.attach(downstream, to: sources[0], and: sources[1])
        round.run(threads: 3) { worker in
          switch worker.index {
          case 0: sources[0].run(worker, completion: stressed.turning)
          case 1: sources[1].run(worker)
          default:
            while style.needsRequester && !downstream.hasCompleted {
              worker.note("requests")
              downstream.request(.max(1))
            }
          }
        }
        let counts = sources.map { downstream.count(of: $0.index) }
        round.expect(counts == [Load.steps, Load.steps], "\(counts) values")
        round.expect(downstream.completionCount == 1, "\(downstream.completionCount) completions")
        round.judge(downstream)
      }
    }

    /// A retry whose attempts run on several threads, while the downstream requests and cancels.
    @Test func attemptsFailOnSeparateThreads() async {
      await stress("retry, attempts on several threads") { round in
        let sources = (0..<3).map { PacedSource(index: $0, round) }
        let attempt = Atomic<Int>(0)
        let upstream = Deferred {
          sources[min(attempt.wrappingAdd(1, ordering: .relaxed).oldValue, 2)]
        }
        let isCancelling = round.number % 2 == 0
        let downstream = Downstream(round, requesting: .max(2), order: .gapless) { _, item in .max(item.number % 2) }
        upstream.retry(2).subscribe(downstream)
        round.run(threads: 4) { worker in
          if worker.index < 3 {
            let completion: Subscribers.Completion<TestError> = worker.index < 2 ? .failure("again") : .finished
            sources[worker.index].run(worker, count: 10, completion: completion) { downstream.hasEnded }
          } else {
            while !downstream.hasEnded {
              worker.note("requests")
              downstream.request(.max(1))
              if isCancelling && worker.random(below: 40) == 0 {
                worker.note("cancels")
                downstream.cancel()
              }
            }
          }
        }
        round.expect(isCancelling || downstream.valueCount == 30, "\(downstream.valueCount) values")
        round.judge(downstream)
      }
    }

    /// Two threads each send an event that ends the stream. It ends once.
    @Test func theValueThatEndsAPrefixRacesWithTheUpstreamsEnd() async {
      await stress("prefix(untilOutputFrom:), two ends", rounds: Load.rounds * 4) { round in
        let (subject, stop) = (PassthroughSubject<Item, TestError>(), PassthroughSubject<Int, Never>())
        let downstream = Downstream(round, requesting: .unlimited, order: .gapless)
        subject.prefix(untilOutputFrom: stop).subscribe(downstream)
        round.run(threads: 2) { worker in
          worker.note("ends it")
          if worker.index == 0 {
            for number in 0..<3 { subject.send(Item(source: 0, number: number, round.tally)) }
            subject.send(completion: .failure("end"))
          } else {
            stop.send(0)
          }
        }
        // The operator releases the subscription without a cancel, as in Combine. It lives as long as the subject.
        stop.send(completion: .finished)
        round.expect(downstream.completionCount == 1, "\(downstream.completionCount) completions")
        round.judge(downstream)
      }
    }

    /// A zip with an upstream that breaks the rules and sends on two threads.
    ///
    /// Its values may be paired in any order, and tuples that race with the end may be dropped. But one thread at a
    /// time calls the downstream, no value arrives twice, and nothing follows the end.
    @Test func aZipEndsWhileAnUpstreamSendsOnTwoThreads() async {
      await stress("zip, an upstream on two threads") { round in
        let tally = round.tally
        let (a, b) = (SharedUpstream<Item>(), SharedUpstream<Item>())
        let downstream = CheckingSubscriber<(Item, Item), TestError>(
          round,
          requesting: .unlimited,
          order: .any,
          items: { [$0.0, $0.1] }
        )
        let seen = Guarded<Set<Int>>([])
        let repeated = Guarded(0)
        a.zip(b).map { row in
          let isNew = seen.withLock { $0.insert(row.0.source * 1000 + row.0.number).inserted }
          if !isNew { repeated.withLock { $0 += 1 } }
          return row
        }
        .subscribe(downstream)
        for number in 0..<Load.steps { b.send(Item(source: 2, number: number, tally)) }
        round.run(threads: 3) { worker in
          if worker.index < 2 {
            for step in 0..<Load.steps {
              worker.note("sends", step)
              a.send(Item(source: worker.index, number: step, tally))
            }
          } else {
            for _ in 0..<(round.number % 30) { worker.note("waits a little") }
            worker.note("finishes the other")
            b.finish()
          }
        }
        round.expect(repeated.withLock { $0 } == 0, "\(repeated.withLock { $0 }) values were sent twice")
        round.expect(downstream.completionCount == 1, "\(downstream.completionCount) completions")
        round.judge(downstream)
        downstream.releaseContents()
        a.forget()
        b.forget()
      }
    }
  }
}
