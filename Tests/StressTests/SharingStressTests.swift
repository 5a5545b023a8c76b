import CombineCore
import Synchronization
import TestSupport
import Testing

extension AllStressTests {

  /// Tests `share`, `multicast`, `autoconnect` and `makeConnectable`: subscribing, connecting and cancelling at once.
  @Suite struct SharingStressTests {

    typealias Downstream = CheckingSubscriber<Item, TestError>

    /// A publisher that counts its subscriptions: the current number, and the maximum at a time.
    private final class Counted: Publisher, @unchecked Sendable {
      // Sendable: the subject is, and the rest is atomic.

      typealias Output = Item
      typealias Failure = TestError

      let subject = PassthroughSubject<Item, TestError>()
      let live = Atomic<Int>(0)
      let made = Atomic<Int>(0)

      func receive<S: Subscriber>(subscriber: S) where S.Input == Item, S.Failure == TestError {
        live.wrappingAdd(1, ordering: .relaxed)
        made.wrappingAdd(1, ordering: .relaxed)
        subject.handleEvents(receiveCancel: { [weak self] in
          self?.live.wrappingSubtract(1, ordering: .relaxed)
        })
        .subscribe(subscriber)
      }

      var liveCount: Int { live.load(ordering: .relaxed) }
      var madeCount: Int { made.load(ordering: .relaxed) }
    }

    @Test func sharedWhileSubscribersComeAndGo() async {
      await stress("share") { round in
        let tally = round.tally
        let upstream = Counted()
        let shared = upstream.share()
        round.involve("share", shared)
        round.run(threads: 4) { worker in
          for step in 1...Load.steps {
            if worker.index == 0 {
              worker.note("sends", step)
              upstream.subject.send(Item(source: 0, number: step, tally))
            } else {
              worker.note("subscribes", step)
              let initial = worker.random(below: 2) == 0 ? Subscribers.Demand.unlimited : .max(2)
              let downstream = Downstream(round, requesting: initial)
              shared.subscribe(downstream)
              worker.pause()
              downstream.request(.max(1))
              worker.note("cancels", step)
              downstream.cancel()
              round.judge(downstream)
            }
          }
        }
        round.expect(upstream.liveCount == 0, "\(upstream.liveCount) connections of \(upstream.madeCount) are left")
        // It connects again for the next subscriber.
        let last = Downstream(round, requesting: .unlimited)
        shared.subscribe(last)
        upstream.subject.send(Item(source: 0, number: 1000, tally))
        round.expect(last.valueCount == 1 && upstream.liveCount == 1, "it is no longer connected")
        last.cancel()
        round.judge(last)
      }
    }

    /// A subscriber from before the first value receives all values, even if others come and go.
    @Test func aSubscriberThatStaysOnAShareLosesNothing() async {
      await stress("share, one that stays") { round in
        let tally = round.tally
        let upstream = Counted()
        let shared = upstream.share()
        let resident = Downstream(round, named: "resident", requesting: .unlimited, order: .gapless)
        shared.subscribe(resident)
        round.run(threads: 4) { worker in
          for step in 0..<Load.steps {
            if worker.index < 2 {
              worker.note("sends", step)
              upstream.subject.send(Item(source: worker.index, number: step, tally))
            } else {
              worker.note("subscribes and cancels", step)
              let visitor = Downstream(round, requesting: .max(1))
              shared.subscribe(visitor)
              worker.pause()
              visitor.cancel()
              round.judge(visitor)
            }
          }
        }
        round.expect(upstream.madeCount == 1, "\(upstream.madeCount) connections")
        round.expect(resident.valueCount == 2 * Load.steps, "\(resident.valueCount) values")
        upstream.subject.send(completion: .finished)
        round.expect(resident.completionCount == 1, "no completion")
        round.judge(resident)
      }
    }

    @Test func aMulticastIsConnectedSubscribedCompletedAndCancelledAtOnce() async {
      await stress("multicast") { round in
        let tally = round.tally
        let upstream = Counted()
        let created = Atomic<Int>(0)
        nonisolated(unsafe) let multicast = upstream.multicast {
          created.wrappingAdd(1, ordering: .relaxed)
          return PassthroughSubject<Item, TestError>()
        }
        round.involve("multicast", multicast)
        round.run(threads: 4) { worker in
          for step in 1...Load.steps {
            switch worker.index {
            case 0:
              worker.note("sends", step)
              upstream.subject.send(Item(source: 0, number: step, tally))
            case 1:
              worker.note("connects and cancels that", step)
              let connection = multicast.connect()
              worker.pause()
              connection.cancel()
            default:
              worker.note("subscribes and cancels", step)
              let downstream = Downstream(round, requesting: .max(2))
              multicast.subscribe(downstream)
              worker.pause()
              downstream.request(.unlimited)
              worker.pause()
              downstream.cancel()
              round.judge(downstream)
            }
          }
          if worker.index == 0 && round.number % 2 == 0 {
            worker.note("completes")
            upstream.subject.send(completion: .failure("end"))
          }
        }
        round.expect(created.load(ordering: .relaxed) == 1, "more than one subject was created")
      }
    }

    @Test func anAutoconnectedPublisherMayFinishAtAnyMoment() async {
      await stress("makeConnectable, autoconnect") { round in
        let tally = round.tally
        let subject = PassthroughSubject<Item, Never>()
        let connected = subject.makeConnectable().autoconnect()
        round.involve("autoconnect", connected)
        round.run(threads: 3) { worker in
          for step in 1...Load.steps {
            if worker.index == 0 {
              worker.note("sends", step)
              subject.send(Item(source: 0, number: step, tally))
            } else {
              worker.note("subscribes", step)
              let downstream = CheckingSubscriber<Item, Never>(round, requesting: .unlimited)
              connected.subscribe(downstream)
              worker.pause()
              downstream.cancel()
              round.judge(downstream)
            }
          }
          if worker.index == 0 && round.number % 2 == 0 {
            worker.note("finishes")
            subject.send(completion: .finished)
          }
        }
        subject.send(completion: .finished)
      }
    }
  }
}
