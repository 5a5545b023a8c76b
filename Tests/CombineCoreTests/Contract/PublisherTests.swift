import CombineCore
import TestSupport
import Testing

@Suite struct PublisherTests {

  private struct Silent: Publisher {
    typealias Output = Int
    typealias Failure = Never
    let received: (Any) -> Void

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
      received(subscriber)
    }
  }

  @Test func subscribePassesTheSameSubscriberOnceAndDoesNothingElse() {
    var received: [Any] = []
    let subscriber = RecordingSubscriber<Int, Never>()
    Silent { received.append($0) }.subscribe(subscriber)
    #expect(received.count == 1)
    #expect(received.first as? RecordingSubscriber<Int, Never> === subscriber)
    #expect(subscriber.events.isEmpty)
  }

  @Test func aVoidSubscriberAndSubjectNeedNoArgument() {
    let subscriber = RecordingSubscriber<Void, Never>(requesting: .unlimited, returning: [.max(3)])
    #expect(subscriber.receive() == .max(3))
    let subject = PassthroughSubject<Void, Never>()
    let listener = RecordingSubscriber<Void, Never>(requesting: .unlimited)
    subject.subscribe(listener)
    subject.send()
    #expect(listener.values.count == 1)
  }
}
