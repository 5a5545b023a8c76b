import CombineCore
import Misuses
import TestSupport
import Testing

@Suite struct TrapTests {

  @Test(arguments: Trap.all.indices) func aMistakeIsNamed(_ number: Int) async {
    await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [number] in
      Trap.all[number].run()
    }.expectTrap(saying: Trap.all[number].message + "\n")
  }

  @Test func theTableHasEveryMistake() {
    let made = Set(Trap.all.map(\.mistake))
    // A downstream has its subscription of a catch from the first publisher's, so it cannot request before that.
    let unreachable = Misuse.requestWithoutSubscription
    for mistake in Misuse.allCases where mistake != unreachable {
      #expect(made.contains(mistake.rawValue))
    }
  }
}
