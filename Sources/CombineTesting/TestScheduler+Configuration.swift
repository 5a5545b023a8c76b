import CombineCore

extension TestScheduler {

  /// The times and the demand that ``TestScheduler/start(configuration:fileID:filePath:line:column:create:)`` uses.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let subscriber = scheduler.start(configuration: TestScheduler.Configuration(subscribed: 500)) { Just("A") }
  /// print(subscriber.recordedOutput.map(\.0))  // prints [500, 500, 500]
  /// ```
  public struct Configuration {

    /// Whether the test moves the clock. If `false`, `start` runs all actions before it returns.
    public var pausedOnStart: Bool

    /// The time at which the publisher is created.
    public var created: VirtualTime

    /// The time at which the subscriber subscribes. If the publisher is created later, that time is used.
    public var subscribed: VirtualTime

    /// The time at which the subscription is cancelled.
    public var cancelled: VirtualTime

    /// The options for the subscriber's demand.
    public var subscriberOptions: TestableSubscriberOptions

    /// Creates a configuration.
    ///
    /// ```swift
    /// let oneByOne = TestScheduler.Configuration(cancelled: 2000, subscriberOptions: .oneAtATime)
    /// ```
    ///
    /// - Parameters:
    ///   - pausedOnStart: Whether the test moves the clock.
    ///   - created: The time at which the publisher is created, in ticks.
    ///   - subscribed: The time at which the subscriber subscribes, in ticks.
    ///   - cancelled: The time at which the subscription is cancelled, in ticks.
    ///   - subscriberOptions: The options for the subscriber's demand.
    public init(
      pausedOnStart: Bool = false,
      created: VirtualTime = 100,
      subscribed: VirtualTime = 200,
      cancelled: VirtualTime = 900,
      subscriberOptions: TestableSubscriberOptions = .default
    ) {
      self.pausedOnStart = pausedOnStart
      self.created = created
      self.subscribed = subscribed
      self.cancelled = cancelled
      self.subscriberOptions = subscriberOptions
    }

    /// The default configuration. It creates at 100, subscribes at 200 with unlimited demand, cancels at 900, and runs
    /// all actions.
    public static var `default`: Configuration { Configuration() }
  }

  /// Creates a publisher, subscribes to it, cancels the subscription, and records what the publisher sends.
  ///
  /// Each step happens at its time in the configuration.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let publisher: TestablePublisher<Int, Never> = scheduler.createRelativeTestablePublisher([
  ///   (100, .input(1)), (150, .input(2)),
  /// ])
  /// let subscriber = scheduler.start { publisher.debounce(for: 200, scheduler: scheduler) }
  /// print(subscriber.recordedOutput == [(200, .subscription), (550, .input(2))])  // prints true
  /// ```
  ///
  /// - Parameters:
  ///   - configuration: The times of the steps, and the options for the subscriber's demand.
  ///   - fileID: The place at which a failure is reported.
  ///   - filePath: The place at which a failure is reported.
  ///   - line: The place at which a failure is reported.
  ///   - column: The place at which a failure is reported.
  ///   - create: A closure that creates the publisher.
  /// - Returns: The subscriber with its records. Unless the configuration is paused on start, all actions have run.
  public func start<Tested: Publisher>(
    configuration: Configuration = .default,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
    create: @escaping () -> Tested
  ) -> TestableSubscriber<Tested.Output, Tested.Failure> {
    let subscriber = createTestableSubscriber(
      Tested.Output.self,
      Tested.Failure.self,
      options: configuration.subscriberOptions,
      fileID: fileID,
      filePath: filePath,
      line: line,
      column: column
    )
    var publisher: Tested?
    schedule(after: configuration.created) { publisher = create() }
    schedule(after: max(configuration.created, configuration.subscribed)) { publisher?.subscribe(subscriber) }
    schedule(after: configuration.cancelled) { subscriber.cancel() }
    if !configuration.pausedOnStart { resume(fileID: fileID, filePath: filePath, line: line, column: column) }
    return subscriber
  }
}
