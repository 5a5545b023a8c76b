import CombineCore
import TestSupport
import Testing

@Suite struct EmptySubscriptionTests {

  @Test func isOneSharedObjectThatIgnoresEverything() {
    let subscription = Subscriptions.empty
    subscription.request(.none)
    subscription.request(.unlimited)
    subscription.cancel()
    subscription.cancel()
    #expect(subscription.combineIdentifier == Subscriptions.empty.combineIdentifier)
  }

  @Test func reflectsItself() {
    expectReflection(of: Subscriptions.empty, description: "Empty")
  }
}
