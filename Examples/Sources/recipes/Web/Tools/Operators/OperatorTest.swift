import Foundation

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
        let entries = argument.dropFirst("outputs: [".count).dropLast().replacing(#/, (?="[^"]": )/#, with: ",\n    ")
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
    let named = code.replacing(/\$0(?:\[|\.cold\()(\d)(?:, values: \[(.*?\))\])?[\])]/) { match in
      if let values = match.2 { meanings = inputs(String(values)).replacing(#/"(.)": /#) { "\($0.1) = " } }
      return letter(ofInput: Int(match.1)!)
    }
    return (named.replacing("$0.scheduler", with: "clock"), meanings)
  }

  private static func inputs(_ code: String) -> String {
    code.replacing(/\$0(?:\[|\.cold\()(\d)[\])]/) { letter(ofInput: Int($0.1)!) }
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
