import ArgumentParser
import BenchmarkReports
import BenchmarkSupport
import Foundation

struct GrowthCommand: ParsableCommand {

  static let configuration = CommandConfiguration(
    commandName: "growth",
    abstract: "Measures how cost grows with the length of a chain and with the number of subscribers, and plots it."
  )

  @Option(help: ArgumentHelp("The file for the plot.", valueName: "file"))
  var plot = Benchmarks.folder.appending(path: "Growth.svg").path

  @Option(help: ArgumentHelp("Puts the tables into this file too, between its markers.", valueName: "file"))
  var into: String?

  @Option(help: ArgumentHelp("How often each point is timed; the plot shows the median.", valueName: "number"))
  var rounds = 21

  private static let contestants: [ContestantName] = [.ours, .openCombine, .byHand]
  private static let lengths = [1, 2, 4, 8, 16, 32, 64]
  private static let sizes = [1, 10, 100, 1000, 10_000]

  func validate() throws {
    guard rounds > 0 else { throw ValidationError("--rounds must be at least 1") }
  }

  func run() throws {
    Benchmarks.warnIfNotOptimised()
    try measuring {
      let chains = Growth(
        title: "A chain of maps",
        amount: "maps in the chain",
        cost: "ns for an element",
        curves: try measure(Self.lengths, chain)
      )
      let audiences = Growth(
        title: "A subject with many sinks",
        amount: "sinks",
        cost: "ns for a value sent",
        curves: try measure(Self.sizes, audience)
      )
      let growths = [chains, audiences]
      try GrowthPlot(growths).svg.write(toFile: plot, atomically: true, encoding: .utf8)
      let tables = growths.map(\.table.text).joined(separator: "\n\n")
      print(tables)
      if let into { try MarkedFile(URL(filePath: into)).replace("growth", with: tables) }
    }
  }

  /// Measures all amounts in each round, and for each amount all contestants.
  private func measure(
    _ amounts: [Int],
    _ timing: (ContestantName, Int) throws -> Timing?
  ) throws -> [Growth.Curve] {
    var timings = try amounts.map { amount in
      try Self.contestants.compactMap { name in try timing(name, amount).map { (name, $0) } }
    }
    for _ in 0..<rounds {
      for amount in timings.indices {
        for index in timings[amount].indices { try timings[amount][index].1.addRound() }
      }
    }
    return Self.contestants.map { name in
      let points = zip(amounts, timings).compactMap { amount, timings in
        timings.first { $0.0 == name }.map { Growth.Point(amount: amount, cost: $0.1.rounds.median) }
      }
      return Growth.Curve(name: name.title, points: points)
    }
  }

  private func chain(_ name: ContestantName, length: Int) throws -> Timing? {
    guard let work = name.contestant.chain(length: length) else { return nil }
    let elements = 10_000
    let (checksum, expected) = (Checksum(), Checksum())
    for element in 0..<elements { expected.add(element + length + length / 2) }
    return try Timing(
      "a chain of \(length)",
      name,
      elements: elements,
      checksum: checksum,
      expected: expected.value
    ) { work(elements, checksum) }
  }

  /// Times sending, but not subscribing.
  private func audience(_ name: ContestantName, size: Int) throws -> Timing? {
    let (checksum, expected) = (Checksum(), Checksum())
    guard let send = name.contestant.makeAudience(size: size, checksum) else { return nil }
    let elements = max(1, 10_000 / size)
    for element in 0..<elements {
      for _ in 0..<size { expected.add(element) }
    }
    return try Timing(
      "an audience of \(size)",
      name,
      elements: elements,
      checksum: checksum,
      expected: expected.value
    ) { send(0..<elements) }
  }
}
