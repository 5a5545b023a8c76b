#if NIO
  import Dispatch
  import Foundation
  import NIOCore
  import NIOEmbedded
  import NIOPosix
  import TestSupport
  import Testing

  @testable import CombineNIO

  @Suite struct WriteToChannelTests {

    private typealias Recorder = RecordingSubscriber<Never, any Error>

    private struct Fixture {

      let channel = EmbeddedChannel()
      let counter = OutboundCounter()

      init(isActive: Bool = true) {
        channel.addHandler(counter)
        if isActive { channel.activate() }
      }

      func setWritable(_ isWritable: Bool) {
        channel.isWritable = isWritable
        channel.pipeline.fireChannelWritabilityChanged()
      }

      func run() {
        channel.embeddedEventLoop.run()
      }

      func written() -> [Int] {
        var values: [Int] = []
        while let value = try! channel.readOutbound(as: Int.self) { values.append(value) }
        return values
      }

      /// Whether the handler that watches the channel is in its pipeline.
      var isWatched: Bool {
        (try? channel.pipeline.syncOperations.handler(type: ChannelWatchingHandler.self)) != nil
      }
    }

    // MARK: Elements and flushes

    @Test func writesAllElementsInOrderAndFlushesOnce() {
      let fixture = Fixture()
      let subscriber = Recorder()
      (0..<100).publisher.write(to: fixture.channel).subscribe(subscriber)
      fixture.run()
      #expect(fixture.counter.writes == 100)
      #expect(fixture.counter.flushes == 1, "the end of the upstream flushes what came before it")
      #expect(fixture.written() == Array(0..<100))
      #expect(subscriber.events == [.subscription("WriteToChannel"), .finished])
      #expect(fixture.channel.isActive)
      fixture.run()
      #expect(fixture.counter.flushes == 1)
      #expect(!fixture.isWatched)
    }

    @Test func flushesTogetherOnTheLoopsNextTick() {
      let fixture = Fixture()
      let upstream = ManualPublisher<Int, Never>()
      upstream.write(to: fixture.channel, window: 4).subscribe(Recorder())
      fixture.run()
      #expect(upstream.history == [.requested(.max(4))])
      #expect(upstream.send(1) == .none)
      #expect(upstream.send(2) == .max(2))
      #expect(upstream.send(3) == .none)
      #expect(fixture.counter.flushes == 0)
      fixture.run()
      #expect(fixture.counter.flushes == 1)
      #expect(fixture.written() == [1, 2, 3])
      upstream.send(4)
      fixture.run()
      #expect(fixture.counter.flushes == 2)
    }

    @Test func flushesAtOnceWhenTheChannelIsFull() {
      let fixture = Fixture()
      let upstream = ManualPublisher<Int, Never>()
      upstream.write(to: fixture.channel, window: 2).subscribe(Recorder())
      fixture.run()
      fixture.setWritable(false)
      upstream.send(1)
      #expect(fixture.counter.flushes == 0, "one more element can arrive")
      #expect(upstream.send(2) == .none)
      #expect(fixture.counter.flushes == 1)
      #expect(upstream.history == [.requested(.max(2))])
      fixture.setWritable(true)
      #expect(upstream.history == [.requested(.max(2))], "not before the flush that made it writable has returned")
      fixture.run()
      #expect(upstream.history == [.requested(.max(2)), .requested(.max(2))])
    }

    @Test func aFlushThatMakesTheChannelWritableLeadsToDemandWithoutRecursion() {
      let fixture = Fixture()
      var depth = 0
      var maximum = 0
      // Each write fills the channel, and each flush empties it, inside the call.
      fixture.counter.onWrite = {
        depth += 1
        maximum = max(maximum, depth)
        fixture.setWritable(false)
        depth -= 1
      }
      fixture.counter.onFlush = { fixture.setWritable(true) }
      let subscriber = Recorder()
      (0..<10_000).publisher.write(to: fixture.channel, window: 1).subscribe(subscriber)
      fixture.channel.embeddedEventLoop.advanceTime(by: .milliseconds(100))
      #expect(fixture.written() == Array(0..<10_000))
      #expect(maximum == 1)
      #expect(subscriber.events.last == .finished)
    }

    @Test func requestsNothingBeforeTheChannelIsActive() {
      let fixture = Fixture(isActive: false)
      let upstream = ManualPublisher<Int, Never>()
      upstream.write(to: fixture.channel).subscribe(Recorder())
      fixture.run()
      fixture.run()
      #expect(upstream.history == [])
      fixture.channel.activate()
      fixture.run()
      #expect(upstream.history == [.requested(.max(16))])
    }

    // MARK: Completion

    @Test func completesWhenTheWritesAreDone() {
      for isFailure in [false, true] {
        let fixture = Fixture()
        fixture.counter.holdsWrites = true
        let upstream = ManualPublisher<Int, TestError>()
        let subscriber = Recorder()
        upstream.write(to: fixture.channel).subscribe(subscriber)
        fixture.run()
        upstream.send(1)
        upstream.send(2)
        upstream.send(completion: isFailure ? .failure(TestError()) : .finished)
        fixture.run()
        #expect(subscriber.events.count == 1)
        for promise in fixture.counter.takePromises() {
          #expect(subscriber.events.count == 1)
          promise?.succeed(())
        }
        #expect(subscriber.events.dropFirst() == [isFailure ? .failure(TestError()) : .finished])
      }
    }

    @Test func anEmptyUpstreamCompletes() {
      let fixture = Fixture()
      let subscriber = Recorder()
      Empty<Int, Never>().write(to: fixture.channel).subscribe(subscriber)
      #expect(subscriber.events.last == .finished)
      #expect(fixture.counter.flushes == 0)
    }

    @Test func aFailedWriteFailsAndCancelsTheUpstream() {
      let fixture = Fixture()
      fixture.counter.holdsWrites = true
      let upstream = ManualPublisher<Int, Never>()
      let subscriber = Recorder()
      upstream.write(to: fixture.channel).subscribe(subscriber)
      fixture.run()
      upstream.send(1)
      upstream.send(2)
      for promise in fixture.counter.takePromises() { promise?.fail(TestError()) }
      #expect(subscriber.events.dropFirst() == [.failure(TestError())])
      #expect(upstream.history.last == .cancelled)
      upstream.send(3)
      #expect(fixture.counter.writes == 2)
      #expect(fixture.channel.isActive)
      fixture.run()
    }

    @Test func aChannelThatClosesFailsAndCancelsTheUpstream() {
      let fixture = Fixture()
      let upstream = ManualPublisher<Int, Never>()
      let subscriber = Recorder()
      upstream.write(to: fixture.channel).subscribe(subscriber)
      fixture.run()
      fixture.channel.close(promise: nil)
      fixture.run()
      #expect(subscriber.events.dropFirst() == [.failure(ChannelError.ioOnClosedChannel)])
      #expect(upstream.history.last == .cancelled)
    }

    @Test func aChannelThatIsClosedFails() {
      let fixture = Fixture()
      fixture.channel.close(promise: nil)
      fixture.run()
      let upstream = ManualPublisher<Int, Never>()
      let subscriber = Recorder()
      upstream.write(to: fixture.channel).subscribe(subscriber)
      fixture.run()
      #expect(subscriber.events.dropFirst() == [.failure(ChannelError.ioOnClosedChannel)])
      #expect(upstream.history == [.cancelled])
    }

    // MARK: Cancellation

    @Test func cancellingStopsAndLeavesTheChannelOpen() {
      let fixture = Fixture()
      let upstream = ManualPublisher<Int, Never>()
      let released = SharedLog<Void>()
      do {
        let subscriber = Recorder(onDeinit: { released.signal() })
        upstream.write(to: fixture.channel).subscribe(subscriber)
        fixture.run()
        upstream.send(1)
        subscriber.cancel()
        subscriber.cancel()
        #expect(subscriber.events.count == 1)
        subscriber.dropSubscription()
      }
      #expect(released.values.count == 1)
      #expect(upstream.history == [.requested(.max(16)), .cancelled])
      #expect(!fixture.isWatched)
      fixture.run()
      #expect(fixture.channel.isActive)
      #expect(fixture.written() == [1], "what was written is flushed")
    }

    @Test func aCancelInsideTheSubscriptionPreventsEverything() {
      let fixture = Fixture()
      let upstream = ManualPublisher<Int, Never>()
      upstream.write(to: fixture.channel).subscribe(Recorder(onSubscription: { $0.cancel() }))
      #expect(upstream.history.allSatisfy { $0 == .cancelled })
      #expect(!fixture.isWatched)
    }

    // MARK: Sockets

    @Test(arguments: [1, 16])
    func writesElementsFromAnotherThread(window: Int) throws {
      let server = try TestServer()
      defer { server.close() }
      let peer = Peer(port: server.port)
      let connection = server.connection()
      let completions = SharedLog<Bool>()
      let cancellable = (0..<5000).publisher
        .receive(on: DispatchQueue(label: "WriteToChannelTests"))
        .map { ByteBuffer(integer: UInt32($0)) }
        .write(to: connection.channel, window: window)
        .sink(
          receiveCompletion: { _ in
            completions.append(connection.channel.eventLoop.inEventLoop)
            connection.channel.close(promise: nil)
          },
          receiveValue: { _ in }
        )
      let bytes = peer.receiveAll()
      #expect(bytes == (0..<5000).flatMap { number in withUnsafeBytes(of: UInt32(number).bigEndian) { Array($0) } })
      #expect(completions.wait(for: 1) == [true])
      cancellable.cancel()
      peer.close()
    }

    @Test func aPeerThatDoesNotReadStopsTheUpstream() throws {
      let server = try TestServer(buffers: 65536)
      defer { server.close() }
      let peer = Peer(port: server.port, buffers: 65536)
      let connection = server.connection()
      let taken = Guarded(0)
      let element = ByteBuffer(repeating: 7, count: 8192)
      let cancellable = repeatElement(element, count: 100_000).publisher
        .handleEvents(receiveOutput: { _ in taken.withLock { $0 += 1 } })
        .write(to: connection.channel, window: 4)
        .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
      var (last, quiet) = (0, 0)
      while quiet < 200 {
        let now = taken.withLock { $0 }
        quiet = now == last ? quiet + 1 : 0
        last = now
        usleep(1000)
      }
      // The high water mark is 64 KiB, which the last element and the window may exceed. One segment in each buffer may.
      let bound = connection.sendBuffer() + peer.receiveBuffer + 65536 + 5 * 8192 + 2 * 65536
      #expect(last > 0)
      #expect(last * 8192 <= bound)
      cancellable.cancel()
      peer.close()
    }

    @Test func cancelsAndClosesOnOtherThreads() throws {
      let server = try TestServer()
      defer { server.close() }
      for round in 0..<50 {
        let peer = Peer(port: server.port)
        let connection = server.connections(round + 1)
        let events = SharedLog<Void>()
        let element = ByteBuffer(repeating: 7, count: 100)
        let cancellable = SharedLog<AnyCancellable>()
        onThreads(3) { thread in
          switch thread {
          case 0:
            cancellable.append(
              repeatElement(element, count: 1_000_000).publisher
                .write(to: connection.channel)
                .sink(receiveCompletion: { _ in events.signal() }, receiveValue: { _ in })
            )
          case 1:
            while peer.receive().map({ !$0.isEmpty }) ?? false {}
          default:
            usleep(UInt32(round * 20))
            if round % 2 == 0 {
              cancellable.wait(for: 1)[0].cancel()
            }
            connection.channel.close(promise: nil)
          }
        }
        if round % 2 == 1 { #expect(events.wait(for: 1).count == 1) }
        peer.close()
      }
    }

    @Test func aFastPeerDoesNotStarveOtherChannelsOfTheLoop() throws {
      let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
      let server = try TestServer(group: group)
      let (fast, other) = (Peer(port: server.port), Peer(port: server.port))
      let connection = server.connections(1)
      let element = ByteBuffer(repeating: 7, count: 1000)
      // The upstream sends inside each request, without an end.
      let cancellable = sequence(first: element) { $0 }.publisher
        .write(to: connection.channel)
        .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
      let recorder = InboundRecorder(requesting: .unlimited)
      server.connections(2).inbound.subscribe(recorder)
      onThreads(2) { thread in
        if thread == 0 {
          while fast.receive().map({ !$0.isEmpty }) ?? false {}
        } else {
          for number in 1...20 {
            other.send([UInt8(number)])
            recorder.events.wait(for: number)
          }
          connection.channel.close(promise: nil)
        }
      }
      #expect(recorder.bytes == Array(1...20))
      cancellable.cancel()
      try group.syncShutdownGracefully()
      for peer in [fast, other] { peer.close() }
    }

    @Test func echoes() throws {
      let cancellables = SharedLog<AnyCancellable>()
      let server = try TestServer { connection in
        cancellables.append(
          connection.inbound
            .write(to: connection.channel)
            .sink(
              receiveCompletion: { _ in connection.channel.close(promise: nil) },
              receiveValue: { _ in }
            )
        )
      }
      defer { server.close() }
      let peer = Peer(port: server.port)
      let bytes = (0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 &* 17 ^ $0 >> 9) }
      let received = Guarded<[UInt8]>([])
      onThreads(2) { thread in
        if thread == 0 {
          peer.send(bytes)
        } else {
          var all: [UInt8] = []
          while all.count < bytes.count, let some = peer.receive(), !some.isEmpty { all += some }
          received.withLock { $0 = all }
        }
      }
      #expect(received.withLock { $0 } == bytes)
      let connection = server.connection()
      peer.close()
      try connection.waitForClose()
    }

    @Test func aLoopThatShutsDownFails() throws {
      let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
      let server = try TestServer(group: group)
      let peer = Peer(port: server.port)
      let connection = server.connection()
      let subject = PassthroughSubject<ByteBuffer, Never>()
      let completions = SharedLog<Bool>()
      let cancellable = subject.write(to: connection.channel)
        .sink(
          receiveCompletion: { if case .failure = $0 { completions.append(true) } else { completions.append(false) } },
          receiveValue: { _ in }
        )
      try group.syncShutdownGracefully()
      #expect(completions.wait(for: 1) == [true])
      subject.send(ByteBuffer())
      cancellable.cancel()
      peer.close()
    }

    /// A publisher that is subscribed to after the end of the loop, with an upstream that sends, one that does not, and one
    /// that has finished.
    @Test(arguments: 0..<3)
    func aLoopThatHasShutDownFails(upstream: Int) throws {
      let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
      let server = try TestServer(group: group)
      let peer = Peer(port: server.port)
      let channel = server.connection().channel
      try group.syncShutdownGracefully()
      let completions = SharedLog<String>()
      let upstreams: [AnyPublisher<ByteBuffer, Never>] = [
        Just(ByteBuffer(string: "a")).eraseToAnyPublisher(),
        PassthroughSubject<ByteBuffer, Never>().eraseToAnyPublisher(),
        Empty().eraseToAnyPublisher(),
      ]
      let cancellable = upstreams[upstream].write(to: channel)
        .sink(receiveCompletion: { completions.append("\($0)") }, receiveValue: { _ in })
      #expect(completions.values == ["failure(EventLoopError: the event loop is shutdown)"])
      cancellable.cancel()
      peer.close()
    }

    /// The loop shuts down while elements come from another thread.
    @Test func aLoopThatShutsDownWhileElementsComeFails() throws {
      for _ in 0..<20 {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let server = try TestServer(group: group)
        let peer = Peer(port: server.port)
        let channel = server.connection().channel
        let completions = SharedLog<Bool>()
        let subject = PassthroughSubject<ByteBuffer, Never>()
        let cancellable = subject.write(to: channel)
          .sink(
            receiveCompletion: { completion in
              if case .failure = completion { completions.append(true) } else { completions.append(false) }
            },
            receiveValue: { _ in }
          )
        onThreads(2) { thread in
          if thread == 0 {
            for _ in 0..<200 { subject.send(ByteBuffer(string: "a")) }
          } else {
            try! group.syncShutdownGracefully()
          }
        }
        #expect(completions.wait(for: 1) == [true])
        cancellable.cancel()
        peer.close()
      }
    }
  }
#endif
