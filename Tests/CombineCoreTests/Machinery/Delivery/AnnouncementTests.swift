import Testing

@testable import CombineCore

@Suite struct AnnouncementTests {

  @Test func holdsTheFirstEventThatArrivesBeforeTheSubscriptionIsDelivered() {
    var announcement = EventAnnouncement<String>()
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
    var announcement = EventAnnouncement<String>()
    _ = announcement.begin(on: 1)
    let holdsNested = announcement.holds("nested", from: 1)
    let holdsOther = announcement.holds("other", from: 2)
    let held = announcement.end()
    #expect(!holdsNested && holdsOther)
    #expect(held == "other")
  }

  @Test func holdsNothingAfterwards() {
    var announcement = EventAnnouncement<String>()
    _ = announcement.begin(on: 1)
    let held = announcement.end()
    let holdsLate = announcement.holds("late", from: 2)
    #expect(held == nil)
    #expect(!holdsLate)
  }

  @Test func aSecondSubscriptionIsRefusedAndChangesNothing() {
    var announcement = EventAnnouncement<String>()
    _ = announcement.begin(on: 1)
    let beginsDuringTheFirst = announcement.begin(on: 2)
    let holdsNested = announcement.holds("nested", from: 1)
    _ = announcement.end()
    let beginsAfterTheFirst = announcement.begin(on: 2)
    let holdsLate = announcement.holds("late", from: 3)
    #expect(!beginsDuringTheFirst && !beginsAfterTheFirst)
    #expect(!holdsNested && !holdsLate)
  }

  @Test func aRequestEndsTheDeliveryUnlessAnEventIsHeld() {
    var requested = EventAnnouncement<String>()
    _ = requested.begin(on: 1)
    requested.noteRequest()
    let holdsAfterwards = requested.holds("late", from: 2)
    #expect(requested.isDone && !holdsAfterwards)
    var holding = EventAnnouncement<String>()
    _ = holding.begin(on: 1)
    _ = holding.holds("other", from: 2)
    holding.noteRequest()
    #expect(!holding.isDone)
    let held = holding.end()
    #expect(held == "other")
  }

  @Test func afterACancelNothingIsHeldOrPasses() {
    var announcement = EventAnnouncement<String>()
    _ = announcement.begin(on: 1)
    _ = announcement.holds("other", from: 2)
    let withdrawn = announcement.withdraw()
    let holds = [announcement.holds("other", from: 2), announcement.holds("nested", from: 1)]
    let held = announcement.end()
    #expect(withdrawn == "other")
    #expect(holds == [true, true])
    #expect(held == nil)
  }

  @Test func theEventsOfAThreadThatCausesTheDeliveryWaitForNothing() {
    var announcement = Announcement(causedBy: 1)
    let holdsOwn = announcement.holds(from: 1)
    let holdsOther = announcement.holds(from: 2)
    let wasHolding = announcement.stopHolding()
    #expect(!holdsOwn && holdsOther)
    #expect(wasHolding && !announcement.isHolding)
    let begins = announcement.begin(on: 3)
    let holdsDuringTheDelivery = announcement.holds(from: 2)
    #expect(begins && holdsDuringTheDelivery)
  }
}
