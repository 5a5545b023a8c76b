#if NIO
  import NIOCore

  /// A channel handler that publishes what the channel reads, as fast as the subscriber requests it.
  ///
  /// Add one at the end of each channel's pipeline, behind its decoders, and subscribe to ``publisher``. The channel is
  /// read only if there is demand. A slow subscriber therefore slows the peer down: the sockets' buffers fill up, and then
  /// the peer cannot send.
  ///
  /// ```swift
  /// func addInbound(to channel: any Channel) throws -> InboundPublisher<ByteBuffer> {
  ///   let handler = InboundPublisherHandler<ByteBuffer>()
  ///   try channel.pipeline.syncOperations.addHandler(handler)
  ///   return handler.publisher
  /// }
  /// ```
  ///
  /// The handler swallows the reads of handlers behind it, and the automatic reads of the channel. All that is read goes to
  /// the subscriber, and none to handlers behind it. Other events pass.
  public final class InboundPublisherHandler<Inbound: Sendable>: ChannelDuplexHandler, RemovableChannelHandler {

    /// The type of what the channel reads, as the handlers in front of this one pass it on.
    public typealias InboundIn = Inbound

    /// The type of what this handler passes on: nothing.
    public typealias InboundOut = Never

    /// The type of what is written, which passes unchanged.
    public typealias OutboundIn = NIOAny

    /// The type of what is written, which passes unchanged.
    public typealias OutboundOut = NIOAny

    @usableFromInline
    let source: InboundSource<Inbound>

    /// Creates a handler for one channel.
    @inlinable
    public init() {
      source = InboundSource()
    }

    /// A publisher of what the channel reads. It has one subscriber.
    ///
    /// It may be subscribed to on any thread, also before the handler is in a pipeline. What is read without a
    /// subscriber waits for it, and so does the end of the input.
    public var publisher: InboundPublisher<Inbound> { InboundPublisher(source: source) }

    // MARK: Events of the channel

    /// Starts to read if there is demand.
    public func handlerAdded(context: ChannelHandlerContext) {
      source.attach(context)
    }

    /// Finishes the publisher after what it holds. The reads of other handlers have an effect again.
    public func handlerRemoved(context: ChannelHandlerContext) {
      source.detach()
    }

    /// Starts to read if there is demand.
    public func channelActive(context: ChannelHandlerContext) {
      source.activate()
      context.fireChannelActive()
    }

    /// Finishes the publisher after what it holds. If the channel was never active, the publisher fails.
    public func channelInactive(context: ChannelHandlerContext) {
      source.close()
      context.fireChannelInactive()
    }

    /// Publishes a value, or holds it until it is requested.
    public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      source.receive(source, unwrapInboundIn(data))
    }

    /// Reads again if there is demand.
    public func channelReadComplete(context: ChannelHandlerContext) {
      source.completeRead()
      context.fireChannelReadComplete()
    }

    /// Finishes the publisher after what it holds, if the peer has closed its direction.
    public func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      if case .inputClosed? = event as? ChannelEvent { source.finish(.finished) }
      context.fireUserInboundEventTriggered(event)
    }

    /// Makes the publisher fail after what it holds.
    public func errorCaught(context: ChannelHandlerContext, error: any Error) {
      source.finish(.failure(error))
      context.fireErrorCaught(error)
    }

    /// Swallows a read. Only demand makes the channel read.
    public func read(context: ChannelHandlerContext) {}
  }

  // A handler belongs to the loop of its channel.
  @available(*, unavailable)
  extension InboundPublisherHandler: Sendable {}
#endif
