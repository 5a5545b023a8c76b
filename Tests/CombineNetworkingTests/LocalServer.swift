import Foundation
import TestSupport

/// A small HTTP server on 127.0.0.1 that answers by the path of the request.
///
/// `/status/404` has that status and the body `status 404`. `/text` has the body `hello`, and `/empty` has none. The
/// server never answers `/silent`, and answers `/broken` by closing the connection. It closes the connection for the
/// first two requests of `/flaky`, and answers later ones.
final class LocalServer: @unchecked Sendable {

  /// The requested paths.
  let requests = SharedLog<String>()

  private let listener: Int32
  let port: UInt16

  init() {
    (listener, port) = Self.boundSocket()
    precondition(listen(listener, 64) == 0)
    Thread { [listener, requests] in
      while true {
        let connection = accept(listener, nil, nil)
        // The listener has been shut down.
        guard connection >= 0 else { break }
        Thread { Self.serve(connection, requests) }.start()
      }
      close(listener)
    }.start()
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
  }

  func url(_ path: String) -> URL {
    URL(string: "http://127.0.0.1:\(port)\(path)")!
  }

  /// An address without a listener, reserved until the end of the process.
  static func refusingURL() -> URL {
    URL(string: "http://127.0.0.1:\(boundSocket().port)/")!
  }

  private static func boundSocket() -> (socket: Int32, port: UInt16) {
    let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        precondition(bind(socket, $0, length) == 0)
        precondition(getsockname(socket, $0, &length) == 0)
      }
    }
    return (socket, UInt16(bigEndian: address.sin_port))
  }

  private static func serve(_ connection: Int32, _ requests: SharedLog<String>) {
    defer { close(connection) }
    var head: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      let count = read(connection, &buffer, buffer.count)
      guard count > 0 else { return }
      head += buffer[..<count]
    }
    let words = String(decoding: head, as: UTF8.self).split(separator: " ")
    let path = String(words[1])
    requests.append(path)
    switch path {
    case "/silent":
      // Reads until the client gives up.
      while read(connection, &buffer, buffer.count) > 0 {}
    case "/broken":
      break
    case "/flaky" where requests.values.filter({ $0 == path }).count < 3:
      break
    case "/empty":
      answer(connection, status: 200, body: "")
    case let path where path.hasPrefix("/status/"):
      answer(connection, status: Int(path.dropFirst(8)) ?? 500, body: "status \(path.dropFirst(8))")
    default:
      answer(connection, status: 200, body: "hello")
    }
  }

  private static func answer(_ connection: Int32, status: Int, body: String) {
    let text = "HTTP/1.1 \(status) X\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
    _ = Array(text.utf8).withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
  }
}
