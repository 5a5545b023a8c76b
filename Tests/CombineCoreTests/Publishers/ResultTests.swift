import CombineCore
import TestSupport
import Testing

// SingleValueTests tests the behaviour that it shares with the other publishers of one value.
@Suite struct ResultPublisherTests {

  private typealias IntResult = Result<Int, TestError>

  @Test func holdsItsResult() {
    #expect(IntResult.success(1).publisher.result == .success(1))
    #expect(IntResult.Publisher(.success(1)).result == .success(1))
    #expect(IntResult.Publisher(1).result == .success(1))
    #expect(IntResult.Publisher("oops").result == .failure("oops"))
  }

  @Test func aFailureNeedsNoDemand() {
    let subscriber = RecordingSubscriber<Int, TestError>()
    IntResult.failure("oops").publisher.subscribe(subscriber)
    #expect(subscriber.events == [.subscription("Empty"), .failure("oops")])
    #expect(subscriber.subscription!.combineIdentifier == Subscriptions.empty.combineIdentifier)
    subscriber.request(.none)
    #expect(subscriber.events == [.subscription("Empty"), .failure("oops")])
  }

  @Test func cancellingDoesNotSuppressAFailure() {
    let subscriber = RecordingSubscriber<Int, TestError>(onSubscription: { $0.cancel() })
    IntResult.failure("oops").publisher.subscribe(subscriber)
    #expect(subscriber.events == [.subscription("Empty"), .failure("oops")])
  }

  @Test func aFailureDoesNotRetainTheSubscriber() {
    var isReleased = false
    IntResult.failure("oops").publisher.subscribe(RecordingSubscriber<Int, TestError>(onDeinit: { isReleased = true }))
    #expect(isReleased)
  }

  @Test func aSuccessOfAFallibleResultIsDelivered() {
    let subscriber = RecordingSubscriber<Int, TestError>(requesting: .max(1))
    IntResult.success(42).publisher.subscribe(subscriber)
    #expect(subscriber.events == [.subscription("Once"), .value(42), .finished])
  }

  @Test func isEqualWhenTheResultIs() {
    #expect(IntResult.Publisher(1) == IntResult.Publisher(1))
    #expect(IntResult.Publisher(1) != IntResult.Publisher(2))
    #expect(IntResult.Publisher(1) != IntResult.Publisher("oops"))
    #expect(IntResult.Publisher("oops") == IntResult.Publisher("oops"))
  }

  @Test func isSendableWhenTheValueIs() {
    let publisher: any Sendable & Publisher = IntResult.Publisher(1)
    #expect(publisher is IntResult.Publisher)
  }
}
