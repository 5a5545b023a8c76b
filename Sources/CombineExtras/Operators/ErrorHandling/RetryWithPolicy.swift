import CombineCore

extension Publisher {

  /// Subscribes to this publisher again some time after it fails, as a policy says.
  ///
  /// Demand that is not served yet is requested from the next subscription. The first failure for which no retry
  /// remains, or that `shouldRetry` rejects, is passed on at once. A cancellation stops a delay.
  ///
  /// ```swift
  /// marbles { test in
  ///   "-a-#"
  ///   test.cold(0).retry(.constant(.milliseconds(2), maxRetries: 1), scheduler: test.scheduler)
  ///   "-a----a-#"
  ///   "^----^"
  /// }
  /// ```
  ///
  /// ```swift
  /// let request = Fail<String, URLError>(error: URLError(.timedOut))
  /// let cancellable = request
  ///   .retry(
  ///     .exponential(from: .milliseconds(1), maxRetries: 3).jittered(by: 0.2),
  ///     scheduler: DispatchQueue.main,
  ///     when: { $0.code == .timedOut }
  ///   )
  ///   .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
  /// ```
  ///
  /// - Parameters:
  ///   - policy: The number of retries, and the delays between them.
  ///   - scheduler: The scheduler that measures the delays, and on which this publisher is subscribed to again. A delay
  ///     of zero needs no scheduler: the next subscription follows immediately.
  ///   - options: The options that the scheduler is called with.
  ///   - shouldRetry: A closure that returns whether an error is worth a retry. By default, each one is.
  /// - Returns: A publisher of the elements of each attempt, with the completion of the last attempt.
  @inlinable
  public func retry<S: Scheduler>(
    _ policy: RetryPolicy,
    scheduler: S,
    options: S.SchedulerOptions? = nil,
    when shouldRetry: @escaping (Failure) -> Bool = { _ in true }
  ) -> ExtraPublishers.RetryWithPolicy<Self, S> {
    ExtraPublishers.RetryWithPolicy(
      upstream: self,
      policy: policy,
      scheduler: scheduler,
      options: options,
      shouldRetry: shouldRetry
    )
  }
}

extension ExtraPublishers {

  /// A publisher that subscribes to its upstream again some time after it fails.
  public struct RetryWithPolicy<Upstream: Publisher, Context: Scheduler>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that is subscribed to again.
    public let upstream: Upstream

    /// The number of retries, and the delays between them.
    public let policy: RetryPolicy

    /// The scheduler that measures the delays.
    public let scheduler: Context

    /// The options that the scheduler is called with.
    public let options: Context.SchedulerOptions?

    /// A closure that returns whether an error is worth a retry.
    public let shouldRetry: (Failure) -> Bool

    /// Creates a publisher that subscribes to another publisher again some time after it fails.
    ///
    /// - Parameters:
    ///   - upstream: The publisher that is subscribed to again.
    ///   - policy: The number of retries, and the delays between them.
    ///   - scheduler: The scheduler that measures the delays.
    ///   - options: The options that the scheduler is called with.
    ///   - shouldRetry: A closure that returns whether an error is worth a retry.
    @inlinable
    public init(
      upstream: Upstream,
      policy: RetryPolicy,
      scheduler: Context,
      options: Context.SchedulerOptions? = nil,
      shouldRetry: @escaping (Failure) -> Bool = { _ in true }
    ) {
      self.upstream = upstream
      self.policy = policy
      self.scheduler = scheduler
      self.options = options
      self.shouldRetry = shouldRetry
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      var schedule = RetrySchedule(policy)
      let operation = ResubscribingConduit<S>.Operation(
        subscribe: { [upstream] in upstream.subscribeLater($0) },
        decide: { [shouldRetry, scheduler, options] completion, hasElements in
          guard case .failure(let error) = completion, shouldRetry(error),
            let delay = schedule.next(afterElements: hasElements)
          else {
            return .complete
          }
          if delay == .zero { return .now }
          return .later { $0.start(after: .duration(delay), on: scheduler, options: options) }
        }
      )
      ResubscribingConduit(downstream: subscriber, name: "RetryWithPolicy", operation: operation).start()
    }
  }
}
