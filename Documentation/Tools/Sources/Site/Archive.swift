import Foundation

/// The pages of a built site, as the data that the site's program shows.
public struct Archive: Sendable {

  /// The folder of the site.
  public let root: URL

  public init(root: URL) {
    self.root = root
  }

  /// A page.
  public struct Page: Sendable {

    /// The path on the server, such as `/documentation/combinecore/publisher`.
    public let path: String

    /// The addresses on this site of all that the page links to and shows.
    public let targets: Set<String>

    /// The places on the page that an address can name after `#`.
    public let anchors: Set<String>

    /// Whether it is about a declaration that the compiler has copied to a type from one of its protocols.
    public let isSynthesized: Bool

    /// The titles of the topic groups that DocC has made for symbols in no group.
    public let automaticGroups: [String]
  }

  /// All pages, sorted by their paths.
  public func pages() throws -> [Page] {
    let data = root.appending(path: "data").resolvingSymlinksInPath()
    let files = FileManager.default.enumerator(at: data, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL }
    return try (files ?? []).filter { $0.pathExtension == "json" }.map { file in
      let json = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any] ?? [:]
      var targets: Set<String> = []
      // A chapter of tutorials has an address and no page. The menu unfolds it and does not link to it.
      let hierarchy = json["hierarchy"] as? [String: Any]
      let chapters = Set((hierarchy?["modules"] as? [[String: Any]] ?? []).compactMap { $0["reference"] as? String })
      for (identifier, reference) in json["references"] as? [String: [String: Any]] ?? [:]
      where !chapters.contains(identifier) {
        if let url = reference["url"] as? String { targets.insert(url) }
        for variant in reference["variants"] as? [[String: Any]] ?? [] {
          if let url = variant["url"] as? String { targets.insert(url) }
        }
      }
      let groups = json["topicSections"] as? [[String: Any]] ?? []
      return Page(
        path: String(file.deletingPathExtension().path.dropFirst(data.path.count)),
        targets: targets.filter { $0.hasPrefix("/") || $0.hasPrefix("#") },
        anchors: Self.anchors(in: json.filter { $0.key != "references" }),
        isSynthesized: ((json["metadata"] as? [String: Any])?["externalID"] as? String)?.contains("::SYNTHESIZED::")
          == true,
        automaticGroups: groups.filter { $0["generated"] as? Bool == true }.compactMap { $0["title"] as? String }
      )
    }
    .sorted { $0.path < $1.path }
  }

  /// Returns the links to nothing in pages, each as the page's path and the address.
  public func deadLinks(in pages: [Page]) -> [String] {
    let anchors = Dictionary(pages.map { ($0.path, $0.anchors) }) { first, _ in first }
    return pages.flatMap { page in
      page.targets.sorted().filter { target in
        let address = target.hasPrefix("#") ? page.path + target : target
        guard exists(address) else { return true }
        guard let place = address.firstIndex(of: "#") else { return false }
        return anchors[String(address[..<place])]?.contains(String(address[place...].dropFirst())) != true
      }
      .map { "\(page.path) → \($0)" }
    }
  }

  /// The anchors of headings and sections, anywhere in a page's data.
  private static func anchors(in json: Any) -> Set<String> {
    switch json {
    case let object as [String: Any]:
      object.values.reduce(into: Set([object["anchor"] as? String].compactMap { $0 })) { $0.formUnion(anchors(in: $1)) }
    case let array as [Any]:
      array.reduce(into: []) { $0.formUnion(anchors(in: $1)) }
    default: []
    }
  }

  /// Whether the site has something at an address.
  private func exists(_ address: String) -> Bool {
    let path = address.prefix { $0 != "#" && $0 != "?" }
    let file = root.appending(path: String(path.removingPercentEncoding ?? String(path)))
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder) else { return false }
    return !isFolder.boolValue || FileManager.default.fileExists(atPath: file.appending(path: "index.html").path)
  }
}
