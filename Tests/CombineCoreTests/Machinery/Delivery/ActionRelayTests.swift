import TestSupport
import Testing

@testable import CombineCore

@Suite struct ActionRelayTests {

  /// What a conduit is told of its actions.
  private final class Recorder: Conduit {
    var ran: [UInt64] = []
    var dropped: [UInt64] = []
  }

  private static func note(_ conduit: Conduit, _ number: UInt64, _ outcome: ActionOutcome) {
    let recorder = conduit as! Recorder
    switch outcome {
    case .ran: recorder.ran.append(number)
    case .dropped: recorder.dropped.append(number)
    }
  }

  @Test func holdsTheConduitUntilItIsReleased() {
    weak var released: Conduit?
    let relay = ActionRelay(Self.note)
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
    let relay = WeakActionRelay(Self.note)
    do {
      let conduit = Recorder()
      relay.refer(to: conduit)
      #expect(relay.conduit === conduit)
    }
    #expect(relay.conduit == nil)
  }

  @Test func tellsNobodyAfterItsEndAndReleasesItsHandler() {
    weak var context: Recorder?
    let conduit = Recorder()
    let relay: ActionRelay
    do {
      let captured = Recorder()
      context = captured
      relay = ActionRelay {
        captured.ran.append($1); Self.note($0, $1, $2)
      }
    }
    relay.hold(conduit)
    let action = relay.action(1)
    #expect(context != nil)
    relay.end()
    #expect(context == nil)
    action()
    #expect(conduit.ran == [])
  }

  @Test func tellsTheConduitWhatRunsAndWhatIsReleased() {
    let (conduit, relay) = (Recorder(), ActionRelay(Self.note))
    relay.hold(conduit)
    var first: (() -> Void)? = relay.action(1)
    var second: (() -> Void)? = relay.action(2)
    first?()
    #expect(conduit.ran == [1])
    #expect(conduit.dropped == [])
    second = nil
    #expect(conduit.dropped == [2])
    first = nil
    #expect(conduit.dropped == [2])
    relay.release()
    first = relay.action(3)
    first = nil
    #expect(conduit.dropped == [2])
    withExtendedLifetime((first, second)) {}
  }

  @Test func tellsOfOneRunOnly() {
    let (conduit, relay) = (Recorder(), ActionRelay(Self.note))
    relay.hold(conduit)
    let action = relay.action(1)
    action()
    action()
    #expect(conduit.ran == [1])
    relay.release()
  }

  @Test func tellsOfEachRunAndOfTheReleaseOfARepeatingAction() {
    let (conduit, relay) = (Recorder(), ActionRelay(Self.note))
    relay.hold(conduit)
    var action: (() -> Void)? = relay.repeatingAction(1)
    action?()
    action?()
    #expect(conduit.ran == [1, 1])
    #expect(conduit.dropped == [])
    action = nil
    #expect(conduit.dropped == [1])
    relay.release()
    withExtendedLifetime(action) {}
  }
}
