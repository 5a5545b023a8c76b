import FileFinder
import Foundation
import Testing

#if canImport(CombineTesting)
  import Combine
  import CombineTesting

  /// The model in virtual time: a test waits for nothing.
  @MainActor @Suite struct FileFinderTests {

    private let scheduler = DispatchQueue.test

    @Test func searchesForTheLastTextAfterAPause() {
      var searches: [String] = []
      let finder = FileFinder(scheduler: scheduler) { text in
        searches.append(text)
        return Just(["\(text).txt"]).setFailureType(to: (any Error).self).eraseToAnyPublisher()
      }
      for text in ["s", "sw", " sw "] {
        finder.text = text
        scheduler.advance(by: .milliseconds(100))
      }
      #expect(searches == [])
      scheduler.advance(by: .milliseconds(250))
      #expect(searches == ["sw"])
      #expect(finder.state == .found(["sw.txt"]))
    }

    @Test func aNewTextCancelsTheSearchForAnOlderOne() {
      var cancelled: [String] = []
      let finder = FileFinder(scheduler: scheduler) { text in
        Empty(completeImmediately: false).handleEvents(receiveCancel: { cancelled.append(text) }).eraseToAnyPublisher()
      }
      finder.text = "a"
      scheduler.advance(by: .milliseconds(250))
      #expect(finder.state == .searching)
      finder.text = "b"
      scheduler.advance(by: .milliseconds(250))
      #expect(cancelled == ["a"])
    }

    @Test func aFailureIsShownAndTheNextSearchWorks() {
      let finder = FileFinder(scheduler: scheduler) { text in
        text == "bad"
          ? Fail(error: FileIndex.NoSuchFolder()).eraseToAnyPublisher()
          : Just([text]).setFailureType(to: (any Error).self).eraseToAnyPublisher()
      }
      finder.text = "bad"
      scheduler.advance(by: .milliseconds(250))
      #expect(finder.state == .failed("NoSuchFolder()"))
      finder.text = "good"
      scheduler.advance(by: .milliseconds(250))
      #expect(finder.state == .found(["good"]))
    }
  }
#endif

/// The files of a real folder.
@Suite struct FileIndexTests {

  @Test func findsFilesByTheirNames() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "FileIndex-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder.appending(path: "inner"), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for name in ["Readme.md", "inner/readme.txt", "other"] { try Data().write(to: folder.appending(path: name)) }
    for try await paths in FileIndex(folder: folder).files(containing: "README").values {
      #expect(paths == ["Readme.md", "inner/readme.txt"])
    }
  }

  @Test func aMissingFolderFails() async {
    await #expect(throws: FileIndex.NoSuchFolder.self) {
      for try await _ in FileIndex(folder: URL(filePath: "/no/such/folder")).files(containing: "a").values {}
    }
  }
}
