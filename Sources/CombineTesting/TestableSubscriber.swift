import CombineCore

/// A subscriber that records the signals it receives and the demand it requests, with their times.
///
/// Create one with ``TestScheduler/createTestableSubscriber(_:_:options:fileID:filePath:line:column:)``.
///
/// ```swift
/// let scheduler = TestScheduler()
/// let subscriber = scheduler.createTestableSubscriber(Int.self, Never.self)
/// Just(3).delay(for: 100, scheduler: scheduler).subscribe(subscriber)
/// scheduler.resume()
/// print(subscriber.recordedOutput == [(0, .subscription), (100, .input(3)), (100, .completion(.finished))])
/// // prints true
/// ```
///
/// It can receive signals on any thread.
public final class TestableSubscriber<Input, Failure: Error>: Subscriber, Cancellable, Sendable {

  private let recorder: SubscriberRecorder<VirtualTime, Input, Failure>

  init(scheduler: TestScheduler, options: TestableSubscriberOptions, callSite: CallSite) {
    recorder = SubscriberRecorder(
      agenda: scheduler.agenda,
      rules: .combineTesting,
      demands: SubscriberRecorder.Demands(
        initial: options.initialDemand,
        subsequent: options.subsequentDemand,
        delay: options.demandReplenishmentDelay
      ),
      unauthorizedValueHandler: { input, time, demandLog in
        if let handler = options.negativeBalanceHandler { return handler() }
        TestFailure.record(
          """
          TestableSubscriber got a value at \(time) that it had not asked for, \(String(reflecting: input)). \
          Its account: \(demandLog.debugDescription)
          """,
          at: callSite
        )
      }
    )
  }

  /// The signals received so far, with their times, in order.
  public var recordedOutput: TestSequence<Input, Failure> {
    TestSequence(recorder.output)
  }

  /// The demand requested so far, and the values received for it, in order.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let subscriber = scheduler.createTestableSubscriber(Int.self, Never.self, options: .oneAtATime)
  /// Just(3).subscribe(subscriber)
  /// print(subscriber.recordedDemandLog[0] == (0, .max(1), .credit(amount: .max(1))))  // prints true
  /// ```
  public var recordedDemandLog: DemandLedger<VirtualTime> {
    recorder.demandLog
  }

  /// Requests elements, in addition to the demand of the options.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let subscriber = scheduler.createTestableSubscriber(Int.self, Never.self, options: .never)
  /// (1...9).publisher.subscribe(subscriber)
  /// subscriber.request(.max(2))
  /// print(subscriber.recordedOutput.compactMap(\.1.value))  // prints [1, 2]
  /// ```
  ///
  /// - Parameter demand: The number of further elements. Without a subscription, the call has no effect.
  public func request(_ demand: Subscribers.Demand) {
    recorder.request(demand)
  }

  /// Cancels the subscription. A subscription that arrives later is cancelled too.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let subscriber = scheduler.createTestableSubscriber(Int.self, Never.self)
  /// let numbers = PassthroughSubject<Int, Never>()
  /// numbers.subscribe(subscriber)
  /// subscriber.cancel()
  /// numbers.send(3)
  /// // The subscription.
  /// print(subscriber.recordedOutput.count)  // prints 1
  /// ```
  public func cancel() {
    recorder.cancel()
  }

  /// Records the subscription, and requests the initial demand.
  ///
  /// A second subscription is cancelled, and so is a subscription after ``cancel()``. Neither is recorded.
  ///
  /// - Parameter subscription: The subscription to the publisher.
  public func receive(subscription: any Subscription) {
    recorder.receive(subscription: subscription)
  }

  /// Records a value.
  ///
  /// - Parameter input: The received value.
  /// - Returns: The subsequent demand if the outstanding demand is used up and the replenishment delay is zero.
  ///   Otherwise none.
  public func receive(_ input: Input) -> Subscribers.Demand {
    recorder.receive(input)
  }

  /// Records a completion.
  ///
  /// - Parameter completion: The completion of the publisher.
  public func receive(completion: Subscribers.Completion<Failure>) {
    recorder.receive(completion: completion)
  }
}
