import CombineCore
import TestSupport
import Testing

@Suite struct DeferredTests {

  @Test func makesAPublisherAtEachSubscriptionAndNotBefore() {
    var count = 0
    let publisher = Deferred {
      count += 1
      return Just(count)
    }
    #expect(count == 0)

    let first = RecordingSubscriber<Int, Never>()
    publisher.subscribe(first)
    #expect(count == 1)
    let second = RecordingSubscriber<Int, Never>()
    publisher.subscribe(second)
    #expect(count == 2)

    first.request(.max(1))
    second.request(.max(1))
    #expect(first.events == [.subscription("Just"), .value(1), .finished])
    #expect(second.events == [.subscription("Just"), .value(2), .finished])
    #expect(count == 2)
  }

  @Test func makesThePublisherBeforeAnySubscriptionArrives() {
    let subscriber = RecordingSubscriber<Int, Never>()
    var eventsAtCreation: [Event<Int>]?
    Deferred {
      eventsAtCreation = subscriber.events
      return Just(1)
    }.subscribe(subscriber)
    #expect(eventsAtCreation == [])
  }

  @Test func subscribesTheSubscriberItselfToThePublisher() {
    let made = ManualPublisher<Int, TestError>()
    let subscriber = RecordingSubscriber<Int, TestError>(requesting: .max(3))
    Deferred { made }.subscribe(subscriber)
    #expect(made.subscriber as? RecordingSubscriber<Int, TestError> === subscriber)
    #expect(subscriber.subscription as? ManualSubscription === made.subscription)
    #expect(made.history == [.requested(.max(3))])
    made.send(completion: .failure("oops"))
    subscriber.cancel()
    #expect(subscriber.events == [.subscription("ManualSubscription"), .failure("oops")])
    #expect(made.history == [.requested(.max(3)), .cancelled])
  }

  private final class Handler: _Introspection {
    var publishers: [String] = []
    func willReceive<P: Publisher, S: Subscriber>(publisher: P, subscriber: S)
    where P.Failure == S.Failure, P.Output == S.Input {
      publishers.append("\(P.self)")
    }
  }

  @Test func subscribesThroughSubscribeSoThatHandlersReceiveIt() async {
    await #expect(processExitsWith: .success) {
      let handler = Handler()
      handler.enable()
      Deferred { Just(1) }.subscribe(RecordingSubscriber<Int, Never>())
      handler.disable()
      #expect(handler.publishers == ["Deferred<Just<Int>>", "Just<Int>"])
    }
  }

  @Test func keepsNothing() {
    weak var made: ManualPublisher<Int, TestError>?
    var isReleased = false
    let publisher = Deferred {
      let publisher = ManualPublisher<Int, TestError>()
      made = publisher
      return publisher
    }
    publisher.subscribe(RecordingSubscriber(onDeinit: { isReleased = true }))
    #expect(made == nil)
    #expect(isReleased)
  }

  @Test func comparesWithNothing() {
    let publisher: Any = Deferred { Just(7) }
    #expect(!(publisher is any Equatable))
  }

  @Test func holdsItsClosure() {
    let publisher = Deferred { Just(7) }
    #expect(publisher.createPublisher() == Just(7))
  }
}
