import CombineCore
import TestSupport
import Testing

/// The operators that reduce many values to one result. Their common rules are tested on each of them.
///
/// Operators with a predicate look for a value of 10 or more. Throwing operators throw on 100. Values are recorded as
/// texts, because the outputs differ.
enum ReducingMember: String, CaseIterable, Codable, Sendable {

  case reduce, tryReduce, min, minBy, tryMin, max, maxBy, tryMax, count, collect, allSatisfy, tryAllSatisfy
  case contains, containsWhere, tryContainsWhere, first, firstWhere, tryFirstWhere, last, lastWhere, tryLastWhere

  typealias Recorder = RecordingSubscriber<String, any Error>

  static let finishingEarly: [ReducingMember] = [
    .allSatisfy, .tryAllSatisfy, .contains, .containsWhere, .tryContainsWhere, .first, .firstWhere, .tryFirstWhere,
  ]

  static let throwing: [ReducingMember] = [
    .tryReduce, .tryMin, .tryMax, .tryAllSatisfy, .tryContainsWhere, .tryFirstWhere, .tryLastWhere,
  ]

  /// The operators that call a closure for 10 after ``others``.
  static let callingAClosure: [ReducingMember] =
    throwing + [.reduce, .minBy, .maxBy, .allSatisfy, .containsWhere, .firstWhere, .lastWhere]

  /// Subscribes a subscriber to an upstream through the operator.
  ///
  /// - Parameter onCall: A closure that receives the arguments of each call of the operator's closure.
  func subscribe(_ recorder: Recorder, to upstream: TestUpstream, onCall: @escaping ([Int]) -> Void = { _ in }) {
    func attach<P: Publisher>(_ publisher: P) {
      publisher.subscribe(Erasing<P.Output, P.Failure>(recorder))
    }
    func answer(_ arguments: [Int], _ answer: Bool) -> Bool {
      onCall(arguments)
      return answer
    }
    func throwing(_ arguments: [Int], _ result: Bool) throws -> Bool {
      onCall(arguments)
      if arguments.contains(100) { throw TestError("thrown") }
      return result
    }
    switch self {
    case .reduce: attach(upstream.reduce(0) { answer([$0, $1], true) ? $0 + $1 : 0 })
    case .tryReduce: attach(upstream.tryReduce(0) { try throwing([$0, $1], true) ? $0 + $1 : 0 })
    case .min: attach(upstream.min())
    case .minBy: attach(upstream.min { answer([$0, $1], $0 < $1) })
    case .tryMin: attach(upstream.tryMin { try throwing([$0, $1], $0 < $1) })
    case .max: attach(upstream.max())
    case .maxBy: attach(upstream.max { answer([$0, $1], $0 < $1) })
    case .tryMax: attach(upstream.tryMax { try throwing([$0, $1], $0 < $1) })
    case .count: attach(upstream.count())
    case .collect: attach(upstream.collect())
    case .allSatisfy: attach(upstream.allSatisfy { answer([$0], $0 < 10) })
    case .tryAllSatisfy: attach(upstream.tryAllSatisfy { try throwing([$0], $0 < 10) })
    case .contains: attach(upstream.contains(10))
    case .containsWhere: attach(upstream.contains { answer([$0], $0 >= 10) })
    case .tryContainsWhere: attach(upstream.tryContains { try throwing([$0], $0 >= 10) })
    case .first: attach(upstream.first())
    case .firstWhere: attach(upstream.first { answer([$0], $0 >= 10) })
    case .tryFirstWhere: attach(upstream.tryFirst { try throwing([$0], $0 >= 10) })
    case .last: attach(upstream.last())
    case .lastWhere: attach(upstream.last { answer([$0], $0 >= 10) })
    case .tryLastWhere: attach(upstream.tryLast { try throwing([$0], $0 >= 10) })
    }
  }

  /// Makes an upstream and a subscriber, and subscribes one to the other.
  func attach(
    subscription: ManualSubscription? = ManualSubscription(),
    requesting initial: Subscribers.Demand? = nil,
    onCall: @escaping ([Int]) -> Void = { _ in }
  ) -> (TestUpstream, Recorder) {
    let upstream = TestUpstream(subscription: subscription)
    let recorder = Recorder(onSubscription: { subscription in initial.map { subscription.request($0) } })
    subscribe(recorder, to: upstream, onCall: onCall)
    recorder.clear()
    return (upstream, recorder)
  }

