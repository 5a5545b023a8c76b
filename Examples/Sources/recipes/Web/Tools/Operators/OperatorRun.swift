/// One case of an operator: its inputs and settings, what the operator makes of them, and the test that says so.
struct OperatorRun {

  /// An event of the output.
  struct Event: Equatable {

    /// The number of strides since the subscription.
    let time: Double

    /// Its character in the diagram: a letter, `|`, `#` or `!`.
    let mark: String

    /// The value, or the error.
    let text: String?
  }

  /// The publisher in Swift, with letters for the inputs.
  let code: String

  /// The meanings of the letters in an input of publishers, or `nil`.
  let meanings: String?

  let output: [Event]

  /// The time to which an open output is drawn, in strides.
  let end: Int

  /// The case as a test, or `nil` if it cannot be drawn in text.
  let test: String?

  /// The number of columns that a stride has in the test.
  let scale: Int

  /// What a person should know about the run, or `nil`.
  let problem: String?

  /// The time after which a publisher that goes on is cancelled, in strides.
  static let strides = 2 * OperatorLine.strides

  /// The largest number of columns of a stride. An input never needs more.
  static let mostColumns = OperatorLine.mostEvents + 2

  /// The largest number of events that are shown.
  static let mostEvents = 500

  /// Runs a case.
  init(_ operation: Operator, _ lines: [OperatorLine], _ settings: Operator.Settings) {
    let inputs = lines.map { OperatorDiagram($0.events.map { ($0.time, $0.mark) }) }
    let length = (lines.compactMap { $0.events.last?.time }.max() ?? 0) + 1
    var settings = settings
    settings.scale = inputs.map(\.columns).max() ?? 1
    let cut = min(Self.strides, 3 * length + 10)
    var texts: [String]
    var observation: Operator.Observation
    var isCut: Bool
    // Several events at a time need several columns. Then a stride is made longer, and all intervals with it.
    while true {
      texts = inputs.map { $0.text(scale: settings.scale, openUntil: length) }
      // As long as a marble test waits for further events.
      observation = operation.run(texts, Self.strides * settings.scale + 1000, settings)
      isCut = observation.events.last.map { $0.time >= Self.strides * settings.scale } ?? false
      var moments = observation.events.map { (time: $0.time, mark: Character("x")) }
      if isCut {
        let end = cut * settings.scale
        observation.events.removeAll { $0.time >= end }
        moments = moments.filter { $0.time < end } + [(end, "!")]
      }
      let columns = OperatorDiagram(moments).columns
      if columns == 1 || columns * settings.scale > Self.mostColumns { break }
      settings.scale *= columns
    }
    let scale = settings.scale
    let isTooMuch = observation.events.count > Self.mostEvents
    let events = observation.events.prefix(Self.mostEvents)

    let letters = OperatorLetters(events.map(\.event))
    var marks = events.map { (time: $0.time, mark: letters[$0.event]) }
    if isCut, !isTooMuch { marks.append((cut * scale, "!")) }
    let diagram = OperatorDiagram(marks.map { ($0.time, $0.mark ?? "?") })
    let isDrawable =
      observation.problem == nil && !isTooMuch && diagram.columns == 1 && !marks.contains { $0.mark == nil }

    (code, meanings) = OperatorTest.named(operation.code(settings))
    output = zip(marks, events.map(\.event.text) + [nil]).map { moment, text in
      Event(time: Double(moment.time) / Double(scale), mark: moment.mark.map { String($0) } ?? "…", text: text)
    }
    end = max(length, Int(output.last?.time.rounded(.up) ?? 0) + 1)
    self.scale = scale
    test =
      isDrawable
      ? OperatorTest.text(
        inputs: texts,
        code: operation.code(settings),
        output: diagram.text(scale: 1, openUntil: length * scale),
        arguments: (operation.hasNumbers ? ["of: Int.self"] : []) + letters.arguments
      ) : nil
    problem =
      if let problem = observation.problem {
        problem
      } else if isTooMuch {
        "There are more events. These are the first \(Self.mostEvents)."
      } else if isCut {
        "More happens later. The publisher is cancelled at \(cut)."
      } else {
        nil
      }
  }

  /// The run as the page's script reads it.
  var json: JSON {
    .object([
      ("code", .text(code)),
      ("meanings", meanings.map { .text($0) }),
      ("output", .list(output.map(\.json))),
      ("end", .integer(end)),
      ("test", test.map { .text($0) }),
      ("scale", .integer(scale)),
      ("problem", problem.map { .text($0) }),
    ])
  }

  // MARK: Requests

  /// Runs the case of a link.
  ///
  /// - Parameter query: The names and values of the link's query: `op`, the inputs `a`, `b` …, and the parameters. What
  ///   is missing is as in the operator's first scene.
  init(query: [(name: String, value: String)]) throws(BadRequest) {
    var values: [String: String] = [:]
    for (name, value) in query {
      guard values.updateValue(value, forKey: name) == nil else { throw BadRequest("‘\(name)’ is there twice") }
    }
    guard let id = values.removeValue(forKey: "op") else { throw BadRequest("there is no ‘op’") }
    guard let operation = Operator.all[id] else { throw BadRequest("there is no operator ‘\(id)’") }
    var lines: [OperatorLine] = []
    for (index, initial) in operation.inputs.enumerated() {
      let name = OperatorTest.letter(ofInput: index)
      let text = values.removeValue(forKey: name.lowercased()) ?? initial
      lines.append(try OperatorLine(text, letters: operation.letters[index], name: name))
    }
    var settings = operation.initialSettings
    for parameter in operation.parameters {
      guard let text = values.removeValue(forKey: parameter.name) else { continue }
      settings.values[parameter.name] = try parameter.value(text)
    }
    if let name = values.keys.min() { throw BadRequest("‘\(operation.name)’ has no ‘\(name)’") }
    self.init(operation, lines, settings)
  }
}

extension Operator.Parameter {

  /// Returns the value that a text in a link stands for.
  fileprivate func value(_ text: String) throws(BadRequest) -> Int {
    if case .choice(let options) = kind {
      guard let index = options.firstIndex(where: { $0.name == text }) else {
        throw BadRequest("‘\(name)’ must be one of \(options.map(\.name).joined(separator: ", "))")
      }
      return index
    }
    guard let value = Int(text), range.contains(value) else {
      throw BadRequest("‘\(name)’ must be a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }
}

extension OperatorRun.Event {

  fileprivate var json: JSON {
    .object([("time", .number(time)), ("mark", .text(mark)), ("text", text.map { .text($0) })])
  }
}

extension Operator.Observation.Event {

  /// The value, or the error.
  fileprivate var text: String? {
    switch self {
    case .value(let sent): sent.label
    case .finish: nil
    case .failure(let error): error
    }
  }
}
