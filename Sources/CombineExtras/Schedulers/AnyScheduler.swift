/// A scheduler that erases the type of another one, so that a test can pass a scheduler whose clock it moves.
///
/// Code that names a queue cannot be tested without waiting for that queue. Code that takes its scheduler as a
/// parameter can:
///
/// ```swift
/// final class Search {
///   @Published var text = ""
///   private(set) var queries: [String] = []
///   private var cancellables: Set<AnyCancellable> = []
///
///   init(scheduler: AnySchedulerOf<DispatchQueue>) {
///     $text
///       .debounce(for: .milliseconds(300), scheduler: scheduler)
///       .sink { [unowned self] in queries.append($0) }
///       .store(in: &cancellables)
///   }
/// }
///
/// let search = Search(scheduler: .main)
/// print(search.queries)
/// ```
///
/// A test passes `.immediate`, or one of the schedulers of the module `CombineTesting`. The clock of `.test` moves only
/// when the test moves it. `.unimplemented()` fails the test when it is used.
///
/// `AnyScheduler` is `Sendable`, so the erased scheduler has to be `Sendable` too. A `RunLoop` is accepted although
/// Foundation does not declare it as `Sendable`, because its conformance to `Scheduler` is safe to use from any thread.
/// For any other scheduler that is not `Sendable`, the compiler emits a warning in the Swift 6 language mode and none
/// in the Swift 5 language mode.
///
/// The cost is one allocation at creation, and one dynamic call that the compiler cannot inline for each call.
/// Scheduling an action on any queue costs more.
public struct AnyScheduler<SchedulerTimeType, SchedulerOptions>: Scheduler
where SchedulerTimeType: Strideable, SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible {

  private let box: SchedulerBoxBase<SchedulerTimeType, SchedulerOptions>

  /// Creates a scheduler that erases the type of another one. An `AnyScheduler` is not wrapped again.
  ///
  /// ```swift
  /// let scheduler: AnySchedulerOf<DispatchQueue> = AnyScheduler(DispatchQueue.main)
  /// scheduler.schedule { print("on the main queue") }
  /// ```
  ///
  /// - Parameter scheduler: The scheduler whose type is erased.
  @preconcurrency
  public init<S: Scheduler & Sendable>(_ scheduler: S)
  where S.SchedulerTimeType == SchedulerTimeType, S.SchedulerOptions == SchedulerOptions {
    box = (scheduler as? AnyScheduler)?.box ?? SchedulerBox(scheduler)
  }

  /// Creates a scheduler from one closure for each of a scheduler's requirements.
  ///
  /// ```swift
  /// let main = DispatchQueue.main
  /// let impatient = AnySchedulerOf<DispatchQueue>(
  ///   minimumTolerance: { main.minimumTolerance },
  ///   now: { main.now },
  ///   scheduleImmediately: { options, action in main.schedule(options: options, action) },
  ///   delayed: { _, _, options, action in main.schedule(options: options, action) },
  ///   interval: { date, interval, tolerance, options, action in
  ///     main.schedule(after: date, interval: interval, tolerance: tolerance, options: options, action)
  ///   }
  /// )
  /// impatient.schedule(after: main.now) { print("without the delay") }
  /// ```
  ///
  /// Each use of the scheduler calls one of the closures once, on the thread of the use.
  ///
  /// - Parameters:
  ///   - minimumTolerance: A closure that returns the smallest tolerance.
  ///   - now: A closure that returns the current time.
  ///   - scheduleImmediately: A closure that runs an action as soon as possible, with options.
  ///   - delayed: A closure that runs an action at some time after a date, with a tolerance and options.
  ///   - interval: A closure that runs an action repeatedly after a date, with an interval, a tolerance and options. It
  ///     returns a cancellable that stops the repetition.
  @preconcurrency
  public init(
    minimumTolerance: @escaping @Sendable () -> SchedulerTimeType.Stride,
    now: @escaping @Sendable () -> SchedulerTimeType,
    scheduleImmediately: @escaping @Sendable (SchedulerOptions?, @escaping () -> Void) -> Void,
    delayed:
      @escaping @Sendable (
        SchedulerTimeType, SchedulerTimeType.Stride, SchedulerOptions?, @escaping () -> Void
      ) -> Void,
    interval:
      @escaping @Sendable (
        SchedulerTimeType, SchedulerTimeType.Stride, SchedulerTimeType.Stride, SchedulerOptions?, @escaping () -> Void
      ) -> any Cancellable
  ) {
    box = SchedulerBox(
      ClosureScheduler(
        minimumToleranceClosure: minimumTolerance,
        nowClosure: now,
        scheduleImmediately: scheduleImmediately,
        delayed: delayed,
        interval: interval
      )
    )
  }

  /// The current time of the erased scheduler.
  public var now: SchedulerTimeType { box.now }

  /// The smallest tolerance that the erased scheduler allows.
  public var minimumTolerance: SchedulerTimeType.Stride { box.minimumTolerance }

  /// Runs an action as soon as possible on the erased scheduler.
  ///
  /// - Parameters:
  ///   - options: The options that the scheduler is called with.
  ///   - action: A closure that the scheduler runs.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    box.schedule(options: options, action)
  }

  /// Runs an action at some time after a date on the erased scheduler.
  ///
  /// - Parameters:
  ///   - date: The time at which the action runs.
  ///   - tolerance: The maximum time that the action may run late.
  ///   - options: The options that the scheduler is called with.
  ///   - action: A closure that the scheduler runs.
  public func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    box.schedule(after: date, tolerance: tolerance, options: options, action)
  }

  /// Runs an action repeatedly on the erased scheduler, for the first time at some time after a date.
  ///
  /// - Parameters:
  ///   - date: The time at which the action runs first.
  ///   - interval: The interval between two runs.
  ///   - tolerance: The maximum time that a run may be late.
  ///   - options: The options that the scheduler is called with.
  ///   - action: A closure that the scheduler runs.
  /// - Returns: A cancellable that stops the repetition.
  public func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    box.schedule(after: date, interval: interval, tolerance: tolerance, options: options, action)
  }
}

