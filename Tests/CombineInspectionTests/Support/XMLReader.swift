import Foundation

/// Checks that tags are nested and text is escaped, and counts the elements.
///
/// Foundation's parser is in a module that needs libxml2, which the tests do without.
struct XMLReader {

  private(set) var counts: [String: Int] = [:]
  private(set) var isWellFormed = true

  init(_ text: String) {
    var open: [String] = []
    var rest = text[...]
    while let start = rest.firstIndex(of: "<") {
      let content = rest[..<start]
      isWellFormed = isWellFormed && !content.contains(">") && Self.areEntities(content)
      guard let end = rest[start...].firstIndex(of: ">") else {
        isWellFormed = false
        return
      }
      let tag = rest[rest.index(after: start)..<end]
      rest = rest[rest.index(after: end)...]
      if tag.hasPrefix("/") {
        isWellFormed = isWellFormed && open.popLast() == String(tag.dropFirst())
      } else {
        let name = String(tag.prefix { !$0.isWhitespace && $0 != "/" })
        counts[name, default: 0] += 1
        if !tag.hasSuffix("/") { open.append(name) }
      }
    }
    isWellFormed = isWellFormed && open.isEmpty
  }

  private static func areEntities(_ text: Substring) -> Bool {
    text.split(separator: "&", omittingEmptySubsequences: false).dropFirst().allSatisfy { part in
      ["amp;", "lt;", "gt;", "quot;"].contains { part.hasPrefix($0) }
    }
  }
}
