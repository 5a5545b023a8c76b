import TestSupport
import Testing

@testable import CombineCore

/// Which thread drains. `CoreOperatorModelTests` have the rest.
///
/// Answers are gathered first: the macros of the tests copy what a call is made on, and this machine cannot be copied.
@Suite struct FlatMapMachineTests {

  private func arrival(_ state: inout FlatMapMachine) -> String {
    switch state.receiveValue() {
    case .deliver: "deliver"
    case .deliverCounted: "counted"
    case .keep: "keep"
    case .drop: "drop"
    }
  }

  @Test func oneDrainRunsAtATimeUntilDemandOrValuesEnd() {
    var state = FlatMapMachine()
    let key = state.addInner()!
    let subscription = ManualSubscription()
    _ = state.accept(subscription, for: key)
    _ = state.receiveValue()
    _ = state.receiveValue()
    let isDue = state.request(.max(1), isInsideDelivery: false)
    var steps = [state.takeWaiting(on: 1), state.takeWaiting(on: 2)]
    #expect(isDue)
    #expect(steps == [.deliver(isCounted: true), .leave])
    let isDueAgain = state.request(.max(1), isInsideDelivery: false)
    #expect(!isDueAgain, "somebody drains already")
    let inner = state.didDrain(key, .none, isCounted: true, on: 1)
    #expect(inner?.combineIdentifier == subscription.combineIdentifier)
    let whileRequesting = arrival(&state)
    #expect(whileRequesting == "keep", "though there is demand")
    steps = [state.takeWaiting(on: 1), state.takeWaiting(on: 1)]
    #expect(steps == [.deliver(isCounted: true), .end], "the demand was used up")
    let isDueAtLast = state.request(.max(1), isInsideDelivery: false)
    #expect(isDueAtLast)
  }

  @Test func aDrainMayBeLeftToAnotherThread() {
    var state = FlatMapMachine()
    let key = state.addInner()!
    _ = state.accept(ManualSubscription(), for: key)
    for _ in 1...3 { _ = state.receiveValue() }
    _ = state.request(.max(3), isInsideDelivery: false)
    var steps = [state.takeWaiting(on: 1)]
    _ = state.didDrain(key, .none, isCounted: true, on: 1)
    state.stopDraining(on: 2)
    steps.append(state.takeWaiting(on: 2))
    state.stopDraining(on: 1)
    let afterIt = arrival(&state)
    steps += [state.takeWaiting(on: 2), state.takeWaiting(on: 1)]
    #expect(
      steps == [.deliver(isCounted: true), .leave, .deliver(isCounted: true), .leave],
      "only the thread that drains can leave it"
    )
    #expect(afterIt == "counted", "it is not requesting anything now")
  }

  @Test func demandThatADeliveryBroughtIsDrainedByTheOutermost() {
    var state = FlatMapMachine()
    _ = state.request(.max(1), isInsideDelivery: true)
    _ = state.receiveValue()
    _ = state.receiveValue()
    let answers = [
      state.didDeliver(.max(1), isOutermost: false), state.didDeliver(.none, isOutermost: true),
      state.didDeliver(.none, isOutermost: true),
    ]
    _ = state.takeWaiting(on: 1)
    let isDue = state.didDeliver(.max(1), isOutermost: true)
    #expect(answers == [false, true, true])
    #expect(!isDue, "somebody drains already")
  }
}
