import CombineCore
import TestSupport
import Testing

@Suite struct AssignTests {

  private final class TestObject {
    var values: [Int] = []
    var value = 0 { didSet { values.append(value) } }
    var onDeinit: () -> Void = {}
    deinit { onDeinit() }
  }

  @Test func requestsUnlimitedDemandOnceAndKeepsTheFirstSubscription() {
    let assign = Subscribers.Assign(object: TestObject(), keyPath: \.value)
    let (first, second) = (ManualSubscription(), ManualSubscription())
    assign.receive(subscription: first)
    assign.receive(subscription: second)
    assign.receive(subscription: first)
    #expect(first.history == [.requested(.unlimited), .cancelled])
    #expect(second.history == [.cancelled])
  }

  @Test func writesOnlyWhileSubscribed() {
    let object = TestObject()
    let assign = Subscribers.Assign(object: object, keyPath: \.value)
    #expect(assign.receive(1) == .none)
    assign.receive(subscription: ManualSubscription())
    #expect(assign.receive(2) == .none)
    assign.receive(completion: .finished)
    #expect(assign.receive(3) == .none)
    #expect(object.values == [2])
  }

  @Test func beforeASubscriptionCompletionAndCancelAreIgnored() {
    let assign = Subscribers.Assign(object: TestObject(), keyPath: \.value)
    assign.receive(completion: .finished)
    assign.cancel()
    #expect(assign.object != nil)
    let subscription = ManualSubscription()
    assign.receive(subscription: subscription)
    #expect(subscription.history == [.requested(.unlimited)])
  }

  @Test func aCompletionReleasesObjectAndSubscriptionWithoutCancelling() {
    weak var weakObject: TestObject?
    weak var weakSubscription: ManualSubscription?
    let assign: Subscribers.Assign<TestObject, Int>
    do {
      let object = TestObject()
      let subscription = ManualSubscription(onCancel: { Issue.record("upstream must not be cancelled") })
      (weakObject, weakSubscription) = (object, subscription)
      assign = Subscribers.Assign(object: object, keyPath: \.value)
      assign.receive(subscription: subscription)
    }
    #expect(weakObject != nil && weakSubscription != nil)
    assign.receive(completion: .finished)
    #expect(weakObject == nil && weakSubscription == nil)
    #expect(assign.object == nil)
    let late = ManualSubscription()
    assign.receive(subscription: late)
    #expect(late.history == [.cancelled])
  }

  @Test func cancellingCancelsUpstreamOnceBeforeItReleasesTheObject() {
    weak var weakObject: TestObject?
    let assign: Subscribers.Assign<TestObject, Int>
    do {
      let object = TestObject()
      weakObject = object
      assign = Subscribers.Assign(object: object, keyPath: \.value)
    }
    let subscription = ManualSubscription()
    subscription.onCancel = { #expect(weakObject != nil) }
    assign.receive(subscription: subscription)
    assign.cancel()
    #expect(weakObject == nil)
    assign.cancel()
    #expect(subscription.history == [.requested(.unlimited), .cancelled])
  }

  @Test func theResultOfAssignRemembersACancelBeforeTheSubscription() {
    let upstream = ManualPublisher<Int, Never>(subscription: nil)
    weak var weakObject: TestObject?
    let cancellable: AnyCancellable
    do {
      let object = TestObject()
      weakObject = object
      cancellable = upstream.assign(to: \.value, on: object)
    }
    cancellable.cancel()
    #expect(weakObject == nil)
    let subscription = ManualSubscription()
    upstream.send(subscription: subscription)
    #expect(subscription.history == [.cancelled])
  }

  @Test(arguments: [true, false])
  func anObjectMayFinishTheStreamWhenReleased(byCancel: Bool) {
    // It sends whether it is cancelled or not.
    let upstream = ManualPublisher<Int, Never>()
    var releases = 0
    let assign: Subscribers.Assign<TestObject, Int>
    do {
      let object = TestObject()
      object.onDeinit = {
        upstream.send(completion: .finished)
        releases += 1
      }
      assign = Subscribers.Assign(object: object, keyPath: \.value)
    }
    upstream.subscribe(assign)
    if byCancel { assign.cancel() } else { upstream.send(completion: .finished) }
    #expect(releases == 1)
    #expect(assign.object == nil)
    #expect(upstream.history == [.requested(.unlimited)] + (byCancel ? [.cancelled] : []))
  }

  @Test func reflectsItself() {
    let object = TestObject()
    let assign = Subscribers.Assign(object: object, keyPath: \.value)
    expectReflection(of: assign, description: "Assign TestObject.", children: ["object", "keyPath", "status"])
    #expect(reflectedChild("object", of: assign) as? TestObject === object)
    #expect(reflectedChild("keyPath", of: assign) as? ReferenceWritableKeyPath<TestObject, Int> == \TestObject.value)
    assign.receive(subscription: ManualSubscription())
    assign.cancel()
    #expect(String(describing: reflectedChild("object", of: assign)!) == "nil")
  }

  @Test func theOperatorAssignsUntilItsResultIsDropped() {
    let object = TestObject()
    let subject = PassthroughSubject<Int, Never>()
    var cancellable: AnyCancellable? = subject.assign(to: \.value, on: object)
    subject.send(1)
    #expect(cancellable != nil)
    cancellable = nil
    subject.send(2)
    #expect(object.values == [1])
  }
}
