import CombineCore
import SpecModels
import TestSupport
import Testing

/// An event of one of the upstreams, of the subscriber, or of the scheduler.
enum OperatorEvent {
  case value(Int), finish(Int), fail(Int), request(Subscribers.Demand), cancel

  /// An upstream sends a subscription: its first one, or another one.
  case subscription(Int)

  /// A millisecond passes, and what is due runs.
  case tick

  /// What is pending runs a millisecond later than it should.
  case late
}

/// An event inside a call: what happens each time, three times at most, before the call returns.
struct Reaction: CustomStringConvertible {

  /// `value` and `completion` of the subscriber, or a call of a subscription: `a request`, `b cancel`.
  let moment: String
  let event: OperatorEvent

  var description: String { "\(event) inside each \(moment)" }

  /// Returns a reaction for each event inside each call.
  static func all(of moments: [String], _ events: [OperatorEvent]) -> [Reaction] {
    moments.flatMap { moment in events.map { Reaction(moment: moment, event: $0) } }
  }
}

/// What an operator, or its model, is applied to.
struct OperatorInput {

  let upstreams: [MixingFixture.Upstream]
  let scheduler: VirtualScheduler

  /// Adds a line to the log.
  let note: (@autoclosure () -> String) -> Void

  /// Subscribes to each publisher as it arrives, logs its events, and publishes its number.
  func logged<Parts: Publisher>(_ parts: Parts) -> some Publisher<Int, TestError>
  where Parts.Output: Publisher<Int, TestError>, Parts.Failure == TestError {
    var count = 0
    return parts.map { [note] part in
      count += 1
      let number = count
      part.subscribe(
        Subscribers.Sink(
          receiveCompletion: { note("part \(number) \($0)") },
          receiveValue: { note("part \(number) value \($0)") }
        )
      )
      return number
    }
  }

  /// Logs each value, and publishes how many there were.
  func logged(_ arrays: some Publisher<[Int], TestError>) -> some Publisher<Int, TestError> {
    var count = 0
    return arrays.map { [note] in
      count += 1
      note("\($0)")
      return count
    }
  }
}

/// An operator with its upstreams, its scheduler and its subscriber.
final class DrivenOperator {

  private var fixture: MixingFixture?
  private let scheduler = VirtualScheduler()
  private var valueCount = 0
  private let reaction: Reaction?
  private var reactionCount = 0

  init<P: Publisher<Int, TestError>>(
    _ count: Int,
    _ circumstances: Circumstances,
    _ make: (OperatorInput) -> P
  ) {
    reaction = circumstances.reaction
    let fixture = MixingFixture(
      count: count,
      hasSubscriptions: circumstances.hasSubscriptions,
      requesting: circumstances.requested
    ) { upstreams in
      for (name, upstream) in zip(MixingFixture.names, upstreams) {
        upstream.onSubscribe = { [unowned self] in self.fixture?.note("\(name) is subscribed to") }
      }
      return make(
        OperatorInput(upstreams: upstreams, scheduler: scheduler) { [unowned self] in self.fixture?.note($0()) }
      )
    }
    self.fixture = fixture
    let returned = circumstances.returned
    fixture.onValue = { [unowned self] _ in
      react(inside: "value")
      return returned
    }
    if reaction != nil {
      fixture.onCompletion = { [unowned self] in react(inside: "completion") }
      fixture.onCall = { [unowned self] in react(inside: $0) }
    }
    fixture.isRecording = false
  }

  private func react(inside moment: String) {
    guard let reaction, reaction.moment == moment, reactionCount < 3 else { return }
    reactionCount += 1
    let demand = replay(reaction.event)
    fixture?.note("end of \(reaction.event)\(demand.map { ", which returns \($0)" } ?? "")")
  }

  /// Performs an event, and returns the resulting calls and the demand returned for a value. With the first event come the
  /// calls of the subscription.
  func perform(_ event: OperatorEvent) -> [String] {
    fixture?.isRecording = true
    let demand = replay(event)
    return (fixture?.take() ?? []) + (demand.map { ["returns \($0)"] } ?? [])
  }

  /// Performs an event, and returns the demand returned for a value.
  @discardableResult
  func replay(_ event: OperatorEvent) -> Subscribers.Demand? {
    guard let fixture else { return nil }
    if !fixture.isRecording { _ = fixture.take() }
    switch event {
    // An inner publisher that was never subscribed to.
    case .value(let index) where fixture.upstreams[index].subscriber == nil,
      .finish(let index) where fixture.upstreams[index].subscriber == nil,
      .fail(let index) where fixture.upstreams[index].subscriber == nil,
      .subscription(let index) where fixture.upstreams[index].subscriber == nil:
      break
    case .subscription(let index):
      fixture.upstreams[index].send(subscription: fixture.subscription(MixingFixture.names[index]))
    case .value(let index):
      // The number identifies the sender and the order.
      valueCount += 1
      return fixture.upstreams[index].send(valueCount * 10 + index)
    case .finish(let index): fixture.upstreams[index].send(completion: .finished)
    case .fail(let index): fixture.upstreams[index].send(completion: .failure("x"))
    case .request(let demand): fixture.request(demand)
    case .cancel: fixture.cancel()
    case .tick: scheduler.advance(by: 1)
    case .late: scheduler.delayPending(to: scheduler.time.advanced(by: 2))
    }
    return nil
  }
}

