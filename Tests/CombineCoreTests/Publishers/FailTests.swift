import CombineCore
import TestSupport
import Testing

@Suite struct FailTests {

  @Test func failsWithoutDemand() {
    let subscriber = RecordingSubscriber<Int, TestError>()
    Fail(error: "oops").subscribe(subscriber)
    #expect(subscriber.events == [.subscription("Empty"), .failure("oops")])
    #expect(subscriber.subscription!.combineIdentifier == Subscriptions.empty.combineIdentifier)
    subscriber.request(.none)
    subscriber.request(.unlimited)
    #expect(subscriber.events == [.subscription("Empty"), .failure("oops")])
  }

  @Test func cancellingDoesNotSuppressTheFailure() {
    let subscriber = RecordingSubscriber<Int, TestError>(onSubscription: { $0.cancel() })
    Fail(error: "oops").subscribe(subscriber)
    #expect(subscriber.events == [.subscription("Empty"), .failure("oops")])
  }

  @Test func doesNotRetainTheSubscriber() {
    var isReleased = false
    let publisher = Fail<Int, TestError>(error: "oops")
    publisher.subscribe(RecordingSubscriber(onDeinit: { isReleased = true }))
    #expect(isReleased)
  }

  @Test func holdsItsError() {
    #expect(Fail<Int, TestError>(error: "a").error == "a")
    let typed = Fail(outputType: Int.self, failure: TestError("b"))
    #expect(typed == Fail<Int, TestError>(error: "b"))
  }

  @Test func isEqualWhenTheErrorIs() {
    #expect(Fail<Int, TestError>(error: "a") == Fail(error: "a"))
    #expect(Fail<Int, TestError>(error: "a") != Fail(error: "b"))
  }

  @Test func isSendable() {
    let publisher: any Sendable = Fail<() -> Void, TestError>(error: "a")
    #expect(publisher is Fail<() -> Void, TestError>)
  }
}
