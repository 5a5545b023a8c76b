import CombineCore

extension TestScheduler {

  /// Creates a publisher that plays a script to each subscriber from the beginning: a *cold* one.
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
  /// - Parameter sequence: What to send, each at its time after the subscription.
  /// - Returns: The publisher.
  public func createRelativeTestablePublisher<Output, Failure: Error>(
    _ sequence: TestSequence<Output, Failure>
  ) -> TestablePublisher<Output, Failure> {
    TestablePublisher(sequence, from: .subscription, scheduler: self)
  }

  /// Creates a publisher that plays a script once, whoever is there: a *hot* one.
  ///
  /// A subscriber misses what had its time before it came, a completion included. What is due at the time of its
  /// subscription it gets, after the action that subscribed it.
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
  /// - Parameter sequence: What to send, each at its time.
  /// - Returns: The publisher.
  public func createAbsoluteTestablePublisher<Output, Failure: Error>(
    _ sequence: TestSequence<Output, Failure>
  ) -> TestablePublisher<Output, Failure> {
    TestablePublisher(sequence, from: .zero, scheduler: self)
  }

  /// Creates a subscriber that records what it is sent, with the times of this scheduler.
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
  ///   - options: How it asks for values.
  ///   - fileID: Where a failure is shown: a value that was not asked for makes the test fail, unless the options say
  ///     otherwise.
  ///   - filePath: The place at which a failure is reported.
  ///   - line: The place at which a failure is reported.
  ///   - column: The place at which a failure is reported.
  /// - Returns: The subscriber.
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
