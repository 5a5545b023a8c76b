import TestSupport
import Testing

@testable import CombineCore

@Suite struct ActionRelayTests {

  /// What a conduit is told of its actions.
  private final class Recorder: Conduit {
    var ran: [UInt64] = []
    var dropped: [UInt64] = []

    override func runAction(_ number: UInt64, of relay: ActionRelay) { ran.append(number) }

    override func dropAction(_ number: UInt64, of relay: ActionRelay) { dropped.append(number) }
  }

  @Test func holdsTheConduitUntilItIsReleased() {
    weak var released: Conduit?
    let relay = ActionRelay()
    do {
      let conduit = Recorder()
      released = conduit
      relay.hold(conduit)
    }
    #expect(relay.conduit === released)
    #expect(released != nil)
    relay.release()
    #expect(relay.conduit == nil)
    #expect(released == nil)
  }

  @Test func refersToAConduitThatItDoesNotHold() {
    let relay = WeakActionRelay()
    do {
      let conduit = Recorder()
      relay.refer(to: conduit)
      #expect(relay.conduit === conduit)
    }
    #expect(relay.conduit == nil)
  }

  @Test func tellsTheConduitWhatRunsAndWhatIsReleased() {
    let (conduit, relay) = (Recorder(), ActionRelay())
    relay.hold(conduit)
    var first: (() -> Void)? = relay.action(1)
    var second: (() -> Void)? = relay.action(2)
    first?()
    #expect(conduit.ran == [1])
    #expect(conduit.dropped == [])
    second = nil
    #expect(conduit.dropped == [2])
    // The conduit knows that it has run.
    first = nil
    #expect(conduit.dropped == [2, 1])
    relay.release()
    first = relay.action(3)
    first = nil
    #expect(conduit.dropped == [2, 1])
    withExtendedLifetime((first, second)) {}
  }
}
