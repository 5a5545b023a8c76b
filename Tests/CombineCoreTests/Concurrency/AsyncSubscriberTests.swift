import TestSupport
import Testing

@testable import CombineCore

/// The state machine alone: `next`, subscription, value, completion and cancel in each state.
@Suite struct AsyncSubscriberMachineTests {

  private typealias State = AsyncSubscriberMachine

  private static func subscribed() -> State {
    var state = State()
    _ = state.accept()
    return state
  }

  @Test func nextCountsThenRequestsThenEnds() {
    var state = State()
    #expect(state.next() == .wait)
    #expect(state.next() == .wait)
    #expect(state.accept() == .request(.max(2)))
    #expect(state.next() == .request)
    #expect(state.waiterCount == 3)
    state.cancel()
    #expect(state.waiterCount == 0)
    #expect(state.next() == .end)
  }

  @Test func onlyTheFirstSubscriptionIsKept() {
    var state = State()
    #expect(state.accept() == .request(.none))
    #expect(state.accept() == .cancel)
    state.cancel()
    #expect(state.accept() == .cancel)
  }

  @Test func eachWaitReceivesOneValue() {
    var state = Self.subscribed()
    for _ in 1...2 { _ = state.next() }
    #expect(state.value() == .resume)
    _ = state.next()
    #expect(state.value() == .resume)
    #expect(state.value() == .resume)
    #expect(state.value() == .trap)
  }

  @Test func theAskerIsAnsweredBeforeTheTasksThatWait() {
    var state = Self.subscribed()
    #expect(state.ask() == .request)
    #expect(state.next() == .request)
    #expect(state.value() == .answer)
    #expect(state.value() == .resume)
    #expect(state.look() == true)
    #expect(state.ask() == .request)
  }

  @Test func anAskerWithoutAnAnswerSuspends() {
    var state = Self.subscribed()
    _ = state.ask()
    #expect(state.look() == false)
    #expect(state.suspend() == true, "it waits")
    #expect(state.value() == .resume)
    _ = state.ask()
    #expect(state.look() == false)
    #expect(state.value() == .answer)
    #expect(state.suspend() == false, "the answer came before")
  }

  @Test func aTaskAsksAtOnceOnlyWhileNoOtherAsksOrWaits() {
    var state = State()
    #expect(state.ask() == nil)
    _ = state.accept()
    _ = state.next()
    #expect(state.ask() == nil)
    _ = state.value()
    #expect(state.ask() == .request)
    #expect(state.ask() == nil)
    _ = state.value()
    #expect(state.ask() == nil, "the answer was not taken yet")
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

  @Test func aValueBeforeTheSubscriptionEndsTheWaitAndKeepsTheDemand() {
    var state = State()
    _ = state.next()
    _ = state.next()
    #expect(state.value() == .drop)
    #expect(state.waiterCount == 0)
    #expect(state.value() == .drop)
    #expect(state.accept() == .request(.max(2)))
  }

  @Test(arguments: [false, true])
  func completionsEndTheWait(isSubscribed: Bool) {
    func fresh() -> State { isSubscribed ? Self.subscribed() : State() }

    var finished = fresh()
    for _ in 1...2 { _ = finished.next() }
    #expect(finished.complete(isFailure: false) == .finish)
    #expect(finished.waiterCount == 0)
    #expect(finished.complete(isFailure: true) == .ignore)
    #expect(finished.value() == .drop)
    #expect(finished.next() == .end)

    var failed = fresh()
    for _ in 1...3 { _ = failed.next() }
    #expect(failed.complete(isFailure: true) == .fail)
    #expect(failed.waiterCount == 0)
    #expect(failed.next() == .end)

    var unnoticed = fresh()
    #expect(unnoticed.complete(isFailure: true) == .keep)
    #expect(unnoticed.complete(isFailure: true) == .ignore)
    #expect(unnoticed.complete(isFailure: false) == .ignore)
    #expect(unnoticed.next() == .fail)
    #expect(unnoticed.next() == .end)
  }

  @Test func aCancelDropsAKeptFailure() {
    var state = Self.subscribed()
    _ = state.complete(isFailure: true)
    state.cancel()
    #expect(state.next() == .end)
  }

  @Test func aCancelBeforeTheSubscriptionEndsTheWait() {
    var state = State()
    _ = state.next()
    state.cancel()
    #expect(state.waiterCount == 0)
    #expect(state.complete(isFailure: true) == .ignore)
  }
}
