import TestSupport
import Testing

@testable import CombineCore

@Suite struct ActionRelayTests {

  @Test func keepsTheConduitUntilItIsReleased() {
    weak var released: Conduit?
    let relay: ActionRelay
    do {
      let conduit = Conduit()
      released = conduit
      relay = ActionRelay(conduit)
    }
    #expect(relay.conduit === released)
    #expect(released != nil)
    relay.release()
    #expect(relay.conduit == nil)
    #expect(released == nil)
  }

  @Test func allPendingActionsShareOneRelay() {
    let conduit = Conduit()
    var reference = ActionRelayReference()
    let first = reference.relay(for: conduit)
    let second = reference.relay(for: conduit)
    let taken = reference.take()
    let takenTwice = reference.take()
    let third = reference.relay(for: conduit)
    #expect(second === first)
    #expect(taken === first)
    #expect(takenTwice == nil)
    #expect(third !== first)
  }

  @Test func theRelayIsReleasedWithTheLastAction() {
    let conduit = Conduit()
    var reference = ActionRelayReference()
    var action: ActionRelay? = reference.relay(for: conduit)
    #expect(action?.conduit === conduit)
    action = nil
    let taken = reference.take()
    #expect(taken == nil)
  }
}