/// How a subscriber requests, and what happens inside a call, while an operator is compared with its model.
struct Circumstances {

  /// The demand that the subscriber requests when it receives its subscription, if any.
  var requested: Subscribers.Demand?

  /// The demand that the subscriber returns for each value.
  var returned = Subscribers.Demand.none

  /// Whether each upstream sends a subscription when it is subscribed to.
  var hasSubscriptions = true

  /// What happens inside a call.
  var reaction: Reaction?

  /// What happens before each sequence of events.
  var events: [OperatorEvent] = []

  fileprivate var description: String {
    [
      "requesting \(requested.map { "\($0)" } ?? "later")",
      "returning \(returned)",
      hasSubscriptions ? nil : "without subscriptions",
      reaction.map { "\($0)" },
      events.isEmpty ? nil : "after \(events)",
    ].compactMap { $0 }.joined(separator: ", ")
  }
}

/// Compares an operator with its model in `SpecModels`, on every sequence of events up to a length.
///
/// The conformance machine plays random scripts on the same models.
///
/// - Parameters:
///   - upstreamCount: The number of upstreams.
///   - circumstances: How the subscriber requests, and what happens before and inside.
///   - depth: The maximum length of a sequence.
///   - alphabet: A closure that returns the possible next events, from those so far.
///   - shortSequenceCount: The maximum number of sequences in a short run.
func expectBehavesAsModel<P: Publisher<Int, TestError>, Model: Publisher<Int, TestError>>(
  _ name: String,
  upstreamCount: Int = 1,
  _ circumstances: Circumstances = Circumstances(),
  depth: Int,
  alphabet: @escaping ([OperatorEvent]) -> [OperatorEvent],
  model: @escaping (OperatorInput) -> Model,
  shortSequenceCount: Int = Length.shortSequenceCount,
  sourceLocation: SourceLocation = #_sourceLocation,
  operation: @escaping (OperatorInput) -> P
) {
  typealias Player = Replayed<DrivenOperator, OperatorEvent, [String]>
  func player(_ make: @escaping (OperatorInput) -> some Publisher<Int, TestError>) -> Player {
    Player(
      after: circumstances.events,
      make: { DrivenOperator(upstreamCount, circumstances, make) },
      replay: { $0.replay($1) },
      apply: { $0.perform($1) }
    )
  }
  expectSameAnswers(
    "\(name), beside its model, \(circumstances.description)",
    machine: player(operation),
    model: player(model),
    depth: depth,
    alphabet: { alphabet($0.events) },
    answer: { $0.step($1) },
    expect: { $0.step($1) },
    shortSequenceCount: shortSequenceCount,
    sourceLocation: sourceLocation
  )
}

/// Compares an operator with its model in each of several circumstances, and then with each reaction.
///
/// - Parameters:
///   - circumstances: The circumstances. Reactions happen in the first of them. In the others, upstreams send subscriptions,
///     too, and sequences are shorter by one.
///   - reactions: What happens inside a call: one in each comparison. Two events follow a prefix, one in a short run. Where
///     the subscription of an upstream comes inside a call, it has sent none before.
///   - prefixes: What happens before each sequence with a reaction. A short run knows the last of them only.
func expectBehavesAsModel<P: Publisher<Int, TestError>, Model: Publisher<Int, TestError>>(
  _ name: String,
  upstreamCount: Int = 1,
  _ circumstances: [Circumstances],
  reactions: [Reaction],
  after prefixes: [[OperatorEvent]],
  depth: Int,
  alphabet: @escaping ([OperatorEvent]) -> [OperatorEvent],
  model: @escaping (OperatorInput) -> Model,
  shortSequenceCount: Int = Length.shortSequenceCount,
  sourceLocation: SourceLocation = #_sourceLocation,
  operation: @escaping (OperatorInput) -> P
) {
  func compare(_ circumstances: Circumstances, depth: Int, sendsSubscriptions: Bool = true, shortSequenceCount: Int) {
    let subscriptions = (0..<upstreamCount).map { OperatorEvent.subscription($0) }
    expectBehavesAsModel(
      name,
      upstreamCount: upstreamCount,
      circumstances,
      depth: depth,
      alphabet: { alphabet($0) + (sendsSubscriptions ? subscriptions : []) },
      model: model,
      shortSequenceCount: shortSequenceCount,
      sourceLocation: sourceLocation,
      operation: operation
    )
  }
  compare(circumstances[0], depth: depth, sendsSubscriptions: false, shortSequenceCount: shortSequenceCount)
  for circumstances in circumstances.dropFirst() {
    compare(circumstances, depth: depth - 1, shortSequenceCount: shortSequenceCount / 8)
  }
  for reaction in reactions {
    for events in Length.isLong ? prefixes : prefixes.suffix(1) {
      var circumstances = circumstances[0]
      circumstances.reaction = reaction
      if case .subscription(let late) = reaction.event {
        circumstances.hasSubscriptions = false
        circumstances.events = (0..<upstreamCount).filter { $0 != late }.map { .subscription($0) }
      }
      circumstances.events += events
      compare(circumstances, depth: 2, shortSequenceCount: 0)
    }
  }
}
