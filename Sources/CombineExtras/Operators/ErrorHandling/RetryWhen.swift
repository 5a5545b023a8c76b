import CombineCore

extension Publisher {

  /// Subscribes again after a failure, whenever a publisher that is made of the errors says so.
  ///
  /// A failure of this publisher is not passed on. It is published by the publisher that the closure receives. The
  /// closure's publisher, the trigger, then decides: an element subscribes to this publisher again, a finish finishes,
  /// and a failure fails. A failure of another type than this publisher's fails with this publisher's latest error. An
  /// element of the trigger has no effect while no failure waits for it.
  ///
  /// The demand that was not served continues over all subscriptions. Repeated failures do not make the stack grow.
  ///
  /// ```swift
  /// marbles {
  ///   "-a-#"
  ///   "-----x----|"
  ///   $0.cold(0).retryWhen { [trigger = $0[1]] _ in trigger }
  ///   "-a----a---|"
  ///   "^----^"
  /// }
  /// ```
  ///
  /// ```swift
  /// struct Refused: Error {}
  /// var attempts = 0
  /// let request = Deferred {
  ///   attempts += 1
  ///   return attempts < 3 ? Result<Int, Refused>.failure(Refused()).publisher : Result.success(attempts).publisher
  /// }
  /// let cancellable = request.retryWhen { errors in errors.prefix(5) }
  ///   .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })  // prints 3, finished
  /// cancellable.cancel()
  /// ```
  ///
  /// - Parameter errorTrigger: A closure that makes the trigger. It is called once for each subscription.
  /// - Returns: A publisher that retries.
  @inlinable
  public func retryWhen<RetryTrigger: Publisher>(
    _ errorTrigger: @escaping (AnyPublisher<Failure, Never>) -> RetryTrigger
  ) -> Publishers.RetryWhen<Self, RetryTrigger, Output, Failure> {
    Publishers.RetryWhen(upstream: self, errorTrigger: errorTrigger)
  }
}

extension Publishers {

  /// A publisher that subscribes to its upstream again after a failure, whenever a trigger says so.
  public final class RetryWhen<Upstream: Publisher, RetryTrigger: Publisher, Output, Failure: Error>: Publisher
  where Output == Upstream.Output, Failure == Upstream.Failure {

    @usableFromInline
    let upstream: Upstream
    @usableFromInline
    let errorTrigger: (AnyPublisher<Failure, Never>) -> RetryTrigger

    @inlinable
    init(upstream: Upstream, errorTrigger: @escaping (AnyPublisher<Failure, Never>) -> RetryTrigger) {
      self.upstream = upstream
      self.errorTrigger = errorTrigger
    }

    /// Subscribes to the trigger and then to the upstream.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Upstream.Output, S.Failure == Upstream.Failure {
      let conduit = ExtraConduits.RetryWhen(downstream: subscriber) { [upstream] in upstream.subscribeConduit($0) }
      let trigger = TriggerSubscriber<RetryTrigger.Output, RetryTrigger.Failure>(
        demand: .unlimited,
        receiveValue: { conduit.retry() },
        receiveCompletion: { conduit.receive(triggerCompletion: $0) }
      )
      conduit.trigger = trigger.connection
      errorTrigger(conduit.errors.eraseToAnyPublisher()).subscribeConduit(trigger)
      conduit.run()
      conduit.open()
    }
  }
}

/// The pure state of a retry that a trigger controls.
@usableFromInline
struct RetryWhenMachine<Failure: Error> {

  @usableFromInline
  enum Phase {

    /// The upstream runs.
    case running

    /// The upstream has failed, and the trigger decides.
    case waiting

    /// A call subscribes to the upstream. It repeats that if the upstream fails and the trigger answers meanwhile.
    case subscribing(failed: Bool, answered: Bool)

    case ended
  }

  @usableFromInline
  var phase = Phase.subscribing(failed: false, answered: false)
  @usableFromInline
  var latestError: Failure?

  /// Whether the trigger has failed with an error of another type. The next error of the upstream is the last.
  @usableFromInline
  var hasForeignFailure = false

  @usableFromInline
  enum FailureAction {
    case ignore

    /// Publish the error to the trigger.
    case publish

    /// Fail with the error.
    case fail
  }

  /// Takes a failure of the upstream.
  @inlinable
  mutating func fail(_ error: Failure) -> FailureAction {
    if case .ended = phase { return .ignore }
    latestError = error
    if hasForeignFailure {
      phase = .ended
      return .fail
    }
    if case .subscribing = phase { phase = .subscribing(failed: true, answered: false) } else { phase = .waiting }
    return .publish
  }

  /// Takes an element of the trigger.
  ///
  /// - Returns: Whether the caller subscribes to the upstream, until ``hasSubscribed()`` returns `false`.
  @inlinable
  mutating func trigger() -> Bool {
    switch phase {
    case .waiting:
      phase = .subscribing(failed: false, answered: false)
      return true
    case .subscribing(failed: true, _):
      phase = .subscribing(failed: true, answered: true)
      return false
    case .running, .subscribing, .ended:
      return false
    }
  }

