import TestSupport
import Testing

@testable import CombineCore

@Suite struct UpstreamSlotsTests {

  private let subscriptions = (0..<3).map { _ in ManualSubscription() }

  private func filled() -> UpstreamSlots {
    var slots = UpstreamSlots(count: 3)
    for index in [2, 0, 1] { _ = slots.accept(subscriptions[index], at: index) }
    return slots
  }

  private func indices(_ live: some Sequence<any Subscription>) -> [Int?] {
    live.map { live in subscriptions.firstIndex { $0.combineIdentifier == live.combineIdentifier } }
  }

  @Test func takesOneSubscriptionForEachSlot() {
    var slots = UpstreamSlots(count: 2)
    let answers = [
      slots.accept(subscriptions[0], at: 1), slots.accept(subscriptions[1], at: 1),
      slots.accept(subscriptions[1], at: 0),
    ]
    #expect(answers == [true, false, true])
    #expect(slots.count == 2)
    #expect(indices(slots.live) == [1, 0])
  }

  @Test func returnsThemInIndexOrder() {
    var slots = filled()
    #expect(indices(slots.live) == [0, 1, 2])
    #expect(indices(slots.live { $0 != 1 }) == [0, 2])
    #expect(indices(slots.live(except: 1)) == [0, 2])
    let removed = [slots.remove(at: 1), slots.remove(at: 1)]
    #expect(indices(removed.compactMap { $0 }) == [1])
    #expect(indices(slots.live) == [0, 2])
    #expect(indices(slots.removeAll()) == [0, 2])
    #expect(indices(slots.live) == [])
    let isFree = slots.accept(subscriptions[1], at: 1)
    #expect(isFree)
  }
}
