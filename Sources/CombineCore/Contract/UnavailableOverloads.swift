// Overloads that no program can call. The compiler looks at them only when nothing else fits, and then says what to do: the
// commonest mistakes with Combine have answers that name a type which the reader has not written.
// `Checks/ClientBuilds/Mistakes` records them.

extension SchedulerTimeIntervalConvertible {

  /// A fraction of a millisecond is no interval. `seconds(_:)` takes one.
  ///
  /// - Parameter ms: The number of milliseconds.
  @available(*, unavailable, message: "the number must be whole; for a fraction use seconds, as in .seconds(0.25)")
  public static func milliseconds(_ ms: Double) -> Self { unavailable() }

  /// A fraction of a microsecond is no interval. `seconds(_:)` takes one.
  ///
  /// - Parameter us: The number of microseconds.
  @available(*, unavailable, message: "the number must be whole; for a fraction use seconds, as in .seconds(0.25)")
  public static func microseconds(_ us: Double) -> Self { unavailable() }

  /// A fraction of a nanosecond is no interval.
  ///
  /// - Parameter ns: The number of nanoseconds.
  @available(*, unavailable, message: "the number must be whole")
  public static func nanoseconds(_ ns: Double) -> Self { unavailable() }
}

// MARK: Intervals of another type than the scheduler's

// Without these, the compiler tries the superclass of `DispatchQueue`, for which any interval would do, and says that
// `DispatchObject` must conform to `Scheduler`.

extension Publisher {

  /// The interval is of another type than the scheduler's time.
  @available(
    *,
    unavailable,
    message: "the interval must be in the scheduler's time, as in .seconds(1) or .milliseconds(250)"
  )
  public func debounce<S: Scheduler, Interval>(
    for dueTime: Interval,
    scheduler: S,
    options: S.SchedulerOptions? = nil
  ) -> Publishers.Debounce<Self, S> { unavailable() }

  /// The interval is of another type than the scheduler's time.
  @available(
    *,
    unavailable,
    message: "the interval must be in the scheduler's time, as in .seconds(1) or .milliseconds(250)"
  )
  public func delay<S: Scheduler, Interval>(
    for interval: Interval,
    tolerance: Interval? = nil,
    scheduler: S,
    options: S.SchedulerOptions? = nil
  ) -> Publishers.Delay<Self, S> { unavailable() }

  /// The interval is of another type than the scheduler's time.
  @available(
    *,
    unavailable,
    message: "the interval must be in the scheduler's time, as in .seconds(1) or .milliseconds(250)"
  )
  public func throttle<S: Scheduler, Interval>(
    for interval: Interval,
    scheduler: S,
    latest: Bool
  ) -> Publishers.Throttle<Self, S> { unavailable() }

  /// The interval is of another type than the scheduler's time.
  @available(
    *,
    unavailable,
    message: "the interval must be in the scheduler's time, as in .seconds(1) or .milliseconds(250)"
  )
  public func timeout<S: Scheduler, Interval>(
    _ interval: Interval,
    scheduler: S,
    options: S.SchedulerOptions? = nil,
    customError: (() -> Failure)? = nil
  ) -> Publishers.Timeout<Self, S> { unavailable() }
}

// MARK: Failures that do not fit

extension Publisher {

  /// The inner publisher fails with another type than the upstream.
  @available(
    *,
    unavailable,
    message:
      "the closure's publisher fails with another type; convert one of the two with setFailureType(to:) or mapError(_:)"
  )
  public func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited,
    _ transform: @escaping (Output) -> P
  ) -> AnyPublisher<P.Output, Failure> { unavailable() }

  /// The publisher can fail, so there must be a closure for the completion.
  @available(*, unavailable, message: "a publisher that can fail needs sink(receiveCompletion:receiveValue:)")
  public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable { unavailable() }

  /// The publisher can fail, which a property cannot show.
  @available(
    *,
    unavailable,
    message:
      "a publisher that can fail cannot be assigned; handle the failure first, as with replaceError(with:) or catch(_:)"
  )
  public func assign<Root>(to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root) -> AnyCancellable {
    unavailable()
  }

  /// The publisher can fail, which a property cannot show.
  @available(
    *,
    unavailable,
    message:
      "a publisher that can fail cannot be assigned; handle the failure first, as with replaceError(with:) or catch(_:)"
  )
  public func assign(to published: inout Published<Output>.Publisher) { unavailable() }
}

/// The body of a function that the compiler lets nobody call.
private func unavailable() -> Never { fatalError("unavailable") }
