#if JetStream
  import CombineJetStream
  import Foundation
  import JetStreamSupport
  import TestSupport
  import Testing

  /// What counts as handed out, on a real server: nothing that a cancel overtakes, and no element whose work goes on.
  struct HandedOutTests {

    /// Chains between the messages and the sink. Each operator has a state of its own that may drop a message.
    enum Chain: String, CaseIterable {
      case none, map, filter, tryMap, decodeValues, handleEvents

      func numbers(_ messages: JetStreamPublisher) -> AnyPublisher<Int, any Error> {
        switch self {
        case .none, .map: messages.map(\.number).mapError { $0 }.eraseToAnyPublisher()
        case .filter: messages.map(\.number).filter { $0 >= 0 }.mapError { $0 }.eraseToAnyPublisher()
        case .tryMap: messages.tryMap { $0.number }.eraseToAnyPublisher()
        case .decodeValues:
          messages.decodeValues(Int.self, decoder: JSONDecoder()).mapError { $0 }.eraseToAnyPublisher()
        case .handleEvents:
          messages.handleEvents(receiveOutput: { _ in }).map(\.number).mapError { $0 }.eraseToAnyPublisher()
        }
      }
    }

    @Test(arguments: Chain.allCases, [Acknowledgement.afterReceive, .manual])
    func aCancelOfASinkLosesNothingThatItHasNotHandedOut(chain: Chain, acknowledgement: Acknowledgement) async throws {
      let server = try TestServer()
      // What the server sends to an inbox at the moment of its end comes after this time. What was acknowledged never does.
      let stream = try await TestStream(server, acknowledgementWait: .seconds(5))
      let count = 3000
      try await stream.store(0..<count)
      let received = Guarded<[Int]>([])
      // The first subscriptions are cancelled while messages arrive. The last one takes the rest.
      for round in 0..<12 {
        let pause: useconds_t = round.isMultiple(of: 2) ? 50 : 0
        let sink: AnyCancellable
        if acknowledgement == .manual, chain == .none {
          sink = stream.messages(acknowledgement: .manual).sink(receiveCompletion: { _ in }) { message in
            received.withLock { $0.append(message.number) }
            message.acknowledge()
            usleep(pause)
          }
        } else {
          sink = chain.numbers(stream.messages()).sink(receiveCompletion: { _ in }) { number in
            received.withLock { $0.append(number) }
            usleep(pause)
          }
        }
        let before = received.withLock { $0.count }
        try await wait("messages") { received.withLock { $0.count } >= min(count - 10, before + 20) }
        sink.cancel()
      }
      let last = stream.messages().sink(receiveCompletion: { _ in }) { message in
        received.withLock { $0.append(message.number) }
      }
      var info = try await stream.info()
      let end = ContinuousClock.now + .seconds(20)
      while info.pendingCount > 0 || info.unacknowledgedCount > 0, ContinuousClock.now < end {
        try await Task.sleep(for: .milliseconds(5))
        info = try await stream.info()
      }
      #expect(
        info.unacknowledgedCount == 0 && info.pendingCount == 0,
        "\(info), \(received.withLock { Set($0).count })"
      )
      last.cancel()
      let numbers = received.withLock { Set($0) }
      #expect(numbers.count == count, "\(count - numbers.count) lost")
      await stream.jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func anElementOfASequenceIsHandledWhenTheNextOneIsAskedFor() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server, acknowledgementWait: .seconds(600))
      try await stream.store(0..<5)
      var numbers: [Int] = []
      for try await number in stream.messages().map(\.number).prefix(3).values {
        numbers.append(number)
        // The work on this element is not done, so it is not acknowledged. The ones before are.
        try await eventually {
          let info = try await stream.info()
          return info.acknowledgedSequence == UInt64(number) && info.unacknowledgedCount == 1
        }
      }
      #expect(numbers == [0, 1, 2])
      try await eventually { try await stream.info().acknowledgedSequence == 3 }
      #expect(try await stream.info().unacknowledgedCount == 0)
      await stream.jetStream.close()
      withExtendedLifetime(server) {}
    }

    @Test func theElementInWorkIsGivenBackWhenTheLoopIsLeft() async throws {
      let server = try TestServer()
      let stream = try await TestStream(server, acknowledgementWait: .seconds(600))
      try await stream.store(0..<5)
      struct Interruption: Error {}
      do {
        for try await message in stream.messages().values where message.number == 2 { throw Interruption() }
      } catch is Interruption {}
      var rest: [Int] = []
      for try await message in stream.messages().prefix(3).values { rest.append(message.number) }
      #expect(rest.sorted() == [2, 3, 4])
      await stream.jetStream.close()
      withExtendedLifetime(server) {}
    }
  }
#endif
