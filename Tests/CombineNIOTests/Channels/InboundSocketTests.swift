#if NIO
  import CombineCore
  import Foundation
  import NIOCore
  import NIOPosix
  import TestSupport
  import Testing

  @testable import CombineNIO

  /// Inbound publishers on connections of this machine.
  @Suite struct InboundSocketTests {

    private static let pattern = (0..<65536).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }

    /// The most that one read cycle brings: four reads of 64 KiB, which are SwiftNIO's defaults.
    private static let cycle = 4 * 65536

    /// The last segment in a buffer may go beyond its size: one of 64 KiB on each end.
    private static let slack = 2 * 65536

    // MARK: Content

    @Test(arguments: [Subscribers.Demand.unlimited, .max(1)])
    func publishesAllBytesInOrder(demand: Subscribers.Demand) throws {
      let recorder = InboundRecorder(requesting: demand, returning: demand == .unlimited ? .none : .max(1))
      let server = try TestServer { $0.inbound.subscribe(recorder) }
      defer { server.close() }
      let peer = Peer(port: server.port)
      for _ in 0..<64 { #expect(peer.send(Self.pattern)) }
      peer.close()
      #expect(recorder.completion() == .finished)
      let bytes = recorder.bytes
      #expect(bytes.count == 64 * 65536)
      for start in stride(from: 0, to: bytes.count, by: 65536) {
        guard bytes[start..<start + 65536].elementsEqual(Self.pattern) else {
          Issue.record("the bytes from \(start) differ")
          return
        }
      }
    }

    @Test func requestsMayComeFromOtherThreads() throws {
      let recorder = InboundRecorder()
      let server = try TestServer()
      defer { server.close() }
      let peer = Peer(port: server.port)
      server.connection().inbound.subscribe(recorder)
      let isDone = Guarded(false)
      onThreads(4) { thread in
        if thread == 0 {
          for _ in 0..<32 { peer.send(Self.pattern) }
          peer.close()
          _ = recorder.completion()
          isDone.withLock { $0 = true }
        } else {
          while !isDone.withLock({ $0 }) {
            recorder.request(.max(1))
            usleep(20)
          }
        }
      }
      #expect(recorder.events.values.last == .finished)
      #expect(recorder.bytes.count == 32 * 65536)
    }

    // MARK: Back-pressure

    @Test func beforeDemandTheSenderStops() throws {
      let recorder = InboundRecorder()
      let server = try TestServer(buffers: 65536) { $0.inbound.subscribe(recorder) }
      defer { server.close() }
      let peer = Peer(port: server.port, buffers: 65536)
      let connection = server.connection()
      let sent = sendUntilStopped(peer)
      #expect(sent > 0)
      #expect(sent <= peer.sendBuffer + connection.receiveBuffer() + Self.slack)
      #expect(connection.heldCount() == 0, "nothing was read")
      #expect(recorder.events.values.isEmpty)
      recorder.request(.unlimited)
      peer.close()
      #expect(recorder.completion() == .finished)
      #expect(recorder.bytes.count == sent)
    }

    @Test func aSlowSubscriberBoundsWhatIsInFlight() throws {
      let recorder = InboundRecorder()
      let server = try TestServer(buffers: 131_072) { $0.inbound.subscribe(recorder) }
      defer { server.close() }
      let peer = Peer(port: server.port, buffers: 131_072)
      let connection = server.connection()
      let bound = peer.sendBuffer + connection.receiveBuffer() + Self.slack + Self.cycle
      let isDone = Guarded(false)
      let maxima = Guarded((inFlight: 0, held: 0))
      onThreads(2) { thread in
        if thread == 0 {
          var sent = 0
          while !isDone.withLock({ $0 }) {
            let count = peer.sendNow(Self.pattern)
            sent += count
            let inFlight = sent - recorder.bytes.count
            maxima.withLock { $0.inFlight = max($0.inFlight, inFlight) }
            if count == 0 { usleep(500) }
          }
        } else {
          for _ in 0..<50 {
            recorder.request(.max(1))
            let held = connection.heldCount()
            maxima.withLock { $0.held = max($0.held, held) }
            usleep(20_000)
          }
          isDone.withLock { $0 = true }
        }
      }
      #expect(recorder.events.values.count == 50)
      let (inFlight, held) = maxima.withLock { $0 }
      #expect(inFlight > 0 && inFlight <= bound)
      #expect(held <= 3, "the rest of one read cycle")
      recorder.cancel()
      try connection.waitForClose()
      peer.close()
    }

    /// Sends until the system has taken nothing for 200 ms.
    private func sendUntilStopped(_ peer: Peer) -> Int {
      var (sent, quiet) = (0, 0)
      while quiet < 200 {
        let count = peer.sendNow(Self.pattern)
        sent += count
        quiet = count > 0 ? 0 : quiet + 1
        if count == 0 { usleep(1000) }
      }
      return sent
    }

    // MARK: The peer ends

    @Test(arguments: [false, true])
    func theEndOfThePeer(hasDemand: Bool) throws {
      let recorder = InboundRecorder(requesting: hasDemand ? .unlimited : .none)
      let server = try TestServer { $0.inbound.subscribe(recorder) }
      defer { server.close() }
      let peer = Peer(port: server.port)
      let connection = server.connection()
      peer.close()
      #expect(recorder.completion() == .finished, "it needs no demand")
      try connection.waitForClose()
    }

    @Test func bytesBeforeTheEndWaitForDemand() throws {
      let recorder = InboundRecorder()
      let server = try TestServer { $0.inbound.subscribe(recorder) }
      defer { server.close() }
      let peer = Peer(port: server.port)
      let connection = server.connection()
      peer.send(Array(Self.pattern.prefix(50000)))
      peer.close()
      try connection.waitForClose()
      #expect(recorder.events.values.isEmpty)
      // SwiftNIO has read all that the system had buffered; see `InboundPublisher`.
      recorder.request(.max(1))
      recorder.events.wait(for: 1)
      recorder.request(.unlimited)
      #expect(recorder.completion() == .finished)
      #expect(recorder.bytes == Array(Self.pattern.prefix(50000)))
    }

    @Test func theEndBehindFullBuffersIsNoticedWithDemand() throws {
      let recorder = InboundRecorder()
      let server = try TestServer(buffers: 65536) { $0.inbound.subscribe(recorder) }
      defer { server.close() }
      let peer = Peer(port: server.port, buffers: 65536)
      let connection = server.connection()
      let sent = sendUntilStopped(peer)
      peer.close()
      recorder.request(.max(1))
      recorder.events.wait(for: 1)
      #expect(connection.heldCount() <= 3)
      recorder.request(.unlimited)
      #expect(recorder.completion() == .finished)
      #expect(recorder.bytes.count == sent)
    }

    @Test(arguments: [false, true])
    func aResetFails(hasDemand: Bool) throws {
      let recorder = InboundRecorder(requesting: hasDemand ? .unlimited : .none)
      let server = try TestServer { $0.inbound.subscribe(recorder) }
      defer { server.close() }
      let peer = Peer(port: server.port)
      let connection = server.connection()
      peer.reset()
      guard case .failure(let error) = recorder.completion() else {
        Issue.record("no failure")
        return
      }
      #expect(error.contains("reset"))
      try connection.waitForClose()
    }

    @Test func aHalfCloseFinishesAndTheOtherDirectionStaysOpen() throws {
      let recorder = InboundRecorder(requesting: .unlimited)
      let server = try TestServer(allowsHalfClosure: true) { $0.inbound.subscribe(recorder) }
      defer { server.close() }
      let peer = Peer(port: server.port)
      let connection = server.connection()
      peer.send([1, 2, 3])
      peer.closeSending()
      #expect(recorder.completion() == .finished)
      #expect(recorder.bytes == [1, 2, 3])
      recorder.cancel()
      try connection.channel.writeAndFlush(ByteBuffer(bytes: [4, 5])).wait()
      try connection.channel.close().wait()
      #expect(peer.receiveAll() == [4, 5])
      peer.close()
    }

    @Test func aHalfCloseWithoutDemandIsNoticedAndKeepsTheBytes() throws {
      let recorder = InboundRecorder()
      let server = try TestServer(allowsHalfClosure: true) { $0.inbound.subscribe(recorder) }
      defer { server.close() }
      let peer = Peer(port: server.port)
      let connection = server.connection()
      peer.send([1, 2, 3])
      peer.closeSending()
      while connection.heldCount() == 0 { usleep(1000) }
      #expect(recorder.events.values.isEmpty)
      recorder.request(.max(1))
      #expect(recorder.completion() == .finished)
      #expect(recorder.bytes == [1, 2, 3])
      try connection.channel.close().wait()
      peer.close()
    }

    // MARK: This end

    @Test func closingTheChannelFinishes() throws {
      let recorder = InboundRecorder(requesting: .unlimited)
      let server = try TestServer { $0.inbound.subscribe(recorder) }
      defer { server.close() }
      let peer = Peer(port: server.port)
      peer.send([1])
      recorder.events.wait(for: 1)
      try server.connection().channel.close().wait()
      #expect(recorder.completion() == .finished)
      #expect(peer.receiveAll().isEmpty)
      peer.close()
    }

    @Test func cancellingOnAnotherThreadClosesTheChannelAndStopsTheValues() throws {
      for round in 0..<50 {
        let recorder = InboundRecorder(requesting: .max(1), returning: .max(1))
        let server = try TestServer { $0.inbound.subscribe(recorder) }
        let peer = Peer(port: server.port)
        let connection = server.connection()
        let counts = Guarded((atCancel: 0, atEnd: 0))
        onThreads(2) { thread in
          if thread == 0 {
            while peer.send(Array(Self.pattern.prefix(1000))) {}
          } else {
            usleep(UInt32(round * 20))
            recorder.cancel()
            let count = recorder.events.values.count
            counts.withLock { $0.atCancel = count }
          }
        }
        try connection.waitForClose()
        let (atCancel, _) = counts.withLock { $0 }
        // A delivery that began before the cancellation may end after it.
        #expect(recorder.events.values.count <= atCancel + 1)
        #expect(!recorder.events.values.contains(.finished))
        peer.close()
        server.close()
      }
    }

    @Test func aLoopThatShutsDownFinishesTheSubscriber() throws {
      let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
      let recorder = InboundRecorder(requesting: .unlimited)
      let server = try TestServer(group: group) { $0.inbound.subscribe(recorder) }
      let peer = Peer(port: server.port)
      _ = server.connection()
      peer.send([1])
      recorder.events.wait(for: 1)
      try group.syncShutdownGracefully()
      #expect(recorder.completion() == .finished)
      recorder.request(.max(1))
      recorder.cancel()
      peer.close()
    }

    /// A value that waits for demand is lost with the loop, and that is told.
    @Test func demandAfterTheEndOfTheLoopFails() throws {
      let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
      let recorder = InboundRecorder(requesting: .max(1))
      let server = try TestServer(group: group) { $0.inbound.subscribe(recorder) }
      let peer = Peer(port: server.port)
      let connection = server.connection()
      peer.send([1])
      recorder.events.wait(for: 1)
      // The subscriber asks for nothing more, so what is read stays in the handler, in front of the end.
      try connection.channel.eventLoop.submit {
        connection.channel.pipeline.fireChannelRead(ByteBuffer(bytes: [2]))
      }.wait()
      try group.syncShutdownGracefully()
      recorder.request(.max(1))
      #expect(recorder.completion().map { "\($0)" } == "failure(\"EventLoopError: the event loop is shutdown\")")
      recorder.cancel()
      peer.close()
    }
  }
#endif
