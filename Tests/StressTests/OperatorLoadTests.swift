import OperatorLoadSupport
import Testing

extension AllStressTests {

  /// Every operator, with subscribers that come and go while values are sent. The program `OperatorLoads` does the same
  /// for longer, and measures memory.
  @Suite struct OperatorLoadTests {

    @Test(arguments: OperatorLoad.all)
    func subscribersMayComeAndGoDuringAStream(_ load: OperatorLoad) {
      for slowness in Slowness.allCases {
        let faults = load.comeAndGo(subscriptions: slowness == .none ? 100 * Load.factor : 20, slowness: slowness)
        #expect(faults == [], "\(load), \(slowness)")
      }
    }

    @Test(arguments: OperatorLoad.all)
    func aSubscriptionMayRaceWithASend(_ load: OperatorLoad) {
      #expect(load.subscribeAgainstSend(rounds: 50 * Load.factor) == [])
    }
  }
}
