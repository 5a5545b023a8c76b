import CombineFoundation
@_spi(Companions) import CombineTesting

/// The options for the demand of a `TestableSubscriber`.
public struct TestableSubscriberOptions {

  /// The demand to request when the subscription arrives.
  public var initialDemand: Subscribers.Demand

  /// The demand to request each time there is no outstanding demand.
  public var subsequentDemand: Subscribers.Demand

  /// The interval until that request, in ticks.
  public var demandReplenishmentDelay: VirtualTimeInterval

  /// A closure that is called when a value arrives without demand. With `nil`, that is an assertion failure.
  public var negativeBalanceHandler: (() -> Void)?

  /// Creates options.
  public init(
    initialDemand: Subscribers.Demand = .unlimited,
    subsequentDemand: Subscribers.Demand = .none,
    demandReplenishmentDelay: VirtualTimeInterval = 100,
    negativeBalanceHandler: (() -> Void)? = nil
  ) {
    self.initialDemand = initialDemand
    self.subsequentDemand = subsequentDemand
    self.demandReplenishmentDelay = demandReplenishmentDelay
    self.negativeBalanceHandler = negativeBalanceHandler
  }

  /// Options for unlimited demand.
  public static var `default`: TestableSubscriberOptions { TestableSubscriberOptions() }
}

/// A subscriber that records the signals it receives and the demand it requests, with their times.
public final class TestableSubscriber<Input, Failure: Error>: Subscriber, Cancellable, Sendable {

  /// The type of the recorded signals.
  public typealias Sequence = TestSequence<Input, Failure>

  private let recorder: SubscriberRecorder<VirtualTime, Input, Failure>

  init(scheduler: TestScheduler, options: TestableSubscriberOptions) {
    recorder = SubscriberRecorder(
      agenda: scheduler.agenda,
      rules: .entwine,
      demands: SubscriberRecorder.Demands(
        initial: options.initialDemand,
        subsequent: options.subsequentDemand,
        delay: options.demandReplenishmentDelay
      ),
      unauthorizedValueHandler: { input, time, _ in
        if let handler = options.negativeBalanceHandler { return handler() }
        assertionFailure("TestableSubscriber: a value arrived without demand at \(time): \(input).")
      }
    )
  }

  deinit {
    recorder.cancel()
  }

  /// The signals received so far, with their times.
  public var recordedOutput: TestSequence<Input, Failure> { TestSequence(recorder.output) }

  /// The demand requested so far, and the values received for it.
  public var recordedDemandLog: DemandLedger<VirtualTime> { recorder.demandLog }

  /// The former name of `recordedOutput`.
  @available(*, deprecated, renamed: "recordedOutput")
  public var sequence: TestSequence<Input, Failure> { recordedOutput }

  /// The former name of `recordedDemandLog`.
  @available(*, deprecated, renamed: "recordedDemandLog")
  public var demands: DemandLedger<VirtualTime> { recordedDemandLog }

  /// Records the subscription and requests the initial demand. A second subscription is cancelled.
  public func receive(subscription: any Subscription) {
    recorder.receive(subscription: subscription)
  }

  /// Records a value.
  ///
  /// - Returns: No demand.
  public func receive(_ input: Input) -> Subscribers.Demand {
    recorder.receive(input)
  }

  /// Records a completion.
  public func receive(completion: Subscribers.Completion<Failure>) {
    recorder.receive(completion: completion)
  }

  /// Cancels the subscription. Another one may follow.
  public func cancel() {
    recorder.cancel()
  }
}
