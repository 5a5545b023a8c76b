#if JetStream
  import CombineJetStream
  import Foundation
  import JetStreamSupport
  import TestSupport

  /// The speeds, with the floors that are promised. 128-byte messages in files, server and client on this machine.
  enum Figures {

    private static let payload = [UInt8](repeating: 120, count: 128)

    /// - Parameter words: Only the rows whose names contain all of them.
    static func run(_ words: [String]) async throws {
      var broken: [String] = []
      func row(_ name: String, floor: Double, _ measure: @autoclosure () async throws -> Double) async throws {
        guard words.allSatisfy(name.contains) else { return }
        let rate = try await measure()
        report("| \(name) | \(grouped(rate)) a second | \(grouped(floor)) |")
        if rate < floor { broken.append(name) }
      }
      report("| | seen | floor |\n|---|--:|--:|")
      try await row("publish, one at a time, acknowledged", floor: 4000, await publishOneByOne(10_000))
      // Written at once, each message is a call of the system of its own. That is the price of the lower latency.
      for (window, floors) in [(64, (50_000.0, 50_000.0)), (1000, (130_000, 75_000)), (4000, (150_000, 85_000))] {
        let name = "publish, window \(window)"
        try await row("\(name), writes coalesced", floor: floors.0, await publish(300_000, window: window, .coalesced))
        try await row("\(name), writes at once", floor: floors.1, await publish(300_000, window: window, .atOnce))
      }
      for (window, floors) in [(64, (50_000.0, 50_000.0)), (512, (110_000, 90_000)), (4096, (135_000, 120_000))] {
        let name = "consume, unlimited demand, window \(window)"
        try await row("\(name), writes coalesced", floor: floors.0, await consume(300_000, window: window, .coalesced))
        try await row("\(name), writes at once", floor: floors.1, await consume(300_000, window: window, .atOnce))
      }
      for writes in [JetStream.Configuration.Writes.coalesced, .atOnce] {
        try await row(
          "consume, demand 64 at a time, window 512, writes \(name(writes))",
          floor: 50_000,
          await consume(200_000, window: 512, demand: 64, writes)
        )
      }
      try await row(
        "consume, demand 1 at a time, writes at once",
        floor: 5000,
        await consume(20_000, window: 512, demand: 1, .atOnce)
      )
      try expect(broken.isEmpty, "below the floor: \(broken.joined(separator: "; "))")
    }

    static func name(_ writes: JetStream.Configuration.Writes) -> String {
      writes == .atOnce ? "at once" : "coalesced"
    }

    static func grouped(_ number: Double) -> String {
      var digits = String(Int(number))
      var groups: [String] = []
      while digits.count > 3 {
        groups.insert(String(digits.suffix(3)), at: 0)
        digits.removeLast(3)
      }
      return ([digits] + groups).joined(separator: ",")
    }

    private static func publishOneByOne(_ count: Int) async throws -> Double {
      let server = try TestServer()
      let stream = try await TestStream(server)
      let start = ContinuousClock.now
      for number in 0..<count {
        _ = try await stream.jetStream.publish(payload, to: "s.x", id: "\(number)").value
      }
      let rate = Double(count) / (ContinuousClock.now - start).seconds
      await stream.jetStream.close()
      return rate
    }

    static func publish(
      _ count: Int,
      window: Int,
      _ writes: JetStream.Configuration.Writes,
      begin: () -> Void = {}
    ) async throws -> Double {
      let server = try TestServer()
      let stream = try await TestStream(server, writes: writes)
      begin()
      let start = ContinuousClock.now
      try await fill(stream, count, window: window)
      let rate = Double(count) / (ContinuousClock.now - start).seconds
      await stream.jetStream.close()
      return rate
    }

    static func fill(_ stream: TestStream, _ count: Int, window: Int = 1000) async throws {
      let result = Guarded<Result<Int, any Error>?>(nil)
      let stored = Guarded(0)
      let cancellable = (0..<count).publisher
        .map { OutgoingMessage(payload, to: "s.x", id: "\($0)") }
        .publish(to: stream.jetStream, window: window)
        .sink(
          receiveCompletion: { completion in
            result.withLock {
              if case .failure(let error) = completion { $0 = .failure(error) } else { $0 = .success(0) }
            }
          },
          receiveValue: { _ in stored.withLock { $0 += 1 } }
        )
      try await wait("the publishes", seconds: 120) { try result.withLock { try $0?.get() } != nil }
      cancellable.cancel()
      try expect(stored.withLock { $0 } == count, "acknowledgements are missing")
    }

    static func consume(
      _ count: Int,
      window: Int,
      demand: Int = .max,
      _ writes: JetStream.Configuration.Writes,
      begin: () -> Void = {}
    ) async throws -> Double {
      let server = try TestServer()
      let stream = try await TestStream(server, writes: writes)
      try await fill(stream, count)
      let subscriber = SlowSubscriber(demand: demand, pause: 0)
      begin()
      let start = ContinuousClock.now
      stream.messages(window: window).subscribe(subscriber)
      try await wait("the messages", seconds: 120) { subscriber.count >= count }
      let rate = Double(count) / (ContinuousClock.now - start).seconds
      subscriber.cancel()
      await stream.jetStream.close()
      return rate
    }
  }
#endif
