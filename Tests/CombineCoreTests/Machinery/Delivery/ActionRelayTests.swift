import TestSupport
import Testing

@testable import CombineCore

@Suite struct ActionRelayTests {

  /// What a conduit is told of its actions.
  private final class Recorder: Conduit {
    var ran: [UInt64] = []
    var dropped: [UInt64] = []

    static func makeRelay() -> ActionRelay {
      ActionRelay(
        run: { ($0 as! Recorder).ran.append($1) },
        drop: { ($0 as! Recorder).dropped.append($1) }
      )
    }
  }

  @Test func holdsTheConduitUntilItIsReleased() {
    weak var released: Conduit?
    let relay = Recorder.makeRelay()
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
    let relay = Recorder.makeRelay()
    do {
      let conduit = Recorder()
      relay.refer(to: conduit)
      #expect(relay.conduit === conduit)
    }
    #expect(relay.conduit == nil)
  }

  @Test func tellsTheConduitWhatRunsAndWhatIsReleased() {
    let (conduit, relay) = (Recorder(), Recorder.makeRelay())
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
