import Testing

@testable import CombineCore

@Suite struct SubscriptionHandoverTests {

  @Test func holdsTheFirstEventThatArrivesBeforeTheSubscriptionIsSent() {
    var handover = SubscriptionHandover<String>()
    let holdsFirst = handover.holds("a", from: 1)
    let holdsSecond = handover.holds("b", from: 1)
    handover.begin(on: 1)
    let held = handover.end()
    let heldTwice = handover.end()
    #expect(holdsFirst && holdsSecond)
    #expect(held == "a")
    #expect(heldTwice == nil)
  }

  @Test func holdsEventsOfAnotherThreadWhileTheSubscriptionIsSent() {
    var handover = SubscriptionHandover<String>()
    handover.begin(on: 1)
    let holdsNested = handover.holds("nested", from: 1)
    let holdsOther = handover.holds("other", from: 2)
    let held = handover.end()
    #expect(!holdsNested && holdsOther)
    #expect(held == "other")
  }

  @Test func holdsNothingAfterwards() {
    var handover = SubscriptionHandover<String>()
    handover.begin(on: 1)
    let held = handover.end()
    let holdsLate = handover.holds("late", from: 2)
    #expect(held == nil)
    #expect(!holdsLate)
  }
}
