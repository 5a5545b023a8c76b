import CombineThreads
import CombineCore

extension Publisher {

  /// Completes if the first element, or a further one, does not arrive in time.
  ///
  /// The first interval starts with the subscription. Each element starts the interval for the next one. The time passes
  /// whether or not there is demand. `timeout` has one interval for all elements, and delivers them on its scheduler.
  /// This operator delivers elements and the upstream's completion immediately.
  ///
  /// When the time has passed, the operator cancels the upstream, and then completes on the scheduler. Demand passes to
  /// the upstream unchanged.
  ///
  /// ```swift
  /// marbles {
  ///   "----a-b------c-|"
  ///   $0[0].timeout(first: 5, next: 3, scheduler: $0.scheduler)
  ///   "----a-b--|"
  ///   "^--------!"
  /// }
  /// ```
  ///
  /// ```swift
  /// struct Late: Error {}
  /// let answers = PassthroughSubject<String, Late>()
  /// let cancellable = answers
  ///   .timeout(first: .seconds(5), next: .seconds(1), scheduler: DispatchQueue.main, customError: { Late() })
  ///   .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
  /// ```
  ///
  /// - Parameters:
  ///   - first: The maximum time until the first element.
  ///   - next: The maximum time between two elements. `nil` means no limit.
  ///   - scheduler: The scheduler that measures time and on which the downstream receives a timeout.
  ///   - options: The options that the scheduler is called with.
  ///   - customError: A closure that returns the error to fail with when the time has passed. Without it, the publisher
  ///     then finishes. It is called at most once for each subscriber.
  /// - Returns: A publisher of the same elements.
  @inlinable
  public func timeout<S: Scheduler>(
    first: S.SchedulerTimeType.Stride,
    next: S.SchedulerTimeType.Stride? = nil,
    scheduler: S,
    options: S.SchedulerOptions? = nil,
    customError: (() -> Failure)? = nil
  ) -> ExtraPublishers.Deadline<Self, S> {
    ExtraPublishers.Deadline(
      upstream: self,
      first: first,
      next: next,
      scheduler: scheduler,
      options: options,
      customError: customError
    )
  }

  /// Continues with another publisher if the first element, or a further one, does not arrive in time.
  ///
  /// The intervals are those of `timeout(first:next:scheduler:options:customError:)`. When the time has passed, the
  /// operator cancels the upstream, and requests the outstanding demand from the other publisher. The upstream's failure
  /// is passed on.
  ///
  /// ```swift
  /// marbles {
  ///   "-------a--|"
  ///   "----x-y-z-|"
  ///   $0[0].timeout(first: 5, scheduler: $0.scheduler, fallback: $0[1])
  ///   "------y-z-|"
  ///   "^----!"
  ///   "-----^"
  /// }
  /// ```
  ///
  /// ```swift
  /// let answers = PassthroughSubject<String, Never>()
  /// let cancellable = answers
  ///   .timeout(first: .seconds(5), scheduler: DispatchQueue.main, fallback: Just("no answer"))
  ///   .sink { print($0) }
  /// ```
  ///
  /// - Parameters:
  ///   - first: The maximum time until the first element.
  ///   - next: The maximum time between two elements. `nil` means no limit.
  ///   - scheduler: The scheduler that measures time and on which the other publisher is subscribed to.
  ///   - options: The options that the scheduler is called with.
  ///   - fallback: The publisher to continue with. The expression is evaluated when the time has passed.
  /// - Returns: A publisher of this publisher's elements, and after a timeout those of the other one.
  @inlinable
  public func timeout<S: Scheduler, Fallback: Publisher>(
    first: S.SchedulerTimeType.Stride,
    next: S.SchedulerTimeType.Stride? = nil,
    scheduler: S,
    options: S.SchedulerOptions? = nil,
    fallback: @autoclosure @escaping () -> Fallback
  ) -> ExtraPublishers.DeadlineFallback<Self, S, Fallback>
  where Fallback.Output == Output, Fallback.Failure == Failure {
    ExtraPublishers.DeadlineFallback(
      upstream: self,
      first: first,
      next: next,
      scheduler: scheduler,
      options: options,
      fallback: fallback
    )
  }
}

extension ExtraPublishers {

  /// A publisher that completes if its upstream's first element, or a further one, does not arrive in time.
  public struct Deadline<Upstream: Publisher, Context: Scheduler>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are awaited.
    public let upstream: Upstream