  /// The description of the subscription.
  var name: String {
    switch self {
    case .reduce: "Reduce"
    case .tryReduce: "TryReduce"
    case .min, .minBy, .max, .maxBy: "Comparison"
    case .tryMin, .tryMax: "TryComparison"
    case .count: "Count"
    case .collect: "Collect"
    case .allSatisfy: "AllSatisfy"
    case .tryAllSatisfy: "TryAllSatisfy"
    case .contains: "Contains"
    case .containsWhere: "ContainsWhere"
    case .tryContainsWhere: "TryContainsWhere"
    case .first: "First"
    case .firstWhere: "TryFirst"
    case .tryFirstWhere: "TryFirstWhere"
    case .last: "Last"
    case .lastWhere: "LastWhere"
    case .tryLastWhere: "TryLastWhere"
    }
  }

  /// Values that do not finish the operator early.
  var others: [Int] { self == .first ? [] : [3, 1, 2] }

  /// The result of an upstream without values.
  var initial: String? {
    switch self {
    case .reduce, .tryReduce, .count: "0"
    case .collect: "[]"
    case .allSatisfy, .tryAllSatisfy: "true"
    case .contains, .containsWhere, .tryContainsWhere: "false"
    default: nil
    }
  }

  /// The result of ``others``.
  var resultOfOthers: String? {
    switch self {
    case .reduce, .tryReduce: "6"
    case .min, .minBy, .tryMin: "1"
    case .max, .maxBy, .tryMax, .count: "3"
    case .collect: "[3, 1, 2]"
    case .allSatisfy, .tryAllSatisfy: "true"
    case .contains, .containsWhere, .tryContainsWhere: "false"
    case .last: "2"
    case .first, .firstWhere, .tryFirstWhere, .lastWhere, .tryLastWhere: nil
    }
  }

  /// The result of ``others`` and 10.
  var resultOfTen: String {
    switch self {
    case .reduce, .tryReduce: "16"
    case .min, .minBy, .tryMin: "1"
    case .count: "4"
    case .collect: "[3, 1, 2, 10]"
    case .allSatisfy, .tryAllSatisfy: "false"
    case .contains, .containsWhere, .tryContainsWhere: "true"
    default: "10"
    }
  }

  /// The events in which a subscriber receives a result, or none.
  static func events(_ result: String?) -> [Event<String>] {
    (result.map { [.value($0)] } ?? []) + [.finished]
  }
}

/// Forwards every event to a subscriber of texts and any errors.
private final class Erasing<Input, Failure: Error>: Subscriber {

  private let recorder: ReducingMember.Recorder

  init(_ recorder: ReducingMember.Recorder) {
    self.recorder = recorder
  }

  func receive(subscription: any Subscription) {
    recorder.receive(subscription: subscription)
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    recorder.receive(String(describing: input))
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: recorder.receive(completion: .finished)
    case .failure(let error): recorder.receive(completion: .failure(error))
    }
  }
}

/// Sends values to an operator that has unlimited demand, then a completion.
///
/// - Returns: The events after the subscription, and the calls of the upstream's subscription.
func reduction<P: Publisher>(
  of values: [Int],
  completion: Subscribers.Completion<TestError>? = .finished,
  _ make: (TestUpstream) -> P
) -> (events: [Event<P.Output>], history: [ManualSubscription.Call]) {
  let upstream = TestUpstream()
  let subscriber = RecordingSubscriber<P.Output, P.Failure>(requesting: .unlimited)
  make(upstream).subscribe(subscriber)
  subscriber.clear()
  for value in values { upstream.send(value) }
  if let completion { upstream.send(completion: completion) }
  return (subscriber.events, upstream.history)
}

/// The arguments of the closure's calls, for an operator that receives values and a `.finished`.
func arguments<P: Publisher>(
  for values: [Int],
  _ make: (TestUpstream, _ onCall: @escaping ([Int]) -> Void) -> P
) -> [[Int]] {
  var calls: [[Int]] = []
  _ = reduction(of: values) { make($0) { calls.append($0) } }
  return calls
}
