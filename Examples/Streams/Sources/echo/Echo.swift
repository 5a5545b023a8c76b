import CombineNIO
import NIOCore
import NIOPosix
import Synchronization

/// An echo server, and a client that sends without a pause.
///
/// While the client reads slowly, the demand of its reader reaches its sender by way of four sockets' buffers and the
/// server: what is in flight stays bounded. Then a client reads as fast as it can.
@main
struct Echo {

  static let block = ByteBuffer(repeating: 7, count: 1 << 16)

  /// The size of a socket's buffer in bytes. The system reserves twice as much.
  static let bufferSize = 1 << 18

  static func main() async throws {
    let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelOption(.socketOption(.so_sndbuf), value: SocketOptionValue(bufferSize))
      .childChannelOption(.socketOption(.so_rcvbuf), value: SocketOptionValue(bufferSize))
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try serve(channel) }
      }
      .bind(host: "127.0.0.1", port: 0).get()

    // The pipeline is: client, its socket, the server's, the server, its socket, the client's, reader. Sender, server and
    // reader each hold what their windows and one read cycle of a channel hold: some 2 MiB at most.
    let bound = 4 * 2 * bufferSize + 3 * (2 << 20)
    let slow = try await Client.connect(to: server.localAddress!)
    let peak = try await slow.readSlowly(for: .seconds(3), one: .milliseconds(20))
    print(
      "a reader that takes a buffer each 20 ms: at most \(peak.inFlight >> 10) KiB in flight, \(peak.read >> 10) KiB read"
    )

    let size = 1 << 30
    let fast = try await Client.connect(to: server.localAddress!)
    let time = try await ContinuousClock().measure { try await fast.read(size) }
    let rate = Double(size) / 1e6 / (time / .seconds(1))
    print("a reader at full speed: \(Int(rate)) MB/s there and back")
    try await server.close()

    guard peak.inFlight <= bound else { throw Broken(promise: "at most \(bound >> 10) KiB in flight") }
    guard peak.read > 0 else { throw Broken(promise: "a slow reader reads") }
    guard rate >= 200 else { throw Broken(promise: "at least 200 MB/s") }
  }

  /// Writes what a channel reads to the same channel.
  @Sendable static func serve(_ channel: any Channel) throws {
    let handler = InboundPublisherHandler<ByteBuffer>()
    try channel.pipeline.syncOperations.addHandler(handler)
    let echo = handler.publisher
      .write(to: channel)
      .sink(receiveCompletion: { _ in channel.close(promise: nil) }, receiveValue: { _ in })
    channel.closeFuture.assumeIsolated().whenComplete { _ in echo.cancel() }
  }

  struct Broken: Error {
    let promise: String
  }
}

/// A connection that sends blocks without a pause.
struct Client: Sendable {

  let channel: any Channel
  let buffers: InboundPublisher<ByteBuffer>

  static func connect(to address: SocketAddress) async throws -> Client {
    try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelOption(.socketOption(.so_sndbuf), value: SocketOptionValue(Echo.bufferSize))
      .channelOption(.socketOption(.so_rcvbuf), value: SocketOptionValue(Echo.bufferSize))
      .connect(to: address) { channel in
        channel.eventLoop.makeCompletedFuture {
          let handler = InboundPublisherHandler<ByteBuffer>()
          try channel.pipeline.syncOperations.addHandler(handler)
          return Client(channel: channel, buffers: handler.publisher)
        }
      }
  }

  /// Sends blocks until the result is cancelled. The sequence is asked for a block when the channel takes it.
  private func send(counting sent: @escaping @Sendable (Int) -> Void = { _ in }) -> AnyCancellable {
    repeatElement(Echo.block, count: .max).publisher
      .handleEvents(receiveOutput: { sent($0.readableBytes) })
      .write(to: channel)
      .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
  }

  /// Reads one buffer at a time, with a pause after each.
  ///
  /// - Returns: The maximum number of bytes that were sent and not read, and the number of bytes that were read.
  func readSlowly(for duration: Duration, one pause: TimeAmount) async throws -> (inFlight: Int, read: Int) {
    let counts = Mutex((sent: 0, read: 0, peak: 0))
    let loop = NIOEventLoopScheduler(channel.eventLoop)
    let reader =
      buffers
      .flatMap(maxPublishers: .max(1)) { buffer in
        Just(buffer).delay(for: .init(pause), scheduler: loop).setFailureType(to: (any Error).self)
      }
      .sink(receiveCompletion: { _ in }) { buffer in counts.withLock { $0.read += buffer.readableBytes } }
    let sender = send { bytes in
      counts.withLock {
        $0.sent += bytes
        $0.peak = max($0.peak, $0.sent - $0.read)
      }
    }
    try await Task.sleep(for: duration)
    sender.cancel()
    // The publisher of a channel closes it when it is cancelled.
    reader.cancel()
    return counts.withLock { ($0.peak, $0.read) }
  }

  /// Reads a number of bytes as fast as they come.
  func read(_ size: Int) async throws {
    let total =
      buffers
      .scan(0) { $0 + $1.readableBytes }
      .first { $0 >= size }
    let sender = send()
    for try await _ in total.values {}
    sender.cancel()
  }
}
