import Foundation
import Site
import Testing

/// The built site as a whole. `Documentation/site` must have built it.
@Suite struct BuiltSiteTests {

  private let archive = Archive(
    root: URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../.build/site")
      .standardizedFileURL
  )

  @Test func noLinkIsDead() throws {
    let pages = try archive.pages()
    #expect(pages.count > 1000)
    #expect(archive.deadLinks(in: pages) == [])
  }

  /// A reader who only follows links comes to each page. The list of all names is not among the links, as it has them all.
  @Test func theStartPageLeadsToEveryPage() throws {
    let pages = try archive.pages()
    let known = Dictionary(pages.map { ($0.path.lowercased(), $0) }) { first, _ in first }
    // The bar of each page leads to the index of the modules.
    var open = ["/documentation/combine", "/documentation"]
    var reached = Set(open)
    while let path = open.popLast() {
      for target in known[path]?.targets ?? [] {
        let next = target.prefix { $0 != "#" && $0 != "?" }.lowercased()
        if known[next] != nil, reached.insert(next).inserted { open.append(next) }
      }
    }
    let missed = known.keys.filter { !reached.contains($0) }.sorted()
    #expect(missed == [], "\(missed.count) of \(pages.count)")
  }

  @Test func theListsNameEveryPageAndEveryOperatorOfTheGuide() throws {
    func text(_ path: String) throws -> String {
      try String(contentsOf: archive.root.appending(path: path), encoding: .utf8).lowercased()
    }
    let names = try text("a-z/index.html")
    let missing = try archive.pages().map(\.path).filter { path in
      // The landing pages are not names.
      path.split(separator: "/").count > 1 && !names.contains("\"\(path.lowercased())/\"")
    }
    #expect(missing == [])

    let guide = URL(filePath: #filePath).appending(
      path: "../../../../../Sources/Combine/Combine.docc/ChoosingAnOperator.md"
    )
    let tree = try text("choose/index.html")
    let links = try String(contentsOf: guide.standardized, encoding: .utf8).matches(of: /\]: <doc:(.+)>/)
    #expect(links.count > 100)
    for link in links { #expect(tree.contains("\"/documentation\(link.1.lowercased())/\"")) }
  }

  @Test func everyPageHasTheBar() throws {
    let files = FileManager.default.enumerator(at: archive.root, includingPropertiesForKeys: nil)?.compactMap {
      $0 as? URL
    }
    let pages = (files ?? []).filter { $0.lastPathComponent == "index.html" && $0.path.contains("/documentation/") }
    #expect(pages.count > 1000)
    for page in pages {
      let text = try String(contentsOf: page, encoding: .utf8)
      #expect(text.contains("class=\"site-bar\"") && text.contains("/documentation/combine/#Guides"), "\(page.path)")
    }
  }

  /// The tutorial needs a picture in its catalog, as DocC runs without the site's program too.
  @Test(arguments: ["", "~dark"]) func theTutorialsPictureIsThatOfDebounce(_ theme: String) throws {
    let drawn = archive.root.appending(path: "images/CombineCore/marbles-publisher-debounce-1\(theme).svg")
    let copy = archive.root.appending(path: "images/Combine/search-pause\(theme).svg")
    #expect(try Data(contentsOf: copy) == Data(contentsOf: drawn))
  }

  /// The members of a type are in DocC's groups by kind. The pages that lead to types and operators have groups of ours.
  @Test func modulesProtocolsAndNamespacesHaveGroupsOfOurOwn() throws {
    let pages = try archive.pages().filter { page in
      let path = page.path.split(separator: "/").map(String.init)
      return path.first == "documentation" && path.count > 1 && path.dropFirst(2).allSatisfy(Self.leading.contains)
    }
    #expect(pages.count > 15)
    for page in pages { #expect(page.automaticGroups == [], "\(page.path)") }
  }

  /// The last components of their paths: extended modules, protocols, namespaces.
  private static let leading: Set = [
    "combinecore", "dispatch", "foundation", "foundationessentials", "foundationnetworking", "observation", "swift",
    "_concurrency", "publisher", "publishers", "scheduler", "subject", "subscriber", "subscribers",
    "connectablepublisher",
  ]
}
