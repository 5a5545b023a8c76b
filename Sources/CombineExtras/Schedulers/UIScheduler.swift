#if canImport(Dispatch)
  import Dispatch

  /// A scheduler that runs an action on the main queue, and without a delay if it is called there.
  ///
  /// `DispatchQueue.main` runs every action later, when the current block has ended. A view that receives its values on
  /// `DispatchQueue.main` is therefore drawn once without them. With this scheduler, values that are sent on the main
  /// queue arrive before `send` returns.
  ///
  /// ```swift
  /// let names = PassthroughSubject<String, Never>()
  /// let cancellable = names.receive(on: UIScheduler.shared).sink { print($0) }
  /// names.send("Ada")  // on the main queue, prints Ada
  /// cancellable.cancel()
  /// ```
  ///
  /// An action with a date runs on `DispatchQueue.main`.
  ///
  /// Outside Apple's platforms, the first thread counts as the main queue until a run loop or `dispatchMain()` serves the
  /// queue. Actions from other threads run only if something serves it.
  public struct UIScheduler: Scheduler, Sendable {

    /// An instant of the main queue.
    public typealias SchedulerTimeType = DispatchQueue.SchedulerTimeType

    /// The type of the options. This scheduler has none.
    public typealias SchedulerOptions = Never

    /// The scheduler. There is only one.
    ///
    /// ```swift
    /// UIScheduler.shared.schedule { print("on the main queue") }
    /// ```
    public static let shared = UIScheduler()

    /// The key of a value that only the main queue has.
    ///
    /// A block on the main thread may belong to another queue, and `dispatchMain()` serves the main queue on any thread.
    /// So the queue decides, not the thread.
    private static let marker = DispatchSpecificKey<Void>()

    private init() {
      DispatchQueue.main.setSpecific(key: Self.marker, value: ())
    }

    /// The current time of the main queue.
    public var now: SchedulerTimeType { DispatchQueue.main.now }

    /// The smallest tolerance of the main queue.
    public var minimumTolerance: SchedulerTimeType.Stride { DispatchQueue.main.minimumTolerance }

    /// Runs an action before the call returns if the call is on the main queue. Otherwise it runs there later.
    ///
    /// - Parameters:
    ///   - options: Ignored. This scheduler has no options.
    ///   - action: A closure that the scheduler runs.
    public func schedule(options: SchedulerOptions? = nil, _ action: @escaping () -> Void) {
      if DispatchQueue.getSpecific(key: Self.marker) != nil {
        action()
      } else {
        DispatchQueue.main.schedule(options: nil, action)
      }
    }

    /// Runs an action on the main queue at some time after a date.
    ///
    /// - Parameters:
    ///   - date: The time at which the action runs.
    ///   - tolerance: The maximum time that the action may run late.
    ///   - options: Ignored. This scheduler has no options.
    ///   - action: A closure that the scheduler runs.
    public func schedule(
      after date: SchedulerTimeType,
      tolerance: SchedulerTimeType.Stride,
      options: SchedulerOptions? = nil,
      _ action: @escaping () -> Void
    ) {
      DispatchQueue.main.schedule(after: date, tolerance: tolerance, options: nil, action)
    }

    /// Runs an action repeatedly on the main queue, for the first time at some time after a date.
    ///
    /// - Parameters:
    ///   - date: The time at which the action runs first.
    ///   - interval: The interval between two runs.
    ///   - tolerance: The maximum time that a run may be late.
    ///   - options: Ignored. This scheduler has no options.
    ///   - action: A closure that the scheduler runs.
    /// - Returns: A cancellable that stops the repetition.
    public func schedule(
      after date: SchedulerTimeType,
      interval: SchedulerTimeType.Stride,
      tolerance: SchedulerTimeType.Stride,
      options: SchedulerOptions? = nil,
      _ action: @escaping () -> Void
    ) -> any Cancellable {
      DispatchQueue.main.schedule(after: date, interval: interval, tolerance: tolerance, options: nil, action)
    }
  }

  extension AnyScheduler where SchedulerTimeType == DispatchQueue.SchedulerTimeType, SchedulerOptions == Never {

    /// A scheduler that erases the type of `UIScheduler.shared`.
    ///
    /// ```swift
    /// func observe(_ names: some Publisher<String, Never>, on scheduler: AnySchedulerOf<UIScheduler> = .shared) {}
    /// ```
    public static var shared: Self { Self(UIScheduler.shared) }
  }
#endif
