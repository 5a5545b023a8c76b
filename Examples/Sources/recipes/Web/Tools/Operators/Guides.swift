import Foundation

/// What the library's guides say about operators, by the names that the guides give them.
enum Guides {

  /// The words that other libraries, and people, have for each operator: *Words of other libraries*.
  static let words = read("WordsOfOtherLibraries").map(words(in:)) ?? [:]

  /// The address of each operator's page, while `Documentation/site --serve` runs: the links of *Choosing an operator*.
  private static let pages = read("ChoosingAnOperator").map(pages(in:)) ?? [:]

  /// Returns the address of an operator's page. An operator that the playground has twice has parameters in its name.
  static func page(of name: String) -> String? {
    pages[name] ?? pages[name.replacing("[…]", with: "…")] ?? pages[String(name.prefix { $0 != "(" })]
  }

  private static func read(_ guide: String) -> String? {
    let file = URL(filePath: #filePath)
      .appending(path: "../../../../../../../Sources/Combine/Combine.docc/\(guide).md").standardized
    return try? String(contentsOf: file, encoding: .utf8)
  }

  /// Reads the rows of a table: words, where they come from, and links to operators such as [`map`].
  static func words(in guide: String) -> [String: [String]] {
    var words: [String: [String]] = [:]
    for line in guide.split(separator: "\n") where line.hasPrefix("| `") {
      let cells = line.split(separator: "|")
      for link in cells[cells.count - 1].matches(of: /\[`([^`]+)`\]/) {
        words[String(link.1), default: []] += cells[0].matches(of: /`([^`]+)`/).map { String($0.1) }
      }
    }
    return words
  }

  /// Reads the definitions of links such as [`map`]: <doc:/CombineCore/Publisher/map(_:)-7wrpa>.
  static func pages(in guide: String) -> [String: String] {
    var pages: [String: String] = [:]
    for line in guide.split(separator: "\n") {
      guard let match = line.wholeMatch(of: /\[`?(.+?)`?\]: <doc:\/(.+)>/) else { continue }
      pages[String(match.1)] = "http://127.0.0.1:8000/documentation/\(match.2.lowercased())/"
    }
    return pages
  }
}
