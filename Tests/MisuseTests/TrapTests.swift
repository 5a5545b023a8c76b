import CombineCore
import Misuses
import TestSupport
import Testing

@Suite struct TrapTests {

  #if compiler(>=6.3)  // The capture list of an exit test.
    // In short runs the program `Misuses` makes these mistakes, in a release build.
    @Test(.inLongRuns, arguments: Trap.all.indices) func aMistakeIsReportedByName(_ number: Int) async {
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [number] in
        await Trap.all[number].run()
      }.expectTrap(saying: Trap.all[number].message + "\n")
    }
  #endif

  @Test func theTableContainsEveryMistake() {
    let made = Set(Trap.all.map(\.mistake))
    // A downstream of a catch receives its subscription with the first publisher's. So it cannot request before that.
    let unreachable = Misuse.requestWithoutSubscription
    for mistake in Misuse.allCases where mistake != unreachable {
      #expect(made.contains(mistake.rawValue))
    }
  }
}