    /// The maximum time until the first element.
    public let first: Context.SchedulerTimeType.Stride

    /// The maximum time between two elements. `nil` means no limit.
    public let next: Context.SchedulerTimeType.Stride?

    /// The scheduler that measures time and on which the downstream receives a timeout.
    public let scheduler: Context

    /// The options that the scheduler is called with.
    public let options: Context.SchedulerOptions?

    /// A closure that returns the error to fail with when the time has passed.
    ///
    /// Without it, the publisher then finishes.
    public let customError: (() -> Failure)?

    /// Creates a publisher that completes if another publisher's elements do not arrive in time.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are awaited.
    ///   - first: The maximum time until the first element.
    ///   - next: The maximum time between two elements. `nil` means no limit.
    ///   - scheduler: The scheduler that measures time and on which the downstream receives a timeout.
    ///   - options: The options that the scheduler is called with.
    ///   - customError: A closure that returns the error to fail with when the time has passed. Without it, the
    ///     publisher then finishes.
    @inlinable
    public init(
      upstream: Upstream,
      first: Context.SchedulerTimeType.Stride,
      next: Context.SchedulerTimeType.Stride?,
      scheduler: Context,
      options: Context.SchedulerOptions? = nil,
      customError: (() -> Failure)? = nil
    ) {
      self.upstream = upstream
      self.first = first
      self.next = next
      self.scheduler = scheduler
      self.options = options
      self.customError = customError
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let conduit = ExtraConduits.Deadline(
        downstream: subscriber,
        intervals: (first, next),
        scheduler: scheduler,
        options: options,
        customError: customError
      )
      guard conduit.open() else { return }
      conduit.start()
      upstream.subscribeConduit(conduit)
    }
  }

  /// A publisher that continues with another publisher if its upstream's elements do not arrive in time.
  public struct DeadlineFallback<Upstream: Publisher, Context: Scheduler, Fallback: Publisher>: Publisher
  where Fallback.Output == Upstream.Output, Fallback.Failure == Upstream.Failure {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are awaited.
    public let upstream: Upstream

    /// The maximum time until the first element.
    public let first: Context.SchedulerTimeType.Stride

    /// The maximum time between two elements. `nil` means no limit.
    public let next: Context.SchedulerTimeType.Stride?

    /// The scheduler that measures time and on which the other publisher is subscribed to.
    public let scheduler: Context

    /// The options that the scheduler is called with.
    public let options: Context.SchedulerOptions?

    /// A closure that returns the publisher to continue with.
    public let fallback: () -> Fallback

    /// Creates a publisher that continues with another publisher if elements do not arrive in time.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are awaited.
    ///   - first: The maximum time until the first element.
    ///   - next: The maximum time between two elements. `nil` means no limit.
    ///   - scheduler: The scheduler that measures time and on which the other publisher is subscribed to.
    ///   - options: The options that the scheduler is called with.
    ///   - fallback: A closure that returns the publisher to continue with.
    @inlinable
    public init(
      upstream: Upstream,
      first: Context.SchedulerTimeType.Stride,
      next: Context.SchedulerTimeType.Stride?,
      scheduler: Context,
      options: Context.SchedulerOptions? = nil,
      fallback: @escaping () -> Fallback
    ) {
      self.upstream = upstream
      self.first = first
      self.next = next
      self.scheduler = scheduler
      self.options = options
      self.fallback = fallback
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream
        .mapError { DeadlineError.upstream($0) }
        .timeout(first: first, next: next, scheduler: scheduler, options: options, customError: { .timeout })
        .catch { [fallback] error -> EitherPublisher<Fallback, Fail<Output, Failure>> in
          switch error {
          case .timeout: .first(fallback())
          case .upstream(let error): .second(Fail(error: error))
          }
        }
        .subscribeConduit(subscriber)
    }
  }
}

/// The failures between a deadline and its fallback.
@usableFromInline
enum DeadlineError<Failure: Error>: Error {
  case timeout
  case upstream(Failure)
}

// MARK: Conduit

extension ExtraConduits {

