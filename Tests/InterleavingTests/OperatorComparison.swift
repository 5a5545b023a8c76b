import CombineCore
import SpecModels
import TestSupport
import Testing

/// An event of one of the upstreams, of the subscriber, or of the scheduler.
enum OperatorEvent {
  case value(Int), finish(Int), fail(Int), request(Subscribers.Demand), cancel

  /// A millisecond passes, and what is due runs.
  case tick

  /// What is pending runs a millisecond later than it should.
  case late
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

  init<P: Publisher<Int, TestError>>(
    _ count: Int,
    requesting requested: Subscribers.Demand?,
    returning returned: Subscribers.Demand,
    _ make: (OperatorInput) -> P
  ) {
    let fixture = MixingFixture(count: count, requesting: requested) { upstreams in
      make(
        OperatorInput(upstreams: upstreams, scheduler: scheduler) { [unowned self] in self.fixture?.note($0()) }
      )
    }
    self.fixture = fixture
    fixture.onValue = { _ in returned }
    _ = fixture.take()
    fixture.isRecording = false
  }

  /// Performs an event, and returns the resulting calls and the demand returned for a value.
  func perform(_ event: OperatorEvent) -> [String] {
    fixture?.isRecording = true
    let demand = replay(event)
    return (fixture?.take() ?? []) + (demand.map { ["returns \($0)"] } ?? [])
  }

  /// Performs an event, and returns the demand returned for a value.
  @discardableResult
  func replay(_ event: OperatorEvent) -> Subscribers.Demand? {
    guard let fixture else { return nil }
    switch event {
    // An inner publisher that was never subscribed to.
    case .value(let index) where fixture.upstreams[index].subscriber == nil,
      .finish(let index) where fixture.upstreams[index].subscriber == nil,
      .fail(let index) where fixture.upstreams[index].subscriber == nil:
      break
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

/// Compares an operator with its model in `SpecModels`, on every sequence of events up to a length.
///
/// The conformance machine plays random scripts, with nested calls, on the same models.
///
/// - Parameters:
///   - upstreamCount: The number of upstreams.
///   - requested: The demand that the subscriber requests when it receives its subscription, if any.
///   - returned: The demand that the subscriber returns for each value.
///   - depth: The maximum length of a sequence.
///   - alphabet: A closure that returns the possible next events, from those so far.
///   - shortSequenceCount: The maximum number of sequences in a short run.
func expectBehavesAsModel<P: Publisher<Int, TestError>, Model: Publisher<Int, TestError>>(
  _ name: String,
  upstreamCount: Int = 1,
  requesting requested: Subscribers.Demand? = nil,
  returning returned: Subscribers.Demand = .none,
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
      make: { DrivenOperator(upstreamCount, requesting: requested, returning: returned, make) },
      replay: { $0.replay($1) },
      apply: { $0.perform($1) }
    )
  }
  expectSameAnswers(
    "\(name), beside its model, returning \(returned)",
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
