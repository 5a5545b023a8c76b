import ArgumentParser
import CMemory
import CombineCore
import Dispatch
import Synchronization

@main
struct Soak: ParsableCommand {

  static let configuration = CommandConfiguration(
    abstract: "Runs a mixed workload on several threads and checks that memory stays flat.",
    discussion: """
      Works in rounds. Between two of them nothing runs, and the figures are read: tokens alive (elements and what \
      closures hold), bytes on the heap, resident bytes. The first fifth of the rounds warms up. Ends with status 1 if \
      a token is left at the end, or if memory has grown.
      """
  )

  @Option(help: "How long to run, in seconds.")
  var seconds = 60

  @Option(help: "How many threads work at once.")
  var threads = 4

  @Option(help: "Runs only this of the short-lived workloads; may be given several times.")
  var only: [String] = []

  mutating func run() throws {
    let workloads = Workload.shortLived.filter { only.isEmpty || only.contains($0.name) }
    guard !workloads.isEmpty else {
      throw ValidationError("the workloads are: \(Workload.shortLived.map(\.name).joined(separator: "; "))")
    }
    memory_prepare()
    let tokensAtStart = Token.aliveCount
    var rounds: [Round] = []
    var longLived: LongLived? = LongLived()
    let start = DispatchTime.now().uptimeNanoseconds
    while elapsed(since: start) < seconds {
      let round = Self.round(workloads, threads: threads, longLived: longLived!)
      rounds.append(round)
      if rounds.count % 10 == 1 { print("\(elapsed(since: start)) s: \(round)") }
    }
    longLived = nil
    let tokensAtEnd = Token.aliveCount

    let warm = rounds.dropFirst(rounds.count / 5)
    let events = rounds.reduce(0) { $0 + $1.events }
    print("\(events) events in \(elapsed(since: start)) s, \(rounds.count) rounds, \(threads) threads")
    print("tokens alive: \(tokensAtStart) at the start, \(tokensAtEnd) at the end")
    let problems = [
      tokensAtEnd == tokensAtStart ? nil : "tokens are left",
      growth("heap", warm.compactMap(\.memory.heap)),
      growth("resident", warm.compactMap(\.memory.resident)),
      Set(warm.map(\.tokens)).count == 1 ? nil : "tokens between rounds: \(warm.map(\.tokens))",
    ].compactMap { $0 }
    guard problems.isEmpty else {
      print("NOT FLAT: \(problems.joined(separator: "; "))")
      throw ExitCode(1)
    }
    print("flat")
  }

  private func elapsed(since start: UInt64) -> Int {
    Int((DispatchTime.now().uptimeNanoseconds - start) / 1_000_000_000)
  }

  private struct Round: CustomStringConvertible {
    var events: Int
    var tokens: Int
    var memory: Memory

    var description: String {
      "\(events) events; alive \(tokens) tokens; heap \(memory.heap.map(kilobytes) ?? "?"); "
        + "resident \(memory.resident.map(kilobytes) ?? "?")"
    }
  }

  /// Lets all threads work for half a second, and then waits until they are idle.
  private static func round(_ workloads: [Workload], threads: Int, longLived: LongLived) -> Round {
    let events = Atomic(0)
    let end = DispatchTime.now().uptimeNanoseconds + 500_000_000
    DispatchQueue.concurrentPerform(iterations: threads) { _ in
      var random = SystemRandomNumberGenerator()
      while DispatchTime.now().uptimeNanoseconds < end {
        var count = longLived.churn(&random)
        for workload in workloads { count += workload.run(&random) }
        events.add(count, ordering: .relaxed)
      }
    }
    longLived.settle()
    return Round(events: events.load(ordering: .relaxed), tokens: Token.aliveCount, memory: .now)
  }

  /// Returns a description of growth in a series of figures that should be flat. Growth means that its last third is
  /// higher than its first by more than Dispatch may keep, which is 64 kilobytes of spare blocks for each of its
  /// threads.
  private func growth(_ name: String, _ series: [Int]) -> String? {
    guard series.count >= 6 else { return nil }
    let third = series.count / 3
    let first = series.prefix(third).sorted()[third / 2]
    let last = series.suffix(third).sorted()[third / 2]
    print("\(name): \(kilobytes(first)) in the first third after the warm-up, \(kilobytes(last)) in the last (medians)")
    return last - first > (threads + 4) * (64 << 10)
      ? "\(name) grew from \(kilobytes(first)) to \(kilobytes(last))" : nil
  }
}

private func kilobytes(_ bytes: Int) -> String { "\(bytes >> 10) KB" }
