import CombineCore

/// A subject that publishes its last values to each new subscriber, and then those that follow.
///
/// A new subscriber receives the last values when it has demand, then the values sent after its subscription. Values
/// for which a subscriber has no demand wait in a queue of its own, without a limit. All subscribers receive all values
/// in the same order, even if several threads send. The completion, a failure too, waits for the values before it.
/// After the completion a new subscriber receives the last values and the completion.
///
/// ```swift
/// let session = ReplaySubject<String, Never>(replaying: 2)
/// ["a", "b", "c"].forEach(session.send)
/// let cancellable = session.sink { print($0) }  // prints b, c
/// cancellable.cancel()
/// ```
///
/// It can limit the age of the values too; see ``init(replaying:notOlderThan:scheduler:)``. Sending takes time in
/// proportion to the number of subscribers, and constant time for the values that are kept.
public final class ReplaySubject<Output, Failure: Error>: Subject {

  @usableFromInline
  let core: ReplayCore<Output, Failure>

  /// Creates a subject that keeps a number of values.
  ///
  /// ```swift
  /// let latest = ReplaySubject<Int, Never>(replaying: 1)
  /// latest.send(1)
  /// let cancellable = latest.sink { print($0) }  // prints 1
  /// cancellable.cancel()
  /// ```
  ///
  /// - Parameter count: The maximum number of values that a new subscriber receives. With `nil`, the default, there is no
  ///   limit.
  public init(replaying count: Int? = nil) {
    core = ReplayCore(limit: count ?? .max, order: .afterValues)
  }

  /// Creates a subject that keeps the values of an interval.
  ///
  /// Values that are too old are dropped when the subject sends a value and when a subscriber comes. A subscriber that
  /// has come before keeps those that wait for its demand.
  ///
  /// ```swift
  /// let recent = ReplaySubject<Int, Never>(notOlderThan: .seconds(60), scheduler: DispatchQueue.main)
  /// recent.send(1)
  /// let cancellable = recent.sink { print($0) }  // prints 1
  /// cancellable.cancel()
  /// ```
  ///
  /// - Parameters:
  ///   - count: The maximum number of values that a new subscriber receives. With `nil`, the default, there is no limit.
  ///   - age: The maximum time since a value was sent, in the scheduler's time.
  ///   - scheduler: The scheduler whose clock is read.
  public init<S: Scheduler>(
    replaying count: Int? = nil,
    notOlderThan age: S.SchedulerTimeType.Stride,
    scheduler: S
  ) {
    core = ReplayCore(
      limit: count ?? .max,
      order: .afterValues,
      ages: SchedulerReplayAges(scheduler: scheduler, maximum: age)
    )
  }

  /// Creates a subject whose completion overtakes the values for which a subscriber has no demand.
  @_spi(Companions)
  public init(overtakingAfter count: Int) {
    core = ReplayCore(limit: count, order: .overtaking)
  }

  /// The identifiers of the subscriptions, in the order in which they were made.
  @_spi(Companions)
  public var subscriptionIdentifiers: [CombineIdentifier] { core.subscriptionIdentifiers }

  deinit {
    // The subscriptions hold the core.
    core.releaseReceivers()
  }

  /// Keeps a value, and sends it to all subscribers.
  ///
  /// - Parameter value: The value. After the completion it has no effect.
  @inlinable
  public func send(_ value: Output) {
    core.send(value)
  }

  /// Sends a completion to all subscribers. Only the first one counts.
  ///
  /// - Parameter completion: The completion.
  public func send(completion: Subscribers.Completion<Failure>) {
    core.send(completion: completion)
  }

  /// Requests unlimited demand from a publisher that this subject is subscribed to.
  ///
  /// - Parameter subscription: The subscription of that publisher.
  public func send(subscription: any Subscription) {
    subscription.request(.unlimited)
  }

  /// Subscribes `subscriber`, which receives the last values first.
  @inlinable
  @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    ExtraConduits.Replay(downstream: subscriber, core: core).start()
  }
}

// The core guards its state with a lock.
extension ReplaySubject: @unchecked Sendable where Output: Sendable {}
