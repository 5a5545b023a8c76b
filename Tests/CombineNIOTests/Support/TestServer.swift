#if NIO
  import CombineCore
  import NIOCore
  import NIOPosix
  import TestSupport

  @testable import CombineNIO

  /// A server on this machine, each of whose connections has an inbound publisher.
  final class TestServer: Sendable {

    struct Connection: Sendable {
      let channel: any Channel
      let inbound: InboundPublisher<ByteBuffer>
    }

    private let group: MultiThreadedEventLoopGroup
    private let channel: any Channel
    private let connections = SharedLog<Connection>()

    var port: Int { channel.localAddress!.port! }

    var loop: any EventLoop { channel.eventLoop }

    /// - Parameters:
    ///   - buffers: The size of the sockets' buffers in bytes, or `nil` for the system's default.
    ///   - allowsHalfClosure: Whether a connection stays open when the peer has closed its direction.
    ///   - group: The loops.
    ///   - onConnect: A closure that is called on the loop with each connection before it is active.
    init(
      buffers: Int32? = nil,
      allowsHalfClosure: Bool = false,
      group: MultiThreadedEventLoopGroup = .singleton,
      onConnect: @escaping @Sendable (Connection) -> Void = { _ in }
    ) throws {
      self.group = group
      let connections = connections
      var bootstrap = ServerBootstrap(group: group)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelOption(.allowRemoteHalfClosure, value: allowsHalfClosure)
      if let buffers {
        // The receive buffer of a connection is that of the listening socket.
        bootstrap = bootstrap.serverChannelOption(.socketOption(.so_rcvbuf), value: .init(buffers))
          .childChannelOption(.socketOption(.so_sndbuf), value: .init(buffers))
      }
      channel = try bootstrap.childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let handler = InboundPublisherHandler<ByteBuffer>()
          try channel.pipeline.syncOperations.addHandler(handler)
          let connection = Connection(channel: channel, inbound: handler.publisher)
          onConnect(connection)
          connections.append(connection)
        }
      }.bind(host: "127.0.0.1", port: 0).wait()
    }

    /// The only connection, once there is one.
    func connection() -> Connection {
      connections.wait(for: 1)[0]
    }

    /// The connection with a number, counted from one.
    func connections(_ number: Int) -> Connection {
      connections.wait(for: number)[number - 1]
    }

    func close() {
      try? channel.close().wait()
    }
  }

  extension TestServer.Connection {

    /// The size of the receive buffer of the socket in bytes, as the system counts it.
    func receiveBuffer() -> Int {
      Int(try! channel.getOption(.socketOption(.so_rcvbuf)).wait())
    }

    /// The size of the send buffer of the socket in bytes, as the system counts it.
    func sendBuffer() -> Int {
      Int(try! channel.getOption(.socketOption(.so_sndbuf)).wait())
    }

    /// The number of values that the handler holds.
    func heldCount() -> Int {
      try! channel.eventLoop.submit { self.inbound.source.heldCount }.wait()
    }

    /// Waits for the channel to close.
    func waitForClose() throws {
      try channel.closeFuture.wait()
    }
  }

  /// A subscriber of a connection that any thread may use.
  final class InboundRecorder: Subscriber, @unchecked Sendable {

    // Sendable: all properties are. `@unchecked`, because the subscription is guarded by its log.

    enum Event: Equatable, Sendable {
      case bytes(Int)
      case finished
      case failure(String)
    }

    let events = SharedLog<Event>()
    private let subscriptions = SharedLog<any Subscription>()
    private let content = Guarded<[UInt8]>([])
    private let initial: Subscribers.Demand
    private let returned: Subscribers.Demand

    init(requesting initial: Subscribers.Demand = .none, returning returned: Subscribers.Demand = .none) {
      self.initial = initial
      self.returned = returned
    }

    func receive(subscription: any Subscription) {
      subscriptions.append(subscription)
      if initial != .none { subscription.request(initial) }
    }

    func receive(_ input: ByteBuffer) -> Subscribers.Demand {
      content.withLock { $0 += Array(input.readableBytesView) }
      events.append(.bytes(input.readableBytes))
      return returned
    }

    func receive(completion: Subscribers.Completion<any Error>) {
      switch completion {
      case .finished: events.append(.finished)
      case .failure(let error): events.append(.failure("\(error)"))
      }
    }

    func request(_ demand: Subscribers.Demand) { subscriptions.values[0].request(demand) }
    func cancel() { subscriptions.values[0].cancel() }

    var bytes: [UInt8] { content.withLock { $0 } }

    /// Waits for the completion, and returns it.
    func completion() -> Event? {
      var count = 1
      while true {
        let values = events.wait(for: count)
        if values.count < count { return nil }
        if let last = values.last, last != .bytes(lastCount(last)) { return last }
        count = values.count + 1
      }
    }

    private func lastCount(_ event: Event) -> Int {
      if case .bytes(let count) = event { count } else { -1 }
    }
  }
#endif
