import TestSupport
import Testing

@testable import CombineCore

@Suite struct UpstreamSubscriptionsTests {

  @Test func dropsCompletedSubscriptionsAndCancelsTheRestInOrder() {
    var order: [Int] = []
    var subscriptions = UpstreamSubscriptions()
    var tokens: [UpstreamSubscriptions.Token] = []
    for number in 0..<10 {
      tokens.append(subscriptions.add(ManualSubscription(onCancel: { order.append(number) })))
    }
    let removed = subscriptions.remove(tokens[3])
    let removedTwice = subscriptions.remove(tokens[3])
    #expect(removed != nil)
    #expect(removedTwice == nil)
    #expect(subscriptions.count == 9)
    subscriptions.cancelAll()
    #expect(order == [0, 1, 2, 4, 5, 6, 7, 8, 9])
  }
}
