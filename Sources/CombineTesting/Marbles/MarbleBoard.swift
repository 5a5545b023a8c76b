import CombineCore

/// The inputs of one marble test, its scheduler, and what is wrong with it.
///
/// The lines are known only after the publisher was made, so that an input refers to its line by its number.
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

    /// When it was subscribed to and cancelled, in order.
    var traffic: [MarbleMoment] = []
  }

  // No picture has so much at one time.
  let scheduler = TestScheduler(agenda: VirtualAgenda(clock: 0, mostActionsAtOneTime: 10_000))

  /// What is wrong with the diagrams, each with the picture of the place.
  private(set) var faults: [String] = []

  /// The uses that are to be checked when the lines are known.
  private var uses: [Use] = []

  private var lines: [Line]?

  /// The instant that is time zero in the diagrams.
  private var origin: VirtualTime = 0

  /// The time in the diagrams.
  var time: Int { origin.distance(to: scheduler.now).ticks }

  // MARK: Faults

  func addFault(_ message: String) {
    if !faults.contains(message) { faults.append(message) }
  }

  /// Reads a diagram, or notes why it cannot be read.
  func parse(_ text: String, as role: MarbleDiagram.Role) -> MarbleDiagram? {
    do throws(MarbleDiagram.Fault) {
      return try MarbleDiagram(text, as: role)
    } catch {
      addFault(error.message, in: text, as: role, column: error.column)
      return nil
    }
  }

  /// Notes a fault at a place of a diagram.
  func addFault(_ message: String, in text: String, as role: MarbleDiagram.Role, column: Int) {
    addFault("\(message), in \(role), column \(column + 1)\n  \(text)\n  \(String(repeating: " ", count: column))^")
  }

  /// Notes a fault of each letter of a diagram that has one.
  func check(_ diagram: MarbleDiagram, as role: MarbleDiagram.Role, faultOfLetter: (Character) -> String?) {
    for event in diagram.events {
      guard case .value(let letter) = event.mark, let fault = faultOfLetter(letter) else { continue }
      addFault(fault, in: diagram.text, as: role, column: event.column)
    }
  }

  // MARK: Inputs

  /// Notes that an input is used, and what is wrong with that.
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

  /// Takes the lines of the inputs, and checks the uses that were made of them.
  func setInputs(_ diagrams: [MarbleDiagram]) {
    lines = diagrams.map { Line(diagram: $0) }
    for use in exchange(&uses, with: []) { self.use(use) }
  }

  /// Has the events of the inputs happen at their times, and before them an action at time zero and another one at a
  /// time of its own, if it has one.
  func schedule(start: @escaping () -> Void, cancellation: Int?, cancel: @escaping () -> Void) {
    let lines = lines ?? []
    // The clock begins with the first event, before or at the subscription.
    let first = lines.map(\.diagram.start).min() ?? 0
    origin = scheduler.now - VirtualTimeInterval(min(0, first))
    scheduler.schedule(after: origin, start)
    if let cancellation { scheduler.schedule(after: origin + VirtualTimeInterval(cancellation), cancel) }
    for line in lines { schedule(line.diagram, after: origin, to: line.hot) }
  }

  private func schedule(
    _ diagram: MarbleDiagram,
    after origin: VirtualTime,
    to subject: PassthroughSubject<Character, MarbleError>
  ) {
    for event in diagram.events {
      scheduler.schedule(after: origin + VirtualTimeInterval(event.time)) {
        switch event.mark {
        case .value(let letter): subject.send(letter)
        case .finish: subject.send(completion: .finished)
        case .failure: subject.send(completion: .failure(MarbleError()))
        case .subscription, .cancellation: break
        }
      }
    }
  }

  /// The events of an input. There are none, and no end, if it has no line.
  func events(ofInput index: Int, isCold: Bool) -> some Publisher<Character, MarbleError> {
    let subject: PassthroughSubject<Character, MarbleError>
    if let lines, lines.indices.contains(index) {
      subject = isCold ? PassthroughSubject() : lines[index].hot
      if isCold { schedule(lines[index].diagram, after: scheduler.now, to: subject) }
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
    lines?[index].traffic.append(MarbleMoment(time: time, mark: mark.character, text: mark.name))
  }

  /// When an input was subscribed to and cancelled, in order.
  func traffic(ofInput index: Int) -> [MarbleMoment] {
    lines?[index].traffic ?? []
  }

  /// Lets time pass.
  ///
  /// - Returns: Why it stopped.
  func advance(to time: Int) -> VirtualAgenda<VirtualTime>.Outcome {
    scheduler.agenda.run(until: origin + VirtualTimeInterval(time))
  }
}
