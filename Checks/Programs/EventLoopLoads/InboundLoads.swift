#if NIO
  import CombineNIO
  import Foundation
  import NIOCore
  import NIOPosix
  import Synchronization

  /// How much waits between a sender without pause and a slow subscriber.
  enum InboundLoads {

    /// The most that one read cycle brings: four reads of 64 KiB.
    private static let cycle = 4 * 65536

    static func run(_ report: Report) throws {
      let slow = SlowSubscriber()
      let read = Atomic<Int>(0)
      let connection = Mutex<(any Channel)?>(nil)
      let server = try Server { channel in
        connection.withLock { $0 = channel }
        try channel.pipeline.syncOperations.addHandler(ReadCounter { size in read.add(size, ordering: .relaxed) })
        let handler = InboundPublisherHandler<ByteBuffer>()
        try channel.pipeline.syncOperations.addHandler(handler)
        handler.publisher.subscribe(slow)
      }
      let peer = Socket(port: server.port)
      let sent = Atomic<Int>(0)
      let isDone = Atomic<Bool>(false)
      let block = [UInt8](repeating: 7, count: 65536)
      let ended = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        while !isDone.load(ordering: .relaxed) {
          let count = peer.sendNow(block)
          sent.add(count, ordering: .relaxed)
          if count == 0 { usleep(200) }
        }
        ended.signal()
      }
      sleep(1)
      let beforeDemand = sent.load(ordering: .relaxed)
      report.line("a sender without pause: in flight, MiB; held by the handler, KiB; growth of the process, MiB")
      report.line("  before demand: \(mebibytes(beforeDemand)); \(read.load(ordering: .relaxed) / 1024)")
      report.check(read.load(ordering: .relaxed) == 0, "the handler reads before demand")

      let before = residentBytes()
      var (inFlight, held) = (0, 0)
      for _ in 0..<200 {
        slow.request()
        usleep(20_000)
        let taken = slow.taken.load(ordering: .relaxed)
        held = max(held, read.load(ordering: .relaxed) - taken)
        inFlight = max(inFlight, sent.load(ordering: .relaxed) - taken)
      }
      let grown = residentBytes() - before
      // The system adapts the buffers' sizes; they grow only. The last segment in each may go beyond its size.
      let channel = connection.withLock { $0 }!
      let receiveBuffer = Int(try channel.getOption(.socketOption(.so_rcvbuf)).wait())
      let bound = peer.sendBuffer + receiveBuffer + 2 * 65536 + cycle
      report.line(
        "  one buffer each 20 ms for 4 s: \(mebibytes(inFlight)), bound \(mebibytes(bound)); "
          + "\(held / 1024), bound \(cycle / 1024); \(mebibytes(grown))"
      )
      report.check(inFlight <= bound && beforeDemand <= bound, "more in flight than the buffers and a read cycle")
      report.check(held <= cycle, "the handler holds more than a read cycle")
      report.check(slow.taken.load(ordering: .relaxed) > 0, "nothing arrives")
      report.check(grown < 8 << 20, "memory grows with a slow subscriber")
      isDone.store(true, ordering: .relaxed)
      ended.wait()
      peer.close()
      server.close()
    }

    private static func mebibytes(_ bytes: Int) -> String { rounded(Double(bytes) / 1_048_576, 1) }
  }

  /// A subscriber that asks for one buffer when it is told to.
  // Sendable: the subscription is set before anything is requested, and may be called on any thread.
  private final class SlowSubscriber: Subscriber, @unchecked Sendable {

    let taken = Atomic<Int>(0)
    private var subscription: (any Subscription)?
    private let isSubscribed = DispatchSemaphore(value: 0)

    func receive(subscription: any Subscription) {
      self.subscription = subscription
      isSubscribed.signal()
    }

    func receive(_ input: ByteBuffer) -> Subscribers.Demand {
      taken.add(input.readableBytes, ordering: .relaxed)
      return .none
    }

    func receive(completion: Subscribers.Completion<any Error>) {}

    func request() {
      isSubscribed.wait()
      isSubscribed.signal()
      subscription?.request(.max(1))
    }
  }

  /// A handler that counts the bytes that are read.
  private final class ReadCounter: ChannelInboundHandler {

    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let count: (Int) -> Void

    init(_ count: @escaping (Int) -> Void) {
      self.count = count
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      count(unwrapInboundIn(data).readableBytes)
      context.fireChannelRead(data)
    }
  }
#endif
