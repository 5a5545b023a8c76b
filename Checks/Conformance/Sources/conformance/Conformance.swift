import ArgumentParser
import CSandbox
import Scripts
import StageOpenCombine
import StageOurs

@main
struct Conformance: ParsableCommand {

  static let configuration = CommandConfiguration(
    abstract: "Plays random scripts against this package and a peer, and compares what happens, event by event.",
    discussion: """
      The peer is OpenCombine, as a black box; for what it lacks, a model written from the specification. Each script \
      of our side is checked against the laws that hold for every operator, too.
      Ends with status 1 if a difference has no explanation or a law is broken.
      """
  )

  @Option(help: "How many scripts to play.")
  var scripts = 20_000

  @Option(help: "The seed: the same seed and number give the same script.")
  var seed: UInt64 = 1

  @Option(help: "Plays this entry of the catalogue only; may be given several times.")
  var only: [String] = []

  @Option(help: "Plays the script with this number only, and prints both traces.")
  var script: Int?

  @Option(help: "How many processes play.")
  var jobs = 2

  @Option(help: "How many findings to print, made as small as possible.")
  var findings = 10

  @Flag(help: "Lists the catalogue, and who plays each entry on the other side.")
  var list = false

  @Flag(help: "Lists the differences that have an explanation.")
  var explained = false

  mutating func validate() throws {
    let names = Set(Contestant.ours.profiles.map(\.name))
    for name in only where !names.contains(name) {
      throw ValidationError("the catalogue has no '\(name)'; --list prints it")
    }
  }

  mutating func run() throws {
    // The order of some events depends on a dictionary of the peer.
    sandbox_require_environment("SWIFT_DETERMINISTIC_HASHING", "1", CommandLine.unsafeArgv)

    let judge = Judge(ours: .ours, peers: [.openCombine, .model])
    let profiles = Contestant.ours.profiles.filter { only.isEmpty || only.contains($0.name) }
    let generator = Generator(seed: seed, profiles: profiles)

    if list {
      for profile in profiles { print("\(profile.name)  (\(judge.peer(for: profile.name)?.name ?? "laws only"))") }
    } else if explained {
      for (index, difference) in ExplainedDifference.all.enumerated() {
        print("\(index + 1). \(difference.name) [\(difference.entries.sorted().joined(separator: ", "))]")
        print("   \(difference.reason)")
      }
    } else if let script {
      show(generator.script(script), judge.judge(generator.script(script)), judge)
    } else {
      try play(generator, judge)
    }
  }

  private func play(_ generator: Generator, _ judge: Judge) throws {
    var reported = 0
    let result = Campaign(judge: judge, generator: generator).run(0..<scripts, workers: jobs) { count in
      guard count / 100_000 > reported / 100_000 else { return }
      reported = count
      print("… \(count) scripts")
    }
    for (index, count) in result.explained.sorted(by: { $0.key < $1.key }) {
      print("explained \(count) times: \(ExplainedDifference.all[index].name)")
    }
    var shown: Set<String> = []
    for number in result.findings where shown.count < findings {
      let (script, verdict) = judge.shrink(generator.script(number))
      // One small script is often the minimal form of many.
      guard shown.insert(script.description).inserted else { continue }
      print("\n== script \(number) of seed \(seed), made as small as possible")
      show(script, verdict, judge)
    }
    let explainedCount = result.explained.values.reduce(0, +)
    print(
      """
      \(result.count) scripts of seed \(seed) on \(generator.profiles.count) entries; \(explainedCount) differences \
      explained, \(result.findings.count) findings; \(result.trapCount) ended in a trap
      """
    )
    guard result.findings.isEmpty else { throw ExitCode(1) }
  }

  private func show(_ script: Script, _ verdict: Judge.Verdict, _ judge: Judge) {
    print(script)
    switch verdict {
    case .same: print("-- no difference")
    case .explained(let index): print("-- explained: \(ExplainedDifference.all[index].name)")
    case .different(let difference):
      print("-- ours, and \(judge.peer(for: script.entry)?.name ?? "")\n\(difference)")
    case .unlawful(let play):
      print("-- \(play.violations.joined(separator: "\n-- "))\n\(play.trace.joined(separator: "\n"))")
    }
  }
}
