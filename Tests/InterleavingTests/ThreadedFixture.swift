import CombineCore
import TestSupport

/// A correct publisher for one subscriber, whose events a thread of a program sends.
///
/// It sends only within demand, and nothing after its completion or after a cancel that it knows of.
final class Feed<Output>: Publisher {

  typealias Failure = TestError

  /// The subscription of one subscriber. It has no effect once there is another subscriber.
  private struct Link: Subscription {
    let combineIdentifier = CombineIdentifier()
    let feed: Feed
    let number: Int

    func request(_ more: Subscribers.Demand) {
      Interleavings.point("\(feed.name) is asked for \(more)")
      guard number == feed.subscribeCount else { return }
      feed.requests.append(more)
      feed.demand += more
      feed.onRequest?()
    }

    func cancel() {
      Interleavings.point("\(feed.name) is cancelled")
      feed.cancelCount += 1
      if number == feed.subscribeCount { feed.isCancelled = true }
    }
  }

  let name: String

  /// The requests received, in order.
  private(set) var requests: [Subscribers.Demand] = []
  private(set) var cancelCount = 0

  /// What it does within a request.
  var onRequest: (() -> Void)?

  /// The values that had no demand, or that followed a cancel.
  private(set) var unsent: [Output] = []
  private(set) var demand = Subscribers.Demand.none
  private(set) var subscribeCount = 0

  private var subscriber: (any Subscriber<Output, TestError>)?
  private(set) var isCompleted = false
  private var isCancelled = false

  /// Whether it sends its subscription during the call that subscribes to it.
  private let answersAtOnce: Bool

  init(_ name: String, answersAtOnce: Bool = true) {
    self.name = name
    self.answersAtOnce = answersAtOnce
  }

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == TestError {
    Interleavings.point("\(name) is subscribed to")
    subscribeCount += 1
    self.subscriber = subscriber
    isCompleted = false
    isCancelled = false
    demand = .none
    if answersAtOnce { subscriber.receive(subscription: subscription) }
  }

  /// The subscription of the current subscriber.
  var subscription: any Subscription { Link(feed: self, number: subscribeCount) }

  /// Sends the subscription, if it does not do so at once.
  func answer() {
    Interleavings.point("\(name) sends its subscription")
    subscriber?.receive(subscription: subscription)
  }

  /// Sends values, one after the other, and then finishes or not.
  func send(_ values: Output..., finishing isLast: Bool = false) {
    for value in values {
      Interleavings.point("\(name) sends \(value)")
      if !isCancelled, !isCompleted, demand > .none, let subscriber {
        demand -= 1
        demand += subscriber.receive(value)
      } else {
        unsent.append(value)
      }
    }
    if isLast { complete() }
  }

  func complete(_ completion: Subscribers.Completion<TestError> = .finished) {
    Interleavings.point("\(name) completes: \(completion)")
    guard !isCancelled, !isCompleted, let subscriber else { return }
    isCompleted = true
    subscriber.receive(completion: completion)
  }

  func fail() {
    complete(.failure(""))
  }
}

/// A subscriber that records every violation of the contract by its publisher.
final class Witness<Input: Equatable>: Subscriber {

  typealias Failure = TestError

  private(set) var values: [Input] = []
  private(set) var completion: Subscribers.Completion<TestError>?

  /// The publisher's violations.
  private(set) var faults: [String] = []

  private(set) var subscription: (any Subscription)?

  /// The outstanding demand, or `nil` if the publisher may exceed it.
  private(set) var demand: Subscribers.Demand?

  private let initial: Subscribers.Demand
  private let onValue: (Input) -> Subscribers.Demand

  /// The thread that is calling, and how deeply its calls are nested.
  private var inside: (thread: Int?, depth: Int) = (nil, 0)

  /// The thread that has cancelled, once that call has returned.
  private var canceller: Int?

  init(
    requesting initial: Subscribers.Demand = .unlimited,
    ignoringDemand: Bool = false,
    onValue: @escaping (Input) -> Subscribers.Demand = { _ in .none }
  ) {
    self.initial = initial
    self.onValue = onValue
    demand = ignoringDemand ? nil : Subscribers.Demand.none
  }

  var isCompleted: Bool { completion != nil }

  func request(_ more: Subscribers.Demand) {
    Interleavings.point("downstream asks for \(more)")
    ask(more)
  }

  private func ask(_ more: Subscribers.Demand) {
    if let demand { self.demand = demand + more }
    subscription?.request(more)
  }

  func cancel() {
    Interleavings.point("downstream cancels")
    subscription?.cancel()
    canceller = Interleavings.thread
    Interleavings.point("downstream has cancelled")
  }

  private func whileInside<Result>(_ name: String, _ body: () -> Result) -> Result {
    if inside.depth > 0, inside.thread != Interleavings.thread { faults.append("\(name): two threads are inside") }
    if isCompleted { faults.append("\(name): came after the completion") }
    if let canceller, canceller == Interleavings.thread { faults.append("\(name): came after the thread's own cancel") }
    inside = (Interleavings.thread, inside.depth + 1)
    Interleavings.point("downstream receives \(name)")
    defer {
      Interleavings.point("downstream has received \(name)")
      inside.depth -= 1
    }
    return body()
  }

  func receive(subscription: any Subscription) {
    self.subscription = subscription
    if initial > .none { ask(initial) }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    whileInside("\(input)") {
      if subscription == nil { faults.append("\(input): came before the subscription") }
      values.append(input)
      if demand == Subscribers.Demand.none {
        faults.append("\(input): nobody asked for it")
      } else if let demand {
        self.demand = demand - 1
      }
      let more = onValue(input)
      if let demand { self.demand = demand + more }
      return more
    }
  }

  func receive(completion: Subscribers.Completion<TestError>) {
    whileInside("\(completion)") { self.completion = completion }
  }
}

/// Collects the faults at the end of a program.
struct Verdict {

  private(set) var faults: [String]

  init<Input>(_ witness: Witness<Input>) {
    faults = witness.faults
  }

  mutating func require(_ isRight: Bool, _ fault: @autoclosure () -> String) {
    if !isRight { faults.append(fault()) }
  }

  /// Requires that a downstream has received exactly these values, and the completion.
  mutating func requireEnd<Input>(of witness: Witness<Input>, after values: [Input]) {
    require(witness.values == values, "\(witness.values)")
    require(witness.isCompleted, "the completion is missing")
  }

  /// Requires that a downstream that has cancelled received the completion, or the upstream the cancel.
  mutating func requireEndOrCancel<Input, Output>(of witness: Witness<Input>, and feed: Feed<Output>) {
    require(
      witness.isCompleted == (feed.cancelCount == 0),
      "completed: \(witness.isCompleted), cancelled \(feed.cancelCount) times"
    )
  }

  /// Requires that a list contains values of several sources, each in its own order, and none twice.
  mutating func require<Value: Hashable>(_ values: [Value], areOf sources: [[Value]], completely: Bool = true) {
    let all = sources.flatMap { $0 }
    require(Set(values).count == values.count, "\(values): a value came twice")
    require(Set(values).isSubset(of: all), "\(values): of \(all)")
    if completely { require(values.count == all.count, "\(values): a value of \(all) is missing") }
    for source in sources {
      let own = values.filter(source.contains)
      require(own == source.filter(own.contains), "\(values): not in the order of \(source)")
    }
  }
}
