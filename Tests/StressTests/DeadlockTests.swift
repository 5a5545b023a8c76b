import CombineCore
import Dispatch
import Foundation
import TestSupport
import Testing

extension AllStressTests {

  /// Two threads that each hold what the other needs, led there step by step. A wrong operator hangs, and the watchdog
  /// ends it.
  @Suite struct DeadlockTests {

    /// Long enough for another thread to reach the gate where it waits. The test cannot observe whether it waits there.
    private static let moment = 0.03

    /// An inner publisher delivers on one thread. A second thread switches to a merge and delivers a value of it, which
    /// waits.
    ///
    /// Then the first thread requests during its delivery. The merge has a buffered value, but the second thread holds
    /// its gate.
    @Test(arguments: [true, false])
    func aRequestDuringAReplacedInnerPublishersValueDoesNotWaitForTheNextOne(isReturned: Bool) async {
      await stress("switchToLatest, a nested request", rounds: 2, seconds: 10) { round in
        let tally = round.tally
        let (old, a, b) = (
          PassthroughSubject<Item, TestError>(), PassthroughSubject<Item, TestError>(),
          PassthroughSubject<Item, TestError>()
        )
        nonisolated(unsafe) let outer = PassthroughSubject<AnyPublisher<Item, TestError>, TestError>()
        let (isInside, isReplaced) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isSubscribed = DispatchSemaphore(value: 0)
        let downstream = CheckingSubscriber<Item, TestError>(round, requesting: .max(3), order: .gapless) {
          downstream,
          item in
          guard item.source == 0 else { return .none }
          if item.number == 0 {
            // A second value during the first, so that returned demand is added during the first.
            old.send(Item(source: 0, number: 1, tally))
            if !isReturned { downstream.request(.max(1)) }
            return .none
          }
          isInside.signal()
          isReplaced.wait()
          Thread.sleep(forTimeInterval: Self.moment)
          return isReturned ? .max(1) : .none
        }
        outer.switchToLatest().subscribe(downstream)
        outer.send(old.eraseToAnyPublisher())
        round.run([
          { worker in
            worker.note("sends values of the old child")
            old.send(Item(source: 0, number: 0, tally))
          },
          { worker in
            isInside.wait()
            worker.note("switches")
            let next = Publishers.Merge(a, b)
            outer.send(next.eraseToAnyPublisher())
            // The remaining demand of one is for the first value. The other value is buffered in the merge.
            isReplaced.signal()
            isSubscribed.signal()
            worker.note("sends a value of the next child")
            a.send(Item(source: 1, number: 0, tally))
          },
          { worker in
            // A value sent earlier would be lost, because the subject has no subscriber yet.
            isSubscribed.wait()
            Thread.sleep(forTimeInterval: Self.moment / 2)
            worker.note("sends a value that waits in the next child")
            b.send(Item(source: 2, number: 0, tally))
          },
        ])
        round.judge(downstream)
        round.expect(downstream.valueCount == 4, "\(downstream.valueCount) of 4 values")
        downstream.cancel()
      }
    }

    /// A combination is delivered for one upstream. During that it requests from the other, a merge that is failing.
    ///
    /// The test cannot hold a step here, so there are many tries.
    @Test func aRequestDuringACombinationDoesNotWaitForAFailureOfTheOtherUpstream() async {
      await stress("combineLatest, a nested request", rounds: Load.rounds * 8, seconds: 10) { round in
        let tally = round.tally
        let (first, a, b) = (
          PassthroughSubject<Item, TestError>(), PassthroughSubject<Item, TestError>(),
          PassthroughSubject<Item, TestError>()
        )
        let downstream = CheckingSubscriber<[Item], TestError>(
          round,
          requesting: .max(2),
          order: .rising,
          items: { $0 },
          respond: { downstream, _ in
            for _ in 0..<4 { downstream.request(.max(1)) }
            return .none
          }
        )
        first.combineLatest(a.merge(with: b)) { [$0, $1] }.subscribe(downstream)
        a.send(Item(source: 1, number: 0, tally))
        first.send(Item(source: 0, number: 0, tally))
        round.run([
          { worker in
            for number in 1..<6 {
              worker.note("sends for a row", number)
              first.send(Item(source: 0, number: number, tally))
            }
          },
          { worker in
            for number in 1..<4 {
              worker.note("sends to the merge", number)
              a.send(Item(source: 1, number: number, tally))
              b.send(Item(source: 2, number: number, tally))
            }
            worker.note("fails")
            a.send(completion: .failure("end"))
          },
        ])
        first.send(completion: .finished)
        round.expect(downstream.completionCount == 1, "\(downstream.completionCount) completions")
        round.judge(downstream)
      }
    }

