import CombineCore
import TestSupport
import Testing

@Suite struct EmptyTests {

  @Test func finishesWithoutDemand() {
    let subscriber = RecordingSubscriber<Int, TestError>()
    Empty().subscribe(subscriber)
    #expect(subscriber.events == [.subscription("Empty"), .finished])
    #expect(subscriber.subscription!.combineIdentifier == Subscriptions.empty.combineIdentifier)
  }

  @Test func cancellingDoesNotSuppressTheCompletion() {
    let subscriber = RecordingSubscriber<Int, TestError>(onSubscription: { $0.cancel() })
    Empty().subscribe(subscriber)
    #expect(subscriber.events == [.subscription("Empty"), .finished])
  }

  @Test func doesNotFinishIfConfiguredNotTo() {
    let subscriber = RecordingSubscriber<Int, TestError>(requesting: .unlimited)
    Empty(completeImmediately: false).subscribe(subscriber)
    subscriber.request(.none)
    subscriber.request(.max(1))
    #expect(subscriber.events == [.subscription("Empty")])
  }

  @Test(arguments: [true, false])
  func doesNotRetainTheSubscriber(completeImmediately: Bool) {
    var isReleased = false
    let publisher = Empty<Int, TestError>(completeImmediately: completeImmediately)
    publisher.subscribe(RecordingSubscriber(onDeinit: { isReleased = true }))
    #expect(isReleased)
  }

  @Test func keepsItsArguments() {
    #expect(Empty<Int, Never>().completeImmediately)
    #expect(!Empty<Int, Never>(completeImmediately: false).completeImmediately)
    let typed = Empty(outputType: Int.self, failureType: TestError.self)
    #expect(typed == Empty<Int, TestError>())
    #expect(!Empty(completeImmediately: false, outputType: Int.self, failureType: Never.self).completeImmediately)
  }

  @Test func isEqualIfItFinishesAlikeForAnyTypes() {
    struct NotEquatable {}
    typealias Publisher = Empty<NotEquatable, any Error>
    #expect(Publisher() == Publisher(completeImmediately: true))
    #expect(Publisher(completeImmediately: false) == Publisher(completeImmediately: false))
    #expect(Publisher() != Publisher(completeImmediately: false))
  }

  @Test func isSendable() {
    let publisher: any Sendable = Empty<() -> Void, Never>()
    #expect(publisher is Empty<() -> Void, Never>)
  }
}
