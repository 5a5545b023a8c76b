import Testing

/// Walks every sequence of events, up to a length, that a state machine may receive.
///
/// The walk is depth first. The state is a value, so each branch has its own copy. Only sequences after a violation are
/// pruned, because an invariant may read the whole history.
struct Explorer<State, Event, Action> {

  struct Step {
    let event: Event
    let action: Action
  }

  /// A condition that must hold after each step.
  struct Invariant {
    let name: String
    let holds: (_ state: State, _ history: [Step]) -> Bool

    /// A closure that returns what a report says besides, of the state that violates the condition.
    let detail: (State) -> String?

    init(
      _ name: String,
      detail: @escaping (State) -> String? = { _ in nil },
      _ holds: @escaping (_ state: State, _ history: [Step]) -> Bool
    ) {
      self.name = name
      self.detail = detail
      self.holds = holds
    }
  }

  struct Violation {
    let invariant: String
    let history: [Step]

    /// The steps in order, each with the machine's answer.
    var table: String {
      let events = history.map { "\($0.event)" }
      let width = events.map(\.count).max() ?? 0
      let rows = zip(events, history).enumerated().map { number, row in
        let (event, step) = row
        return "\(number + 1) | \(event)\(String(repeating: " ", count: width - event.count)) | \(step.action)"
      }
      return (["violated: \(invariant)"] + rows).joined(separator: "\n")
    }
  }

  struct Outcome {

    /// The number of walked sequences, of every length.
    var sequenceCount = 0

    /// The shortest sequence that violates an invariant. Of several, the first in the order of the alphabet.
    var violation: Violation?
  }

  /// The possible next events.
  let alphabet: (State) -> [Event]
  let step: (inout State, Event) -> Action
  let invariants: [Invariant]

  func explore(from initial: State, depth: Int) -> Outcome {
    var outcome = Outcome()
    var history: [Step] = []
    history.reserveCapacity(depth)
    traversal(initial, depth: depth, history: &history, outcome: &outcome)
    return outcome
  }

  private func traversal(_ state: State, depth: Int, history: inout [Step], outcome: inout Outcome) {
    for event in alphabet(state) {
      // After a violation only a shorter one is of interest.
      guard history.count < (outcome.violation.map { $0.history.count - 1 } ?? depth) else { return }
      var next = state
      history.append(Step(event: event, action: step(&next, event)))
      outcome.sequenceCount += 1
      if let violated = invariants.first(where: { !$0.holds(next, history) }) {
        let name = [violated.name, violated.detail(next)].compactMap { $0 }.joined(separator: ", ")
        outcome.violation = Violation(invariant: name, history: history)
      } else {
        traversal(next, depth: depth, history: &history, outcome: &outcome)
      }
      history.removeLast()
    }
  }
}

/// A stand-in for a state that cannot be copied: the events so far, from which the state is made again.
struct Replayed<Machine: AnyObject, Event, Action> {
  private(set) var events: [Event]
  let make: () -> Machine
  let replay: (Machine, Event) -> Void
  let apply: (Machine, Event) -> Action

  /// - Parameters:
  ///   - events: What has happened before.
  ///   - replay: A closure that performs an event again, if that is cheaper without an answer.
  init(
    after events: [Event] = [],
    make: @escaping () -> Machine,
    replay: ((Machine, Event) -> Void)? = nil,
    apply: @escaping (Machine, Event) -> Action
  ) {
    self.events = events
    self.make = make
    self.replay = replay ?? { _ = apply($0, $1) }
    self.apply = apply
  }

  mutating func step(_ event: Event) -> Action {
    let machine = make()
    for event in events { replay(machine, event) }
    events.append(event)
    return apply(machine, event)
  }
}

/// A state machine beside a model of it, which was written from the operator's rules only.
///
/// Both receive the same events, and must give the same answers.
struct Compared<Machine, Model> {
  var machine: Machine
  var model: Model

  /// The model's answer to the last event, if the machine's answer differs.
  var expected: String?
}

/// Walks every sequence of events of a machine beside its model, and reports the shortest one on which they differ.
///
/// - Parameters:
///   - name: The name of the machine, for the line that reports the number of sequences.
///   - depth: The maximum length of a sequence. A short run leaves out the longest ones; see ``Length``.
///   - alphabet: A closure that returns the possible next events, from the model.
///   - answer: A closure that returns the machine's answer to an event.
///   - expect: A closure that returns the model's answer to an event.
///   - shortSequenceCount: The maximum number of sequences in a short run.
func expectSameAnswers<Machine, Model, Event, Answer: Equatable>(
  _ name: String,
  machine: Machine,
  model: Model,
  depth: Int,
  alphabet: @escaping (Model) -> [Event],
  answer: @escaping (inout Machine, Event) -> Answer,
  expect: @escaping (inout Model, Event) -> Answer,
  invariants: [(name: String, holds: (Machine, Model) -> Bool)] = [],
  shortSequenceCount: Int = Length.shortSequenceCount,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  typealias State = Compared<Machine, Model>
  typealias Traversal = Explorer<State, Event, Answer>
  let same = Traversal.Invariant("the answer is the model's", detail: \.expected) { state, _ in state.expected == nil }
  let explorer = Traversal(
    alphabet: { alphabet($0.model) },
    step: { state, event in
      let answer = answer(&state.machine, event)
      let expected = expect(&state.model, event)
      if answer != expected { state.expected = "\(expected)" }
      return answer
    },
    invariants: [same]
      + invariants.map { invariant in
        Traversal.Invariant(invariant.name) { state, _ in invariant.holds(state.machine, state.model) }
      }
  )
  expectNoViolation(
    name,
    explorer,
    from: State(machine: machine, model: model),
    depth: depth,
    shortSequenceCount: shortSequenceCount,
    sourceLocation: sourceLocation
  )
}

/// Walks every sequence of events up to a length, and reports the shortest one that violates an invariant.
func expectNoViolation<State, Event, Action>(
  _ name: String,
  _ explorer: Explorer<State, Event, Action>,
  from initial: State,
  depth: Int,
  shortSequenceCount: Int = Length.shortSequenceCount,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  // A short run ends before the length that would have more than some thousand sequences, judged by the one before.
  var walked = Length.isLong ? depth : 1
  var outcome = explorer.explore(from: initial, depth: walked)
  var growth = outcome.sequenceCount
  while walked < depth, outcome.violation == nil, outcome.sequenceCount * growth <= shortSequenceCount {
    walked += 1
    let count = outcome.sequenceCount
    outcome = explorer.explore(from: initial, depth: walked)
    growth = outcome.sequenceCount / max(count, 1)
  }
  Length.report("\(name): \(outcome.sequenceCount) sequences of up to \(walked) events")
  if let violation = outcome.violation {
    Issue.record("\(name), \(violation.table)", sourceLocation: sourceLocation)
  }
}
