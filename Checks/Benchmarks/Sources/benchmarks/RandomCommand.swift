import ArgumentParser
import BenchmarkReports
import BenchmarkSupport
import CSandbox
import Foundation

struct RandomCommand: ParsableCommand {

  static let configuration = CommandConfiguration(
    commandName: "random",
    abstract: "Times pipelines that are made at random, for this package and for OpenCombine in turn."
  )

  @Option(help: ArgumentHelp("Which pipelines are made. Without it, each step is measured alone.", valueName: "number"))
  var seed: UInt64?

  @Option(help: ArgumentHelp("How many are made.", valueName: "number"))
  var count = 1000

  @Option(
    help: ArgumentHelp("Measures the pipeline with this number only; may be given more than once.", valueName: "number")
  )
  var only: [Int] = []

  @Option(help: ArgumentHelp("How many of the slowest pipelines are printed.", valueName: "number"))
  var show = 10

  @Option(help: ArgumentHelp("How often each pipeline is timed; the median counts.", valueName: "number"))
  var rounds = 3

  @Flag(help: "Fails unless all that is promised is kept.")
  var check = false

  func run() throws {
    let trial = Trial(elements: Benchmarks.isDebugBuild ? 200 : 1000, rounds: rounds)
    // In a debug build each layer of generic code costs.
    let floor = Benchmarks.isDebugBuild ? 0.8 : 1
    let numbers = seed == nil ? Assembly.single.indices : 0..<count
    func row(_ number: Int) -> RandomReport.Row {
      let assembly = seed.map { Assembly(seed: $0, number: number) } ?? Assembly.single[number]
      return RandomReport.Row(number: number, assembly: assembly, outcome: trial.outcome(of: assembly))
    }
    var rows = (only.isEmpty ? Array(numbers) : only).map(row)
    // Another program may have interfered.
    for _ in 0..<TableCommand.retries {
      let slow = Set(RandomReport(rows: rows, floor: floor).slow.map(\.number))
      rows = rows.map { slow.contains($0.number) ? row($0.number) : $0 }
    }
    let report = RandomReport(rows: rows, floor: floor, shown: show)
    print(report.markdown)
    fflush(nil)
    guard check else { return }
    for failure in report.failures { Benchmarks.complain(failure) }
    if !report.failures.isEmpty { throw ExitCode.brokenPromise }
  }
}

/// A comparison in a process of its own, because a pipeline may trap or hang.
private struct Trial {

  private enum Phase: Int {
    case ours, openCombine, comparing, timing, ended, different
  }

  private static let seconds = 5.0

  let elements: Int
  let rounds: Int
  private let memory = sandbox_shared_memory(64)!

  init(elements: Int, rounds: Int) {
    self.elements = elements
    self.rounds = rounds
  }

  func outcome(of assembly: Assembly) -> RandomReport.Row.Outcome {
    memory.storeBytes(of: Phase.ours.rawValue, as: Int.self)
    let process = sandbox_fork(true)
    if process == 0 {
      measure(assembly)
      sandbox_exit()
    }
    let start = Clock.wall.now
    var outcome = sandbox_poll(process)
    while outcome == sandbox_running {
      if Clock.wall.now - start > Self.seconds * 1e9 {
        sandbox_kill(process)
        break
      }
      usleep(1000)
      outcome = sandbox_poll(process)
    }
    let end = outcome == sandbox_running ? "hang" : "trap"
    switch Phase(rawValue: memory.load(as: Int.self))! {
    case .ours: return .ended(.ours, end)
    case .openCombine: return .ended(.openCombine, end)
    case .different: return .different
    case .comparing, .timing: return .ended(.openCombine, end)
    case .ended:
      return .measured(
        ours: memory.load(fromByteOffset: 8, as: Double.self),
        openCombine: memory.load(fromByteOffset: 16, as: Double.self)
      )
    }
  }

  /// Runs in the child.
  private func measure(_ assembly: Assembly) {
    // As in an app, there is another thread: glibc's mutexes need no atomic operations otherwise.
    let thread = Thread { Thread.sleep(forTimeInterval: 1000) }
    thread.start()
    func set(_ phase: Phase) { memory.storeBytes(of: phase.rawValue, as: Int.self) }
    let names: [ContestantName] = [.ours, .openCombine]
    let works = names.map { $0.contestant.work(for: assembly)! }
    let checksum = Checksum()
    works[0](elements, checksum)
    let expected = checksum.value
    set(.openCombine)
    checksum.reset()
    works[1](elements, checksum)
    guard checksum.value == expected else { return set(.different) }
    set(.timing)
    do {
      var timings = try zip(names, works).map { name, work in
        let checksum = Checksum()
        return try Timing(
          assembly.description,
          name,
          clock: assembly.isConcurrent ? .process : .thread,
          elements: elements,
          checksum: checksum,
          expected: expected
        ) { work(elements, checksum) }
      }
      for _ in 0..<rounds {
        for index in timings.indices { try timings[index].addRound() }
      }
      memory.storeBytes(of: timings[0].rounds.median, toByteOffset: 8, as: Double.self)
      memory.storeBytes(of: timings[1].rounds.median, toByteOffset: 16, as: Double.self)
      set(.ended)
    } catch {
      set(.different)
    }
  }
}
