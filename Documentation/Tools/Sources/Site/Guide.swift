import Foundation
import Listings

/// A guide whose tables lead from words to pages, as text in Markdown.
struct Guide {

  /// A link in a guide: its text, and the path of its page on the site.
  struct Link: Hashable {
    let text: String
    let path: String
  }

  /// A row of a table. The first cell is the question, the last one has the links.
  struct Row {
    let question: String
    let links: [Link]
  }

  /// The rows of the tables below a heading.
  struct Section {
    let title: String

    /// What the first column is about, such as "I want".
    let header: String

    let rows: [Row]
  }

  let sections: [Section]

  /// The paths of the pages by the texts of the links to them.
  let paths: [String: String]

  init(_ text: String) {
    let lines = text.components(separatedBy: "\n")
    paths = Dictionary(
      lines.compactMap { line in
        line.wholeMatch(of: /\[(.+)\]: <doc:\/(.+)>/).map { (Self.plain(String($0.1)), Self.path(String($0.2))) }
      }
    ) { first, _ in first }
    var sections: [(title: String, header: String, rows: [Row])] = [("", "", [])]
    for (previous, line) in zip([""] + lines, lines) {
      if line.hasPrefix("## ") { sections.append((String(line.dropFirst(3)), "", [])) }
      if line.hasPrefix("|---") {
        sections[sections.count - 1].header = previous.split(separator: "|")[0].trimmingCharacters(in: .whitespaces)
      }
      guard line.hasPrefix("| "), !line.hasPrefix("|---"),
        let row = Self.row(line, paths), !row.links.isEmpty
      else { continue }
      sections[sections.count - 1].rows.append(row)
    }
    self.sections = sections.filter { !$0.rows.isEmpty }.map(Section.init)
  }

  init(_ file: URL) throws {
    self.init(try String(contentsOf: file, encoding: .utf8))
  }

  private static func row(_ line: String, _ paths: [String: String]) -> Row? {
    // A bar within code is escaped.
    let cells = line.replacing("\\|", with: "\u{1}").split(separator: "|").map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    guard cells.count > 1 else { return nil }
    let links = cells[cells.count - 1].matches(of: /\[([^\]]+)\](?:\[([^\]]+)\])?|<doc:(\w+)>/).compactMap {
      match -> Link? in
      if let article = match.3 {
        return Link(text: String(article), path: "/documentation/combine/\(article.lowercased())")
      }
      let text = plain(String(match.1 ?? ""))
      return paths[match.2.map { plain(String($0)) } ?? text].map { Link(text: text, path: $0) }
    }
    return Row(question: cells[0], links: links)
  }

  /// The path on the site for a link of DocC.
  private static func path(_ link: String) -> String { "/documentation/\(link.lowercased())" }

  /// The text without the marks of code.
  private static func plain(_ text: String) -> String { text.replacing("`", with: "") }
}
