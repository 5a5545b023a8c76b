import Foundation
import Listings

/// The page *Find an operator*: questions, of which each answer leads to the next one or to operators.
///
/// It is made of the tables of the guide *Choosing an operator*. A person who answers two questions reads one table.
struct DecisionTree {

  /// The answers to the first question, with the headings of the guide's sections to which they lead.
  private static let beginnings: [(have: String, sections: [String])] = [
    (
      "one publisher, and want something else to come out of it",
      [
        "Change each element", "Drop elements", "Make one result of all elements", "Make groups",
        "Start work for each element", "Slow down, wait, measure", "Handle failures", "Say where, and share",
        "Look inside, and change the type",
      ]
    ),
    ("several publishers, and want one", ["Combine several publishers"]),
    ("no publisher yet", ["Create a publisher"]),
    ("a publisher, and want to receive its elements", ["Subscribe"]),
  ]

  /// An answer to a question, with the next question or the operators.
  indirect enum Answer {
    case question(String, ask: String, [Answer])
    case operators(String, [Guide.Link])
  }

  let answers: [Answer]

  init(_ guide: Guide) throws {
    let sections = Dictionary(guide.sections.map { ($0.title, $0) }) { first, _ in first }
    let named = Self.beginnings.flatMap(\.sections)
    guard Set(named) == Set(sections.keys) else {
      throw ToolError("the guide has other sections: \(Set(named).symmetricDifference(sections.keys).sorted())")
    }
    answers = Self.beginnings.map { have, titles in
      let next = titles.compactMap { sections[$0] }.map { section in
        Answer.question(section.title, ask: section.header, section.rows.map { .operators($0.question, $0.links) })
      }
      // One section needs no question of its own.
      if next.count == 1, case .question(_, let ask, let rows) = next[0] { return .question(have, ask: ask, rows) }
      return .question(have, ask: "What do you want to do with it?", next)
    }
  }

  /// The maximum number of questions until the operators.
  var depth: Int { 1 + (answers.map(Self.depth).max() ?? 0) }

  private static func depth(_ answer: Answer) -> Int {
    switch answer {
    case .question(_, _, let answers): 1 + (answers.map(depth).max() ?? 0)
    case .operators: 0
    }
  }

  /// The questions as nested lists that unfold. They need no script.
  func html(base: String) -> String {
    let list = answers.map { Self.html($0, base) }.joined(separator: "\n")
    return "<p class=\"tree-ask\">I have</p>\n<ul class=\"tree\">\n\(list)\n</ul>"
  }

  private static func html(_ answer: Answer, _ base: String) -> String {
    switch answer {
    case .question(let text, let ask, let answers):
      "<li><details><summary>\(text.inHTML)</summary><p class=\"tree-ask\">\(ask)</p><ul class=\"tree\">"
        + answers.map { html($0, base) }.joined(separator: "\n") + "</ul></details></li>"
    case .operators(let text, let links):
      "<li><span class=\"tree-want\">\(text.inHTML)</span> "
        + links.map { "<a href=\"\(base)\($0.path)/\"><code>\($0.text.escaped)</code></a>" }.joined(
          separator: " "
        )
        + "</li>"
    }
  }
}

extension String {

  /// Code and emphasis of Markdown as HTML.
  var inHTML: String {
    escaped.replacing(/`([^`]+)`/) { "<code>\($0.1)</code>" }.replacing(/\*([^*]+)\*/) { "<em>\($0.1)</em>" }
  }
}