  @usableFromInline
  final class Deadline<Downstream: Subscriber, Context: Scheduler>: PassingConduit<Downstream>,
    CustomStringConvertible
  {
    @usableFromInline
    typealias Time = Context.SchedulerTimeType

    @usableFromInline
    let intervals: (first: Time.Stride, next: Time.Stride?)

    @usableFromInline
    let scheduler: Context

    @usableFromInline
    let options: Context.SchedulerOptions?

    @exclusivity(unchecked)  // These three: only with the lock held, after `init`.
    @usableFromInline
    var state = MovingDeadline<Time>()

    /// Whether no deadline counts any longer: the upstream has completed, or the time has passed.
    @exclusivity(unchecked)
    @usableFromInline
    var isStopped = false

    @exclusivity(unchecked)
    @usableFromInline
    var customError: (() -> Failure)?

    @inlinable
    init(
      downstream: Downstream,
      intervals: (first: Time.Stride, next: Time.Stride?),
      scheduler: Context,
      options: Context.SchedulerOptions?,
      customError: (() -> Failure)?
    ) {
      self.intervals = intervals
      self.scheduler = scheduler
      self.options = options
      self.customError = customError
      super.init(downstream: downstream)
    }

    @inlinable
    func start() {
      let deadline = scheduler.now.advanced(by: intervals.first)
      if let timer = lock.withLock({ isStopped ? nil : state.move(to: deadline, setsTimer: true) }) {
        setTimer(timer, at: deadline)
      }
    }

    @inlinable
    override func receive(_ input: Input) -> Subscribers.Demand {
      guard moveDeadline() else { return .none }
      return pass(input)
    }

    /// Moves the deadline, because of an element.
    ///
    /// - Returns: Whether the time has not passed before, so that the element counts.
    @inlinable
    func moveDeadline() -> Bool {
      guard let next = intervals.next else {
        let timers = lock.withLock { isStopped ? nil : state.removeAll() }
        timers?.cancel()
        return timers != nil
      }
      let now = scheduler.now
      let deadline = now.advanced(by: next)
      while true {
        let look = lock.withLock { state.look }
        let isServed = look.serves(deadline, at: now)
        let step = lock.withLock { () -> (counts: Bool, timer: UInt64?)? in
          if isStopped { return (false, nil) }
          guard state.version == look.version else { return nil }
          return (true, state.move(to: deadline, setsTimer: !isServed))
        }
        guard let step else { continue }
        withExtendedLifetime(look) {}
        if let timer = step.timer { setTimer(timer, at: deadline) }
        return step.counts
      }
    }

    @inlinable
    override func receive(completion: Subscribers.Completion<Failure>) {
      guard finishUpstream() else { return }
      end()
      send(completion: completion)
    }

    @inlinable
    func setTimer(_ number: UInt64, at deadline: Time) {
      let timer = ReleasableTimer({ self.fire(number) }, whenDropped: { self.forget(number) })
      // Before it starts, as it may fire inside that call.
      lock.withLock { state.setToken(timer, of: number) }.cancel()
      timer.start(after: scheduler.now.distance(to: deadline), on: scheduler, options: options)
    }

    @inlinable
    func fire(_ timer: UInt64) {
      let (token, look) = lock.withLock { state.removeTimer(timer) }
      guard let look else { return }
      let isEarly = look.isEarly
      let end = lock.withLock { () -> MovingDeadline<Time>.End in
        if isStopped { return .nothing }
        let end = state.end(isEarly: isEarly, since: look)
        if case .deadline = end { isStopped = true }
        return end
      }
      withExtendedLifetime((token, look)) {}
      switch end {
      case .nothing: break
      case .setTimer(let timer, let date): setTimer(timer, at: date)
      case .deadline: timeOut()
      }
    }

    /// Removes a timer that the scheduler has dropped. The next element sets another one.
    @inlinable
    func forget(_ timer: UInt64) {
      _ = lock.withLock { state.removeTimer(timer) }
    }

    @inlinable
    func timeOut() {
      let customError = lock.withLock { exchange(&self.customError, with: nil) }
      cancelUpstream()
      sendImmediately(completion: customError.map { .failure($0()) } ?? .finished)
    }

    /// Ends the deadline, and stops the timer.
    @inlinable
    func end() {
      let timers = lock.withLock {
        isStopped = true
        return state.removeAll()
      }
      timers.cancel()
    }

    @inlinable
    override func didEnd() {
      super.didEnd()
      end()
      let customError = lock.withLock { exchange(&self.customError, with: nil) }
      withExtendedLifetime(customError) {}
    }

    @usableFromInline
    var description: String { "Deadline" }
  }
}
