import CombineCore

/// How a ``TestableSubscriber`` asks for values.
///
/// ```swift
/// let scheduler = TestScheduler()
/// let subscriber = scheduler.createTestableSubscriber(Int.self, Never.self, options: .oneAtATime)
/// [1, 2].publisher.subscribe(subscriber)
/// print(subscriber.recordedDemandLog.count)  // prints 5: three requests and two values
/// ```
public struct TestableSubscriberOptions {

  /// What it asks for when it is subscribed; nothing at all if `.none`.
  public var initialDemand: Subscribers.Demand

  /// What it asks for each time it has got all that it asked for; nothing if `.none`.
  public var subsequentDemand: Subscribers.Demand

  /// How long after that it asks for more, in ticks.
  ///
  /// With zero it asks at once, by what its `receive(_:)` returns; else by a request, from an action of the scheduler.
  public var demandReplenishmentDelay: VirtualTimeInterval

  /// What to do when a value comes that was not asked for. Without this, the test fails.
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
  ///   - initialDemand: What to ask for when subscribed.
  ///   - subsequentDemand: What to ask for each time after all that was asked for has come.
  ///   - demandReplenishmentDelay: How long after that to ask, in ticks; with zero, within `receive(_:)`.
  ///   - negativeBalanceHandler: What to do when a value comes that was not asked for; without it the test fails.
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

  /// Asks for everything.
  public static var `default`: TestableSubscriberOptions { TestableSubscriberOptions() }

  /// Asks for nothing: values come only for what ``TestableSubscriber/request(_:)`` asks for.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let subscriber = scheduler.createTestableSubscriber(Int.self, Never.self, options: .never)
  /// [1, 2].publisher.subscribe(subscriber)
  /// print(subscriber.recordedOutput.count)  // prints 1: the subscription
  /// ```
  public static var never: TestableSubscriberOptions { TestableSubscriberOptions(initialDemand: .none) }

  /// Asks for one value, and for the next one as soon as that has come.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let subscriber = scheduler.createTestableSubscriber(Int.self, Never.self, options: .oneAtATime)
  /// (1...3).publisher.subscribe(subscriber)
  /// print(subscriber.recordedOutput.compactMap(\.1.value))  // prints [1, 2, 3]
  /// ```
  public static var oneAtATime: TestableSubscriberOptions { .batches(of: 1) }

  /// Asks for a number of values, and for as many again as soon as all of them have come.
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
  ///   - size: How many at a time; with zero it asks for nothing.
  ///   - pause: How long to wait after each batch before the next is asked for, in ticks.
  /// - Returns: The options.
  public static func batches(of size: Int, pause: VirtualTimeInterval = 0) -> TestableSubscriberOptions {
    TestableSubscriberOptions(
      initialDemand: .max(size),
      subsequentDemand: .max(size),
      demandReplenishmentDelay: pause
    )
  }
}
