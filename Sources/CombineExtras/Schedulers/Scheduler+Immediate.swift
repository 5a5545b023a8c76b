extension Scheduler where SchedulerTimeType: StandInTime {

  /// A stand-in that runs every action immediately, before the call returns.
  ///
  /// Use it for tests and previews in which time does not matter. Its clock never moves. Dates, intervals, tolerances
  /// and options are ignored. A repeating action runs once. `ImmediateScheduler` does the same, but has other instants
  /// and options.
  ///
  /// ```swift
  /// func show(_ names: some Publisher<String, Never>, on scheduler: AnySchedulerOf<DispatchQueue>) -> AnyCancellable {
  ///   names.delay(for: .seconds(1), scheduler: scheduler).sink { print($0) }
  /// }
  /// let cancellable = show(Just("Ada"), on: .immediate)  // prints Ada
  /// cancellable.cancel()
  /// ```
  public static var immediate: AnySchedulerOf<Self> { AnyScheduler(ImmediateStandIn()) }
}

/// An immediate scheduler with the instants and options of another one.
private struct ImmediateStandIn<Time: StandInTime, Options>: Scheduler {

  typealias SchedulerTimeType = Time
  typealias SchedulerOptions = Options

  var now: Time { Time(nanosecondsSinceStart: 0) }

  var minimumTolerance: Time.Stride { .zero }

  func schedule(options: Options?, _ action: @escaping () -> Void) {
    action()
  }

  func schedule(after date: Time, tolerance: Time.Stride, options: Options?, _ action: @escaping () -> Void) {
    action()
  }

  func schedule(
    after date: Time,
    interval: Time.Stride,
    tolerance: Time.Stride,
    options: Options?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    action()
    return Subscriptions.empty
  }
}
