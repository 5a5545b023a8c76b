#if NIO
  import CombineNIO
  import Foundation
  import NIOCore
  import NIOPosix

  /// How fast 1 GiB goes to a server and comes back.
  enum EchoLoads {

    private static let size = 1 << 30

    private enum Kind: String, CaseIterable {
      case handler = "plain handler"
      case unlimited = "unlimited demand"
      case window = "write(to:)"
      case single = "write(to:), one by one"

      /// The part of a plain handler's rate that it reaches at least. Unlimited demand has no back-pressure, and is here for
      /// comparison.
      var floor: Double? {
        switch self {
        case .handler, .unlimited: nil
        case .window: 0.5
        case .single: 0.4
        }
      }

      /// How many writes may be on their way, if not any number.
      var window: Int? {
        switch self {
        case .handler, .unlimited: nil
        case .window: 16
        case .single: 1
        }
      }
    }

    static func run(_ report: Report) throws {
      // In turn, so that all meet the same machine; more rounds while others keep it busy.
      report.line("1 GiB to an echo server and back, GB/s: best of 3, or of up to 9")
      var rates: [Kind: [Double]] = [:]
      func best(_ kind: Kind) -> Double { rates[kind]!.max()! }
      func part(_ kind: Kind) -> Double { best(kind) / best(.handler) }
      func reachesFloor(_ kind: Kind) -> Bool { kind.floor.map { part(kind) >= $0 } ?? true }
      for count in 1...9 {
        for kind in Kind.allCases { rates[kind, default: []].append(Double(size) / 1e9 / (try round(kind))) }
        if count >= 3, Kind.allCases.allSatisfy(reachesFloor) { break }
      }
      for kind in Kind.allCases {
        let all = rates[kind]!.map { rounded($0) }.joined(separator: ", ")
        report.line("  \(kind.rawValue): \(rounded(best(kind))) (\(all)), \(rounded(part(kind))) of a plain handler")
        report.check(reachesFloor(kind), "echo, \(kind.rawValue): \(rounded(part(kind))) of a plain handler")
      }
    }

    private static func round(_ kind: Kind) throws -> Double {
      let cancellables = Cancellables()
      let server = try Server { channel in
        let pipeline = channel.pipeline.syncOperations
        guard kind != .handler else { return try pipeline.addHandler(EchoHandler()) }
        let handler = InboundPublisherHandler<ByteBuffer>()
        try pipeline.addHandler(handler)
        let close = { (_: Subscribers.Completion<any Error>) in channel.close(promise: nil) }
        let echo =
          if let window = kind.window {
            handler.publisher.write(to: channel, window: window).sink(receiveCompletion: close, receiveValue: { _ in })
          } else {
            handler.publisher.sink(receiveCompletion: close) { channel.writeAndFlush($0, promise: nil) }
          }
        cancellables.keep(echo)
      }
      let peer = Socket(port: server.port)
      let block = [UInt8](repeating: 7, count: 1 << 18)
      let time = seconds {
        Thread.detachNewThread {
          for _ in 0..<size / block.count { precondition(peer.send(block)) }
        }
        precondition(peer.receive(size) == size, "the connection has ended early")
      }
      peer.close()
      server.close()
      return time
    }
  }

  private final class EchoHandler: ChannelInboundHandler {

    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      context.writeAndFlush(data, promise: nil)
    }
  }

  /// A server on this machine.
  final class Server {

    private let channel: any Channel

    /// The threads of its own, if any.
    private let group: MultiThreadedEventLoopGroup?

    var port: Int { channel.localAddress!.port! }

    /// - Parameters:
    ///   - threads: The number of threads; those that all share unless it is given.
    ///   - initialize: A closure that is called with each connection, on its loop.
    init(threads: Int? = nil, _ initialize: @escaping @Sendable (any Channel) throws -> Void) throws {
      let own = threads.map { MultiThreadedEventLoopGroup(numberOfThreads: $0) }
      group = own
      channel = try ServerBootstrap(group: own ?? MultiThreadedEventLoopGroup.singleton)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture { try initialize(channel) }
        }
        .bind(host: "127.0.0.1", port: 0).wait()
    }

    func close() {
      try? channel.close().wait()
      try? group?.syncShutdownGracefully()
    }
  }

  /// A TCP socket without SwiftNIO.
  final class Socket: Sendable {

    private let descriptor: Int32

    init(port: Int) {
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
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

    /// The size of the send buffer in bytes, as the system counts it.
    var sendBuffer: Int {
      var value: Int32 = 0
      var length = socklen_t(MemoryLayout<Int32>.size)
      getsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &value, &length)
      return Int(value)
    }

    func sendNow(_ bytes: [UInt8]) -> Int {
      max(0, Foundation.send(descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)))
    }

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

    /// Receives and drops bytes.
    ///
    /// - Returns: The number of bytes: fewer than `count` at an early end.
    func receive(_ count: Int) -> Int {
      var bytes = [UInt8](repeating: 0, count: 1 << 18)
      var received = 0
      while received < count {
        let some = recv(descriptor, &bytes, bytes.count, 0)
        if some <= 0 { break }
        received += some
      }
      return received
    }

    func close() {
      Foundation.close(descriptor)
    }
  }
#endif
