import CombineCore
import TestSupport
import Testing

/// A subject of either kind.
enum StressedSubject: Sendable {

  case passthrough(PassthroughSubject<Item, TestError>)
  case current(CurrentValueSubject<Item, TestError>)

  /// - Parameter source: The source of the first value, if there is one. Its number is zero.
  init(keepsValue: Bool, source: Int, _ tally: Tally) {
    self =
      keepsValue
      ? .current(CurrentValueSubject(Item(source: source, number: 0, tally))) : .passthrough(PassthroughSubject())
  }

  var publisher: AnyPublisher<Item, TestError> {
    switch self {
    case .passthrough(let subject): subject.eraseToAnyPublisher()
    case .current(let subject): subject.eraseToAnyPublisher()
    }
  }

  var object: AnyObject {
    switch self {
    case .passthrough(let subject): subject
    case .current(let subject): subject
    }
  }

  func subscribe(_ downstream: CheckingSubscriber<Item, TestError>) {
    switch self {
    case .passthrough(let subject): subject.subscribe(downstream)
    case .current(let subject): subject.subscribe(downstream)
    }
  }

  func send(_ item: Item) {
    switch self {
    case .passthrough(let subject): subject.send(item)
    case .current(let subject): subject.send(item)
    }
  }

  func send(completion: Subscribers.Completion<TestError>) {
    switch self {
    case .passthrough(let subject): subject.send(completion: completion)
    case .current(let subject): subject.send(completion: completion)
    }
  }
}

extension AllStressTests {

  @Suite struct SubjectStressTests {

    typealias Downstream = CheckingSubscriber<Item, TestError>

    /// Each round mixes all operations on a subject, on four threads. Subscribers come and go.
    @Test(arguments: [false, true])
    func sendingRequestingSubscribingCancellingAndCompletingAtOnce(keepsValue: Bool) async {
      await stress("a subject\(keepsValue ? " with a value" : ""), everything at once") { round in
        let tally = round.tally
        let subject = StressedSubject(keepsValue: keepsValue, source: 0, tally)
        round.involve("subject", subject.object)
        let subscribers = Guarded<[Downstream]>([])
        let subscribe = { @Sendable (worker: Worker) in
          let number = worker.random(below: 1000)
          let downstream = Downstream(round, requesting: number % 3 == 0 ? .unlimited : .max(number % 4)) {
            downstream,
            item in
            switch item.number % 7 {
            case 0: downstream.request(.max(2))
            case 1: return .max(1)
            case 2 where number % 5 == 0: downstream.cancel()
            default: break
            }
            return .none
          }
          subject.subscribe(downstream)
          subscribers.withLock { $0.append(downstream) }
        }
        let any = { @Sendable (worker: Worker) -> Downstream? in
          subscribers.withLock { $0.isEmpty ? nil : $0[worker.random(below: $0.count)] }
        }
        round.run(threads: 4) { worker in
          for step in 1...Load.steps {
            switch worker.random(below: 8) {
            case 0:
              worker.note("subscribes", step)
              subscribe(worker)
            case 1:
              worker.note("requests", step)
              any(worker)?.request(.max(1 + worker.random(below: 3)))
            case 2 where step % 4 == 0:
              worker.note("cancels", step)
              any(worker)?.cancel()
            case 3 where step == Load.steps && round.number % 3 == 0:
              worker.note("completes", step)
              subject.send(completion: worker.index % 2 == 0 ? .finished : .failure("end"))
            default:
              worker.note("sends", step)
              subject.send(Item(source: worker.index, number: step, tally))
            }
          }
        }
        let present = subscribers.withLock { exchange(&$0, with: []) }
        subject.send(completion: .finished)
        let counts = present.map(\.valueCount)
        subject.send(Item(source: 0, number: 1000, tally))
        round.expect(present.map(\.valueCount) == counts, "values after the end")
        for downstream in present {
          round.judge(downstream)
          round.expect(downstream.hasEnded, "neither completed nor cancelled")
          downstream.cancel()
        }
      }
    }

    /// Exactly the requested number of values arrives, when several threads send more while others request.
    @Test(arguments: [false, true])
    func exactlyTheRequestedNumberOfValuesArrives(keepsValue: Bool) async {
      await stress("a subject\(keepsValue ? " with a value" : ""), exact demand") { round in
        let tally = round.tally
        let subject = StressedSubject(keepsValue: keepsValue, source: 3, tally)
        let downstream = Downstream(round, requesting: .none) { _, item in item.number % 4 == 0 ? .max(1) : .none }
        subject.subscribe(downstream)
        let granted = Guarded(0)
        round.run(threads: 4) { worker in
          for step in 1...Load.steps {
            if worker.index == 3 {
              guard step <= 5 else { return }
              worker.note("requests", step)
              downstream.request(.max(2))
              granted.withLock { $0 += 2 }
            } else {
              worker.note("sends", step)
              subject.send(Item(source: worker.index, number: step * 4 + 1, tally))
            }
          }
        }
        // The demand that was left by then is used now.
        let count = granted.withLock { $0 }
        for number in 0..<count { subject.send(Item(source: 4, number: number * 4 + 1, tally)) }
        // The first value of the subject, if it arrived, has added one.
        let extra = downstream.count(of: 3)
        round.expect(downstream.valueCount == count + extra, "\(downstream.valueCount) of \(count + extra) values")
        round.judge(downstream)
        downstream.cancel()
      }
    }

