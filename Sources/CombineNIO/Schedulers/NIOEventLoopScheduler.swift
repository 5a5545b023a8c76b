#if NIO
  import CombineDispatch
  import NIOCore

  /// A scheduler that runs actions on an event loop of SwiftNIO.
  ///
  /// Use it where an element must be on an event loop, for example before it touches the state of a channel's handler.
  /// It costs about as much as a dispatch queue; the guide <doc:EventLoops> has a table. Work that blocks belongs on a
  /// queue, because the loop also serves its channels. A pipeline that begins and ends on one loop needs no scheduler.
  ///
  /// Actions for now run in order. Actions for one date may run in any order.
  ///
  /// An event loop that has shut down drops its actions. Elements and completions that were scheduled are then lost.
  ///
  /// ```swift
  /// func show<Values: Publisher>(_ values: Values, on loop: any EventLoop) -> AnyCancellable
  /// where Values.Output == Int, Values.Failure == Never {
  ///   values
  ///     .receive(on: loop.scheduler)
  ///     .sink { print($0) }
  /// }
  /// ```
  // `EventLoop` is a protocol, and a protocol cannot conform to another one.
  public struct NIOEventLoopScheduler: Scheduler, Sendable {

    /// The type of the options, of which there are none.
    public typealias SchedulerOptions = Never

    /// The event loop on which the actions run.
    public let eventLoop: any EventLoop

    /// Creates a scheduler that runs actions on an event loop.
    ///
    /// - Parameter eventLoop: The event loop.
    public init(_ eventLoop: any EventLoop) {
      self.eventLoop = eventLoop
    }

    /// The current time of the event loop. An `EmbeddedEventLoop` has a time of its own.
    public var now: SchedulerTimeType {
      SchedulerTimeType(eventLoop.now)
    }

    /// The smallest tolerance, which is zero because an event loop has none.
    public var minimumTolerance: SchedulerTimeType.Stride { .zero }

    /// Schedules an action. The action never runs before this call returns, even if the call is made on the loop.
    ///
    /// ```swift
    /// func greet(on loop: any EventLoop) {
    ///   loop.scheduler.schedule { print("on the loop") }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - options: Always `nil`.
    ///   - action: A closure that the event loop runs.
    public func schedule(options: Never?, _ action: @escaping () -> Void) {
      eventLoop.execute(uncheckedSendable(action))
    }

    /// Schedules an action at a date.
    ///
    /// ```swift
    /// func greet(on loop: any EventLoop) {
    ///   let scheduler = loop.scheduler
    ///   scheduler.schedule(after: scheduler.now.advanced(by: .milliseconds(10))) { print("a little later") }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - date: The time at which the action runs. If it has passed, the action runs as soon as possible.
    ///   - tolerance: Ignored.
    ///   - options: Always `nil`.
    ///   - action: A closure that the event loop runs.
    public func schedule(
      after date: SchedulerTimeType,
      tolerance: SchedulerTimeType.Stride,
      options: Never?,
      _ action: @escaping () -> Void
    ) {
      // It throws if the loop has shut down, which drops actions.
      let handler = EventLoopAction(action: uncheckedSendable(action))
      _ = try? eventLoop.scheduleCallback(at: date.deadline, handler: handler)
    }

    /// Schedules an action at a date, and then repeatedly in intervals.
    ///
    /// The dates of the runs are multiples of the interval after `date`, however late a run is. If a run is later than
    /// the next dates, those are left out.
    ///
    /// ```swift
    /// func tick(on loop: any EventLoop) -> any Cancellable {
    ///   loop.scheduler.schedule(after: loop.scheduler.now, interval: .seconds(1)) { print("tick") }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - date: The time at which the action runs first. If it has passed, the action runs as soon as possible.
    ///   - interval: The interval between two runs. An interval that is not positive counts as one nanosecond, with which
    ///     the action repeats as fast as the loop allows.
    ///   - tolerance: Ignored.
    ///   - options: Always `nil`.
    ///   - action: A closure that the event loop runs.
    /// - Returns: An `AnyCancellable` that stops the repetition and releases the action when it is cancelled or released.
    public func schedule(
      after date: SchedulerTimeType,
      interval: SchedulerTimeType.Stride,
      tolerance: SchedulerTimeType.Stride,
      options: Never?,
      _ action: @escaping () -> Void
    ) -> any Cancellable {
      let repetition = EventLoopRepetition(date: date.deadline, interval: interval.timeAmount, action)
      repetition.schedule(on: eventLoop)
      return AnyCancellable(repetition)
    }
  }

  extension EventLoop {

    /// A scheduler that runs actions on this event loop.
    ///
    /// ```swift
    /// func later(on loop: any EventLoop) -> AnyCancellable {
    ///   Just("hello").delay(for: .seconds(1), scheduler: loop.scheduler).sink { print($0) }
    /// }
    /// ```
    public var scheduler: NIOEventLoopScheduler { NIOEventLoopScheduler(self) }
  }

  /// An action for a date.
  ///
  /// A callback costs less than a task of the loop, which has a promise, and which a loop that has shut down drops without
  /// fulfilling that promise.
  private struct EventLoopAction: NIOScheduledCallbackHandler, Sendable {

    let action: @Sendable () -> Void

    func handleScheduledCallback(eventLoop: some EventLoop) {
      action()
    }
  }
#endif
