import CombineCore
import TestSupport
import Testing

extension AllStressTests {

  /// What each subscriber of a current value has when nothing is running: row `threads.at-rest`.
  @Suite struct CurrentValueStressTests {

    enum Source: CaseIterable, Sendable {
      case subject, property
    }

    private final class Model: @unchecked Sendable {
      // Sendable: the property is a reference to an object that is shareable, and is never replaced.

      @Published var value = 0
    }

    /// A subscriber that asks for more inside some of its values.
    private final class Limited: Subscriber, @unchecked Sendable {
      // Sendable: the publisher serializes the calls, and the subscription comes before other threads use it.

      typealias Input = Int
      typealias Failure = Never

      private let initial: Subscribers.Demand
      private(set) var values: [Int] = []
      private(set) var subscription: (any Subscription)?

      init(_ initial: Subscribers.Demand) { self.initial = initial }

      func receive(subscription: any Subscription) {
        self.subscription = subscription
        if initial != .none { subscription.request(initial) }
      }

      func receive(_ value: Int) -> Subscribers.Demand {
        values.append(value)
        switch value % 7 {
        case 0:
          subscription?.request(.max(2))
          return .none
        case 1:
          return .max(1)
        default:
          return .none
        }
      }

      func receive(completion: Subscribers.Completion<Never>) {}
    }

    @Test(arguments: Source.allCases)
    func eachSubscriberHasTheCurrentValueLastAndNoneTwice(source: Source) async {
      await stress("current value of a \(source), at rest") { round in
        let (subject, model) = (CurrentValueSubject<Int, Never>(0), Model())
        let publisher: AnyPublisher<Int, Never> =
          source == .subject ? subject.eraseToAnyPublisher() : model.$value.eraseToAnyPublisher()
        let send: @Sendable (Int) -> Void = { if source == .subject { subject.send($0) } else { model.value = $0 } }
        let witness = Limited(.unlimited)
        let limited = (0..<3).map { Limited(.max($0)) }
        let late = Guarded<[Limited]>([])
        for subscriber in [witness] + limited { publisher.subscribe(subscriber) }
        nonisolated(unsafe) let shared = publisher
        round.run(threads: 4) { worker in
          for step in 1...Load.steps {
            switch worker.random(below: 6) {
            case 0:
              worker.note("requests", step)
              limited[worker.random(below: 3)].subscription?.request(.max(1))
            case 1 where step % 8 == 0:
              worker.note("subscribes", step)
              let subscriber = Limited(.max(worker.random(below: 3)))
              shared.subscribe(subscriber)
              late.withLock { $0.append(subscriber) }
            default:
              worker.note("sends", step)
              send(worker.index * 1_000_000 + step)
            }
          }
        }
        let current = source == .subject ? subject.value : model.value
        let order = Dictionary(witness.values.enumerated().map { ($1, $0) }, uniquingKeysWith: { $1 })
        for subscriber in [witness] + limited + late.withLock({ $0 }) {
          subscriber.subscription?.request(.max(1))
          let places = subscriber.values.compactMap { order[$0] }
          round.expect(places.count == subscriber.values.count, "values that were not sent")
          round.expect(zip(places, places.dropFirst()).allSatisfy { $0 < $1 }, "not in order, or twice")
          round.expect(subscriber.values.last == current, "\(subscriber.values.suffix(3)), where \(current) is current")
          subscriber.subscription?.cancel()
        }
      }
    }
  }
}
