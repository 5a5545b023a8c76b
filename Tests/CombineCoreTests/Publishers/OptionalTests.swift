import CombineCore
import TestSupport
import Testing

// SingleValueTests tests the behaviour that it shares with the other publishers of one value.
@Suite struct OptionalPublisherTests {

  @Test func holdsItsOutput() {
    #expect(Int?(42).publisher.output == 42)
    #expect(Int?.none.publisher.output == nil)
    #expect(Optional.Publisher(1) == Int?(1).publisher)
  }

  @Test func finishesWithoutDemandIfThereIsNoValue() {
    let subscriber = RecordingSubscriber<Int, Never>()
    Int?.none.publisher.subscribe(subscriber)
    #expect(subscriber.events == [.subscription("Empty"), .finished])
    #expect(subscriber.subscription!.combineIdentifier == Subscriptions.empty.combineIdentifier)
    subscriber.request(.none)
    subscriber.request(.max(1))
    #expect(subscriber.events == [.subscription("Empty"), .finished])
  }

  @Test func cancellingDoesNotSuppressTheCompletionIfThereIsNoValue() {
    let subscriber = RecordingSubscriber<Int, Never>(onSubscription: { $0.cancel() })
    Int?.none.publisher.subscribe(subscriber)
    #expect(subscriber.events == [.subscription("Empty"), .finished])
  }

  @Test func doesNotRetainTheSubscriberIfThereIsNoValue() {
    var isReleased = false
    Int?.none.publisher.subscribe(RecordingSubscriber<Int, Never>(onDeinit: { isReleased = true }))
    #expect(isReleased)
  }

  @Test func isEqualWhenTheOutputIs() {
    #expect(Int?(1).publisher == Int?(1).publisher)
    #expect(Int?(1).publisher != Int?(2).publisher)
    #expect(Int?(1).publisher != Int?.none.publisher)
    #expect(Int?.none.publisher == Int?.none.publisher)
  }

  @Test func isSendableWhenTheValueIs() {
    let publisher: any Sendable & Publisher = Int?(1).publisher
    #expect(publisher is Optional<Int>.Publisher)
  }
}
