import TestSupport
import Testing

@testable import CombineCore

/// The state machine with values that nobody requested. `LifeCycleMachineTests` walks through everything else.
@Suite struct AsyncSubscriberMachineTests {

  private typealias State = AsyncSubscriberMachine

  private static func subscribed() -> State {
    var state = State()
    _ = state.accept()
    return state
  }

  @Test func anUnrequestedValueIsKeptForTheNextCall() {
    var state = Self.subscribed()
    #expect(state.value(.value) == .keep)
    #expect(state.value(.value) == .keep)
    #expect(state.next() == .takeKept)
    #expect(state.value() == .keep, "once demand is no longer exact, an excess value is kept")
    #expect(state.complete(isFailure: true) == .keep)
    #expect(state.next() == .takeKept)
    #expect(state.next() == .takeKept)
    #expect(state.next() == .fail)
    #expect(state.value(.value) == .drop)
  }

  @Test func aWaitingCallReceivesAnUnrequestedValue() {
    var state = Self.subscribed()
    _ = state.next()
    #expect(state.value(.value) == .resume)
    #expect(state.value() == .keep)
  }

  @Test func announcementsWithoutAWaitAreMergedIntoOne() {
    var state = Self.subscribed()
    #expect(state.value(.announcement) == .keep)
    #expect(state.value(.announcement) == .merge)
    #expect(state.next() == .takeKept)
    #expect(state.next() == .request)
    #expect(state.value(.announcement) == .resume)
    #expect(state.value(.announcement) == .keep)
  }

  @Test func cancelDropsAKeptValue() {
    var state = Self.subscribed()
    _ = state.value(.value)
    state.cancel()
    #expect(state.next() == .end)
  }
}
