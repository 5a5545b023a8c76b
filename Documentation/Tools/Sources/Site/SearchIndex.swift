import Foundation

/// What the search of the site knows: each page with its module, its kind, and the words that other libraries have for it.
struct SearchIndex {

  struct Entry: Encodable {
    let title: String
    let path: String
    let module: String
    let kind: String

    /// The names of the module and of the types that the page belongs to, such as `CombineCore / Publishers / Zip`.
    var place = ""

    /// The words of other libraries, each with the place of this page among the pages for it.
    var words: [String: Int] = [:]
  }

  private(set) var entries: [Entry] = []

  /// - Parameters:
  ///   - file: The index of the navigator, which has all pages in the order of the modules.
  ///   - words: The guide *Words of other libraries*.
  init(navigator file: URL, words: Guide) throws {
    let index = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any] ?? [:]
    let roots = (index["interfaceLanguages"] as? [String: [[String: Any]]])?["swift"] ?? []
    var seen: Set<String> = []
    for root in roots { add(root, &seen) }
    paths = seen
    var places: [String: Int] = [:]
    for (place, entry) in entries.enumerated() { places[entry.path] = place }
    for place in entries.indices { entries[place].place = owners(of: entries[place].path, places) }
    for row in words.sections.flatMap(\.rows) {
      for (rank, link) in row.links.enumerated() {
        guard let place = places[link.path] else { continue }
        for word in row.question.matches(of: /`([^`]+)`/) { entries[place].words[word.1.lowercased()] = rank }
      }
    }
  }

  private mutating func add(_ node: [String: Any], _ seen: inout Set<String>) {
    if let path = node["path"] as? String, let title = node["title"] as? String, let kind = node["type"] as? String,
      path.hasPrefix("/documentation/") || path.hasPrefix("/tutorials/"), seen.insert(path.lowercased()).inserted
    {
      let module = path.split(separator: "/").dropFirst().first.map(String.init) ?? ""
      entries.append(Entry(title: title, path: path.lowercased(), module: module, kind: kind))
    }
    for child in node["children"] as? [[String: Any]] ?? [] { add(child, &seen) }
  }

  private func owners(of path: String, _ places: [String: Int]) -> String {
    let parts = path.split(separator: "/")
    return parts.indices.dropFirst().dropLast().map { last in
      guard let place = places["/" + parts[...last].joined(separator: "/")] else { return String(parts[last]) }
      return entries[place].title.split(separator: ".").last.map(String.init) ?? entries[place].title
    }.joined(separator: " / ")
  }

  /// The name in a declaration, without keywords and marks: `prefix(_:)` of `func prefix(_:)`.
  private static func name(in title: String) -> Substring {
    let keywords = #/(static |mutating )*(func|var|let|struct|class|enum|protocol|typealias|case|macro|subscript) /#
    return title.trimmingPrefix(keywords).drop { !$0.isLetter && !$0.isNumber }
  }

  /// Whether the navigator leads to a page.
  func contains(_ path: String) -> Bool { paths.contains(path.lowercased()) }

  private var paths: Set<String> = []

  func write(to file: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    try encoder.encode(entries).write(to: file)
  }

  // MARK: The list from A to Z

  /// All pages by their names, with a heading for each letter.
  func html(base: String) -> String {
    let named = entries.map { entry in (key: Self.name(in: entry.title).lowercased(), entry) }
    let sorted = named.sorted { ($0.key, $0.1.path) < ($1.key, $1.1.path) }
    let letters = Dictionary(grouping: sorted) { $0.key.first.map { $0.isLetter ? $0.uppercased() : "0–9" } ?? "Other" }
    let keys = letters.keys.sorted()
    let links = keys.map { "<a href=\"#\($0)\">\($0)</a>" }.joined(separator: " ")
    return "<nav class=\"letters\" aria-label=\"Letters\">\(links)</nav>\n"
      + keys.map { key in
        "<h2 id=\"\(key)\">\(key)</h2>\n<ul class=\"names\">\n"
          + letters[key]!.map { _, entry in
            "<li><a href=\"\(base)\(entry.path)/\"><code>\(entry.title.escaped)</code></a> "
              + "<span>\(entry.place.escaped)</span></li>"
          }.joined(separator: "\n")
          + "\n</ul>"
      }.joined(separator: "\n")
  }
}
