import CombineCore
import TestSupport
import Testing

@Suite struct AnySubscriberTests {

  @Test func forwardsEveryEventInAnyOrder() {
    let base = RecordingSubscriber<Int, TestError>(onValue: { .max($0) })
    let erased = AnySubscriber(base)
    #expect(erased.receive(1) == .max(1))
    erased.receive(completion: .finished)
    erased.receive(subscription: ManualSubscription())
    erased.receive(subscription: ManualSubscription())
    #expect(erased.receive(2) == .max(2))
    erased.receive(completion: .failure("a"))
    #expect(
      base.events == [
        .value(1), .finished, .subscription("ManualSubscription"), .subscription("ManualSubscription"), .value(2),
        .failure("a"),
      ]
    )
  }

  @Test func erasingTwiceAddsNoLayer() {
    let once = AnySubscriber(RecordingSubscriber<Int, Never>())
    let twice = AnySubscriber(once)
    #expect(once.combineIdentifier == twice.combineIdentifier)
    #expect(boxAddress(of: once) == boxAddress(of: twice))
  }

  private func boxAddress(of subscriber: AnySubscriber<Int, Never>) -> UInt {
    withUnsafeBytes(of: subscriber) { $0.load(as: UInt.self) }
  }

  @Test func describesItselfAsItsBaseDoes() {
    let base = RecordingSubscriber<Int, Never>()
    let erased = AnySubscriber(base)
    #expect(erased.combineIdentifier == base.combineIdentifier)
    #expect(erased.description == "RecordingSubscriber")
    #expect(erased.playgroundDescription as? String == "RecordingSubscriber")
    #expect(erased.customMirror.children.isEmpty)
    #expect(ObjectIdentifier(erased.customMirror.subjectType) == ObjectIdentifier(RecordingSubscriber<Int, Never>.self))
  }

  private struct Plain: Subscriber {
    typealias Input = Int
    typealias Failure = Never
    let combineIdentifier = CombineIdentifier()
    func receive(subscription: any Subscription) {}
    func receive(_ input: Int) -> Subscribers.Demand { .none }
    func receive(completion: Subscribers.Completion<Never>) {}
  }

  @Test func aPlainBaseIsDescribedByItsType() {
    let erased = AnySubscriber(Plain())
    #expect(erased.description == "Plain")
    #expect(erased.playgroundDescription as? String == "Plain")
    #expect(ObjectIdentifier(erased.customMirror.subjectType) == ObjectIdentifier(Plain.self))
    #expect(erased.customMirror.children.isEmpty)
  }

  private final class Describing: Subscriber, CustomStringConvertible, CustomReflectable,
    CustomPlaygroundDisplayConvertible
  {
    typealias Input = Int
    typealias Failure = Never
    var description = "first"
    var playgroundDescription: Any { 42 }
    var customMirror: Mirror { Mirror(self, children: ["child": 1]) }
    func receive(subscription: any Subscription) {}
    func receive(_ input: Int) -> Subscribers.Demand { .none }
    func receive(completion: Subscribers.Completion<Never>) {}
  }

  @Test func aBaseWithADescriptionIsDescribedAnewEachTime() {
    let base = Describing()
    let erased = AnySubscriber(base)
    #expect(erased.description == "first")
    base.description = "second"
    #expect(erased.description == "second")
    #expect(erased.playgroundDescription as? Int == 42)
    #expect(erased.customMirror.children.map(\.label) == ["child"])
    #expect(ObjectIdentifier(erased.customMirror.subjectType) == ObjectIdentifier(Describing.self))
  }

  @Test func closuresAreCalledAndAreOptional() {
    var events: [String] = []
    let full = AnySubscriber<Int, Never>(
      receiveSubscription: { events.append("subscription \($0)") },
      receiveValue: {
        events.append("value \($0)")
        return .max(3)
      },
      receiveCompletion: { events.append("\($0)") }
    )
    full.receive(subscription: Subscriptions.empty)
    #expect(full.receive(1) == .max(3))
    full.receive(completion: .finished)
    #expect(events == ["subscription Empty", "value 1", "finished"])

    let subscription = ManualSubscription()
    let empty = AnySubscriber<Int, Never>()
    empty.receive(subscription: subscription)
    #expect(empty.receive(1) == .none)
    empty.receive(completion: .finished)
    #expect(subscription.history.isEmpty)
    #expect(empty.combineIdentifier == empty.combineIdentifier)
    #expect(empty.combineIdentifier != full.combineIdentifier)
  }

  @Test func anonymousSubscribersReflectAString() {
    let anonymous = AnySubscriber<Int, Never>()
    #expect(anonymous.description == "Anonymous AnySubscriber")
    #expect(anonymous.playgroundDescription as? String == "Anonymous AnySubscriber")
    #expect(ObjectIdentifier(anonymous.customMirror.subjectType) == ObjectIdentifier(String.self))
    #expect(anonymous.customMirror.children.isEmpty)
  }

  @Test func anErasedSubjectSendsThroughThatSubject() {
    let subject = PassthroughSubject<Int, TestError>()
    let listener = RecordingSubscriber<Int, TestError>(requesting: .unlimited, returning: [.max(5)])
    subject.subscribe(listener)
    let erased = AnySubscriber(subject)
    erased.receive(subscription: ManualSubscription())
    #expect(erased.receive(1) == .none)
    erased.receive(completion: .finished)
    #expect(listener.events == [.subscription("PassthroughSubject"), .value(1), .finished])
    #expect(erased.description == "Subject")
    #expect(
      String(describing: erased.customMirror.subjectType) == "SubjectSubscriber<PassthroughSubject<Int, TestError>>"
    )
    #expect(!erased.customMirror.children.isEmpty)
  }

  @Test func anErasedSubscriberWithoutDemandReceivesOnlyTheCompletionOfASubject() {
    let subject = PassthroughSubject<Int, TestError>()
    let base = RecordingSubscriber<Int, TestError>()
    subject.subscribe(AnySubscriber(base))
    subject.send(1)
    subject.send(completion: .finished)
    subject.send(completion: .failure("late"))
    #expect(base.events == [.subscription("PassthroughSubject"), .finished])
  }

  @Test func anErasedSubjectWithoutSubscribersReceivesOnlyTheCompletion() {
    let subject = PassthroughSubject<Int, TestError>()
    let other = PassthroughSubject<Int, TestError>()
    let recording = ManualSubject<Int, TestError>()
    subject.subscribe(AnySubscriber(recording))
    subject.subscribe(AnySubscriber(other))
    subject.send(1)
    subject.send(completion: .finished)
    subject.send(completion: .failure("late"))
    #expect(recording.events == [.subscription("Subject"), .finished])
    let late = RecordingSubscriber<Int, TestError>()
    other.subscribe(late)
    #expect(late.events == [.subscription("Empty"), .finished])
  }
}
