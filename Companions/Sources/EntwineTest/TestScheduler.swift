import CombineFoundation
@_spi(Companions) import CombineTesting

/// A scheduler for tests, whose clock moves only in `resume()`.
public final class TestScheduler: Scheduler, Sendable {

  /// The type of the scheduler's times.
  public typealias SchedulerTimeType = VirtualTime

  /// The type of the options. This scheduler has none.
  public typealias SchedulerOptions = Never

  /// The steps of `start(configuration:create:)`.
  public struct Configuration {

    /// Whether the test calls `resume()`.
    public var pausedOnStart = false

    /// The time at which the publisher is created.
    public var created: VirtualTime = 100

    /// The time at which the subscriber subscribes.
    public var subscribed: VirtualTime = 200

    /// The time at which the subscription is cancelled.
    public var cancelled: VirtualTime = 900

    /// The options of the subscriber.
    public var subscriberOptions = TestableSubscriberOptions.default

    /// Creates a configuration.
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

    /// The default configuration: creates at 100, subscribes at 200, cancels at 900.
    public static var `default`: Configuration { Configuration() }
  }

  let agenda: VirtualAgenda<VirtualTime>

  private let maxClock: VirtualTime

  /// Creates a scheduler.
  ///
  /// - Parameters:
  ///   - initialClock: The time at which the clock starts.
  ///   - maxClock: The last time at which `resume()` runs actions.
  public init(initialClock: VirtualTime = 0, maxClock: VirtualTime = 100_000) {
    agenda = VirtualAgenda(clock: initialClock)
    self.maxClock = maxClock
  }

  /// The current time.
  public var now: VirtualTime { agenda.now }

  /// The smallest tolerance, which is one tick. Tolerances have no effect.
  public var minimumTolerance: VirtualTimeInterval { 1 }

  /// Runs an action at the current time, in `resume()`.
  public func schedule(options: Never?, _ action: @escaping () -> Void) {
    agenda.schedule(at: now, action)
  }

  /// Runs an action at a time. If the time has passed, the action runs at the current time.
  public func schedule(
    after date: VirtualTime,
    tolerance: VirtualTimeInterval,
    options: Never?,
    _ action: @escaping () -> Void
  ) {
    agenda.schedule(at: date, action)
  }

  /// Runs an action repeatedly, or once if the interval is not positive.
  ///
  /// - Returns: A cancellable that stops the repetition when it is cancelled or released. It retains the scheduler.
  public func schedule(
    after date: VirtualTime,
    interval: VirtualTimeInterval,
    tolerance: VirtualTimeInterval,
    options: Never?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    let repetition = agenda.repetition(from: date, every: interval > 0 ? interval : nil, action)
    return AnyCancellable {
      withExtendedLifetime(self) { repetition.cancel() }
    }
  }

  /// Runs all actions in the order of their times, including those that they schedule, until none is left.
  ///
  /// An action that is due after `maxClock` ends the call with a printed warning, and remains scheduled.
  public func resume() {
    switch agenda.run(limit: maxClock) {
    case .done:
      break
    case .limitReached(let next, let waiting):
      print(
        """
        TestScheduler: warning: stopped at \(now), as the next action is due at \(next), after maxClock, \(maxClock). \
        Actions that wait: \(waiting).
        """
      )
    case .standstill(let time):
      // Without this, the call would never return.
      print("TestScheduler: warning: stopped at \(time), where \(agenda.mostActionsAtOneTime) actions have run.")
    }
  }

  /// Creates a publisher, subscribes to it, cancels the subscription, and records what the publisher sends.
  ///
  /// - Parameters:
  ///   - configuration: The times of the steps, and the options of the subscriber.
  ///   - create: A closure that creates the publisher.
  /// - Returns: The subscriber with its records. Unless the configuration is paused on start, all actions have run.
  public func start<P: Publisher>(
    configuration: Configuration = .default,
    create: @escaping () -> P
  ) -> TestableSubscriber<P.Output, P.Failure> {
    precondition(
      configuration.created <= configuration.subscribed,
      "TestScheduler: subscribed must not be before created, \(configuration.created), is \(configuration.subscribed)."
    )
    let subscriber = createTestableSubscriber(
      P.Output.self,
      P.Failure.self,
      options: configuration.subscriberOptions
    )
    var publisher: P?
    schedule(after: configuration.created) { publisher = create() }
    schedule(after: configuration.subscribed) { publisher?.subscribe(subscriber) }
    schedule(after: configuration.cancelled) { subscriber.cancel() }
    if !configuration.pausedOnStart { resume() }
    return subscriber
  }

  /// Creates a subscriber that records what it receives.
  public func createTestableSubscriber<Input, Failure: Error>(
    _ inputType: Input.Type,
    _ failureType: Failure.Type,
    options: TestableSubscriberOptions = .default
  ) -> TestableSubscriber<Input, Failure> {
    TestableSubscriber(scheduler: self, options: options)
  }

  /// Creates a publisher that sends the signals of a sequence at their times after each subscription.
  public func createRelativeTestablePublisher<Value, Failure: Error>(
    _ sequence: TestSequence<Value, Failure>
  ) -> TestablePublisher<Value, Failure> {
    TestablePublisher(sequence, isRelative: true, scheduler: self)
  }

  /// Creates a publisher that sends the signals of a sequence at their times on the scheduler's clock.
  public func createAbsoluteTestablePublisher<Value, Failure: Error>(
    _ sequence: TestSequence<Value, Failure>
  ) -> TestablePublisher<Value, Failure> {
    TestablePublisher(sequence, isRelative: false, scheduler: self)
  }
}
