import CombineThreads
import CombineCore

extension Publisher {

  /// Subscribes again after a failure, whenever a publisher that is made of the errors says so.
  ///
  /// A failure of this publisher is not passed on. It is published by the publisher that the closure receives. The
  /// closure's publisher, the trigger, then decides: an element subscribes to this publisher again, a finish finishes,
  /// and a failure fails. A failure of another type than this publisher's fails with this publisher's latest error, or
  /// with its next one if there was none. An element of the trigger has no effect while no failure waits for it. A
  /// finish ends an attempt that runs, also the one that the element before it has begun: `errors.prefix(5)` makes four
  /// more attempts, and then finishes.
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
  ) -> ExtraPublishers.RetryWhen<Self, RetryTrigger, Output, Failure> {
    ExtraPublishers.RetryWhen(upstream: self, errorTrigger: errorTrigger)
  }
}

extension ExtraPublishers {

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
      let state = RetryWhenState<Failure>()
      let connection = TriggerConnection()
      let operation = ResubscribingConduit<S>.Operation(
        subscribe: { [upstream] in upstream.subscribeLater($0) },
        decide: { completion, _ in state.decide(after: completion, trigger: connection) },
        trigger: connection
      )
      let name = "RetryWhen.Subscription<\(Output.self), \(Failure.self)>"
      let conduit = ResubscribingConduit(downstream: subscriber, name: name, operation: operation)
      let trigger = TriggerSubscriber<RetryTrigger.Output, RetryTrigger.Failure>(
        connection: connection,
        demand: .unlimited,
        receiveValue: { if state.takesValue() { conduit.subscribeAgain() } },
        receiveCompletion: { if let completion = state.end(with: $0) { conduit.end(with: completion) } }
      )
      errorTrigger(state.errors.eraseToAnyPublisher()).subscribeConduit(trigger)
      conduit.subscribeAgain()
      conduit.open()
    }
  }
}

/// The pure state of a retry that a trigger controls.
@usableFromInline
struct RetryWhenMachine<Failure: Error> {

  /// Whether the upstream has failed, and the trigger decides.
  @usableFromInline
  var isWaiting = false

  @usableFromInline
  var latestError: Failure?

  /// Whether the trigger has failed with an error of another type. The next error of the upstream is the last.
  @usableFromInline
  var hasForeignFailure = false

  @inlinable
  init() {}

  /// Takes a failure of the upstream.
  ///
  /// - Returns: Whether the error is published to the trigger, and otherwise the operator fails with it. And the error
  ///   before, which the caller must release.
  @inlinable
  mutating func fail(_ error: Failure) -> (isPublished: Bool, replaced: Failure?) {
    isWaiting = !hasForeignFailure
    return (isWaiting, exchange(&latestError, with: error))
  }

  /// Takes an element of the trigger.
  ///
  /// - Returns: Whether to subscribe to the upstream.
  @inlinable
  mutating func trigger() -> Bool {
    exchange(&isWaiting, with: false)
  }

  /// Takes a failure of the trigger that is of another type.
  ///
  /// - Returns: The error to fail with, or `nil` to wait for one.
  @inlinable
  mutating func failForeign() -> Failure? {
    hasForeignFailure = true
    return latestError
  }
}

/// The errors of a retry, and the trigger that is made of them.
@usableFromInline
final class RetryWhenState<Failure: Error> {

  /// The errors that the trigger is made of.
  @usableFromInline
  let errors = PassthroughSubject<Failure, Never>()

  @usableFromInline
  let lock = Lock()

  @exclusivity(unchecked)  // Only with the lock held.
  @usableFromInline
  var machine = RetryWhenMachine<Failure>()

  @inlinable
  init() {}

  /// Decides what follows a completion of the upstream. The trigger may answer inside this call.
  @inlinable
  func decide(
    after completion: Subscribers.Completion<Failure>,
    trigger: TriggerConnection
  ) -> ResubscriptionDecision {
    switch completion {
    case .finished:
      trigger.cancel()
      return .complete
    case .failure(let error):
      guard lock.withLock({ machine.fail(error) }).isPublished else { return .complete }
      errors.send(error)
      return .wait
    }
  }

  /// Takes an element of the trigger.
  ///
  /// - Returns: Whether to subscribe to the upstream.
  @inlinable
  func takesValue() -> Bool {
    lock.withLock { machine.trigger() }
  }

  /// Takes the completion of the trigger.
  ///
  /// - Returns: The completion to end with, or `nil` to wait for the upstream's next error.
  @inlinable
  func end<E: Error>(with completion: Subscribers.Completion<E>) -> Subscribers.Completion<Failure>? {
    switch completion {
    case .finished: .finished
    case .failure(let error as Failure): .failure(error)
    case .failure: lock.withLock { machine.failForeign() }.map { .failure($0) }
    }
  }
}
