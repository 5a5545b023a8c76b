import Testing

@testable import CombineTesting

@Suite struct RecorderStateTests {

  private typealias State = RecorderState<String>

  private func summary(_ resumptions: [State.Resumption]) -> [String] {
    resumptions.map { "\($0.waiter) \($0.outcome)" }
  }

  /// Begins a wait.
  private func wait(_ state: inout State, for need: RecorderNeed, _ name: String) -> RecorderOutcome? {
    state.wait(state.announce(), for: need, name)
  }

  @Test func existingValuesAreTakenAtOnce() {
    var state = State()
    #expect(state.value().isEmpty)
    #expect(state.value().isEmpty)
    #expect(wait(&state, for: .values(1), "a") == .granted(0..<1))
    #expect(wait(&state, for: .values(1), "b") == .granted(1..<2))
    #expect(wait(&state, for: .values(0), "c") == .granted(2..<2))
    #expect(wait(&state, for: .values(1), "d") == nil)
  }

  @Test func aWaitForSeveralValuesEndsWithTheLast() {
    var state = State()
    #expect(wait(&state, for: .values(2), "a") == nil)
    #expect(state.value().isEmpty)
    #expect(summary(state.value()) == ["a granted(Range(0..<2))"])
  }

  @Test func theLongestWaitReceivesTheValues() {
    var state = State()
    #expect(wait(&state, for: .values(2), "a") == nil)
    #expect(wait(&state, for: .values(1), "b") == nil)
    #expect(state.value().isEmpty)
    #expect(wait(&state, for: .values(1), "c") == nil)
    #expect(summary(state.value()) == ["a granted(Range(0..<2))"])
    #expect(summary(state.value()) == ["b granted(Range(2..<3))"])
  }

  @Test func aCancelledWaitLeavesItsValuesToTheNext() {
    var state = State()
    let first = state.announce()
    #expect(state.wait(first, for: .values(2), "a") == nil)
    #expect(wait(&state, for: .values(1), "b") == nil)
    #expect(state.value().isEmpty)
    #expect(summary(state.giveUp(first, .timedOut)) == ["a timedOut", "b granted(Range(0..<1))"])
    #expect(state.giveUp(first, .cancelled).isEmpty)
  }

  @Test func aWaitCanBeCancelledBeforeItBegins() {
    var state = State()
    let id = state.announce()
    #expect(state.giveUp(id, .cancelled).isEmpty)
    #expect(state.value().isEmpty)
    #expect(state.wait(id, for: .values(1), "a") == .cancelled)
    #expect(wait(&state, for: .values(1), "b") == .granted(0..<1))
  }

  @Test func aWaitThatTimesOutBeforeItBeginsReceivesExistingValues() {
    var state = State()
    func lateWait(for need: RecorderNeed) -> RecorderOutcome? {
      let id = state.announce()
      #expect(state.giveUp(id, .timedOut).isEmpty)
      return state.wait(id, for: need, "late")
    }
    #expect(lateWait(for: .values(1)) == .timedOut)
    #expect(lateWait(for: .values(0)) == .granted(0..<0))
    #expect(lateWait(for: .completion) == .timedOut)
    #expect(state.value().isEmpty)
    #expect(lateWait(for: .values(1)) == .granted(0..<1))
    #expect(state.complete().isEmpty)
    #expect(lateWait(for: .values(1)) == .ended)
    #expect(lateWait(for: .completion) == .granted(0..<1))
  }

  @Test func aWaitForNoValuesEndsAtOnceBesideALongerWait() {
    var state = State()
    #expect(wait(&state, for: .values(2), "a") == nil)
    #expect(state.value().isEmpty)
    #expect(wait(&state, for: .values(0), "b") == .granted(0..<0))
    // The values of the longer wait are still reserved for it.
    #expect(wait(&state, for: .values(1), "c") == nil)
    #expect(summary(state.value()) == ["a granted(Range(0..<2))"])
  }

  @Test func theCompletionEndsAllWaits() {
    var state = State()
    #expect(wait(&state, for: .completion, "a") == nil)
    #expect(wait(&state, for: .values(2), "b") == nil)
    #expect(wait(&state, for: .values(1), "c") == nil)
    #expect(state.value().isEmpty)
    #expect(summary(state.complete()) == ["a granted(Range(0..<1))", "b ended", "c granted(Range(0..<1))"])
    #expect(wait(&state, for: .values(1), "d") == .ended)
    #expect(wait(&state, for: .completion, "e") == .granted(0..<1))
  }

  @Test func aWaitForTheCompletionDoesNotBlockOtherWaits() {
    var state = State()
    #expect(wait(&state, for: .completion, "a") == nil)
    #expect(state.value().isEmpty)
    #expect(wait(&state, for: .values(1), "b") == .granted(0..<1))
  }
}
