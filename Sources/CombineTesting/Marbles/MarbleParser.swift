extension MarbleDiagram {

  /// Parses a diagram.
  ///
  /// Every character except a space takes one tick. The events of a group, `(ab|)`, all occur at the time of the
  /// opening parenthesis. The group takes as many ticks as it has characters, so events in the same column occur at the
  /// same time.
  ///
  /// - Parameters:
  ///   - text: The text of the diagram.
  ///   - role: The role of the line.
  init(_ text: String, as role: Role) throws(Fault) {
    var parser = MarbleParser(text: text, role: role)
    for character in text { try parser.read(character) }
    self = try parser.finish()
  }
}

/// A parser that reads a diagram from left to right.
private struct MarbleParser {

  let text: String
  let role: MarbleDiagram.Role

  /// The column of the next character.
  private var column = 0

  /// The number of ticks since the first column.
  private var ticks = 0

  /// The number of ticks at `^`.
  private var origin: Int?

  /// The open group: the column of its parenthesis, its time, and whether it is still empty.
  private var group: (column: Int, time: Int, isEmpty: Bool)?

  /// The mark after which no event can follow, if there was one.
  private var ending: MarbleDiagram.Mark?

  private var events: [MarbleDiagram.Event] = []

  init(text: String, role: MarbleDiagram.Role) {
    self.text = text
    self.role = role
  }

  private typealias Fault = MarbleDiagram.Fault

  private func fault(_ message: String) -> Fault {
    Fault(message: message, column: column)
  }

  mutating func read(_ character: Character) throws(MarbleDiagram.Fault) {
    defer { column += 1 }
    switch character {
    case " ": return
    case "-":
      if group != nil { throw fault("no time passes inside a group") }
    case "(":
      if group != nil { throw fault("a group inside a group") }
      group = (column, ticks, isEmpty: true)
    case ")":
      guard let group else { throw fault("there is no '(' for this ')'") }
      if group.isEmpty { throw fault("the group is empty") }
      self.group = nil
    case "|": try add(.finish)
    case "#": try add(.failure)
    case "^": try add(.subscription)
    case "!": try add(.cancellation)
    case _ where character.isLetter || character.isNumber: try add(.value(character))
    default: throw fault("unknown character '\(character)'")
    }
    ticks += 1
  }

  private mutating func add(_ mark: MarbleDiagram.Mark) throws(MarbleDiagram.Fault) {
    // An input may complete before it is subscribed to.
    let canFollowTheEnd = if case (.input, .subscription) = (role, mark) { true } else { false }
    if let ending, !canFollowTheEnd { throw fault("nothing can follow '\(ending.character)'") }
    switch (role, mark) {
    case (.subscriptions, .subscription), (.subscriptions, .cancellation):
      break
    case (.subscriptions, _):
      throw fault("a line of subscriptions has only '^' and '!'")
    case (_, .subscription):
      if group != nil { throw fault("'^' cannot be in a group") }
      if origin != nil { throw fault("a second '^'") }
      origin = ticks
      return
    case (.input, .cancellation):
      throw fault("'!' cannot be in an input: the output's line says when it is cancelled")
    case (.output, .cancellation):
      if group != nil { throw fault("'!' cannot be in a group: it comes before all else that happens at its time") }
      ending = mark
    case (_, .finish), (_, .failure):
      ending = mark
    case (_, .value):
      break
    }
    group?.isEmpty = false
    events.append(MarbleDiagram.Event(time: group?.time ?? ticks, mark: mark, column: column))
  }

  func finish() throws(MarbleDiagram.Fault) -> MarbleDiagram {
    if let group { throw Fault(message: "there is no ')' for this '('", column: group.column) }
    let drawsSubscription = origin != nil
    let origin = origin ?? 0
    if role == .output, let early = events.first, early.time < origin {
      throw Fault(message: "nothing can arrive before the subscription", column: early.column)
    }
    var diagram = MarbleDiagram(text: text)
    diagram.events = events.map { MarbleDiagram.Event(time: $0.time - origin, mark: $0.mark, column: $0.column) }
    diagram.drawsSubscription = drawsSubscription
    diagram.start = -origin
    diagram.end = ticks - origin
    return diagram
  }
}
