#if NIO
  import Foundation

  /// A TCP socket of the other end, without SwiftNIO, so that a test decides on each byte.
  final class Peer: Sendable {

    let descriptor: Int32

    /// Connects to a port of this machine.
    ///
    /// - Parameter buffers: The size of the socket's buffers in bytes, or `nil` for the system's default.
    init(port: Int, buffers: Int32? = nil) {
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      precondition(descriptor >= 0)
      if let buffers {
        set(SO_SNDBUF, buffers)
        set(SO_RCVBUF, buffers)
      }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = in_port_t(port).bigEndian
      address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
      let status = withUnsafePointer(to: address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      precondition(status == 0, "no connection to port \(port)")
    }

    private func set(_ option: Int32, _ value: Int32) {
      var value = value
      setsockopt(descriptor, SOL_SOCKET, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// The size of the send buffer in bytes, as the system counts it.
    var sendBuffer: Int { Int(get(SO_SNDBUF)) }

    /// The size of the receive buffer in bytes, as the system counts it.
    var receiveBuffer: Int { Int(get(SO_RCVBUF)) }

    private func get(_ option: Int32) -> Int32 {
      var value: Int32 = 0
      var length = socklen_t(MemoryLayout<Int32>.size)
      getsockopt(descriptor, SOL_SOCKET, option, &value, &length)
      return value
    }

    /// Sends bytes without waiting.
    ///
    /// - Returns: The number of bytes that the system took.
    func sendNow(_ bytes: [UInt8]) -> Int {
      max(0, Foundation.send(descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)))
    }

    /// Sends all bytes, and waits as long as it takes.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
      var sent = 0
      while sent < bytes.count {
        let count = bytes.withUnsafeBytes {
          Foundation.send(descriptor, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
        }
        if count <= 0 { return false }
        sent += count
      }
      return true
    }

    /// Receives some bytes: none at the end, `nil` after a reset.
    func receive(atMost count: Int = 65536) -> [UInt8]? {
      var bytes = [UInt8](repeating: 0, count: count)
      let received = recv(descriptor, &bytes, count, 0)
      return received < 0 ? nil : Array(bytes.prefix(received))
    }

    /// Receives until the end.
    func receiveAll() -> [UInt8] {
      var all: [UInt8] = []
      while let bytes = receive(), !bytes.isEmpty { all += bytes }
      return all
    }

    func closeSending() {
      shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Closes the socket, so that the other end receives a reset.
    func reset() {
      var option = linger(l_onoff: 1, l_linger: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
      close(descriptor)
    }

    func close() {
      close(descriptor)
    }

    private func close(_ descriptor: Int32) {
      Foundation.close(descriptor)
    }
  }
#endif
