import FlyingFox
import Foundation
import Testing

/// The pages of the package `Browser`, whose pipelines run in WebAssembly. `Examples/Browser/build` builds them.
enum PagesWithoutServer {

  private static let folder = URL(filePath: #filePath).appending(path: "../../../../Browser/.build-page").standardized

  static func isBuilt(_ program: String) -> Bool {
    FileManager.default.fileExists(atPath: folder.appending(path: "\(program).wasm.gz").path)
  }

  /// Serves the files of the pages, as any server of files does.
  ///
  /// - Parameter work: A closure that receives the address of the pages, and a browser that shows nothing yet.
  static func serve(
    isolation: isolated (any Actor)? = #isolation,
    _ work: (URL, Browser) async throws -> Void
  ) async throws {
    let server = HTTPServer(address: try .inet(ip4: "127.0.0.1", port: 0), logger: .disabled)
    await server.appendRoute("GET /*", to: DirectoryHTTPHandler(root: folder))
    let task = Task { try await server.run() }
    defer { task.cancel() }
    try await server.waitUntilListening()
    guard case .ip4(_, let port) = await server.listeningAddress, let address = URL(string: "http://127.0.0.1:\(port)/")
    else {
      Issue.record("the server has no port")
      return
    }
    try await withBrowser(width: 1280, height: 900) { browser in
      try await work(address, browser)
    }
  }
}
