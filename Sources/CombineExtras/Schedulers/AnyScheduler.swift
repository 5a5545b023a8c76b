/// A scheduler that hides the type of another one, so that tests can hand in one whose time they control.
///
/// Code that names a queue cannot be tested without waiting for it. Code that is given its scheduler can:
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
/// A test makes one with `.immediate`, or with what the module `CombineTesting` adds: `.test`, whose clock
/// moves when told, and `.unimplemented()`, which fails the test.
///
/// It is `Sendable`, so what it hides has to be. A `RunLoop`, which Foundation does not declare to be, is taken too, as
/// its conformance to `Scheduler` is safe to use from any thread. Another scheduler is taken with a warning in the Swift 6
/// language mode, and without one in Swift 5's.
///
/// What it costs: an allocation when it is made, and with each call one that the compiler cannot see through. What is
/// scheduled costs more on any queue.
public struct AnyScheduler<SchedulerTimeType, SchedulerOptions>: Scheduler
where SchedulerTimeType: Strideable, SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible {

  private let box: SchedulerBoxBase<SchedulerTimeType, SchedulerOptions>

  /// Hides the type of a scheduler; one that is an `AnyScheduler` already is not wrapped again.
  ///
  /// ```swift
  /// let scheduler: AnySchedulerOf<DispatchQueue> = AnyScheduler(DispatchQueue.main)
  /// scheduler.schedule { print("on the main queue") }
  /// ```
  ///
  /// - Parameter scheduler: The scheduler to hide.
  @preconcurrency
  public init<S: Scheduler & Sendable>(_ scheduler: S)
  where S.SchedulerTimeType == SchedulerTimeType, S.SchedulerOptions == SchedulerOptions {
    box = (scheduler as? AnyScheduler)?.box ?? SchedulerBox(scheduler)
  }

  /// The present instant of the scheduler inside.
  public var now: SchedulerTimeType { box.now }

  /// The smallest tolerance that the scheduler inside allows.
  public var minimumTolerance: SchedulerTimeType.Stride { box.minimumTolerance }

  /// Has the scheduler inside run an action as soon as possible.
  ///
  /// - Parameters:
  ///   - options: The options that the scheduler is called with.
  ///   - action: A closure that the scheduler runs.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    box.schedule(options: options, action)
  }

  /// Has the scheduler inside run an action at some time after a date.
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

  /// Has the scheduler inside run an action at some time after a date, and then again and again.
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

// A box is made for a scheduler that is `Sendable`, or whose author was warned, and holds nothing else.
extension AnyScheduler: @unchecked Sendable {}

/// A scheduler of any type that has the instants and options of another one.
///
/// ```swift
/// func greet(on scheduler: AnySchedulerOf<DispatchQueue>) {
///   scheduler.schedule { print("hello") }
/// }
/// greet(on: .main)
/// ```
public typealias AnySchedulerOf<S: Scheduler> = AnyScheduler<S.SchedulerTimeType, S.SchedulerOptions>

extension Scheduler {

  /// Hides the type of this scheduler.
  ///
  /// ```swift
  /// let scheduler = DispatchQueue(label: "work").eraseToAnyScheduler()
  /// scheduler.schedule { print("on the queue") }
  /// ```
  ///
  /// - Returns: A scheduler that does what this one does.
  @preconcurrency
  public func eraseToAnyScheduler() -> AnySchedulerOf<Self> where Self: Sendable {
    AnyScheduler(self)
  }
}

/// What an ``AnyScheduler`` calls.
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
