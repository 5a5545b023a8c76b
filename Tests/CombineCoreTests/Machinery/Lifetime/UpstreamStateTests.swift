import TestSupport
import Testing

@testable import CombineCore

@Suite struct UpstreamStateTests {

  private enum Step {
    case accept(ManualSubscription)
    case disconnect
    case terminate
  }

  private let first = ManualSubscription()
  private let second = ManualSubscription()

  /// What each step answers: whether a subscription was taken, or which one was handed out.
  private func answers(to steps: Step..., from start: UpstreamState = .awaiting) -> [String] {
    var state = start
    return steps.map { step in
      switch step {
      case .accept(let subscription): state.accept(subscription) ? "accepted" : "refused"
      case .disconnect: name(of: state.disconnect())
      case .terminate: name(of: state.terminate())
      }
    }
  }

  private func name(of subscription: (any Subscription)?) -> String {
    guard let subscription else { return "nothing" }
    return subscription.combineIdentifier == first.combineIdentifier ? "first" : "other"
  }

  @Test func takesOneSubscriptionOnly() {
    #expect(answers(to: .accept(first), .accept(second), .accept(first)) == ["accepted", "refused", "refused"])
  }

  @Test func disconnectingHandsTheSubscriptionOutOnceAndIsFinal() {
    #expect(
      answers(to: .accept(first), .disconnect, .disconnect, .accept(second))
        == ["accepted", "first", "nothing", "refused"]
    )
  }

  @Test func disconnectingBeforeASubscriptionChangesNothing() {
    #expect(answers(to: .disconnect, .accept(first)) == ["nothing", "accepted"])
  }

  @Test func terminatingEndsItFromAnyState() {
    #expect(answers(to: .terminate, .accept(first)) == ["nothing", "refused"])
    #expect(
      answers(to: .accept(first), .terminate, .terminate, .accept(second))
        == ["accepted", "first", "nothing", "refused"]
    )
  }

  @Test func showsTheSubscriptionOnlyWhileConnected() {
    #expect(UpstreamState.awaiting.subscription == nil)
    #expect(!UpstreamState.awaiting.isSubscribed)
    #expect(name(of: UpstreamState.subscribed(first).subscription) == "first")
    #expect(UpstreamState.subscribed(first).isSubscribed)
    #expect(UpstreamState.terminal.subscription == nil)
  }
}
