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
