import CombineFoundation
import Foundation
import TestSupport
import Testing

private typealias Subscriber = RecordingSubscriber<Notification, Never>

@Suite struct NotificationCenterPublisherTests {

  private let center = NotificationCenter()
  private let name = Notification.Name("NotificationCenterPublisherTests")

  private func post(_ count: Int = 1) {
    for _ in 0..<count { center.post(name: name, object: nil) }
  }

  @Test func storesItsParameters() {
    let object = Object()
    let publisher = center.publisher(for: name, object: object)
    #expect(publisher.center === center)
    #expect(publisher.name == name)
    #expect(publisher.object === object)
    #expect(center.publisher(for: name).object == nil)
    #expect(NotificationCenter.Publisher(center: center, name: name).object == nil)
  }

  @Test func equalityComparesCenterNameAndIdentityOfTheObject() {
    let publisher = center.publisher(for: name)
    #expect(publisher == NotificationCenter.Publisher(center: center, name: name, object: nil))
    #expect(publisher != NotificationCenter().publisher(for: name))
    #expect(publisher != center.publisher(for: Notification.Name("other")))
    #expect(publisher != center.publisher(for: name, object: Object()))
    let number = NSNumber(value: 1.5)
    #expect(center.publisher(for: name, object: number) == center.publisher(for: name, object: number))
    #expect(
      center.publisher(for: name, object: NSMutableString(string: "a"))
        != center.publisher(for: name, object: NSMutableString(string: "a"))
    )
  }

  @Test func publishesTheNotificationsOfItsNameAndObject() {
    let object = Object()
    let any = Subscriber(requesting: .unlimited)
    let only = Subscriber(requesting: .unlimited)
    center.publisher(for: name).subscribe(any)
    center.publisher(for: name, object: object).subscribe(only)
    center.post(name: name, object: object, userInfo: ["key": 42])
    center.post(name: name, object: Object())
    center.post(name: name, object: 7)
    center.post(name: Notification.Name("other"), object: object)

    #expect(any.values.count == 3)
    #expect(any.values[2].object as? Int == 7)
    #expect(only.values.count == 1)
    #expect(only.values[0].userInfo?["key"] as? Int == 42)
    #expect(only.values[0].object as? Object === object)
  }

  @Test(
    arguments: [
      (.none, [], 0),
      (.max(1), [], 1),
      (.max(1), Array(repeating: .max(1), count: 10), 11),
      (.max(1), [.max(1), .none, .max(1), .none], 2),
      (.max(1), [.none, .max(1), .max(2)], 1),
      (.max(2), [.none, .max(1), .max(2)], 5),
      (.max(10), [.none, .max(1), .max(2)], 13),
      (.max(10), Array(repeating: .max(1), count: 10), 20),
      (.max(1), [.unlimited], 20),
    ] as [(Subscribers.Demand, [Subscribers.Demand], Int)]
  )
  func honoursDemand(initial: Subscribers.Demand, returned: [Subscribers.Demand], expected: Int) {
    let subscriber = Subscriber(requesting: initial, returning: returned)
    center.publisher(for: name).subscribe(subscriber)
    post(20)
    #expect(subscriber.values.count == expected)
  }

  @Test func requestingNoneHasNoEffectAndNotificationsWithoutDemandAreDropped() {
    let subscriber = Subscriber()
    center.publisher(for: name).subscribe(subscriber)
    subscriber.request(.none)
    post()
    subscriber.request(.max(2))
    #expect(subscriber.values.isEmpty)
    post(3)
    #expect(subscriber.values.count == 2)
  }

  @Test func aNestedPostIsDeliveredNested() {
    var posts = 7
    let subscriber = Subscriber(requesting: .max(3))
    subscriber.onValue = { _ in
      if posts > 0 {
        posts -= 1
        post()
      }
      return .unlimited
    }
    center.publisher(for: name).subscribe(subscriber)
    post()
    // The post made during the third value found no demand left, because no returned demand had been added yet.
    #expect(subscriber.values.count == 3)
    #expect(posts == 4)
    post()
    #expect(subscriber.values.count == 8)
  }

  @Test func aSubscriberMayRequestPostAndCancelInsideAValue() {
    let subscriber = Subscriber(requesting: .max(1))
    subscriber.onValue = { [unowned subscriber] _ in
      if subscriber.values.count == 1 {
        subscriber.request(.max(1))
        post()
      } else {
        subscriber.cancel()
      }
      return .max(1)
    }
    center.publisher(for: name).subscribe(subscriber)
    post(3)
    #expect(subscriber.values.count == 2)
  }

  // No method of a center can be overridden. But its observer owns the subscriber, and so the removal releases that.
  @Test func aSubscriberMayUseItsSubscriptionWhileItIsReleased() {
    var subscription: (any Subscription)?
    var isForgotten = false
    do {
      let subscriber = Subscriber(
        onSubscription: { $0.request(.unlimited) },
        onDeinit: {
          subscription!.request(.max(1))
          subscription!.cancel()
          isForgotten = reflectedChild("center", of: subscription!) as? NotificationCenter == nil
        }
      )
      center.publisher(for: name).subscribe(subscriber)
      subscription = subscriber.subscription
      subscriber.dropSubscription()
    }
    #expect(!isForgotten)
    subscription?.cancel()
    #expect(isForgotten)
  }

  @Test func eachSubscriberHasItsOwnDemandAndSubscription() {
    let publisher = center.publisher(for: name)
    let one = Subscriber(requesting: .max(1))
    let two = Subscriber(requesting: .max(2))
    publisher.subscribe(one)
    publisher.subscribe(two)
    post(3)
    #expect(one.values.count == 1)
    #expect(two.values.count == 2)
    #expect(one.subscription?.combineIdentifier != two.subscription?.combineIdentifier)
    one.cancel()
    two.request(.unlimited)
    post()
    #expect(two.values.count == 3)
  }

  @Test func cancelStopsDeliveryAndReleasesEverything() {
    var isReleased = false
    weak var weakObject: Object?
    var kept: (any Subscription)?
    do {
      let object = Object()
      weakObject = object
      let subscriber = Subscriber(
        onSubscription: { $0.request(.unlimited) },
        onDeinit: { isReleased = true }
      )
      center.publisher(for: name, object: object).subscribe(subscriber)
      center.post(name: name, object: object)
      #expect(subscriber.values.count == 1)
      kept = subscriber.subscription
      subscriber.dropSubscription()
      kept?.cancel()
      kept?.cancel()
      kept?.request(.unlimited)
      center.post(name: name, object: object)
      #expect(subscriber.values.count == 1)
      subscriber.clear()
    }
    #expect(isReleased)
    #expect(weakObject == nil)
    #expect(kept != nil)
  }

  @Test func cancelReleasesTheCenter() {
    weak var weakCenter: NotificationCenter?
    let subscriber = Subscriber(requesting: .unlimited)
    do {
      let center = NotificationCenter()
      weakCenter = center
      center.publisher(for: name).subscribe(subscriber)
    }
    #expect(weakCenter != nil)
    subscriber.cancel()
    #expect(weakCenter == nil)
  }

  @Test func aSubscriberCancelledDuringAPostReceivesNothingMore() {
    // The center calls all observers that existed at the beginning, in no particular order. The first of the two
    // cancels the other.
    let first = Subscriber(requesting: .unlimited)
    let second = Subscriber(requesting: .unlimited)
    first.onValue = { _ in
      second.cancel()
      return .none
    }
    second.onValue = { _ in
      first.cancel()
      return .none
    }
    center.publisher(for: name).subscribe(first)
    center.publisher(for: name).subscribe(second)
    post(3)
    #expect(Set([first.values.count, second.values.count]) == [0, 3])
  }

  @Test func droppingTheSubscriptionStopsDeliveryButLeavesTheObserver() {
    var isReleased = false
    var center: NotificationCenter? = NotificationCenter()
    var values = 0
    do {
      let subscriber = Subscriber(
        onSubscription: { $0.request(.unlimited) },
        onValue: { _ in
          values += 1
          return .none
        },
        onDeinit: { isReleased = true }
      )
      center?.publisher(for: name).subscribe(subscriber)
      center?.post(name: name, object: nil)
      #expect(values == 1)
      subscriber.dropSubscription()
    }
    center?.post(name: name, object: nil)
    #expect(values == 1)
    #expect(!isReleased)
    center = nil
    #expect(isReleased)
  }

  @Test func observesBeforeTheSubscriberReceivesItsSubscription() {
    // A value posted during `receive(subscription:)`, after a request, is not lost.
    let subscriber = Subscriber()
    subscriber.onSubscription = {
      $0.request(.max(1))
      post()
    }
    center.publisher(for: name).subscribe(subscriber)
    #expect(subscriber.values.count == 1)
    #expect(subscriber.events.count == 2)
  }

  @Test func serializesValuesOfSeveralThreads() {
    let inside = SharedLog<Int>()
    var depth = 0
    var count = 0
    let subscriber = Subscriber(
      onSubscription: { $0.request(.unlimited) },
      onValue: { _ in
        depth += 1
        if depth > 1 { inside.append(depth) }
        count += 1
        depth -= 1
        return .none
      }
    )
    center.publisher(for: name).subscribe(subscriber)
    onThreads(4) { [center, name] _ in for _ in 0..<500 { center.post(name: name, object: nil) } }
    #expect(inside.values.isEmpty)
    #expect(count == 2000)
  }

  @Test func demandIsExactWithSeveralThreadsAndCancelStopsValues() {
    for _ in 0..<50 {
      let subscriber = Subscriber(requesting: .max(50))
      center.publisher(for: name).subscribe(subscriber)
      onThreads(3) { [center, name] _ in for _ in 0..<30 { center.post(name: name, object: nil) } }
      #expect(subscriber.values.count == 50)
      let subscription = UncheckedSendable(subscriber.subscription)
      subscriber.request(.unlimited)
      onThreads(3) { [center, name] index in
        if index == 0 { subscription.value?.cancel() }
        for _ in 0..<10 { center.post(name: name, object: nil) }
      }
      let count = subscriber.values.count
      post()
      #expect(subscriber.values.count == count)
    }
  }

  @Test func aCancelReleasesAPostThatWaitsForTheSubscriber() {
    let counts = deliveriesOfAThreadInsideAndOneThatWaits(to: center.publisher(for: name)) { [center, name] in
      center.post(name: name, object: nil)
    }
    #expect(counts == (delivered: 1, returned: 1))
  }

  @Test func reflectsItself() {
    let object = Object()
    let subscriber = Subscriber(requesting: .max(3))
    center.publisher(for: name, object: object).subscribe(subscriber)
    let subscription = subscriber.subscription!
    expectReflection(
      of: subscription,
      description: "NotificationCenter Observer",
      children: ["center", "name", "object", "demand"]
    )
    #expect(reflectedChild("center", of: subscription) as? NotificationCenter === center)
    #expect(reflectedChild("name", of: subscription) as? Notification.Name == name)
    #expect(reflectedChild("object", of: subscription) as? Object === object)
    #expect(reflectedChild("demand", of: subscription) as? Subscribers.Demand == .max(3))
    subscriber.cancel()
    #expect(reflectedChild("center", of: subscription) as? NotificationCenter == nil)
    #expect(reflectedChild("object", of: subscription) as? Object == nil)
  }
}

private final class Object: Sendable {}
