import Foundation

/// A source file as a page shows it: colored, and with links between the places that name a stage and the events of that stage.
struct SwiftSource {

  let text: String

  /// The stages of the page.
  let stages: [String]

  /// The source in HTML. Its text is that of the file.
  var html: String {
    text.components(separatedBy: "\n").map { line in
      guard let name = line.firstMatch(of: /\.stage\(("[^"]*")/) else { return Self.colored(line) }
      let named = stages.filter { Self.isNamed($0, by: String(name.1.dropFirst().dropLast())) }
      guard let first = named.first else { return Self.colored(line) }
      // A place that several stages share, such as `"step \(name)"`, leads to the first of them.
      let ids = named.map { "<span id=\"source-\(Self.id(of: $0))\"></span>" }.joined()
      return "<span class=\"source-stage\" data-stages=\"\(named.joined(separator: "|").escapedForHTML)\">\(ids)"
        + Self.colored(String(line[..<name.1.startIndex]))
        + "<a href=\"#stage-\(Self.id(of: first))\">\(Self.colored(String(name.1)))</a>"
        + Self.colored(String(line[name.1.endIndex...])) + "</span>"
    }
    .joined(separator: "\n")
  }

  /// Whether a literal, which may have an interpolation, stands for a stage.
  private static func isNamed(_ stage: String, by literal: String) -> Bool {
    guard let start = literal.firstRange(of: "\\(") else { return stage == literal }
    return stage.hasPrefix(literal[..<start.lowerBound])
  }

  /// A stage's name as a part of an address.
  static func id(of stage: String) -> String { stage.replacing(" ", with: "-") }

  // MARK: Colors

  private static let keywords: Set<Substring> = [
    "import", "struct", "final", "class", "enum", "extension", "protocol", "func", "var", "let", "init", "deinit",
    "private",
    "fileprivate", "static", "return", "if", "else", "guard", "switch", "case", "for", "in", "while", "default", "self",
    "Self",
    "nil", "true", "false", "try", "throws", "async", "await", "weak", "some", "any", "where", "set", "get", "override",
  ]

  /// Whether a word is a keyword, or an attribute, and not the label of an argument.
  private static func isKeyword(_ word: Substring, before rest: Substring) -> Bool {
    "@#".contains(word.first!) || keywords.contains(word) && (rest.first != ":" || word == "default")
  }

  private static func colored(_ line: String) -> String {
    // The tokens that have a color. A comment ends the line.
    let token =
      /(?<comment>\/\/.*)|(?<string>"(?:[^"\\]|\\.)*")|(?<word>[@#]?[A-Za-z_][A-Za-z0-9_]*)|(?<number>\d[\d_.]*)/
    var html = ""
    var rest = line[...]
    while let match = rest.firstMatch(of: token) {
      html += String(rest[..<match.range.lowerBound]).escapedForHTML
      let text = String(match.0).escapedForHTML
      let kind: String? =
        if match.comment != nil {
          "comment"
        } else if match.string != nil {
          "string"
        } else if match.number != nil {
          "number"
        } else if isKeyword(match.0, before: rest[match.range.upperBound...]) {
          "keyword"
        } else if match.0.first!.isUppercase {
          "type"
        } else {
          nil
        }
      html += kind.map { "<span class=\"source-\($0)\">\(text)</span>" } ?? text
      rest = rest[match.range.upperBound...]
    }
    return html + String(rest).escapedForHTML
  }
}

extension String {
  var escapedForHTML: String {
    replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;").replacing(
      "\"",
      with: "&quot;"
    )
  }
}
