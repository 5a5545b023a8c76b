import Testing

@testable import CombineCore

@Suite struct SubscriptionDeliveryTests {

  @Test func holdsTheFirstEventThatArrivesBeforeTheSubscriptionIsSent() {
    var delivery = SubscriptionDelivery<String>()
    let holdsFirst = delivery.holds("a", from: 1)
    let holdsSecond = delivery.holds("b", from: 1)
    delivery.begin(on: 1)
    let held = delivery.end()
    let heldTwice = delivery.end()
    #expect(holdsFirst && holdsSecond)
    #expect(held == "a")
    #expect(heldTwice == nil)
  }

  @Test func holdsEventsOfAnotherThreadWhileTheSubscriptionIsSent() {
    var delivery = SubscriptionDelivery<String>()
    delivery.begin(on: 1)
    let holdsNested = delivery.holds("nested", from: 1)
    let holdsOther = delivery.holds("other", from: 2)
    let held = delivery.end()
    #expect(!holdsNested && holdsOther)
    #expect(held == "other")
  }

  @Test func holdsNothingAfterwards() {
    var delivery = SubscriptionDelivery<String>()
    delivery.begin(on: 1)
    let held = delivery.end()
    let holdsLate = delivery.holds("late", from: 2)
    #expect(held == nil)
    #expect(!holdsLate)
  }
}
