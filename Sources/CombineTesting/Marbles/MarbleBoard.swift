import CombineCore

/// The inputs of one marble test, its scheduler, and the faults of its diagrams.
///
/// The lines are known only after the publisher was made, so an input refers to its line by number.
final class MarbleBoard {

  /// The use of an input in the publisher under test.
  struct Use {
    let index: Int
    let isCold: Bool
    let faultOfLetter: (Character) -> String?
  }

  /// An input.
  private struct Line {

    let diagram: MarbleDiagram
    let hot = PassthroughSubject<Character, MarbleError>()

    /// The moments at which the input was subscribed to and cancelled, in order.
    var traffic: [MarbleMoment] = []

    /// The events that the input has sent as a hot one, in order.
    var sent: [MarbleMoment] = []

    /// Whether it was used as a cold one.
    var isCold = false
  }

  // No diagram has this many actions at the same time.
  let scheduler = TestScheduler(agenda: VirtualAgenda(clock: 0, mostActionsAtOneTime: 10_000))

  /// The faults of the diagrams, each with a picture of its place.
  private(set) var faults: [String] = []

  /// The uses that are checked when the lines are known.
  private var uses: [Use] = []

  private var lines: [Line]?

  /// The instant on the scheduler's clock that is time zero in the diagrams.
  private var origin: VirtualTime = 0

  /// The current time in the diagrams.
  var time: Int { origin.distance(to: scheduler.now).ticks }

  // MARK: Faults

  func addFault(_ message: String) {
    if !faults.contains(message) { faults.append(message) }
  }

  /// Parses a diagram, or records its fault.
  func parse(_ text: String, as role: MarbleDiagram.Role) -> MarbleDiagram? {
    do throws(MarbleDiagram.Fault) {
      return try MarbleDiagram(text, as: role)
    } catch {
      addFault(error.message, in: text, as: role, column: error.column)
      return nil
    }
  }

  /// Records a fault at a place in a diagram.
  func addFault(_ message: String, in text: String, as role: MarbleDiagram.Role, column: Int) {
    addFault("\(message), in \(role), column \(column + 1)\n  \(text)\n  \(String(repeating: " ", count: column))^")
  }

  /// Records a fault for each letter of a diagram that has one.
  func check(_ diagram: MarbleDiagram, as role: MarbleDiagram.Role, faultOfLetter: (Character) -> String?) {
    for event in diagram.events {
      guard case .value(let letter) = event.mark, let fault = faultOfLetter(letter) else { continue }
      addFault(fault, in: diagram.text, as: role, column: event.column)
    }
  }

  // MARK: Inputs

  /// Records the use of an input, and the faults of that use.
  func use(_ use: Use) {
    guard let lines else { return uses.append(use) }
    guard lines.indices.contains(use.index) else {
      let count = lines.count == 1 ? "is 1 input" : "are \(lines.count) inputs"
      return addFault("there is no input \(use.index), counted from 0: there \(count)")
    }
    let diagram = lines[use.index].diagram
    check(diagram, as: .input(use.index), faultOfLetter: use.faultOfLetter)
    if use.isCold, let early = diagram.events.first, early.time < 0 {
      let message = "nothing can happen before the subscription, as the input is used as a cold one"
      addFault(message, in: diagram.text, as: .input(use.index), column: early.column)
    }
  }

  /// Sets the lines of the inputs, and checks the uses recorded so far.
  func setInputs(_ diagrams: [MarbleDiagram]) {
    lines = diagrams.map { Line(diagram: $0) }
    for use in exchange(&uses, with: []) { self.use(use) }
  }

  /// Schedules the events of the inputs, and before them `start` at time zero and `cancel` at `cancellation`, if that
  /// is set.
  func schedule(start: @escaping () -> Void, cancellation: Int?, cancel: @escaping () -> Void) {
    let lines = lines ?? []
    // The clock starts at the first event, which is at or before the subscription.
    let first = lines.map(\.diagram.start).min() ?? 0
    origin = scheduler.now - VirtualTimeInterval(min(0, first))
    scheduler.schedule(after: origin, start)
    if let cancellation { scheduler.schedule(after: origin + VirtualTimeInterval(cancellation), cancel) }
    for (index, line) in lines.enumerated() {
      schedule(line.diagram, after: origin, to: line.hot) { [self] in self.lines?[index].sent.append($0) }
    }
  }

  private func schedule(
    _ diagram: MarbleDiagram,
    after origin: VirtualTime,
    to subject: PassthroughSubject<Character, MarbleError>,
    noting note: @escaping (MarbleMoment) -> Void = { _ in }
  ) {
    for event in diagram.events {
      scheduler.schedule(after: origin + VirtualTimeInterval(event.time)) { [self] in
        note(MarbleMoment(event.mark, at: time))
        switch event.mark {
        case .value(let letter): subject.send(letter)
        case .finish: subject.send(completion: .finished)
        case .failure: subject.send(completion: .failure(MarbleError()))
        case .subscription, .cancellation: break
        }
      }
    }
  }

  /// Returns a publisher of the events of an input. An input without a line never publishes or completes.
  func events(ofInput index: Int, isCold: Bool) -> some Publisher<Character, MarbleError> {
    let subject: PassthroughSubject<Character, MarbleError>
    if let lines, lines.indices.contains(index) {
      subject = isCold ? PassthroughSubject() : lines[index].hot
      if isCold {
        self.lines?[index].isCold = true
        schedule(lines[index].diagram, after: scheduler.now, to: subject)
      }
    } else {
      subject = PassthroughSubject()
    }
    return subject.handleEvents(
      receiveSubscription: { [self] _ in note(.subscription, ofInput: index) },
      receiveCancel: { [self] in note(.cancellation, ofInput: index) }
    )
  }

  private func note(_ mark: MarbleDiagram.Mark, ofInput index: Int) {
    guard lines?.indices.contains(index) == true else { return }
    lines?[index].traffic.append(MarbleMoment(mark, at: time))
  }

  /// Returns the moments at which an input was subscribed to and cancelled, in order.
  func traffic(ofInput index: Int) -> [MarbleMoment] {
    lines?[index].traffic ?? []
  }

  /// Returns the events that an input has sent. A cold one has those of its diagram.
  func sent(byInput index: Int) -> [MarbleMoment] {
    guard let line = lines?[index] else { return [] }
    return line.isCold ? line.diagram.moments : line.sent
  }

  /// Moves the clock to a time in the diagrams.
  ///
  /// - Returns: The reason why the run stopped.
  func advance(to time: Int) -> VirtualAgenda<VirtualTime>.Outcome {
    scheduler.agenda.run(until: origin + VirtualTimeInterval(time))
  }
}
