import FlyingFox
import FlyingSocks
import Foundation

/// A server of a folder with a site, on this machine only.
public struct SiteServer: Sendable {

  private let server: HTTPServer

  /// - Parameters:
  ///   - folder: The folder of the site.
  ///   - port: The port; zero for any that is free.
  public init(folder: URL, port: UInt16) throws {
    let root = folder.standardizedFileURL
    let address = try sockaddr_in.inet(ip4: "127.0.0.1", port: port)
    let handler = ClosureHTTPHandler { Self.answer($0, from: root) }
    server = HTTPServer(address: address, logger: .disabled, handler: handler)
  }

  /// Runs until the task is cancelled.
  public func run() async throws {
    try await server.run()
  }

  /// The port, once the server listens.
  public var port: UInt16 {
    get async throws {
      try await server.waitUntilListening()
      switch await server.listeningAddress {
      case .ip4(_, let port), .ip6(_, let port): return port
      default: throw SocketAddressError()
      }
    }
  }

  private struct SocketAddressError: Error {}

  /// Returns the file for a request. A folder is answered by its `index.html`.
  private static func answer(_ request: HTTPRequest, from root: URL) -> HTTPResponse {
    let path = request.path.removingPercentEncoding ?? request.path
    var file = root.appending(path: path).standardizedFileURL
    guard file.path == root.path || file.path.hasPrefix(root.path + "/") else {
      return HTTPResponse(statusCode: .notFound)
    }
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder), isFolder.boolValue {
      file.append(path: "index.html")
    }
    guard let data = try? Data(contentsOf: file) else { return HTTPResponse(statusCode: .notFound) }
    let type = types[file.pathExtension] ?? "application/octet-stream"
    return HTTPResponse(statusCode: .ok, headers: [.contentType: type], body: data)
  }

  private static let types = [
    "html": "text/html; charset=utf-8", "js": "text/javascript", "css": "text/css", "json": "application/json",
    "svg": "image/svg+xml", "png": "image/png", "jpg": "image/jpeg", "gz": "application/gzip", "ico": "image/x-icon",
  ]
}
