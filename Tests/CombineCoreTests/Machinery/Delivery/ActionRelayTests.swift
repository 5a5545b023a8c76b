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

  /// A conduit that owns the reference, as an operator's does.
  private final class Owner: Conduit {

    var reference = ActionRelayReference()

    override func removeRelay(_ relay: UnsafeMutableRawPointer) {
      reference.remove(relay)
    }

    var relay: (relay: ActionRelay, isShared: Bool) { reference.relay(for: self) }
  }

  @Test func allPendingActionsShareOneRelay() {
    let owner = Owner()
    let (first, isShared) = owner.relay
    let (second, isSharedThen) = owner.relay
    let taken = owner.reference.take()
    let takenTwice = owner.reference.take()
    let third = owner.relay.relay
    #expect(!isShared && isSharedThen)
    #expect(second === first)
    #expect(taken === first)
    #expect(takenTwice == nil)
    #expect(third !== first)
  }

  @Test func theRelayIsReleasedWithTheLastAction() {
    let owner = Owner()
    var action: ActionRelay? = owner.relay.relay
    #expect(action?.conduit === owner)
    action = nil
    let taken = owner.reference.take()
    #expect(taken == nil)
    let isShared = owner.relay.isShared
    #expect(!isShared)
  }

  @Test func theRelayRestsBetweenTwoActionsWithoutTheConduit() {
    weak var released: Owner?
    weak var resting: ActionRelay?
    do {
      let owner = Owner()
      released = owner
      let action = owner.relay.relay
      resting = action
      // The last action is running. Nothing but the owner holds the relay afterwards.
      owner.reference.rest()
      #expect(action.conduit == nil)
    }
    #expect(released == nil)
    #expect(resting == nil)
  }

  @Test func aRelayThatRestsIsUsedAgain() {
    let owner = Owner()
    weak var first: ActionRelay?
    do {
      let action = owner.relay.relay
      first = action
      owner.reference.rest()
    }
    #expect(first != nil)
    let (next, isShared) = owner.relay
    #expect(next === first && !isShared)
    #expect(next.conduit === owner)
  }
}
