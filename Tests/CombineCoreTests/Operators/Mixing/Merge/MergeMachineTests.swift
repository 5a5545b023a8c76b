import TestSupport
import Testing

@testable import CombineCore

/// Whose turn it is. `CoreOperatorModelTests` have the rest.
@Suite struct MergeMachineTests {

  private func started(_ count: Int = 2) -> MergeMachine {
    var state = MergeMachine(count: count)
    for index in 0..<count { _ = state.accept(ManualSubscription(), at: index) }
    return state
  }

  private func arrival(_ state: inout MergeMachine, from index: Int = 0) -> String {
    switch state.receive(from: index) {
    case .deliver: "deliver"
    case .deliverCounted: "counted"
    case .keep: "keep"
    case .drop: "drop"
    }
  }

  /// Takes what there is demand for, as the conduit does.
  private func flush(_ state: inout MergeMachine) -> [Int] {
    var taken: [Int] = []
    while let index = state.takeWaiting() { taken.append(index) }
    if let first = taken.first { state.didTakeWaiting(first: first) }
    _ = state.didFlush(taken.count, .none)
    return taken
  }

  @Test func requestsServeTheUpstreamsInTurn() {
    var state = started(3)
    var served: [Int] = []
    for _ in 0..<6 {
      for index in 0..<3 { _ = arrival(&state, from: index) }
      _ = state.request(.max(1))
      served += flush(&state)
    }
    #expect(served == [0, 1, 2, 0, 1, 2])
    for index in 0..<3 { _ = arrival(&state, from: index) }
    _ = state.request(.max(2))
    #expect(flush(&state) == [0, 1])
    for index in 0..<3 { _ = arrival(&state, from: index) }
    _ = state.request(.max(2))
    #expect(flush(&state) == [2, 0])
  }

  @Test func anUpstreamWithoutAValueLosesItsTurn() {
    var state = started(3)
    _ = arrival(&state, from: 2)
    _ = state.request(.max(1))
    #expect(flush(&state) == [2])
    for index in [1, 2] { _ = arrival(&state, from: index) }
    _ = state.request(.max(1))
    #expect(flush(&state) == [1])
  }

  /// What is left over goes to the upstream that is asked first: the next time to another one.
  @Test func demandLeftOverChangesWhoIsFirst() {
    var state = started(2)
    var served: [[Int]] = []
    for _ in 0..<3 {
      for index in 0..<2 { _ = arrival(&state, from: index) }
      _ = state.request(.max(3))
      served.append(flush(&state))
      #expect(arrival(&state, from: served.last![0]) == "counted")
    }
    #expect(served == [[0, 1], [1, 0], [0, 1]])
  }

  @Test func unlimitedDemandTakesTheValuesInTheOrderOfTheUpstreams() {
    var state = started(3)
    _ = arrival(&state, from: 1)
    _ = state.request(.max(1))
    _ = flush(&state)
    for index in [2, 1, 0] { _ = arrival(&state, from: index) }
    _ = state.request(.unlimited)
    #expect(flush(&state) == [0, 1, 2])
  }
}
