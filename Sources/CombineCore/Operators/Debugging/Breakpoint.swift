import CombineThreads

extension Publisher {

  /// Stops in the debugger if a closure returns `true` for an event.
  ///
  /// ```swift
  /// marbles {
  ///   "a--b--|"
  ///   $0[0].breakpoint(receiveOutput: { $0 == "c" })  // Never so here: all passes on unchanged.
  ///   "a--b--|"
  /// }
  /// ```
  ///
  /// ```swift
  /// let numbers = PassthroughSubject<Int, Never>()
  /// let cancellable = numbers
  ///   .breakpoint(receiveOutput: { $0 < 0 })
  ///   .sink { print($0) }
  /// numbers.send(1)  // goes on
  /// numbers.send(-1)  // stops
  /// ```
  ///
  /// The operator sends the process the signal `SIGTRAP`. A debugger stops there. Without a debugger, the process ends.
  /// When the debugger continues, the operator passes the event on.
  ///
  /// Demand, completion and subscription pass through unchanged.
  ///
  /// - Parameters:
  ///   - receiveSubscription: A closure that is called with the subscription before it is passed on. It returns whether
  ///     to stop.
  ///   - receiveOutput: A closure that is called with each element before it is passed on. It returns whether to stop.
  ///   - receiveCompletion: A closure that is called with the completion before it is passed on. It returns whether to
  ///     stop.
  /// - Returns: A publisher of the same elements.
  @inlinable
  public func breakpoint(
    receiveSubscription: ((any Subscription) -> Bool)? = nil,
    receiveOutput: ((Output) -> Bool)? = nil,
    receiveCompletion: ((Subscribers.Completion<Failure>) -> Bool)? = nil
  ) -> Publishers.Breakpoint<Self> {
    Publishers.Breakpoint(
      upstream: self,
      receiveSubscription: receiveSubscription,
      receiveOutput: receiveOutput,
      receiveCompletion: receiveCompletion
    )
  }

  /// Stops in the debugger if the publisher fails.
  ///
  /// ```swift
  /// let answers = PassthroughSubject<Int, CancellationError>()
  /// let cancellable = answers
  ///   .breakpointOnError()
  ///   .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
  /// answers.send(1)  // goes on
  /// answers.send(completion: .failure(CancellationError()))  // stops
  /// ```
  ///
  /// The operator sends the process the signal `SIGTRAP`. A debugger stops there. Without a debugger, the process ends.
  /// When the debugger continues, the operator passes the failure on.
  ///
  /// Demand, completion and subscription pass through unchanged.
  ///
  /// - Returns: A publisher of the same elements.
  @inlinable
  public func breakpointOnError() -> Publishers.Breakpoint<Self> {
    breakpoint(receiveCompletion: { if case .failure = $0 { true } else { false } })
  }
}

extension Publishers {

  /// A publisher that stops in the debugger if a closure returns `true` for an event.
  public struct Breakpoint<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose events are examined.
    public let upstream: Upstream

    /// A closure that returns whether to stop at the subscription.
    public let receiveSubscription: ((any Subscription) -> Bool)?

    /// A closure that returns whether to stop at an element.
    public let receiveOutput: ((Upstream.Output) -> Bool)?

    /// A closure that returns whether to stop at the completion.
    public let receiveCompletion: ((Subscribers.Completion<Failure>) -> Bool)?

    /// Creates a publisher that stops in the debugger if a closure returns `true` for an event.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose events are examined.
    ///   - receiveSubscription: A closure that returns whether to stop at the subscription.
    ///   - receiveOutput: A closure that returns whether to stop at an element.
    ///   - receiveCompletion: A closure that returns whether to stop at the completion.
    @inlinable
    public init(
      upstream: Upstream,
      receiveSubscription: ((any Subscription) -> Bool)? = nil,
      receiveOutput: ((Upstream.Output) -> Bool)? = nil,
      receiveCompletion: ((Subscribers.Completion<Failure>) -> Bool)? = nil
    ) {
      self.upstream = upstream
      self.receiveSubscription = receiveSubscription
      self.receiveOutput = receiveOutput
      self.receiveCompletion = receiveCompletion
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribeConduit(
        Conduits.Breakpoint(
          downstream: subscriber,
          receiveSubscription: receiveSubscription,
          receiveOutput: receiveOutput,
          receiveCompletion: receiveCompletion
        )
      )
    }
  }
}

// MARK: Conduit

extension Conduits {

  @usableFromInline
  struct Breakpoint<Downstream: Subscriber>: TransparentConduit {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let receiveSubscription: ((any Subscription) -> Bool)?

    @usableFromInline
    let receiveOutput: ((Input) -> Bool)?

    @usableFromInline
    let receiveCompletion: ((Subscribers.Completion<Failure>) -> Bool)?

    @usableFromInline
    let combineIdentifier: CombineIdentifier

    @inlinable
    init(
      downstream: Downstream,
      receiveSubscription: ((any Subscription) -> Bool)?,
      receiveOutput: ((Input) -> Bool)?,
      receiveCompletion: ((Subscribers.Completion<Failure>) -> Bool)?
    ) {
      combineIdentifier = CombineIdentifier()
      self.downstream = downstream
      self.receiveSubscription = receiveSubscription
      self.receiveOutput = receiveOutput
      self.receiveCompletion = receiveCompletion
    }

    @inlinable
    func receive(subscription: any Subscription) {
      if receiveSubscription?(subscription) == true { Platform.stopInDebugger() }
      downstream.receive(subscription: subscription)
    }

    @inlinable
    func _receiveAll(until subscription: () -> SubscriptionObject?, _ send: () -> Void) -> Bool { false }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      if receiveOutput?(input) == true { Platform.stopInDebugger() }
      return downstream.receive(input)
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      if receiveCompletion?(completion) == true { Platform.stopInDebugger() }
      downstream.receive(completion: completion)
    }

    @usableFromInline
    var description: String { "Breakpoint" }
  }
}
