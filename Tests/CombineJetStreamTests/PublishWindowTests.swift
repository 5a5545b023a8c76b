#if JetStream
  import CombineJetStream
  import Foundation
  import JetStreamSupport
  import TestSupport
  import Testing

  /// The number of bytes that `publish(to:)` has in flight.
  struct PublishWindowTests {

    /// Publishes messages of some sizes while the server is stopped, and returns how many the upstream has made until
    /// nothing moves any more.
    private func countWhileStopped(
      sizes: [Int],
      windowBytes: Int
    ) async throws -> (made: Int, bytesOut: UInt64) {
      // A message is sent again after a second. A busy machine may take longer, and then the bytes say nothing.
      for _ in 0..<10 {
        if let counts = try await countAtOnce(sizes: sizes, windowBytes: windowBytes) { return counts }
      }
      throw Failure(text: "the machine is too slow")
    }

    private func countAtOnce(sizes: [Int], windowBytes: Int) async throws -> (made: Int, bytesOut: UInt64)? {
      let server = try TestServer()
      let stream = try await TestStream(server)
      let made = Guarded(0)
      let result = Guarded<Subscribers.Completion<any Error>?>(nil)
      let before = stream.jetStream.traffic.sentBytes
      server.pause()
      let start = ContinuousClock.now
      // Erased, because a sequence's own `map` makes all elements at once.
      let publishing = sizes.indices.publisher.eraseToAnyPublisher()
        .map { index in
          made.withLock { $0 += 1 }
          return OutgoingMessage([UInt8](repeating: 1, count: sizes[index]), to: "s.a", id: "\(index)")
        }
        .publish(to: stream.jetStream, windowBytes: windowBytes)
        .sink(
          receiveCompletion: { completion in result.withLock { $0 = completion } },
          receiveValue: { _ in }
        )
      // The sequence publishes within the request, so all that was asked for has come.
      let counts = (made.withLock { $0 }, stream.jetStream.traffic.sentBytes - before)
      let time = ContinuousClock.now - start
      server.resume()
      try await wait("the completion") { result.withLock { $0 } != nil }
      if case .failure(let error)? = result.withLock({ $0 }) { Issue.record("\(error)") }
      #expect(try await stream.jetStream.streamInfo(TestStream.name).messageCount == UInt64(sizes.count))
      publishing.cancel()
      await stream.jetStream.close()
      return time < .milliseconds(900) ? counts : nil
    }

    @Test(.timeLimit(.minutes(1)))
    func largeMessagesAreBoundedByTheirBytes() async throws {
      let counts = try await countWhileStopped(sizes: Array(repeating: 500_000, count: 20), windowBytes: 2_100_000)
      #expect(counts.made == 4)
    }

    @Test(.timeLimit(.minutes(1)))
    func smallMessagesAreBoundedByTheirNumber() async throws {
      let counts = try await countWhileStopped(sizes: Array(repeating: 10, count: 3000), windowBytes: 1_000_000)
      #expect(counts.made == 1000)
    }

    @Test(.timeLimit(.minutes(1)))
    func aMessageThatIsLargerThanTheBoundGoesAlone() async throws {
      let counts = try await countWhileStopped(sizes: Array(repeating: 5000, count: 10), windowBytes: 1000)
      #expect(counts.made == 1)
      // The message, and what the protocol adds.
      #expect((5000..<6000).contains(counts.bytesOut))
    }

    /// The operator has asked for many small messages, and large ones come.
    @Test(.timeLimit(.minutes(1)))
    func largeMessagesAmongSmallOnesWaitInTheOperator() async throws {
      let sizes = [10] + Array(repeating: 100_000, count: 200)
      let counts = try await countWhileStopped(sizes: sizes, windowBytes: 1_000_000)
      #expect(counts.bytesOut < 1_000_000)
      #expect(counts.bytesOut > 800_000)
    }

    @Test(.timeLimit(.minutes(1)))
    func theOrderIsKeptWhenMessagesWait() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server)
      let count = 2000
      let stored = Guarded(0)
      let isDone = Guarded(false)
      let sizes = (0..<count).map { $0 % 10 == 7 ? 20_000 : $0 % 90 }
      let publishing = (0..<count).publisher
        .map { number in
          let text = Array("\(number) ".utf8)
          return OutgoingMessage(text + Array(repeating: 46, count: sizes[number]), to: "s.a", id: "\(number)")
        }
        .publish(to: stream.jetStream, windowBytes: 50_000)
        .sink(
          receiveCompletion: { _ in isDone.withLock { $0 = true } },
          receiveValue: { _ in stored.withLock { $0 += 1 } }
        )
      try await wait("the end") { isDone.withLock { $0 } }
      #expect(stored.withLock { $0 } == count)
      var numbers: [Int] = []
      for try await message in stream.messages().prefix(count).values {
        numbers.append(Int(message.text.prefix { $0 != " " }) ?? -1)
      }
      let isOrdered = numbers == Array(0..<count)
      #expect(isOrdered)
      publishing.cancel()
      await stream.jetStream.close()
    }
  }
#endif
