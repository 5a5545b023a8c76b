import Foundation

/// The code of the publisher under test in a marble diagram, in the form in which a picture shows it.
///
/// The inputs are named A, B, C …, as their lines are in the picture.
public struct OperatorCode: Equatable, Sendable {

  /// The lines of the code.
  public let lines: [String]

  /// The values that letters stand for, as the test states them; `nil` if they stand for themselves.
  public let values: String?

  /// Whether the letters of the inputs stand for other values, which the playground cannot have.
  public let hasValues: Bool

  public init(lines: [String], values: String? = nil, hasValues: Bool = false) {
    self.lines = lines
    self.values = values
    self.hasValues = hasValues
  }

  /// Returns the code of each marble diagram in a listing.
  public static func all(in listing: [String]) -> [OperatorCode] {
    var all: [OperatorCode] = []
    var current: (head: String, body: [String])?
    for line in listing {
      if let (head, body) = current {
        if line.hasPrefix("}") {
          all.append(OperatorCode(head: head, body: body))
          current = nil
        } else {
          current = (head, body + [line])
        }
      } else if line.hasPrefix("marbles") {
        current = (line, [])
      }
    }
    return all
  }

  private init(head: String, body: [String]) {
    var values = head.firstMatch(of: /values: (\[.*\])/).map { [String($0.1)] } ?? []
    let code = body.filter { !$0.trimmingCharacters(in: .whitespaces).hasPrefix("\"") }
      .map { Self.named($0.replacing(/\s*\/\/ .*$/, with: ""), values: &values) }
    // The common indentation goes.
    let indentation = code.map { $0.prefix { $0 == " " }.count }.min() ?? 0
    lines = code.map { String($0.dropFirst(indentation)) }
    self.values = values.isEmpty ? nil : values.joined(separator: ", ")
    hasValues = head.contains(/\bvalues:/)
  }

  /// Replaces the inputs and the clock by their names: `$0[0]`, `$0[0, values: …]`, `$0.cold(0)`, `$0.scheduler`.
  ///
  /// - Parameter values: Receives the values that the letters of an input stand for.
  private static func named(_ line: String, values: inout [String]) -> String {
    var result = ""
    var rest = line[...]
    while let place = rest.firstRange(of: /\$0(\[|\.cold\(|\.scheduler)/) {
      result += rest[..<place.lowerBound]
      let isScheduler = rest[place].hasSuffix("scheduler")
      rest = rest[place.upperBound...]
      guard !isScheduler else {
        result += "clock"
        continue
      }
      let content = rest.prefix(upToClosing: 1)
      rest = rest.dropFirst(content.count + 1)
      result += letter(of: content.first?.wholeNumberValue ?? 0)
      if let dictionary = content.firstRange(of: "values: ") {
        values.append(named(String(content[dictionary.upperBound...]), values: &values))
      }
    }
    return result + rest
  }

  /// The name of an input.
  public static func letter(of input: Int) -> String { String("ABCDEFGHIJ".dropFirst(input).first ?? "?") }
}

extension Substring {

  /// The text up to the bracket or parenthesis that closes a number of open ones.
  fileprivate func prefix(upToClosing open: Int) -> Substring {
    var depth = open
    let end = firstIndex { character in
      if "[(".contains(character) { depth += 1 }
      if "])".contains(character) { depth -= 1 }
      return depth == 0
    }
    return self[..<(end ?? endIndex)]
  }
}
