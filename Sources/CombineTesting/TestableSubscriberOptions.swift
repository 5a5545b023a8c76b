import CombineCore

/// The options for the demand of a ``TestableSubscriber``.
///
/// ```swift
/// let scheduler = TestScheduler()
/// let subscriber = scheduler.createTestableSubscriber(Int.self, Never.self, options: .oneAtATime)
/// [1, 2].publisher.subscribe(subscriber)
/// // Three requests and two values.
/// print(subscriber.recordedDemandLog.count)  // prints 5
/// ```
public struct TestableSubscriberOptions {

  /// The demand that the subscriber requests when it receives its subscription. With `.none` it makes no request.
  public var initialDemand: Subscribers.Demand

  /// The demand that the subscriber requests each time it has a subscription and no outstanding demand. With `.none` it
  /// makes no request.
  public var subsequentDemand: Subscribers.Demand

  /// The interval between the use of the last demand and the next request, in ticks.
  ///
  /// With zero the subscriber returns the subsequent demand from its `receive(_:)`. Otherwise an action of the
  /// scheduler makes a request. It also makes the first request if the initial demand is `.none`.
  public var demandReplenishmentDelay: VirtualTimeInterval

  /// A closure that is called when a value arrives without demand. Without it, the test fails.
  public var negativeBalanceHandler: (() -> Void)?

  /// Creates options.
  ///
  /// ```swift
  /// let inPairs = TestableSubscriberOptions(
  ///   initialDemand: .max(2),
  ///   subsequentDemand: .max(2),
  ///   demandReplenishmentDelay: 10
  /// )
  /// ```
  ///
  /// - Parameters:
  ///   - initialDemand: The demand to request when the subscription arrives.
  ///   - subsequentDemand: The demand to request each time the outstanding demand is used up.
  ///   - demandReplenishmentDelay: The interval until that request, in ticks. With zero, `receive(_:)` returns the
  ///     demand.
  ///   - negativeBalanceHandler: A closure that is called when a value arrives without demand. Without it, the test
  ///     fails.
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

  /// Options for no demand: values arrive only for calls of ``TestableSubscriber/request(_:)``.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let subscriber = scheduler.createTestableSubscriber(Int.self, Never.self, options: .never)
  /// [1, 2].publisher.subscribe(subscriber)
  /// // The subscription.
  /// print(subscriber.recordedOutput.count)  // prints 1
  /// ```
  public static var never: TestableSubscriberOptions { TestableSubscriberOptions(initialDemand: .none) }

  /// Options that request one element at a time, the next one as soon as the previous one has arrived.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let subscriber = scheduler.createTestableSubscriber(Int.self, Never.self, options: .oneAtATime)
  /// (1...3).publisher.subscribe(subscriber)
  /// print(subscriber.recordedOutput.compactMap(\.1.value))  // prints [1, 2, 3]
  /// ```
  public static var oneAtATime: TestableSubscriberOptions { .batches(of: 1) }

  /// Creates options that request a number of elements, and the same number again as soon as all of them have arrived.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let options = TestableSubscriberOptions.batches(of: 2, pause: 50)
  /// let subscriber = scheduler.createTestableSubscriber(Int.self, Never.self, options: options)
  /// (1...3).publisher.subscribe(subscriber)
  /// scheduler.resume()
  /// print(subscriber.recordedOutput.map(\.0))  // prints [0, 0, 0, 50, 50]
  /// ```
  ///
  /// - Parameters:
  ///   - size: The number of elements in a batch. With zero, the subscriber makes no request.
  ///   - pause: The interval between the end of a batch and the request for the next one, in ticks.
  /// - Returns: Options that request elements in batches.
  public static func batches(of size: Int, pause: VirtualTimeInterval = 0) -> TestableSubscriberOptions {
    TestableSubscriberOptions(
      initialDemand: .max(size),
      subsequentDemand: .max(size),
      demandReplenishmentDelay: pause
    )
  }
}
