/// The text of a case as a marble test.
enum OperatorTest {

  /// Returns the test.
  ///
  /// - Parameters:
  ///   - inputs: The diagrams of the inputs.
  ///   - code: The publisher.
  ///   - output: The diagram of the output.
  ///   - arguments: The arguments of the call.
  static func text(inputs: [String], code: String, output: String, arguments: [String]) -> String {
    var head = "marbles" + (arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))") + " {"
    if head.count > 110 {
      let lines = arguments.map { argument in
        guard argument.hasPrefix("outputs: ["), argument.count > 110 else { return argument }
        let entries = argument.dropFirst("outputs: [".count).dropLast().rewritten { rest in
          rest.hasPrefix(", ") && letter(atStartOf: rest.dropFirst(2)) != nil ? (2, ",\n    ") : nil
        }
        return "outputs: [\n    \(entries),\n  ]"
      }
      head = "marbles(\n  \(lines.joined(separator: ",\n  "))\n) {"
    }
    let lines = inputs.map { "\"\($0)\"" } + code.split(separator: "\n").map { String($0) } + ["\"\(output)\""]
    return ([head] + lines.map { "  \($0)" } + ["}"]).joined(separator: "\n")
  }

  /// The name of an input in a picture.
  static func letter(ofInput index: Int) -> String { String("ABCD".dropFirst(index).first!) }

  /// Returns the code of a publisher as pictures show it, with letters for the inputs, and what the letters of an input
  /// of publishers stand for.
  static func named(_ code: String) -> (code: String, meanings: String?) {
    var meanings: String?
    let named = code.rewritten { rest in
      guard let input = Input(atStartOf: rest) else { return nil }
      if let values = input.values {
        let named = values.rewritten { rest in Input(atStartOf: rest).map { ($0.count, letter(ofInput: $0.index)) } }
        meanings = named.rewritten { rest in letter(atStartOf: rest).map { (5, "\($0) = ") } }
      }
      return (input.count, letter(ofInput: input.index))
    }
    return (named.rewritten("$0.scheduler", as: "clock"), meanings)
  }

  /// The letter of an entry of a dictionary, such as `"a": `.
  private static func letter(atStartOf text: Substring) -> Character? {
    let entry = Array(text.prefix(5))
    return entry.count == 5 && entry[0] == "\"" && entry[1] != "\"" && entry[2...] == ["\"", ":", " "] ? entry[1] : nil
  }

  /// A mention of an input: `$0[1]`, `$0.cold(1)` or `$0.cold(0, values: ["a": $0.cold(1)])`.
  private struct Input {

    let index: Int
    let values: Substring?

    /// The number of its characters.
    let count: Int

    init?(atStartOf text: Substring) {
      guard let head = ["$0[", "$0.cold("].first(where: text.hasPrefix) else { return nil }
      var rest = text.dropFirst(head.count)
      guard let index = rest.first?.wholeNumberValue else { return nil }
      rest = rest.dropFirst()
      var values: Substring?
      let label = ", values: ["
      if rest.hasPrefix(label) {
        let entries = rest.dropFirst(label.count)
        guard let end = entries.indices.first(where: { entries[$0...].hasPrefix(")]") }) else { return nil }
        values = entries[...end]
        rest = entries[end...].dropFirst(2)
      }
      guard let last = rest.first, "])".contains(last) else { return nil }
      self.index = index
      self.values = values
      count = text.distance(from: text.startIndex, to: rest.startIndex) + 1
    }
  }
}

/// The letters of an output's values in a diagram.
struct OperatorLetters {

  private var letters: [Operator.Sent: Character] = [:]

  /// The dictionary of the values, as an argument of `marbles`; none if each letter describes its value.
  private(set) var arguments: [String] = []

  init(_ events: [Operator.Observation.Event]) {
    var values: [Operator.Sent] = []
    for case .value(let value) in events where !values.contains(value) { values.append(value) }
    var free = Array("pqrstuvwxyzabcdefghijklmnoPQRSTUVWXYZABCDEFGHIJKLMNO0123456789")
    for value in values where value.isLetter {
      letters[value] = Character(value.label)
      free.removeAll { $0 == Character(value.label) }
    }
    for value in values where !value.isLetter && !free.isEmpty { letters[value] = free.removeFirst() }
    if !values.allSatisfy(\.isLetter) {
      let entries = values.compactMap { value in letters[value].map { "\"\($0)\": \(value.code)" } }
      arguments = ["outputs: [\(entries.joined(separator: ", "))]"]
    }
  }

  /// The letter of an event. A value has none if there are too many.
  subscript(event: Operator.Observation.Event) -> Character? {
    switch event {
    case .value(let value): letters[value]
    case .finish: "|"
    case .failure: "#"
    }
  }
}
