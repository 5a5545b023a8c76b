import TestSupport
import Testing

@testable import CombineCore

@Suite struct UpstreamStateTests {

  private let first = ManualSubscription()
  private let second = ManualSubscription()

  private func isFirst(_ subscription: (any Subscription)?) -> Bool {
    subscription?.combineIdentifier == first.combineIdentifier
  }

  @Test func awaitingAcceptsOneSubscription() {
    var state = UpstreamState.awaiting
    #expect(state.subscription == nil && !state.isSubscribed)
    do {
      let result = state.disconnect()
      #expect(result == nil)
    }
    do {
      let result = state.accept(first)
      #expect(result)
    }
    #expect(isFirst(state.subscription) && state.isSubscribed)
  }

  @Test func subscribedAcceptsNoOther() {
    var state = UpstreamState.subscribed(first)
    do {
      let result = state.accept(second)
      #expect(!result)
    }
    do {
      let result = state.accept(first)
      #expect(!result)
    }
    #expect(isFirst(state.subscription))
  }

  @Test func disconnectingHandsTheSubscriptionOutOnce() {
    var state = UpstreamState.subscribed(first)
    do {
      let result = state.disconnect()
      #expect(isFirst(result))
    }
    do {
      let result = state.disconnect()
      #expect(result == nil)
    }
    #expect(state.subscription == nil)
    do {
      let result = state.accept(second)
      #expect(!result)
    }
  }

  @Test func terminatingEndsItFromAnyState() {
    var state = UpstreamState.awaiting
    do {
      let result = state.terminate()
      #expect(result == nil)
    }
    do {
      let result = state.accept(first)
      #expect(!result)
    }
    state = .subscribed(first)
    do {
      let result = state.terminate()
      #expect(isFirst(result))
    }
    do {
      let result = state.terminate()
      #expect(result == nil)
    }
  }
}
