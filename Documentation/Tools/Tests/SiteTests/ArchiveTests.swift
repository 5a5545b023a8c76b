import Foundation
import Site
import Testing

@Suite struct ArchiveTests {

  @Test func findsLinksToNothing() throws {
    let archive = try site([
      "data/documentation/a.json":
        #"{"references": {"b": {"url": "/documentation/b"}, "c": {"url": "/documentation/c#d"}}}"#,
      "data/documentation/c.json":
        """
      {
        "content": [{"anchor": "d"}],
        "references": {"p": {"variants": [{"url": "/images/p.svg"}, {"url": "/images/q.svg"}]}}
      }
      """,
      "documentation/c/index.html": "",
      "images/p.svg": "",
    ])
    defer { try? FileManager.default.removeItem(at: archive.root) }
    #expect(
      try archive.deadLinks(in: archive.pages()) == [
        "/documentation/a → /documentation/b", "/documentation/c → /images/q.svg",
      ]
    )
  }

  @Test func findsLinksToNoPlaceOnAPage() throws {
    let archive = try site([
      "data/documentation/a.json": """
      {
        "sections": [{"content": [{"type": "heading", "anchor": "One"}]}],
        "references": {"1": {"url": "#One"}, "2": {"url": "#Two"}, "3": {"url": "/documentation/a#Three"}}
      }
      """,
      "documentation/a/index.html": "",
    ])
    defer { try? FileManager.default.removeItem(at: archive.root) }
    #expect(
      try archive.deadLinks(in: archive.pages()) == [
        "/documentation/a → #Two", "/documentation/a → /documentation/a#Three",
      ]
    )
  }

  @Test func knowsTheGroupsThatDocCHasMade() throws {
    let archive = try site([
      "data/documentation/a.json": """
      {"topicSections": [{"title": "Ours"}, {"title": "Structures", "generated": true}]}
      """
    ])
    defer { try? FileManager.default.removeItem(at: archive.root) }
    #expect(try archive.pages().map(\.automaticGroups) == [["Structures"]])
  }

  private func site(_ files: [String: String]) throws -> Archive {
    let root = FileManager.default.temporaryDirectory.appending(path: "site-\(UUID().uuidString)")
    for (path, text) in files {
      let file = root.appending(path: path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    return Archive(root: root)
  }
}
