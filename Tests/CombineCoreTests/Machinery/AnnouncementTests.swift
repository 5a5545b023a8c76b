import Testing

@testable import CombineCore

@Suite struct AnnouncementTests {

  @Test func holdsTheFirstEventThatArrivesBeforeTheSubscriptionIsDelivered() {
    var announcement = Announcement<String>()
    let holdsFirst = announcement.holds("a", from: 1)
    let holdsSecond = announcement.holds("b", from: 1)
    let begins = announcement.begin(on: 1)
    let held = announcement.end()
    let heldTwice = announcement.end()
    #expect(holdsFirst && holdsSecond)
    #expect(begins)
    #expect(held == "a")
    #expect(heldTwice == nil)
  }

  @Test func holdsEventsOfAnotherThreadWhileTheSubscriptionIsDelivered() {
    var announcement = Announcement<String>()
    _ = announcement.begin(on: 1)
    let holdsNested = announcement.holds("nested", from: 1)
    let holdsOther = announcement.holds("other", from: 2)
    let held = announcement.end()
    #expect(!holdsNested && holdsOther)
    #expect(held == "other")
  }

  @Test func holdsNothingAfterwards() {
    var announcement = Announcement<String>()
    _ = announcement.begin(on: 1)
    let held = announcement.end()
    let holdsLate = announcement.holds("late", from: 2)
    #expect(held == nil)
    #expect(!holdsLate)
  }

  @Test func aSecondSubscriptionIsRefusedAndChangesNothing() {
    var announcement = Announcement<String>()
    _ = announcement.begin(on: 1)
    let beginsDuringTheFirst = announcement.begin(on: 2)
    let holdsNested = announcement.holds("nested", from: 1)
    _ = announcement.end()
    let beginsAfterTheFirst = announcement.begin(on: 2)
    let holdsLate = announcement.holds("late", from: 3)
    #expect(!beginsDuringTheFirst && !beginsAfterTheFirst)
    #expect(!holdsNested && !holdsLate)
  }
}
