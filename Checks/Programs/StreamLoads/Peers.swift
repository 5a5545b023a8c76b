#if JetStream
  import CombineJetStream
  import Foundation
  import JetStreamSupport

  /// The speeds beside those of the C library: the same messages, windows and server, one after the other.
  ///
  /// Each row is measured three times in turn. The table has the fastest of each, with the processor time of the client for a
  /// message in that run.
  enum Peers {

    private struct Speed {
      var rate: Double
      var microseconds: Double

      static func < (left: Speed, right: Speed) -> Bool { left.rate < right.rate }
    }

    private static let count = 300_000

    /// - Parameter words: Only the rows whose names contain all of them.
    static func run(_ words: [String]) async throws {
      report("| row | this package | C library | processor time a message | C library |\n|---|--:|--:|--:|--:|")
      for writes in [JetStream.Configuration.Writes.atOnce, .coalesced] {
        for (work, windows) in [("publish", [1000, 4000]), ("consume", [512])] {
          for window in windows {
            let name = "\(work), window \(window), writes \(Figures.name(writes))"
            guard words.allSatisfy(name.contains) else { continue }
            var (ours, theirs) = (Speed(rate: 0, microseconds: 0), Speed(rate: 0, microseconds: 0))
            for _ in 0..<3 {
              let our = try await measureOurs(work, window, writes)
              let their = try await measurePeer(work, window, writes)
              if ours < our { ours = our }
              if theirs < their { theirs = their }
            }
            report(
              """
              | \(name) | \(Figures.grouped(ours.rate)) a second | \(Figures.grouped(theirs.rate)) \
              | \(ours.microseconds.rounded(to: 1)) µs | \(theirs.microseconds.rounded(to: 1)) µs |
              """
            )
          }
        }
      }
    }

    private static func measureOurs(
      _ work: String,
      _ window: Int,
      _ writes: JetStream.Configuration.Writes
    ) async throws -> Speed {
      // Without the time for storing what is consumed.
      var processor = 0.0
      let begin = { processor = processorSeconds() }
      let rate =
        try await work == "publish"
        ? Figures.publish(count, window: window, writes, begin: begin)
        : Figures.consume(count, window: window, writes, begin: begin)
      return Speed(rate: rate, microseconds: (processorSeconds() - processor) / Double(count) * 1e6)
    }

    private static func measurePeer(
      _ work: String,
      _ window: Int,
      _ writes: JetStream.Configuration.Writes
    ) async throws -> Speed {
      let server = try TestServer()
      let stream = try await TestStream(server)
      if work == "consume" { try await Figures.fill(stream, count) }
      await stream.jetStream.close()
      let peer = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appendingPathComponent("StreamPeer")
      try expect(
        FileManager.default.isExecutableFile(atPath: peer.path),
        "there is no \(peer.path): build it as StreamLoads was built, with --product StreamPeer"
      )
      let process = Process()
      process.executableURL = peer
      process.arguments = [work, server.url, "\(count)", "\(window)", writes == .atOnce ? "at-once" : "coalesced"]
      let pipe = Pipe()
      process.standardOutput = pipe
      try process.run()
      let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      let numbers = output.split { $0 == " " || $0 == "\n" }.compactMap { Double($0) }
      try expect(process.terminationStatus == 0 && numbers.count == 2, "StreamPeer has failed: \(output)")
      return Speed(rate: numbers[0], microseconds: numbers[1])
    }

    private static func processorSeconds() -> Double {
      var usage = rusage()
      getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
      let microseconds = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec
      return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + Double(microseconds) / 1e6
    }
  }
#endif
