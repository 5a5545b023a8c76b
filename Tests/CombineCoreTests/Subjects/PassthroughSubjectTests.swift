import CombineCore
import TestSupport
import Testing

@Suite struct PassthroughSubjectTests {

  private typealias Recorder = RecordingSubscriber<Int, TestError>

  @Test func valuesWithoutDemandAreLost() {
    let subject = PassthroughSubject<Int, TestError>()
    subject.send(1)
    let subscriber = Recorder()
    subject.subscribe(subscriber)
    subject.send(2)
    subscriber.request(.max(1))
    subject.send(3)
    subject.send(4)
    #expect(subscriber.events == [.subscription("PassthroughSubject"), .value(3)])
  }

  @Test func asksUpstreamForEverythingOnceAnySubscriberHasAskedForSomething() {
    let subject = PassthroughSubject<Int, TestError>()
    let (u, v) = (ManualSubscription(), ManualSubscription())
    subject.send(subscription: u)
    #expect(u.history == [])

    let first = Recorder(requesting: .max(1))
    u.onRequest = { _ in
      #expect(String(describing: reflectedChild("demand", of: first.subscription!)!) == "max(1)")
    }
    subject.subscribe(first)
    #expect(u.history == [.requested(.unlimited)])
    subject.subscribe(Recorder(requesting: .max(2)))
    #expect(u.history == [.requested(.unlimited)])
    u.onRequest = { _ in }
    subject.send(subscription: u)
    #expect(u.history == [.requested(.unlimited), .requested(.unlimited)])
    first.cancel()
    subject.send(subscription: v)
    #expect(v.history == [.requested(.unlimited)])
    subject.send(completion: .finished)
    subject.send(subscription: v)
    #expect(v.history == [.requested(.unlimited), .requested(.unlimited)])
  }
}
