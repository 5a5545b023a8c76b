import CombineThreads
import CombineCore

extension Publisher {

  /// Publishes each event of this publisher as a value.
  ///
  /// The first value is `.subscription`, once this publisher has sent its subscription. Elements follow as `.input`, and
  /// the completion as `.completion`. Then the returned publisher finishes. It never fails. Each value needs demand.
  ///
  /// ```swift
  /// marbles(outputs: ["s": .subscription, "a": .input("a"), "f": .completion(.finished)]) {
  ///   "--a--|"
  ///   $0[0].materialize()
  ///   "s-a--(f|)"
  /// }
  /// ```
  ///
  /// - Returns: A publisher of `Signal` values.
  @_disfavoredOverload  // Modules with the names of other libraries have a method of this name.
  @inlinable
  public func materialize() -> ExtraPublishers.MaterializedSignals<Self, Signal<Output, Failure>> {
    ExtraPublishers.MaterializedSignals(
      upstream: self,
      subscription: .subscription,
      input: { .input($0) },
      completion: { .completion($0) }
    )
  }
}

extension Publisher where Failure == Never {

  /// Turns the values that `materialize()` publishes into the events that they describe.
  ///
  /// The signal of the completion cancels this publisher, and then completes the returned one. It needs one unit of
  /// demand. A finish without such a signal finishes.
  ///
  /// ```swift
  /// marbles(values: ["s": Signal<String, Never>.subscription, "a": .input("a"), "f": .completion(.finished)]) {
  ///   "s-a--f--a-|"
  ///   $0[0].assertNoFailure().dematerialize()
  ///   "--a--|"
  ///   "^----!"
  /// }
  /// ```
  ///
  /// - Returns: A publisher of the events that the signals describe.
  @_disfavoredOverload  // Modules with the names of other libraries have a method of this name.
  @inlinable
  public func dematerialize<Value, SignalFailure: Error>()
    -> ExtraPublishers.DematerializedSignals<Self, Value, SignalFailure>
  where Output == Signal<Value, SignalFailure> {
    ExtraPublishers.DematerializedSignals(upstream: self) { $0 }
  }
}

extension ExtraPublishers {

  /// A publisher of values that describe the events of its upstream.
  public struct MaterializedSignals<Upstream: Publisher, Output>: Publisher {

    /// The kind of errors this publisher can fail with: none.
    public typealias Failure = Never

    @usableFromInline
    let upstream: Upstream

    @usableFromInline
    let subscription: Output?

    @usableFromInline
    let input: (Upstream.Output) -> Output

    @usableFromInline
    let completion: (Subscribers.Completion<Upstream.Failure>) -> Output

    /// Creates a publisher of values that describe the events of another publisher.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose events are described.
    ///   - subscription: The value for the subscription, or `nil` for none.
    ///   - input: A closure that makes the value for an element.
    ///   - completion: A closure that makes the value for the completion.
    @inlinable
    public init(
      upstream: Upstream,
      subscription: Output?,
      input: @escaping (Upstream.Output) -> Output,
      completion: @escaping (Subscribers.Completion<Upstream.Failure>) -> Output
    ) {
      self.upstream = upstream
      self.subscription = subscription
      self.input = input
      self.completion = completion
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
      upstream.subscribeConduit(
        ExtraConduits.MaterializedSignals(
          downstream: subscriber,
          subscription: subscription,
          input: input,
          completion: completion
        )
      )
    }
  }

  /// A publisher of the events that the values of its upstream describe.
  public struct DematerializedSignals<Upstream: Publisher, Output, Failure: Error>: Publisher
  where Upstream.Failure == Never {

    @usableFromInline
    let upstream: Upstream

    @usableFromInline
    let signal: (Upstream.Output) -> Signal<Output, Failure>

    @usableFromInline
    let outOfSequence: Failure?

    /// Creates a publisher of the events that the values of another publisher describe.
    ///
    /// - Parameters:
    ///   - upstream: The publisher of the descriptions.
    ///   - outOfSequence: The error for a first value that is not `.subscription`, and for a later one that is. With `nil`,
    ///     the default, the signals of subscriptions have no effect.
    ///   - signal: A closure that returns the event that a value describes.
    @inlinable
    public init(
      upstream: Upstream,
      outOfSequence: Failure? = nil,
      signal: @escaping (Upstream.Output) -> Signal<Output, Failure>
    ) {
      self.upstream = upstream
      self.outOfSequence = outOfSequence
      self.signal = signal
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribeConduit(
        ExtraConduits.DematerializedSignals(downstream: subscriber, outOfSequence: outOfSequence, signal: signal)
      )
    }
  }
}