    /// A combination is delivered for one upstream. During that it requests from the others.
    ///
    /// These keep a value or have buffered one, and are delivering downstream themselves.
    @Test(arguments: AskedUpstream.allCases)
    func aRequestDuringACombinationDoesNotWaitForAnotherUpstreamsValue(asked: AskedUpstream) async {
      await stress("combineLatest of \(asked), nested requests", rounds: Load.rounds * 4, seconds: 10) { round in
        let tally = round.tally
        let sources = (0..<2).map { asked.makeSource($0, tally) }
        let downstream = CheckingSubscriber<[Item], TestError>(
          round,
          requesting: .max(1),
          order: .rising,
          items: { $0 },
          respond: { downstream, _ in
            for _ in 0..<3 { downstream.request(.max(1)) }
            return .none
          }
        )
        sources[0].publisher.combineLatest(sources[1].publisher) { [$0, $1] }.subscribe(downstream)
        round.run(threads: 4) { worker in
          for number in 1...20 {
            worker.note("sends", number)
            sources[worker.index % 2].send(Item(source: worker.index, number: number, tally))
          }
        }
        for source in sources { source.finish() }
        round.judge(downstream)
      }
    }

    /// An upstream that may have a value for a request.
    enum AskedUpstream: CaseIterable {

      case currentValue, merge, flatMap

      /// Sendable: it consists of subjects, and only one thread subscribes.
      struct Source: @unchecked Sendable {
        let publisher: AnyPublisher<Item, TestError>
        let send: @Sendable (Item) -> Void
        let finish: @Sendable () -> Void
      }

      func makeSource(_ index: Int, _ tally: Tally) -> Source {
        if self == .currentValue {
          let subject = CurrentValueSubject<Item, TestError>(Item(source: index, number: 0, tally))
          return Source(
            publisher: subject.eraseToAnyPublisher(),
            send: { subject.send($0) },
            finish: { subject.send(completion: .finished) }
          )
        }
        let subjects = [PassthroughSubject<Item, TestError>(), PassthroughSubject<Item, TestError>()]
        let publisher =
          self == .merge
          ? subjects[0].merge(with: subjects[1]).eraseToAnyPublisher()
          : Publishers.Sequence<[PassthroughSubject<Item, TestError>], TestError>(sequence: subjects)
            .flatMap { $0 }.eraseToAnyPublisher()
        return Source(
          publisher: publisher,
          send: { subjects[$0.source / 2].send($0) },
          finish: { for subject in subjects { subject.send(completion: .finished) } }
        )
      }
    }

    /// Two subscribers of one future. Each requests the other's value while it receives its subscription.
    @Test func subscribersOfAFutureThatRequestEachOthersValueDoNotWaitForEachOther() async {
      await stress("future, requests across", rounds: 5, seconds: 10) { round in
        let future = Future<Int, Never> { $0(.success(1)) }
        let subscriptions = [SharedLog<any Subscription>(), SharedLog<any Subscription>()]
        let values = Guarded([0, 0])
        round.run(threads: 2) { worker in
          let index = worker.index
          let subscriber = AnySubscriber<Int, Never>(
            receiveSubscription: { own in
              subscriptions[index].append(own)
              let others = subscriptions[1 - index].wait(for: 1)
              worker.note("requests on the other's subscription")
              others.first?.request(.max(1))
            },
            receiveValue: { value in
              values.withLock { $0[index] += value }
              return .none
            }
          )
          worker.note("subscribes")
          future.subscribe(subscriber)
        }
        round.expect(values.withLock { $0 } == [1, 1], "\(values.withLock { $0 })")
      }
    }