    /// With unlimited demand a passthrough subject loses no value sent during the subscription.
    @Test func aPassthroughSubjectLosesNothing() async {
      await stress("PassthroughSubject, everything arrives") { round in
        let tally = round.tally
        let subject = PassthroughSubject<Item, TestError>()
        let downstreams = (0..<3).map { _ in Downstream(round, requesting: .unlimited, order: .gapless) }
        for downstream in downstreams { subject.subscribe(downstream) }
        round.run(threads: 4) { worker in
          for step in 0..<Load.steps {
            worker.note("sends", step)
            if worker.index < 3 {
              subject.send(Item(source: worker.index, number: step, tally))
            } else {
              // Other subscribers that come and go have no effect.
              let visitor = Downstream(round, requesting: .unlimited)
              subject.subscribe(visitor)
              worker.pause()
              visitor.cancel()
              round.judge(visitor)
            }
          }
        }
        subject.send(completion: .finished)
        for downstream in downstreams {
          round.judge(downstream)
          for source in 0..<3 {
            round.expect(downstream.count(of: source) == Load.steps, "\(downstream.count(of: source)) values")
          }
          round.expect(downstream.completionCount == 1, "no completion")
        }
      }
    }

    /// A subscriber with unlimited demand receives the last value in the end, whenever it has subscribed.
    @Test func everySubscriberOfACurrentValueSubjectReceivesTheLastValue() async {
      await stress("CurrentValueSubject, the last value") { round in
        let tally = round.tally
        let subject = CurrentValueSubject<Item, TestError>(Item(source: 0, number: 0, tally))
        let seen = Guarded<[(Downstream, Guarded<[Int]>)]>([])
        round.run(threads: 4) { worker in
          for step in 1...Load.steps {
            if worker.index < 2 {
              worker.note("sends", step)
              subject.send(Item(source: worker.index, number: step, tally))
            } else if step % 8 == 0 {
              worker.note("subscribes", step)
              let last = Guarded([0, 0])
              let downstream = Downstream(round, requesting: .unlimited) { _, item in
                last.withLock { $0 = [item.source, item.number] }
                return .none
              }
              subject.subscribe(downstream)
              seen.withLock { $0.append((downstream, last)) }
            }
          }
        }
        let value = subject.value
        for (downstream, last) in seen.withLock({ exchange(&$0, with: []) }) {
          let last = last.withLock { $0 }
          round.expect(last == [value.source, value.number], "\(last) where the last value is \(value.number)")
          round.judge(downstream)
          downstream.cancel()
        }
      }
    }

    // MARK: Observation

    private final class Model: ObservableObject, @unchecked Sendable {
      // Sendable: the property is a reference to an object that is shareable, and is never replaced.

      @Published var item: Item
      private let token: Tally.Token

      init(_ round: Round) {
        item = Item(source: 0, number: 0, round.tally)
        token = Tally.Token(round.tally)
        round.involve("model", self)
      }
    }

    @Test func publishedPropertiesAreWrittenObservedAndAssignedAtOnce() async {
      await stress("@Published and assign(to:)") { round in
        let tally = round.tally
        let (model, mirror) = (Model(round), Model(round))
        let feed = PassthroughSubject<Item, Never>()
        feed.assign(to: &mirror.$item)
        let announced = Guarded(0)
        let observer = model.objectWillChange.sink { announced.withLock { $0 += 1 } }
        round.run(threads: 4) { worker in
          for step in 1...Load.steps {
            switch worker.index {
            case 0, 1:
              worker.note("writes", step)
              model.item = Item(source: worker.index, number: step, tally)
            case 2:
              worker.note("subscribes and cancels", step)
              let downstream = CheckingSubscriber<Item, Never>(round, requesting: .max(3), order: .any)
              model.$item.subscribe(downstream)
              worker.pause()
              downstream.request(.max(1))
              downstream.cancel()
              round.judge(downstream)
            default:
              worker.note("feeds", step)
              feed.send(Item(source: worker.index, number: step, tally))
              _ = model.item.number + mirror.item.number
            }
          }
        }
        round.expect(announced.withLock { $0 } == 2 * Load.steps, "\(announced.withLock { $0 }) announcements")
        round.expect(mirror.item.number == Load.steps, "the last value assigned is \(mirror.item.number)")
        observer.cancel()
      }
    }

    @Test func anObservableObjectPublisherIsSentSubscribedAndCancelledAtOnce() async {
      await stress("ObservableObjectPublisher") { round in
        let publisher = ObservableObjectPublisher()
        let downstreams = (0..<2).map { index in
          CheckingSubscriber<Void, Never>(round, named: "downstream \(index)", requesting: .unlimited, items: { [] })
        }
        for downstream in downstreams { publisher.subscribe(downstream) }
        round.run(threads: 4) { worker in
          for step in 1...Load.steps {
            if worker.index < 2 {
              worker.note("sends", step)
              publisher.send()
            } else {
              worker.note("subscribes and cancels", step)
              let visitor = CheckingSubscriber<Void, Never>(round, requesting: .unlimited, items: { [] })
              publisher.subscribe(visitor)
              worker.pause()
              visitor.cancel()
              round.judge(visitor)
            }
          }
        }
        for downstream in downstreams {
          round.expect(downstream.valueCount == 2 * Load.steps, "\(downstream.valueCount) announcements")
          round.judge(downstream)
          downstream.cancel()
        }
      }
    }
  }
}
