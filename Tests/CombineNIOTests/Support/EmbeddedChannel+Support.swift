#if NIO
  import NIOCore
  import NIOEmbedded

  extension EmbeddedChannel {

    /// Makes the channel active.
    func activate() {
      connect(to: try! SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
    }

    func addHandler(_ handler: any ChannelHandler) {
      try! pipeline.syncOperations.addHandler(handler)
    }
  }

  /// A handler in front of a pipeline that counts what reaches it from the other handlers.
  final class OutboundCounter: ChannelOutboundHandler {

    typealias OutboundIn = NIOAny

    private(set) var reads = 0
    private(set) var flushes = 0
    private(set) var closes = 0
    private(set) var writes = 0

    /// Whether writes are kept, instead of passed on.
    var holdsWrites = false
    private(set) var promises: [EventLoopPromise<Void>?] = []

    /// Runs at each write, before it is passed on.
    var onWrite: () -> Void = {}
    var onFlush: () -> Void = {}

    func read(context: ChannelHandlerContext) {
      reads += 1
      context.read()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      writes += 1
      onWrite()
      if holdsWrites { promises.append(promise) } else { context.write(data, promise: promise) }
    }

    func flush(context: ChannelHandlerContext) {
      flushes += 1
      onFlush()
      context.flush()
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
      closes += 1
      context.close(mode: mode, promise: promise)
    }

    func takePromises() -> [EventLoopPromise<Void>?] {
      exchange(&promises, with: [])
    }
  }

  /// A handler at the end of a pipeline that records which events reach it.
  final class InboundLog: ChannelInboundHandler {

    typealias InboundIn = Any

    private(set) var events: [String] = []

    func channelActive(context: ChannelHandlerContext) { events.append("active") }
    func channelInactive(context: ChannelHandlerContext) { events.append("inactive") }
    func channelRead(context: ChannelHandlerContext, data: NIOAny) { events.append("read") }
    func channelReadComplete(context: ChannelHandlerContext) { events.append("read complete") }
    func channelWritabilityChanged(context: ChannelHandlerContext) { events.append("writability") }
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) { events.append("\(event)") }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { events.append("error") }
  }
#endif
