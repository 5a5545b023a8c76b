#if NIO
  import CombineNIO
  import NIOCore
  import NIOPosix
  import Synchronization

  /// How many lines go to an echo server and come back, with plain handlers and with publishers.
  ///
  /// 64 connections send one line each and wait for it. Client and server have a thread each, so most of the time is the
  /// kernel's: a write and a read on each side for each line.
  enum LineLoads {

    private static let connections = 64

    private static let lines = 200_000

    private static let rounds = 5

    private enum Kind: String, CaseIterable {
      case handlers = "plain handlers"
      case sink = "publisher → map → sink that writes"
      case write = "publisher → map → write(to:)"
    }

    static func run(_ report: Report) throws {
      report.line("lines to an echo server and back, thousands a second: best of \(rounds)")
      var rates: [Kind: Double] = [:]
      for _ in 0..<rounds {
        for kind in Kind.allCases {
          let rate = Double(lines) / 1e3 / (try round(kind))
          rates[kind] = max(rates[kind] ?? 0, rate)
        }
      }
      let plain = rates[.handlers]!
      for kind in Kind.allCases {
        report.line(
          "  \(kind.rawValue): \(rounded(rates[kind]!, 0)), \(rounded(rates[kind]! / plain)) of plain handlers"
        )
      }
      report.check(
        rates[.write]! >= 0.7 * plain,
        "lines, write(to:): \(rounded(rates[.write]! / plain)) of plain handlers"
      )
    }

    private static func round(_ kind: Kind) throws -> Double {
      let cancellables = Cancellables()
      let server = try Server(threads: 1) { channel in
        try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(LineDecoder()))
        try addEcho(kind, to: channel, cancellables)
      }
      let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
      let countdown = Countdown(lines)
      let channels = try (0..<connections).map { _ in
        try ClientBootstrap(group: group)
          .channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
              try channel.pipeline.syncOperations.addHandler(PingHandler(countdown))
            }
          }
          .connect(host: "127.0.0.1", port: server.port).wait()
      }
      let time = seconds {
        for channel in channels { channel.writeAndFlush(PingHandler.line, promise: nil) }
        countdown.wait()
      }
      for channel in channels { try channel.close().wait() }
      server.close()
      try group.syncShutdownGracefully()
      return time
    }

    private static func addEcho(_ kind: Kind, to channel: any Channel, _ cancellables: Cancellables) throws {
      if kind == .handlers { return try channel.pipeline.syncOperations.addHandler(EchoHandler()) }
      let handler = InboundPublisherHandler<ByteBuffer>()
      try channel.pipeline.syncOperations.addHandler(handler)
      let answers = handler.publisher.map { line in
        var answer = line
        answer.writeInteger(UInt8(ascii: "\n"))
        return answer
      }
      if kind == .sink {
        cancellables.keep(
          answers.sink(receiveCompletion: { _ in }, receiveValue: { channel.writeAndFlush($0, promise: nil) })
        )
      } else {
        cancellables.keep(answers.write(to: channel).sink(receiveCompletion: { _ in }, receiveValue: { _ in }))
      }
    }
  }

  /// Splits bytes at line feeds, which it drops.
  private struct LineDecoder: ByteToMessageDecoder {

    typealias InboundOut = ByteBuffer

    mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
      guard let length = buffer.readableBytesView.firstIndex(of: UInt8(ascii: "\n")).map({ $0 - buffer.readerIndex }),
        let line = buffer.readSlice(length: length)
      else { return .needMoreData }
      buffer.moveReaderIndex(forwardBy: 1)
      context.fireChannelRead(wrapInboundOut(line))
      return .continue
    }
  }

  private final class EchoHandler: ChannelInboundHandler {

    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      var answer = unwrapInboundIn(data)
      answer.writeInteger(UInt8(ascii: "\n"))
      context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
    }
  }

  /// Sends a line whenever one has come back.
  private final class PingHandler: ChannelInboundHandler {

    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    static let line = ByteBuffer(string: "a line of thirty-two characters\n")

    private let countdown: Countdown

    init(_ countdown: Countdown) {
      self.countdown = countdown
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      // A short line on a loopback device comes in one piece.
      guard unwrapInboundIn(data).readableBytes == Self.line.readableBytes else { fatalError("a line in pieces") }
      if countdown.next() { context.writeAndFlush(wrapOutboundOut(Self.line), promise: nil) }
    }
  }

  /// The lines that are still to come back.
  private final class Countdown: Sendable {

    private let remaining: Atomic<Int>
    private let promise = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Void.self)

    init(_ count: Int) {
      remaining = Atomic(count)
    }

    /// Counts a line.
    ///
    /// - Returns: Whether another one is to be sent.
    func next() -> Bool {
      let left = remaining.subtract(1, ordering: .relaxed).newValue
      if left == 0 { promise.succeed() }
      return left > 0
    }

    func wait() {
      // swift-format-ignore: NeverUseForceTry
      try! promise.futureResult.wait()
    }
  }

  /// Keeps cancellables from the threads of event loops.
  final class Cancellables: Sendable {

    private struct Token: @unchecked Sendable {  // It is only kept.
      let cancellable: AnyCancellable
    }

    private let tokens = Mutex<[Token]>([])

    func keep(_ cancellable: AnyCancellable) {
      let token = Token(cancellable: cancellable)
      tokens.withLock { $0.append(token) }
    }
  }
#endif
