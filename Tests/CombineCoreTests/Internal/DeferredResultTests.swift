import TestSupport
import Testing

@testable import CombineCore

@Suite struct DeferredResultTests {

  private enum Step: CaseIterable {
    case request, complete, cancel
  }

  /// The state after each step, and whether the step sends the result.
  @Test(arguments: [
    (DeferredResult.awaiting, Step.request, DeferredResult.requested, false),
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
  ]) private func steps(from start: DeferredResult, _ step: Step, to end: DeferredResult, sends: Bool) {
    var state = start
    let isSent =
      switch step {
      case .request: state.request()
      case .complete: state.complete()
      case .cancel:
        {
          state.cancel()
          return false
        }()
      }
    #expect(state == end)
    #expect(isSent == sends)
  }

  @Test func theLaterOfRequestAndResultSendsItOnceWhateverElseComes() {
    for last in Step.allCases {
      for steps in [[Step.request, .complete, last, .request], [.complete, .request, last, .complete]] {
        var state = DeferredResult.awaiting
        let sent = steps.map { step in
          switch step {
          case .request: return state.request()
          case .complete: return state.complete()
          case .cancel:
            state.cancel()
            return false
          }
        }
        #expect(sent == [false, true, false, false])
      }
    }
  }
}
