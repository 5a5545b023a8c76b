import CombineExt
import CombineTesting

/// An error of a test.
enum TestError: Error, Equatable {
  case first
  case second
}

extension Publisher {

  /// Subscribes to this publisher, and requests `demand`. The test fails if more elements arrive.
  func received(requesting demand: Subscribers.Demand = .unlimited) -> TestableSubscriber<Output, Failure> {
    let subscriber = TestScheduler().createTestableSubscriber(
      Output.self,
      Failure.self,
      options: TestableSubscriberOptions(initialDemand: demand)
    )
    subscribe(subscriber)
    return subscriber
  }

  /// The description of the subscription that a subscriber to this publisher receives.
  func subscriptionDescription() -> String? {
    var description: String?
    subscribe(AnySubscriber(receiveSubscription: { description = String(describing: $0) }))
    return description
  }
}

extension TestableSubscriber {

  /// The signals after the subscription.
  var signals: [Signal<Input, Failure>] {
    recordedOutput.map(\.1).filter { if case .subscription = $0 { false } else { true } }
  }

  /// The received values.
  var values: [Input] { signals.compactMap(\.value) }
}
