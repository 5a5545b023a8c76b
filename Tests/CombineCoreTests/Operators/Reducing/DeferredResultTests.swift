import Testing

@testable import CombineCore

@Suite struct DeferredResultTests {

  private enum Step: CaseIterable {
    case request, complete, cancel
  }

  private func apply(_ step: Step, to state: inout DeferredResult) -> Bool {
    switch step {
    case .request: return state.request()
    case .complete: return state.complete()
    case .cancel:
      state.cancel()
      return false
    }
  }

  @Test func handlesEachStepInEachState() {
    let table: [(start: DeferredResult, step: Step, end: DeferredResult, sends: Bool)] = [
      (.awaiting, .request, .requested, false),
      (.awaiting, .complete, .ready, false),
      (.awaiting, .cancel, .done, false),
      (.requested, .request, .requested, false),
      (.requested, .complete, .done, true),
      (.requested, .cancel, .done, false),
      (.ready, .request, .done, true),
      (.ready, .complete, .ready, false),
      (.ready, .cancel, .done, false),
      (.done, .request, .done, false),
      (.done, .complete, .done, false),
      (.done, .cancel, .done, false),
    ]
    for row in table {
      var state = row.start
      #expect(apply(row.step, to: &state) == row.sends, "\(row)")
      #expect(state == row.end, "\(row)")
    }
  }

  private func answers(_ steps: Step...) -> [Bool] {
    var state = DeferredResult.awaiting
    return steps.map { apply($0, to: &state) }
  }

  @Test func theResultIsDueOnceBothHaveCome() {
    #expect(answers(.complete, .request, .request) == [false, true, false])
    #expect(answers(.request, .complete, .request) == [false, true, false])
    #expect(answers(.request, .request, .complete) == [false, false, true])
  }

  @Test func cancelDropsTheResult() {
    #expect(answers(.complete, .cancel, .request) == [false, false, false])
  }

  @Test func theLaterOfRequestAndResultSendsItOnce() {
    for last in Step.allCases {
      for steps in [[Step.request, .complete, last, .request], [.complete, .request, last, .complete]] {
        var state = DeferredResult.awaiting
        #expect(steps.map { apply($0, to: &state) } == [false, true, false, false])
      }
    }
  }
}
