import TestSupport
import Testing

@testable import CombineCore

@Suite struct SuccessionMachineTests {

  private enum Step {
    case first, second, endFirst, leaveFirst, endSecond, request, disconnect, end
  }

  /// The answers of the steps. A `+` marks a step that returns the subscription.
  private func answers(_ steps: Step...) -> [String] {
    var state = SuccessionMachine.waiting
    let subscription = ManualSubscription()
    func isHanded(_ subscription: (any Subscription)?) -> String { subscription == nil ? "nothing" : "+" }
    return steps.map { step in
      switch step {
      case .first: return state.acceptFirst(subscription) ? "accepted" : "refused"
      case .second: return state.acceptSecond(subscription) ? "accepted" : "refused"
      case .endFirst: return isHanded(state.endFirst())
      case .endSecond: return isHanded(state.endSecond())
      case .disconnect: return isHanded(state.disconnect())
      case .end: return isHanded(state.end())
      case .leaveFirst:
        switch state.leaveFirst() {
        case .left: return "left"
        case .ended: return "ended"
        case .outOfTurn: return "out of turn"
        }
      case .request:
        switch state.request() {
        case .count(let subscription): return "count" + (subscription == nil ? "" : "+")
        case .forward: return "forward"
        case .ignore: return "ignore"
        case .trap: return "trap"
        }
      }
    }
  }

  @Test func waiting() {
    #expect(
      answers(.request, .second, .endFirst, .endSecond, .disconnect, .leaveFirst, .first)
        == ["trap", "refused", "nothing", "nothing", "nothing", "out of turn", "accepted"]
    )
    #expect(answers(.end, .first) == ["nothing", "refused"])
  }

  @Test func first() {
    #expect(
      answers(.first, .request, .first, .second, .endSecond, .leaveFirst)
        == ["accepted", "count+", "refused", "refused", "nothing", "left"]
    )
    for ending in [Step.endFirst, .disconnect, .end] {
      #expect(answers(.first, ending, .request, .leaveFirst) == ["accepted", "+", "ignore", "ended"])
    }
  }

  @Test func between() {
    #expect(
      answers(.first, .leaveFirst, .request, .first, .endFirst, .endSecond, .disconnect, .leaveFirst, .second)
        == ["accepted", "left", "count", "refused", "nothing", "nothing", "nothing", "out of turn", "accepted"]
    )
    #expect(
      answers(.first, .leaveFirst, .end, .second, .request) == ["accepted", "left", "nothing", "refused", "ignore"]
    )
  }

  @Test func second() {
    #expect(
      answers(.first, .leaveFirst, .second, .request, .first, .second, .endFirst, .leaveFirst, .endSecond)
        == ["accepted", "left", "accepted", "forward", "refused", "refused", "nothing", "out of turn", "+"]
    )
    for ending in [Step.disconnect, .end] {
      #expect(
        answers(.first, .leaveFirst, .second, ending, .endSecond)
          == ["accepted", "left", "accepted", "+", "nothing"]
      )
    }
  }

  @Test func ended() {
    #expect(
      answers(.first, .endFirst, .request, .first, .second, .endFirst, .endSecond, .leaveFirst, .disconnect, .end)
        == [
          "accepted", "+", "ignore", "refused", "refused", "nothing", "nothing", "ended", "nothing", "nothing",
        ]
    )
  }
}
