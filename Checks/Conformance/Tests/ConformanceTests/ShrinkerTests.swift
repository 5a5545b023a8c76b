import Scripts
import Testing

extension ConformanceTests {

  @Suite struct ShrinkerTests {

    private let generator = Generator(
      seed: 3,
      profiles: [Profile(name: "entry", sourceCount: 3, parameters: [0...9], subscriberCount: 2, traits: .closures)]
    )

    @Test(arguments: 0..<20)
    func removesEverythingUnneeded(number: Int) throws {
      func isInteresting(_ script: Script) -> Bool {
        script.steps.contains { if case .send(_, _, let value) = $0 { value >= 3 } else { false } }
      }
      let script = generator.script(number)
      try #require(!isInteresting(Script(entry: "entry")))
      guard isInteresting(script) else { return }

      let smallest = Shrinker.shrink(script, isInteresting: isInteresting)
      #expect(smallest.steps.count == 1)
      guard case .send(_, 0, 3) = smallest.steps[0] else {
        Issue.record("\(smallest.steps[0])")
        return
      }
      #expect(smallest.reactions.isEmpty)
      #expect(smallest.lateSources.isEmpty)
      #expect(smallest.manners == .lawful)
      #expect(smallest.parameters.allSatisfy { $0 <= 1 })
    }

    @Test func keepsAScriptThatCannotBeReduced() {
      let script = generator.script(0)
      #expect(Shrinker.shrink(script) { $0 == script } == script)
    }

    @Test func endsIfEveryScriptIsInteresting() {
      let smallest = Shrinker.shrink(generator.script(1)) { _ in true }
      #expect(smallest.steps.isEmpty)
      #expect(smallest.reactions.isEmpty)
    }
  }
}