  /// Notes that a call has subscribed to the upstream.
  ///
  /// - Returns: Whether it must do so once more.
  @inlinable
  mutating func hasSubscribed() -> Bool {
    guard case .subscribing(let failed, let answered) = phase else { return false }
    phase = answered ? .subscribing(failed: false, answered: false) : failed ? .waiting : .running
    return answered
  }

  /// Takes a failure of the trigger that is of another type.
  ///
  /// - Returns: The error to fail with, or `nil` to wait for one.
  @inlinable
  mutating func failForeign() -> Failure? {
    hasForeignFailure = true
    return latestError
  }

  @inlinable
  mutating func end() {
    phase = .ended
  }
}

extension ExtraConduits {

  @usableFromInline
  final class RetryWhen<Downstream: Subscriber>: QueuedConduit<Downstream>, AttemptingConduit, DescribedByName {

    @usableFromInline
    typealias Input = Downstream.Input
    @usableFromInline
    typealias Failure = Downstream.Failure

    /// The errors that the trigger is made of.
    @usableFromInline
    let errors = PassthroughSubject<Failure, Never>()

    @exclusivity(unchecked)  // Only with the lock held.
    @usableFromInline
    var machine = RetryWhenMachine<Failure>()

    @exclusivity(unchecked)  // Only with the lock held.
    @usableFromInline
    var outstanding = OutstandingDemand()

    /// The subscription to the trigger. Set before the first subscription, and from then on only with the lock held.
    @exclusivity(unchecked)
    @usableFromInline
    var trigger: (any Cancellable)?

    /// Released at the end, as it holds the upstream. Only with the lock held.
    @exclusivity(unchecked)
    @usableFromInline
    var subscribe: ((Attempt<RetryWhen>) -> Void)?

    @inlinable
    init(downstream: Downstream, subscribe: @escaping (Attempt<RetryWhen>) -> Void) {
      self.subscribe = subscribe
      super.init(downstream: downstream)
    }

    /// Begins an attempt.
    @inlinable
    func start() {
      let (subscribe, attempt) = lock.withLock { () -> (((Attempt<RetryWhen>) -> Void)?, Int) in
        guard !isClosedLocked else { return (nil, 0) }
        return (self.subscribe, awaitNextUpstream(asking: outstanding.demand))
      }
      subscribe?(Attempt(attempt, of: self))
    }

    /// Subscribes to the upstream, until an attempt lasts longer than the call.
    @inlinable
    func run() {
      repeat { start() } while lock.withLock { machine.hasSubscribed() }
    }

    // MARK: Upstream

    @inlinable
    func receive(subscription: any Subscription, attempt: Int) {
      accept(subscription, attempt: attempt)
    }

    @inlinable
    func receive(_ input: Input, attempt: Int) -> Subscribers.Demand {
      let isSubscribed = lock.withLock {
        // A value after a failure belongs to no subscription.
        guard attempt == currentAttempt, upstream.isSubscribed else { return false }
        outstanding.receiveValue()
        return true
      }
      guard isSubscribed else { return .none }
      // New demand is not returned: the upstream may have failed meanwhile, and another subscription is to serve it.
      send(input)
      return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>, attempt: Int) {
      // A completion after a failure belongs to no attempt.
      guard finishUpstream(attempt: attempt) else { return }
      switch completion {
      case .finished:
        cancelTrigger()
        send(completion: .finished)
      case .failure(let error):
        let action = lock.withLock { isClosedLocked ? .ignore : machine.fail(error) }
        switch action {
        case .ignore: break
        case .publish: errors.send(error)
        case .fail: send(completion: completion)
        }
      }
    }

    /// Requests from the current upstream, or notes the demand for the next one.
    @inlinable
    override func receive(demand: Subscribers.Demand) {
      requestUpstream(demand) { outstanding.request(demand) }
    }

    // MARK: Trigger

    @inlinable
    func retry() {
      if lock.withLock({ !isClosedLocked && machine.trigger() }) { run() }
    }

    @inlinable
    func receive<TriggerFailure>(triggerCompletion completion: Subscribers.Completion<TriggerFailure>) {
      switch completion {
      case .finished:
        end(with: .finished)
      case .failure(let error as Failure):
        end(with: .failure(error))
      case .failure:
        if let error = lock.withLock({ machine.failForeign() }) { end(with: .failure(error)) }
      }
    }

    @inlinable
    func end(with completion: Subscribers.Completion<Failure>) {
      lock.withLock { machine.end() }
      cancelUpstream()
      send(completion: completion)
    }

    @inlinable
    func cancelTrigger() {
      lock.withLock { exchange(&trigger, with: nil) }?.cancel()
    }

    @inlinable
    override func didEnd() {
      cancelUpstream()
      cancelTrigger()
      let released = lock.withLock {
        machine.end()
        return exchange(&subscribe, with: nil)
      }
      withExtendedLifetime(released) {}
    }

    @inlinable
    var description: String { "RetryWhen.Subscription<\(Downstream.Input.self), \(Downstream.Failure.self)>" }
  }
}
