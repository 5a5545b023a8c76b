import Combine
import Foundation

/// Shows what the subscribers of a current value have when nothing is running (row `threads.at-rest`):
///
///     CurrentValueLoads [SECONDS]
///
/// In rounds, four threads send to a `CurrentValueSubject` or set a `@Published` property, request from outside, and subscribe.
/// The subscribers, most of whom have finite demand, request from inside some of their values. At the end of a round each
/// requests once more. It uses what Combine declares and nothing else, so that it can be compiled with other versions.
@main enum CurrentValueLoads {

  static func main() {
    let seconds = CommandLine.arguments.dropFirst().first.flatMap(Double.init) ?? 10
    var faults = 0
    for source in Source.allCases {
      let end = Date().addingTimeInterval(seconds / 2)
      var rounds = 0
      var found: [String: Int] = [:]
      while Date() < end {
        rounds += 1
        let round = Round(source, seed: UInt64(rounds))
        round.run()
        for fault in round.faults() { found[fault, default: 0] += 1 }
      }
      let summary = found.isEmpty ? "none" : found.map { "\($1) × \($0)" }.sorted().joined(separator: ", ")
      print("\(source): \(rounds) rounds, faults: \(summary)")
      faults += found.count
    }
    exit(faults == 0 ? 0 : 1)
  }
}

enum Source: CaseIterable, Sendable {
  case subject, property
}

private final class Model {
  @Published var value = 0
}

/// A subscriber that asks for more inside some of its values.
private final class Limited: Subscriber {

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

/// One publisher, four threads and what they do, by chance.
private final class Round: @unchecked Sendable {
  // Sendable: the publisher serializes the calls to its subscribers, a mutex guards those that come late, and the rest does not
  // change.

  private static let threads = 4
  private static let steps = 300

  private let source: Source
  private let seed: UInt64
  private let subject = CurrentValueSubject<Int, Never>(0)
  private let model = Model()
  private let witness = Limited(.unlimited)
  private let limited = (0..<3).map { Limited(.max($0)) }
  private let lock = NSLock()
  private var late: [Limited] = []

  init(_ source: Source, seed: UInt64) {
    self.source = source
    self.seed = seed
    for subscriber in [witness] + limited { subscribe(subscriber) }
  }

  private func subscribe(_ subscriber: Limited) {
    switch source {
    case .subject: subject.subscribe(subscriber)
    case .property: model.$value.subscribe(subscriber)
    }
  }

  private func send(_ value: Int) {
    switch source {
    case .subject: subject.send(value)
    case .property: model.value = value
    }
  }

  func run() {
    DispatchQueue.concurrentPerform(iterations: Self.threads) { index in
      var state = seed &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(index)
      func random(below bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % bound
      }
      for step in 1...Self.steps {
        switch random(below: 6) {
        case 0:
          limited[random(below: 3)].subscription?.request(.max(1))
        case 1 where step % 8 == 0:
          let subscriber = Limited(.max(random(below: 3)))
          subscribe(subscriber)
          lock.withLock { late.append(subscriber) }
        default:
          send(index * 1_000_000 + step)
        }
        if random(below: 16) == 0 { sched_yield() }
      }
    }
  }

  /// What is wrong now that nothing is running.
  func faults() -> [String] {
    let current = source == .subject ? subject.value : model.value
    let order = Dictionary(witness.values.enumerated().map { ($1, $0) }, uniquingKeysWith: { $1 })
    var faults: [String] = []
    for subscriber in [witness] + limited + late {
      subscriber.subscription?.request(.max(1))
      let places = subscriber.values.compactMap { order[$0] }
      if places.count < subscriber.values.count { faults.append("a value that was not sent") }
      let pairs = zip(places, places.dropFirst())
      if pairs.contains(where: { $0 == $1 }) { faults.append("a value twice") }
      if pairs.contains(where: { $0 > $1 }) { faults.append("an older value after a newer one") }
      if subscriber.values.last != current { faults.append("another value than the current one at rest") }
      subscriber.subscription?.cancel()
    }
    return faults
  }
}
