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
    let (first, isShared) = reference.relay(for: conduit)
    let (second, isSharedThen) = reference.relay(for: conduit)
    let taken = reference.take()
    let takenTwice = reference.take()
    let third = reference.relay(for: conduit).relay
    #expect(!isShared && isSharedThen)
    #expect(second === first)
    #expect(taken === first)
    #expect(takenTwice == nil)
    #expect(third !== first)
  }

  @Test func theRelayIsReleasedWithTheLastAction() {
    let conduit = Conduit()
    var reference = ActionRelayReference()
    var action: ActionRelay? = reference.relay(for: conduit).relay
    #expect(action?.conduit === conduit)
    action = nil
    let taken = reference.take()
    #expect(taken == nil)
    let isShared = reference.relay(for: conduit).isShared
    #expect(!isShared)
  }

  @Test func theRelayRestsBetweenTwoActionsWithoutTheConduit() {
    weak var released: Conduit?
    weak var first: ActionRelay?
    var reference = ActionRelayReference()
    do {
      let conduit = Conduit()
      released = conduit
      let action = reference.relay(for: conduit).relay
      first = action
      // The last action is running. Nothing else holds the relay afterwards.
      reference.rest()
      #expect(action.conduit == nil)
    }
    #expect(released == nil)
    #expect(first != nil)
    let conduit = Conduit()
    let (next, isShared) = reference.relay(for: conduit)
    #expect(next === first && !isShared)
    #expect(next.conduit === conduit)
  }
}
