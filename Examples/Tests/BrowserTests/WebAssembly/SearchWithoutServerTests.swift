import FlyingFox
import Foundation
import Testing

extension InBrowser {

  /// The page of the package `Browser`, whose pipeline runs in WebAssembly. `Examples/Browser/build` builds it.
  @Suite(.enabled(if: SearchWithoutServer.isBuilt)) struct SearchWithoutServer {

    private static let folder = URL(filePath: #filePath).appending(path: "../../../../Browser/.build-page").standardized

    static var isBuilt: Bool {
      FileManager.default.fileExists(atPath: folder.appending(path: "search.wasm.gz").path)
    }

    /// Serves the files of the page, as any server of files does.
    private func serve(isolation: isolated (any Actor)? = #isolation, _ work: (URL) async throws -> Void) async throws {
      let server = HTTPServer(address: .loopback(port: 0))
      await server.appendRoute("GET /*", to: DirectoryHTTPHandler(root: Self.folder))
      let task = Task { try await server.run() }
      defer { task.cancel() }
      try await server.waitUntilListening()
      guard case .ip4(_, let port) = await server.listeningAddress else {
        return Issue.record("the server has no port")
      }
      try await work(URL(string: "http://127.0.0.1:\(port)/index.html")!)
    }

    @Test func keysAreDebouncedInThePage() async throws {
      try await serve { address in
        try await withBrowser { browser in
          try await browser.open(address)
          let field = try await browser.find("#text")
          try await browser.wait(for: "the program", read: { try await field.isEnabled }, until: { $0 })
          for letter in ["d", "e", "b"] { try await field.type(letter) }
          try await browser.wait(for: "search 1: debounce", in: "#found")
          #expect(try await browser.find("#keys").text == "3 keys")
          try await field.type(Key.backspace)
          try await browser.wait(for: "search 2: debounce decode delay", in: "#found")
          #expect(try await browser.consoleErrors() == [])
          try await browser.keepScreenshot("search-without-server")
        }
      }
    }
  }
}
