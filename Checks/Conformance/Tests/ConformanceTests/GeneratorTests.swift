import Scripts
import Testing

extension ConformanceTests {

  @Suite struct GeneratorTests {

    private let profiles = [
      Profile(name: "one", sourceCount: 2, parameters: [1...3], traits: .closures),
      Profile(name: "another", subscriberCount: 3, traits: [.timed, .connectable]),
    ]

    @Test func theSameSeedAndNumberGiveTheSameScript() {
      let generator = Generator(seed: 7, profiles: profiles)
      let again = Generator(seed: 7, profiles: profiles)
      for number in 0..<200 { #expect(generator.script(number) == again.script(number)) }
    }

    @Test func anotherSeedGivesOtherScripts() {
      let scripts = Set((0..<200).map(Generator(seed: 1, profiles: profiles).script))
      let others = Set((0..<200).map(Generator(seed: 2, profiles: profiles).script))
      #expect(scripts.count > 190)
      #expect(scripts.intersection(others).count < 10)
    }

    @Test func everyEntryGetsItsTurn() {
      let generator = Generator(seed: 1, profiles: profiles)
      #expect((0..<4).map { generator.script($0).entry } == ["one", "another", "one", "another"])
    }

    @Test func numbersAreInTheRangesOfTheProfile() {
      let generator = Generator(seed: 1, profiles: profiles)
      let parameters = stride(from: 0, to: 400, by: 2).map { generator.script($0).parameters }
      #expect(Set(parameters) == [[1], [2], [3]])
    }

    @Test func aLawfulScriptNeverRequestsNothing() {
      let generator = Generator(seed: 1, profiles: profiles)
      var lawful = 0
      for number in 0..<2_000 {
        let script = generator.script(number)
        guard script.manners == .lawful else { continue }
        lawful += 1
        for case .request(_, let amount) in script.steps + script.reactions.flatMap(\.actions) {
          #expect(amount > .none)
        }
      }
      #expect(lawful > 1_000 && lawful < 2_000)
    }
  }
}
