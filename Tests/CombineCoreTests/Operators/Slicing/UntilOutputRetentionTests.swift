import CombineCore
import TestSupport
import Testing

/// The objects that the trigger of `prefix(untilOutputFrom:)` and `drop(untilOutputFrom:)` keeps after its first value.
@Suite struct UntilOutputRetentionTests {

  enum Operator: CaseIterable, Sendable {
    case prefix, drop
  }

  private func attach<Trigger: Publisher>(
    _ member: Operator,
    to upstream: PassthroughSubject<Int, Never>,
    trigger: Trigger,
    _ downstream: RecordingSubscriber<Int, Never>
  ) where Trigger.Failure == Never {
    switch member {
    case .prefix: upstream.prefix(untilOutputFrom: trigger).subscribe(downstream)
    case .drop: upstream.drop(untilOutputFrom: trigger).subscribe(downstream)
    }
  }

  @Test(arguments: Operator.allCases)
  func aUserDefinedTriggerIsNotCancelledButKeepsNothing(_ member: Operator) {
    let trigger = ManualPublisher<Int, Never>()
    weak var released: RecordingSubscriber<Int, Never>?
    do {
      let upstream = PassthroughSubject<Int, Never>()
      let downstream = RecordingSubscriber<Int, Never>(requesting: .unlimited)
      downstream.dropsSubscriptionOnCompletion = true
      released = downstream
      attach(member, to: upstream, trigger: trigger, downstream)
      trigger.send(0)
      upstream.send(completion: .finished)
      #expect(downstream.events.last == .finished)
    }
    #expect(released == nil)
    #expect(trigger.history == [.requested(.max(1))])
    // The conduit that it still keeps ignores every event.
    trigger.send(1)
    let late = ManualSubscription()
    trigger.send(subscription: late)
    #expect(late.history == [.cancelled])
    trigger.send(completion: .finished)
  }

  @Test(arguments: Operator.allCases)
  func unsubscribesFromASubject(_ member: Operator) {
    let trigger = PassthroughSubject<Int, Never>()
    let upstream = PassthroughSubject<Int, Never>()
    let downstream = RecordingSubscriber<Int, Never>(requesting: .unlimited)
    var isReleased = false
    do {
      let captured = CallsOnDeinit { isReleased = true }
      let mapped = trigger.map { value in withExtendedLifetime(captured) { value } }
      attach(member, to: upstream, trigger: mapped, downstream)
    }
    #expect(!isReleased)
    trigger.send(0)
    #expect(isReleased)
    upstream.send(1)
    #expect(downstream.values == (member == .prefix ? [] : [1]))
  }
}
