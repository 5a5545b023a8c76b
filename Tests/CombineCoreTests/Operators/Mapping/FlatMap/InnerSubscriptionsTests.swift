import TestSupport
import Testing

@testable import CombineCore

@Suite struct InnerSubscriptionsTests {

  private func removed(
    _ key: InnerSubscriptions.Key,
    from table: inout InnerSubscriptions,
    _ known: ManualSubscription...
  ) -> Int? {
    guard let subscription = table.remove(key).take() else { return nil }
    return known.firstIndex { $0.combineIdentifier == subscription.combineIdentifier }
  }

  @Test func keepsTheFirstSubscriptionOfARegisteredInnerPublisher() {
    var table = InnerSubscriptions()
    let subscription = ManualSubscription()
    let key = table.add()
    let before = table[key] == nil
    #expect(before)
    let answers = [
      table.accept(subscription, for: key), table.accept(ManualSubscription(), for: key),
      table[key] as? ManualSubscription === subscription,
    ]
    #expect(answers == [true, false, true])
    let first = removed(key, from: &table, subscription)
    #expect(first == 0)
    let after = [table.accept(subscription, for: key), table[key] == nil, table.count == 0]
    #expect(after == [false, true, true])
    let second = removed(key, from: &table, subscription)
    #expect(second == nil)
  }

  @Test func reusesSlotsWithNewKeys() {
    var table = InnerSubscriptions()
    let first = table.add()
    _ = table.remove(first)
    let second = table.add()
    #expect(first.slot == second.slot)
    #expect(first != second)
    _ = table.remove(first)
    let count = table.count
    #expect(count == 1)
  }

  @Test func holdsManyAndRemovesThemInAnyOrder() {
    var table = InnerSubscriptions()
    let subscriptions = (0..<50).map { _ in ManualSubscription() }
    let keys = subscriptions.map { subscription in
      let key = table.add()
      _ = table.accept(subscription, for: key)
      return key
    }
    #expect(Set(keys.map(\.slot)).count == 50)
    for index in stride(from: 0, to: 50, by: 3) { _ = table.remove(keys[index]) }
    let live = table.live.map(\.combineIdentifier)
    #expect(live == subscriptions.indices.filter { $0 % 3 != 0 }.map { subscriptions[$0].combineIdentifier })
    let pending = table.add()
    let all = table.removeAll()
    #expect(all.count == live.count, "one inner publisher had no subscription")
    let left = [table.count, table.live.count]
    #expect(left == [0, 0])
    let isForgotten = table[pending] == nil && keys.allSatisfy { table[$0] == nil }
    #expect(isForgotten)
  }

  @Test func releasesItsRemainingSubscriptions() {
    var released = 0
    do {
      var table = InnerSubscriptions()
      for _ in 0..<5 {
        let key = table.add()
        _ = table.accept(ManualSubscription(onDeinit: { released += 1 }), for: key)
      }
      _ = table.add()
      #expect(released == 0)
    }
    #expect(released == 5)
  }
}
