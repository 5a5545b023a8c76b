import CombineCore

extension TestScheduler {

  /// When ``TestScheduler/start(configuration:fileID:filePath:line:column:create:)`` does what.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let subscriber = scheduler.start(configuration: TestScheduler.Configuration(subscribed: 500)) { Just("A") }
  /// print(subscriber.recordedOutput.map(\.0))  // prints [500, 500, 500]
  /// ```
  public struct Configuration {

    /// Whether time does not go on by itself, but is left for the test to move.
    public var pausedOnStart: Bool

    /// When the publisher is created.
    public var created: VirtualTime

    /// When the subscriber subscribes to it; no earlier than it is created.
    public var subscribed: VirtualTime

    /// When the subscription is cancelled.
    public var cancelled: VirtualTime

    /// How the subscriber asks for values.
    public var subscriberOptions: TestableSubscriberOptions

    /// Creates a configuration.
    ///
    /// ```swift
    /// let oneByOne = TestScheduler.Configuration(cancelled: 2000, subscriberOptions: .oneAtATime)
    /// ```
    ///
    /// - Parameters:
    ///   - pausedOnStart: Whether time is left for the test to move.
    ///   - created: When the publisher is created.
    ///   - subscribed: When the subscriber subscribes to it.
    ///   - cancelled: When the subscription is cancelled.
    ///   - subscriberOptions: How the subscriber asks for values.
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

    /// Creates at 100, subscribes at 200 with unlimited demand, cancels at 900, and lets time go on.
    public static var `default`: Configuration { Configuration() }
  }

  /// Creates a publisher, subscribes to it and cancels, each at its time, and records what the publisher sends.
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
  ///   - configuration: The times, and how values are asked for.
  ///   - fileID: The place at which a failure is reported.
  ///   - filePath: The place at which a failure is reported.
  ///   - line: The place at which a failure is reported.
  ///   - column: The place at which a failure is reported.
  ///   - create: Creates the publisher.
  /// - Returns: The subscriber, with what it has recorded: unless the configuration says otherwise, until nothing more
  ///   can come.
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
