extension Publisher {

  /// Stops in the debugger when a closure says so of an event.
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
  /// numbers.send(1)  // prints 1
  /// numbers.send(-1)  // stops
  /// ```
  ///
  /// The process is sent the signal `SIGTRAP`: a debugger stops there, and without one the process ends. When the
  /// debugger continues, the event is passed on.
  ///
  /// - Parameters:
  ///   - receiveSubscription: Called with a subscription before it is passed on; answers whether to stop.
  ///   - receiveOutput: Called with a value before it is passed on; answers whether to stop.
  ///   - receiveCompletion: Called with a completion before it is passed on; answers whether to stop.
  /// - Returns: A publisher of the same values; demand, completion and subscription are the upstream's.
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

  /// Stops in the debugger when the publisher fails.
  ///
  /// ```swift
  /// let answers = PassthroughSubject<Int, CancellationError>()
  /// let cancellable = answers
  ///   .breakpointOnError()
  ///   .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
  /// answers.send(1)  // prints 1
  /// answers.send(completion: .failure(CancellationError()))  // stops
  /// ```
  ///
  /// The process is sent the signal `SIGTRAP`: a debugger stops there, and without one the process ends. When the
  /// debugger continues, the failure is passed on.
  ///
  /// - Returns: A publisher of the same values; demand, completion and subscription are the upstream's.
  @inlinable
  public func breakpointOnError() -> Publishers.Breakpoint<Self> {
    breakpoint(receiveCompletion: { if case .failure = $0 { true } else { false } })
  }
}

extension Publishers {

  /// A publisher that stops in the debugger when a closure says so of an event.
  public struct Breakpoint<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose events are examined.
    public let upstream: Upstream

    /// Answers, of a subscription, whether to stop.
    public let receiveSubscription: ((any Subscription) -> Bool)?

    /// Answers, of a value, whether to stop.
    public let receiveOutput: ((Upstream.Output) -> Bool)?

    /// Answers, of a completion, whether to stop.
    public let receiveCompletion: ((Subscribers.Completion<Failure>) -> Bool)?

    /// Creates a publisher that stops in the debugger when a closure says so of an event.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose events are examined.
    ///   - receiveSubscription: Answers, of a subscription, whether to stop.
    ///   - receiveOutput: Answers, of a value, whether to stop.
    ///   - receiveCompletion: Answers, of a completion, whether to stop.
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
      upstream.attach(
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
