import Foundation

/// The page with all pictures of operators, in the sections of the guide *Choosing an operator*.
struct Gallery {

  /// A picture and the page that shows it.
  struct Item {
    let name: String
    let page: String

    /// The text for people who do not see the picture.
    let text: String

    /// The addresses of the picture in both themes.
    let light: String
    let dark: String
  }

  private(set) var sections: [(title: String, items: [Item])] = []

  /// - Parameters:
  ///   - data: The folder with the data of the pages.
  ///   - search: All pages, in the order in which what is in no section stands at the end.
  ///   - guide: The guide.
  init(data: URL, search: SearchIndex, guide: Guide) throws {
    var seen: Set<String> = []
    let names = search.names
    func items(of path: String) throws -> [Item] {
      let file = data.appending(path: "\(path.dropFirst()).json")
      guard let content = try? Data(contentsOf: file) else { return [] }
      let page = try JSONSerialization.jsonObject(with: content) as? [String: Any]
      let references = page?["references"] as? [String: [String: Any]] ?? [:]
      return references.keys.filter { $0.hasPrefix("marbles-") }.sorted {
        $0.localizedStandardCompare($1) == .orderedAscending
      }
      .compactMap { key in
        guard let reference = references[key], seen.insert(key).inserted else { return nil }
        let variants = reference["variants"] as? [[String: Any]] ?? []
        func url(_ theme: String) -> String? {
          variants.first { ($0["traits"] as? [String])?.contains(theme) == true }?["url"] as? String
        }
        guard let light = url("light"), let dark = url("dark") else { return nil }
        return Item(
          name: names[path] ?? path,
          page: path,
          text: reference["alt"] as? String ?? "",
          light: light,
          dark: dark
        )
      }
    }
    for section in guide.sections {
      sections.append((section.title, try section.rows.flatMap(\.links).flatMap { try items(of: $0.path) }))
    }
    let rest = try search.entries.map { ($0, try items(of: $0.path)) }
    sections.append(("More operators", rest.filter { $0.0.kind != "article" }.flatMap(\.1)))
    sections.append(("In the guides", rest.filter { $0.0.kind == "article" }.flatMap(\.1)))
    sections.removeAll { $0.items.isEmpty }
  }

  /// The number of pictures.
  var count: Int { sections.map(\.items.count).reduce(0, +) }

  /// - Parameter base: The path below which a server has the site.
  func html(base: String) -> String {
    let filter = """
      <p class="site-filter"><input type="search" autocomplete="off" placeholder="Filter, such as merge"\
       aria-label="Filter the pictures"> <span role="status"></span></p>

      """
    return filter
      + sections.map { title, items in
        "<div class=\"site-group\">\n<h2>\(title.escaped)</h2>\n<ul class=\"gallery\">\n"
          + items.map { Self.html(of: $0, base: base) }.joined(separator: "\n") + "\n</ul>\n</div>"
      }.joined(separator: "\n")
  }

  private static func html(of item: Item, base: String) -> String {
    """
    <li><a href="\(base)\(item.page)/"><code>\(item.name.escaped)</code></a>\
    <div class="gallery-picture"><picture><source media="(prefers-color-scheme: dark)" srcset="\(base)\(item.dark.inURL)">\
    <img loading="lazy" src="\(base)\(item.light.inURL)" alt="\(item.text.escaped.replacing("\"", with: "&quot;"))"></picture></div></li>
    """
  }
}

extension String {

  /// The address with what a list of sources would take for its end.
  fileprivate var inURL: String { addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? self }
}
