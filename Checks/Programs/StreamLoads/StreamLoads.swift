#if JetStream
  import CombineJetStream
  import Foundation
  import JetStreamSupport

  /// What CombineJetStream promises over minutes, under load, and with processes that are killed.
  ///
  /// `StreamLoads` runs all, prints what it has seen, and fails if a promise is broken. `StreamLoads NAME …` runs some of
  /// them. `StreamLoads figures` prints the speeds of the tables in `Checks/Benchmarks/README.md`, and checks the floors. Words
  /// after it choose rows: `StreamLoads figures publish 1000`. `StreamLoads peers` compares the speeds with those of the C
  /// library, which the program `StreamPeer` beside this one runs.
  @main
  enum StreamLoads {

    static let loads: [(name: String, run: @Sendable () async throws -> Void)] = [
      ("consumer-killed", consumerKilled),
      ("server-killed", serverKilled),
      ("cancelled-anywhere", cancelledAnywhere),
      ("server-away", serverAway),
      ("server-stopped", serverStopped),
      ("slow-consumer", slowConsumer),
      ("connections", connections),
      ("leader-killed", leaderKilled),
      ("all-killed", allKilled),
      ("lame-duck", lameDuck),
      ("stopped-while-writing", stoppedWhileWriting),
      ("network-cut", networkCut),
      ("disk-full", diskFull),
      ("store-full", storeFull),
      ("permissions-changed", permissionsChanged),
      ("many-subscriptions", manySubscriptions),
      ("large-messages", largeMessages),
    ]

    static func main() async {
      let arguments = Array(CommandLine.arguments.dropFirst())
      if arguments.first == "consume" { return await ConsumerProcess.run(Array(arguments.dropFirst())) }
      do {
        if arguments.first == "figures" { return try await Figures.run(Array(arguments.dropFirst())) }
        if arguments.first == "peers" { return try await Peers.run(Array(arguments.dropFirst())) }
        let chosen = loads.filter { arguments.isEmpty || arguments.contains($0.name) }
        try expect(
          !chosen.isEmpty,
          "no load of this name, but \(loads.map(\.name).joined(separator: ", ")) figures, and peers"
        )
        for (name, run) in chosen {
          let start = ContinuousClock.now
          try await run()
          report("\(name): ok after \((ContinuousClock.now - start).seconds.rounded(to: 1)) s")
        }
      } catch {
        report("broken: \(error)")
        exit(1)
      }
    }
  }

  /// Prints a line at once, although the output may be a pipe.
  func report(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  func expect(_ condition: Bool, _ text: @autoclosure () -> String) throws {
    if !condition { throw Failure(text: text()) }
  }

  extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
  }

  extension Double {
    func rounded(to digits: Int) -> String { String(format: "%.\(digits)f", self) }
  }

  /// What the system says about this process.
  enum OwnProcess {

    /// The resident memory, in bytes.
    static var memory: Int { number("VmRSS:") * 1024 }

    static var threadCount: Int { number("Threads:") }

    private static func number(_ key: String) -> Int {
      let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
      let line = status.split(separator: "\n").first { $0.hasPrefix(key) }
      return line.flatMap { Int($0.dropFirst(key.count).filter(\.isNumber)) } ?? 0
    }
  }
#else
  @main
  enum StreamLoads {
    static func main() { print("enable the trait JetStream: swift run --traits JetStream StreamLoads") }
  }
#endif
