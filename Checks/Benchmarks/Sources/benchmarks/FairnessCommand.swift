import ArgumentParser
import BenchmarkReports
import BenchmarkSupport
import Foundation

struct FairnessCommand: ParsableCommand {

  static let configuration = CommandConfiguration(
    commandName: "fairness",
    abstract: "Measures what counted demand gets from each of many upstreams, and what a request costs."
  )

  @Option(help: ArgumentHelp("Puts the table into this file too, between its markers.", valueName: "file"))
  var into: String?

  @Option(help: ArgumentHelp("How often each is timed; the table shows the median.", valueName: "number"))
  var rounds = 5

  private static let contestants: [ContestantName] = [.ours, .openCombine]
  private static let amounts = [2, 100, 10_000]
  private static let requests = 10_000

  func validate() throws {
    guard rounds > 0 else { throw ValidationError("--rounds must be at least 1") }
  }

  func run() throws {
    Benchmarks.warnIfNotOptimised()
    try measuring {
      var rows: [[String]] = []
      for asked in Asked.allCases {
        for amount in Self.amounts {
          let cells = Self.contestants.map { self.cells(asked, amount, $0) }
          guard cells.contains(where: { $0 != nil }) else { continue }
          rows.append([asked.rawValue, asked.amount, String(amount)] + cells.flatMap { $0 ?? ["–", "–"] })
        }
      }
      let header =
        ["operator", "number of", ""] + Self.contestants.flatMap { ["\($0.title), ns a request", "shares"] }
      let table = MarkdownTable(header: header, rows: rows, leading: 2).text
      print(table)
      if let into { try MarkedFile(URL(filePath: into)).replace("fairness", with: table) }
    }
  }

  /// Returns the cost of a request, and the smallest and the largest number of values of an upstream.
  private func cells(_ asked: Asked, _ amount: Int, _ name: ContestantName) -> [String]? {
    var costs: [Double] = []
    var shares: [Int]?
    for _ in 0..<rounds {
      // Subscribing is not timed.
      guard let asking = name.contestant.makeAsking(asked, amount: amount) else { return nil }
      let start = Clock.thread.now
      asking.ask(Self.requests)
      costs.append((Clock.thread.now - start) / Double(Self.requests))
      shares = asking.shares()
    }
    let share = shares.map { "\($0.min() ?? 0) to \($0.max() ?? 0)" }
    return [costs.median.decimal(1), share ?? "–"]
  }
}
