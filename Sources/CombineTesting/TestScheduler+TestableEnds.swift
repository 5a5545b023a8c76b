import CombineCore

extension TestScheduler {

  /// Creates a cold publisher, which sends a script to each subscriber from the beginning.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let publisher: TestablePublisher<String, Never> = scheduler.createRelativeTestablePublisher([
  ///   (100, .input("A")), (200, .completion(.finished)),
  /// ])
  /// let subscriber = scheduler.start { publisher }
  /// print(subscriber.recordedOutput == [(200, .subscription), (300, .input("A")), (400, .completion(.finished))])
  /// // prints true
  /// ```
  ///
  /// - Parameter sequence: The signals to send. Each has the time since the subscription at which it is sent.
  /// - Returns: A publisher that sends the signals to each subscriber.
  public func createRelativeTestablePublisher<Output, Failure: Error>(
    _ sequence: TestSequence<Output, Failure>
  ) -> TestablePublisher<Output, Failure> {
    TestablePublisher(sequence, from: .subscription, scheduler: self)
  }

  /// Creates a hot publisher, which sends a script once, whether or not it has subscribers.
  ///
  /// A subscriber misses the signals before its subscription, including a completion. It receives the signals that are
  /// due at the time of its subscription, after the action that subscribes it.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let publisher: TestablePublisher<String, Never> = scheduler.createAbsoluteTestablePublisher([
  ///   (100, .input("A")), (300, .input("B")),
  /// ])
  /// let subscriber = scheduler.start { publisher }
  /// print(subscriber.recordedOutput == [(200, .subscription), (300, .input("B"))])  // prints true
  /// ```
  ///
  /// - Parameter sequence: The signals to send, each at its time on the scheduler's clock.
  /// - Returns: A publisher that sends the signals at their times.
  public func createAbsoluteTestablePublisher<Output, Failure: Error>(
    _ sequence: TestSequence<Output, Failure>
  ) -> TestablePublisher<Output, Failure> {
    TestablePublisher(sequence, from: .zero, scheduler: self)
  }

  /// Creates a subscriber that records the signals it receives, with the times of this scheduler.
  ///
  /// A value without demand fails the test, unless the options have a handler for it.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let subscriber = scheduler.createTestableSubscriber(String.self, Never.self)
  /// Just("A").subscribe(subscriber)
  /// print(subscriber.recordedOutput == [(0, .subscription), (0, .input("A")), (0, .completion(.finished))])
  /// // prints true
  /// ```
  ///
  /// - Parameters:
  ///   - inputType: The type of the values.
  ///   - failureType: The type of the errors.
  ///   - options: The options for the subscriber's demand.
  ///   - fileID: The place at which a failure is reported.
  ///   - filePath: The place at which a failure is reported.
  ///   - line: The place at which a failure is reported.
  ///   - column: The place at which a failure is reported.
  /// - Returns: A subscriber that records signals.
  public func createTestableSubscriber<Input, Failure: Error>(
    _ inputType: Input.Type,
    _ failureType: Failure.Type,
    options: TestableSubscriberOptions = .default,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) -> TestableSubscriber<Input, Failure> {
    TestableSubscriber(scheduler: self, options: options, callSite: CallSite(fileID, filePath, line, column))
  }
}
