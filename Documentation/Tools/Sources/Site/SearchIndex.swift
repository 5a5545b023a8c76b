import Foundation

/// What the search of the site knows: each page with its module, its kind, and the words that other libraries have for it. Of a
/// guide also its headings and the words of its text.
struct SearchIndex {

  /// A heading, and its place in the address of the page.
  struct Heading: Encodable {
    let text: String
    let anchor: String
  }

  struct Entry: Encodable {

    /// The name as a reader says it, such as `prefix(untilOutputFrom:)`, without generics and results.
    let title: String
    let path: String
    let module: String
    let kind: String

    /// The names of the module and of the types that the page belongs to, such as `CombineCore / Publishers / Zip`.
    var place = ""

    /// The words of other libraries, each with the place of this page among the pages for it.
    var words: [String: Int] = [:]

    /// The headings of a guide.
    var headings: [Heading] = []

    /// The words of a guide's text and listings, each with the number of times that it occurs.
    var text: [String: Int] = [:]
  }

  private(set) var entries: [Entry] = []

  /// - Parameters:
  ///   - file: The index of the navigator, which has all pages in the order of the modules.
  ///   - data: The folder with the data of the pages, or `nil` if the navigator's titles are to do.
  ///   - words: The guide *Words of other libraries*.
  init(navigator file: URL, data: URL? = nil, words: Guide) throws {
    self.data = data
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
        for word in row.question.matches(of: /`([^`]+)`/) { entries[place].words[String(word.1)] = rank }
      }
    }
  }

  private mutating func add(_ node: [String: Any], _ seen: inout Set<String>) {
    if let path = node["path"] as? String, let title = node["title"] as? String, let kind = node["type"] as? String,
      path.hasPrefix("/documentation/") || path.hasPrefix("/tutorials/"), seen.insert(path.lowercased()).inserted
    {
      let module = path.split(separator: "/").dropFirst().first.map(String.init) ?? ""
      var entry = Entry(title: title, path: path.lowercased(), module: module, kind: kind)
      if let page = page(path.lowercased()) { entry = entry.reading(page) }
      entries.append(entry)
    }
    for child in node["children"] as? [[String: Any]] ?? [] { add(child, &seen) }
  }

  /// The data of a page.
  private func page(_ path: String) -> [String: Any]? {
    guard let data, let content = try? Data(contentsOf: data.appending(path: "\(path.dropFirst()).json")) else {
      return nil
    }
    return try? JSONSerialization.jsonObject(with: content) as? [String: Any]
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

  /// The names of the pages by their paths.
  var names: [String: String] { Dictionary(entries.map { ($0.path, $0.title) }) { first, _ in first } }

  /// Whether the navigator leads to a page.
  func contains(_ path: String) -> Bool { paths.contains(path.lowercased()) }

  private var paths: Set<String> = []
  private let data: URL?

  func write(to file: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    try encoder.encode(entries).write(to: file)
  }

  // MARK: The list from A to Z

  /// All pages by their names, with a field that filters them and a heading for each letter. A name that several pages have,
  /// such as `a`, stands there once, with the places of the pages.
  func html(base: String) -> String {
    let named = Dictionary(grouping: entries) { String(Self.name(in: $0.title)) }
    let sorted = named.sorted { ($0.key.lowercased(), $0.key) < ($1.key.lowercased(), $1.key) }
    let letters = Dictionary(grouping: sorted) { Self.letter(of: $0.key) }
    let keys = letters.keys.sorted()
    let links = keys.map { "<a href=\"#\($0)\">\($0)</a>" }.joined(separator: " ")
    return """
      <p class="site-filter"><input type="search" autocomplete="off" placeholder="Filter, such as merge or Publishers / Zip"\
       aria-label="Filter the names"> <span role="status"></span></p>
      <nav class="letters" aria-label="Letters">\(links)</nav>

      """
        + keys.map { key in
          "<div class=\"site-group\">\n<h2 id=\"\(key)\">\(key)</h2>\n<ul class=\"names\">\n"
            + letters[key]!.map { Self.html(of: $1, base: base) }.joined(separator: "\n") + "\n</ul>\n</div>"
        }.joined(separator: "\n")
  }

  private static func letter(of name: String) -> String {
    guard let first = name.first else { return "Other" }
    return first.isLetter ? first.uppercased() : "0–9"
  }

  /// A line of the list: the pages that have one name.
  private static func html(of entries: [Entry], base: String) -> String {
    func link(_ entry: Entry, _ text: String) -> String { "<a href=\"\(base)\(entry.path)/\">\(text)</a>" }
    let sorted = entries.sorted { ($0.place, $0.path) < ($1.place, $1.path) }
    let name = "<code>\(sorted[0].title.escaped)</code>"
    if sorted.count == 1 { return "<li>\(link(sorted[0], name)) <span>\(sorted[0].place.escaped)</span></li>" }
    var numbers: [String: Int] = [:]
    let counts = Dictionary(sorted.map { ($0.place, 1) }, uniquingKeysWith: +)
    let links = sorted.map { entry in
      numbers[entry.place, default: 0] += 1
      let place = entry.place.isEmpty ? "swift-combine" : entry.place.escaped
      return link(entry, counts[entry.place] == 1 ? place : "\(place), \(numbers[entry.place]!)")
    }
    return "<li>\(name) <span>\(links.joined(separator: " · "))</span></li>"
  }
}

extension SearchIndex.Entry {

  /// Returns this page with the title and, of a guide, the text that its data has.
  fileprivate func reading(_ page: [String: Any]) -> Self {
    let title = (page["metadata"] as? [String: Any])?["title"] as? String
    var entry = Self(title: title ?? self.title, path: path, module: module, kind: kind)
    guard ["article", "project"].contains(kind) else { return entry }
    for key in ["abstract", "primaryContentSections", "sections"] { entry.read(page[key] ?? []) }
    return entry
  }

  private mutating func read(_ part: Any) {
    switch part {
    case let list as [Any]:
      for part in list { read(part) }
    case let block as [String: Any]:
      if block["type"] as? String == "heading", let text = block["text"] as? String,
        let anchor = block["anchor"] as? String
      {
        headings.append(SearchIndex.Heading(text: text, anchor: anchor))
      }
      for (key, value) in block {
        switch value {
        case let text as String where key == "text" || block["type"] as? String == "codeVoice" && key == "code":
          count(text)
        case let lines as [String] where key == "code": lines.forEach { count($0) }
        case is String: break
        default: read(value)
        }
      }
    default: break
    }
  }

  private mutating func count(_ line: String) {
    for word in line.lowercased().split(whereSeparator: { !$0.isLetter && !$0.isNumber })
    where word.count > 1 || word.first!.isNumber {
      text[String(word), default: 0] += 1
    }
  }
}