// A box holds only a scheduler that is `Sendable`, or one for which the compiler has warned the user.
extension AnyScheduler: @unchecked Sendable {}

/// An erased scheduler that has the instants and options of the scheduler `S`.
///
/// ```swift
/// func greet(on scheduler: AnySchedulerOf<DispatchQueue>) {
///   scheduler.schedule { print("hello") }
/// }
/// greet(on: .main)
/// ```
public typealias AnySchedulerOf<S: Scheduler> = AnyScheduler<S.SchedulerTimeType, S.SchedulerOptions>

extension Scheduler {

  /// Erases the type of this scheduler.
  ///
  /// ```swift
  /// let scheduler = DispatchQueue(label: "work").eraseToAnyScheduler()
  /// scheduler.schedule { print("on the queue") }
  /// ```
  ///
  /// - Returns: A scheduler that calls this one.
  @preconcurrency
  public func eraseToAnyScheduler() -> AnySchedulerOf<Self> where Self: Sendable {
    AnyScheduler(self)
  }
}

/// The abstract base class of the box of an `AnyScheduler`.
private class SchedulerBoxBase<Time: Strideable, Options>
where Time.Stride: SchedulerTimeIntervalConvertible {

  var now: Time { fatalError("SchedulerBoxBase is abstract") }

  var minimumTolerance: Time.Stride { fatalError("SchedulerBoxBase is abstract") }

  func schedule(options: Options?, _ action: @escaping () -> Void) { fatalError("SchedulerBoxBase is abstract") }

  func schedule(after date: Time, tolerance: Time.Stride, options: Options?, _ action: @escaping () -> Void) {
    fatalError("SchedulerBoxBase is abstract")
  }

  func schedule(
    after date: Time,
    interval: Time.Stride,
    tolerance: Time.Stride,
    options: Options?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    fatalError("SchedulerBoxBase is abstract")
  }
}

/// A scheduler that is made of closures.
private struct ClosureScheduler<Time: Strideable, Options>: Scheduler
where Time.Stride: SchedulerTimeIntervalConvertible {

  let minimumToleranceClosure: @Sendable () -> Time.Stride
  let nowClosure: @Sendable () -> Time
  let scheduleImmediately: @Sendable (Options?, @escaping () -> Void) -> Void
  let delayed: @Sendable (Time, Time.Stride, Options?, @escaping () -> Void) -> Void
  let interval: @Sendable (Time, Time.Stride, Time.Stride, Options?, @escaping () -> Void) -> any Cancellable

  var now: Time { nowClosure() }

  var minimumTolerance: Time.Stride { minimumToleranceClosure() }

  func schedule(options: Options?, _ action: @escaping () -> Void) {
    scheduleImmediately(options, action)
  }

  func schedule(after date: Time, tolerance: Time.Stride, options: Options?, _ action: @escaping () -> Void) {
    delayed(date, tolerance, options, action)
  }

  func schedule(
    after date: Time,
    interval: Time.Stride,
    tolerance: Time.Stride,
    options: Options?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    self.interval(date, interval, tolerance, options, action)
  }
}

private final class SchedulerBox<S: Scheduler>: SchedulerBoxBase<S.SchedulerTimeType, S.SchedulerOptions> {

  private let scheduler: S

  init(_ scheduler: S) {
    self.scheduler = scheduler
  }

  override var now: S.SchedulerTimeType { scheduler.now }

  override var minimumTolerance: S.SchedulerTimeType.Stride { scheduler.minimumTolerance }

  override func schedule(options: S.SchedulerOptions?, _ action: @escaping () -> Void) {
    scheduler.schedule(options: options, action)
  }

  override func schedule(
    after date: S.SchedulerTimeType,
    tolerance: S.SchedulerTimeType.Stride,
    options: S.SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    scheduler.schedule(after: date, tolerance: tolerance, options: options, action)
  }

  override func schedule(
    after date: S.SchedulerTimeType,
    interval: S.SchedulerTimeType.Stride,
    tolerance: S.SchedulerTimeType.Stride,
    options: S.SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    scheduler.schedule(after: date, interval: interval, tolerance: tolerance, options: options, action)
  }
}