extension ExtraConduits {

  @usableFromInline
  final class MaterializedSignals<Input, Failure: Error, Downstream: Subscriber>:
    QueuedConduit<Downstream>, Subscriber, DescribedByName
  where Downstream.Failure == Never {

    @usableFromInline
    let input: (Input) -> Downstream.Input

    @usableFromInline
    let completion: (Subscribers.Completion<Failure>) -> Downstream.Input

    /// The value for the subscription.
    private let subscription: Downstream.Input?

    /// Whether the downstream's next unit of demand is for the value of the subscription. Only with the lock held.
    @exclusivity(unchecked)
    private var owesSubscription: Bool

    @usableFromInline
    init(
      downstream: Downstream,
      subscription: Downstream.Input?,
      input: @escaping (Input) -> Downstream.Input,
      completion: @escaping (Subscribers.Completion<Failure>) -> Downstream.Input
    ) {
      self.subscription = subscription
      self.input = input
      self.completion = completion
      owesSubscription = subscription != nil
      super.init(downstream: downstream)
    }

    @usableFromInline
    override func receive(demand: Subscribers.Demand) {
      let rest = lock.withLock { exchange(&owesSubscription, with: false) } ? demand - 1 : demand
      if rest > .none { requestUpstream(rest) }
    }

    @usableFromInline
    func receive(subscription arrived: any Subscription) {
      guard accept(arrived) else { return }
      // It is queued first, so that it comes first whatever the upstream sends while the downstream requests.
      if let subscription { send(subscription) }
      open()
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      pass(self.input(input))
    }

    @usableFromInline
    func receive(completion: Subscribers.Completion<Failure>) {
      finishUpstream()
      send(last: self.completion(completion), .finished)
    }

    @usableFromInline
    var description: String { "Materialize.Subscription<\(Input.self), \(Failure.self)>" }
  }

  @usableFromInline
  final class DematerializedSignals<Input, Downstream: Subscriber>:
    QueuedConduit<Downstream>, Subscriber, DescribedByName
  {

    @usableFromInline
    typealias Failure = Never

    @usableFromInline
    let signal: (Input) -> Signal<Downstream.Input, Downstream.Failure>

    private let outOfSequence: Downstream.Failure?

    /// Whether the signal of a subscription has come. Only the upstream's calls use it, which come one after the other.
    @exclusivity(unchecked)
    private var hasBegun = false

    @usableFromInline
    init(
      downstream: Downstream,
      outOfSequence: Downstream.Failure?,
      signal: @escaping (Input) -> Signal<Downstream.Input, Downstream.Failure>
    ) {
      self.signal = signal
      self.outOfSequence = outOfSequence
      super.init(downstream: downstream)
    }

    @usableFromInline
    func receive(subscription: any Subscription) {
      if accept(subscription) { open() }
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      // What the upstream sends while it is being cancelled would take a place in front of the completion.
      guard lock.withLock({ !queue.isClosed && !upstream.isTerminal }) else { return .none }
      let signal = signal(input)
      switch signal {
      case .input(let value) where isInSequence(signal): return pass(value)
      case .subscription where isInSequence(signal): return .max(1)
      case .completion(let completion) where isInSequence(signal): end(with: completion)
      case .subscription, .input, .completion: failOutOfSequence()
      }
      return .none
    }

    @usableFromInline
    func isInSequence(_ signal: Signal<Downstream.Input, Downstream.Failure>) -> Bool {
      guard outOfSequence != nil else { return true }
      if case .subscription = signal { return !exchange(&hasBegun, with: true) }
      return hasBegun
    }

    @usableFromInline
    func failOutOfSequence() {
      if let outOfSequence { end(with: .failure(outOfSequence)) }
    }

    @usableFromInline
    func end(with completion: Completion) {
      cancelUpstream()
      send(completion: completion)
    }

    @usableFromInline
    func receive(completion: Subscribers.Completion<Never>) {
      if finishUpstream() { send(completion: .finished) }
    }

    @usableFromInline
    var description: String { "Dematerialize.Subscription<\(Downstream.Input.self), \(Downstream.Failure.self)>" }
  }
}