    /// The downstream requests again while it receives its subscription.
    ///
    /// The upstream is a merge, which delivers on another thread meanwhile, and has a buffered value.
    @Test func aRequestDuringTheSubscriptionDoesNotWaitForARacingValue() async {
      await stress("prefix(untilOutputFrom:), a value during the subscription", rounds: 2, seconds: 10) { round in
        let (a, b) = (PassthroughSubject<Int, TestError>(), PassthroughSubject<Int, TestError>())
        let stop = PassthroughSubject<Int, TestError>()
        let (isAnnounced, values) = (DispatchSemaphore(value: 0), Guarded<[Int]>([]))
        nonisolated(unsafe) let downstream = AnySubscriber<Int, TestError>(
          receiveSubscription: { subscription in
            subscription.request(.max(1))
            for _ in 0..<2 { isAnnounced.signal() }
            Thread.sleep(forTimeInterval: 2 * Self.moment)
            subscription.request(.max(1))
          },
          receiveValue: { value in
            values.withLock { $0.append(value) }
            return .none
          }
        )
        // Combined with another publisher, it is subscribed to when the downstream receives its subscription.
        let other = CurrentValueSubject<Int, TestError>(0)
        let combined = Publishers.Merge(a, b).combineLatest(other)
        nonisolated(unsafe) let limited = combined.map { value, _ in value }.prefix(untilOutputFrom: stop)
        round.run([
          { worker in
            worker.note("subscribes")
            limited.subscribe(downstream)
          },
          { worker in
            isAnnounced.wait()
            worker.note("sends a value")
            a.send(1)
          },
          { worker in
            isAnnounced.wait()
            Thread.sleep(forTimeInterval: Self.moment)
            worker.note("sends a value that waits")
            b.send(2)
          },
        ])
        for subject in [a, b, stop] { subject.send(completion: .finished) }
        other.send(completion: .finished)
        let received = values.withLock { $0 }
        round.expect(received == [1, 2], "\(received)")
      }
    }

    /// A value of the other publisher during the subscription finishes the operator, after the subscription.
    @Test func aTriggerDuringTheSubscriptionTakesEffectAfterIt() async {
      await stress("prefix(untilOutputFrom:), a trigger during the subscription", rounds: 2, seconds: 10) { round in
        let subject = PassthroughSubject<Int, TestError>()
        let stop = PassthroughSubject<Int, TestError>()
        let (isAnnounced, isStopped) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let log = SharedLog<String>()
        nonisolated(unsafe) let downstream = AnySubscriber<Int, TestError>(
          receiveSubscription: { _ in
            isAnnounced.signal()
            isStopped.wait()
            log.append("subscription")
          },
          receiveCompletion: { log.append("\($0)") }
        )
        round.run([
          { worker in subject.prefix(untilOutputFrom: stop).subscribe(downstream) },
          { worker in
            isAnnounced.wait()
            stop.send(0)
            isStopped.signal()
          },
        ])
        for subject in [subject, stop] { subject.send(completion: .finished) }
        round.expect(log.values == ["subscription", "finished"], "\(log.values)")
      }
    }

    /// Another thread cancels while the handler of a catch makes the next publisher.
    @Test(arguments: [false, true])
    func aCancelWhileTheHandlerOfACatchRunsIsNotLost(throwing: Bool) async {
      await stress("tryCatch, a cancel while the handler runs", rounds: 2, seconds: 10) { round in
        let (subject, next) = (PassthroughSubject<Item, TestError>(), PassthroughSubject<Item, TestError>())
        let (isHandling, isCancelled) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let downstream = CheckingSubscriber<Item, any Error>(round, requesting: .unlimited)
        let isNextCancelled = Guarded(false)
        subject.tryCatch { error in
          isHandling.signal()
          isCancelled.wait()
          if throwing { throw error }
          return next.handleEvents(receiveCancel: { isNextCancelled.withLock { $0 = true } })
        }
        .subscribe(downstream)
        round.run([
          { worker in subject.send(completion: .failure("first")) },
          { worker in
            isHandling.wait()
            downstream.cancel()
            isCancelled.signal()
          },
        ])
        round.expect(throwing || isNextCancelled.withLock { $0 }, "the next publisher continues")
        next.send(Item(source: 0, number: 0, round.tally))
        round.expect(downstream.valueCount == 0 && downstream.completionCount == 0, "events after a cancel")
        round.judge(downstream)
      }
    }
  }
}
