import Scripts
import Testing

@testable import conformance

extension ConformanceTests {

  /// The judge with contestants that are not libraries: they only log the script.
  @Suite struct JudgeTests {

    private static let profile = Profile(name: "entry", sourceCount: 2)

    private static func contestant(_ change: @escaping @Sendable (Script.Action) -> String?) -> Contestant {
      Contestant(name: "contestant", profiles: [profile]) { script, trace in
        for step in script.steps {
          if let line = change(step) { trace.add(depth: 1, line) }
        }
        return []
      }
    }

    private static let honest = contestant { "\($0)" }

    private let script = Script(
      entry: "entry",
      steps: [.subscribe(0), .send(source: 1, 4), .cancel(subscriber: 0), .finish(source: 0)]
    )

    @Test func equalTracesAreTheSame() {
      guard case .same = Judge(ours: Self.honest, peers: [Self.honest]).judge(script) else {
        Issue.record("not the same")
        return
      }
    }

    @Test func aDifferenceShowsWhereTheTracesDiverge() {
      let forgetful = Self.contestant { if case .cancel = $0 { nil } else { "\($0)" } }
      guard case .different(let difference) = Judge(ours: Self.honest, peers: [forgetful]).judge(script) else {
        Issue.record("no difference was detected")
        return
      }
      #expect(difference.commonCount == 2)
      #expect(difference.firstOfOurs == "down0 cancels")
      #expect(difference.firstOfTheirs == "up0 finishes")
    }

    @Test func aDifferenceIsReducedToASmallScript() {
      let forgetful = Self.contestant { if case .cancel = $0 { nil } else { "\($0)" } }
      let (smallest, verdict) = Judge(ours: Self.honest, peers: [forgetful]).shrink(script)
      #expect(smallest.steps == [.cancel(subscriber: 0)])
      guard case .different = verdict else {
        Issue.record("the small script shows nothing")
        return
      }
    }

    @Test func aTrapIsDetectedWithTheLinesBeforeIt() {
      let trapping = Self.contestant { if case .cancel = $0 { fatalError("a trap") } else { "\($0)" } }
      let play = Sandbox().play(script, trapping)
      #expect(play.end == .trapped)
      #expect(play.lines == ["  subscribe down0", "  up1 sends 4"])
      guard case .different = Judge(ours: trapping, peers: [Self.honest]).judge(script) else {
        Issue.record("a trap of one contestant is a difference")
        return
      }
      guard case .same = Judge(ours: trapping, peers: [trapping]).judge(script) else {
        Issue.record("a trap of both contestants is none")
        return
      }
    }

    @Test func aHangIsDetected() {
      let hanging = Self.contestant { action in
        if case .cancel = action { while true { pause(microseconds: 1_000) } }
        return "\(action)"
      }
      let play = Sandbox().play(script, hanging)
      #expect(play.end == .hung)
      #expect(play.lines.count == 2)
    }

    @Test func aBrokenLawIsAFinding() {
      let unlawful = Contestant(name: "unlawful", profiles: [Self.profile]) { _, _ in ["a law: broken"] }
      guard case .unlawful(let play) = Judge(ours: unlawful, peers: [Self.honest]).judge(script) else {
        Issue.record("the broken law was not detected")
        return
      }
      #expect(play.violations == ["a law: broken"])
    }

    // MARK: Campaigns

    @Test func aCampaignFindsTheScriptsThatDiffer() {
      let forgetful = Self.contestant { if case .send(_, _, 7) = $0 { nil } else { "\($0)" } }
      let generator = Generator(seed: 5, profiles: [Self.profile])
      let judge = Judge(ours: Self.honest, peers: [forgetful])
      let result = Campaign(judge: judge, generator: generator).run(0..<3_000, workers: 2) { _ in }

      let expected = (0..<3_000).filter { number in
        generator.script(number).steps.contains { if case .send(_, _, 7) = $0 { true } else { false } }
      }
      #expect(result.count == 3_000)
      #expect(result.findings == expected)
      #expect(!expected.isEmpty)
    }

    @Test func aCampaignContinuesAfterAScriptThatTraps() {
      let trapping = Self.contestant { if case .fail(_, _, 3) = $0 { fatalError("a trap") } else { "\($0)" } }
      let generator = Generator(seed: 5, profiles: [Self.profile])
      let expected = (0..<500).filter { number in
        generator.script(number).steps.contains { if case .fail(_, _, 3) = $0 { true } else { false } }
      }

      let alone = Campaign(judge: Judge(ours: trapping, peers: [Self.honest]), generator: generator)
        .run(0..<500, workers: 1) { _ in }
      #expect(alone.count == 500)
      #expect(alone.findings == expected)
      #expect(alone.trapCount == expected.count)

      let both = Campaign(judge: Judge(ours: trapping, peers: [trapping]), generator: generator)
        .run(0..<500, workers: 1) { _ in }
      #expect(both.findings.isEmpty)
      #expect(both.trapCount == expected.count)
      #expect(!expected.isEmpty)
    }
  }
}
