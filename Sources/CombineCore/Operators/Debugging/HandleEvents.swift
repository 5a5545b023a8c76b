import CombineThreads
import Synchronization

extension Publisher {

  /// Calls closures with the events that pass through.
  ///
  /// ```swift
  /// marbles {
  ///   "a--b--|"
  ///   $0[0].handleEvents(receiveOutput: { _ in })  // Called with a and b, which pass on unchanged.
  ///   "a--b--|"
  /// }
  /// ```
  ///
  /// ```swift
  /// let cancellable = [1, 2].publisher
  ///   .handleEvents(
  ///     receiveSubscription: { print("subscribed to \($0)") },
  ///     receiveOutput: { print("sending \($0)") },
  ///     receiveRequest: { print("asked for \($0)") }
  ///   )
  ///   .sink { print($0) }
  /// ```
  ///
  /// After a completion or a cancellation, the operator calls no closure again and releases all of them. A cancellation
  /// before the subscription arrives only calls `receiveCancel`.
  ///
  /// - Parameters:
  ///   - receiveSubscription: A closure that is called with the upstream's subscription, before the downstream receives
  ///     one.
  ///   - receiveOutput: A closure that is called with each element, before the downstream receives it.
  ///   - receiveCompletion: A closure that is called with the completion, before the downstream receives it.
  ///   - receiveCancel: A closure that is called when the downstream cancels, before the upstream is cancelled.
  ///   - receiveRequest: A closure that is called with each demand of the downstream, including demand that it returns
  ///     for an element.
  /// - Returns: A publisher of the same events.
  @inlinable
  public func handleEvents(
    receiveSubscription: ((any Subscription) -> Void)? = nil,
    receiveOutput: ((Output) -> Void)? = nil,
    receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil,
    receiveCancel: (() -> Void)? = nil,
    receiveRequest: ((Subscribers.Demand) -> Void)? = nil
  ) -> Publishers.HandleEvents<Self> {
    Publishers.HandleEvents(
      upstream: self,
      receiveSubscription: receiveSubscription,
      receiveOutput: receiveOutput,
      receiveCompletion: receiveCompletion,
      receiveCancel: receiveCancel,
      receiveRequest: receiveRequest
    )
  }
}

extension Publishers {

  /// A publisher that calls closures with the events that pass through.
  public struct HandleEvents<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// A closure that is called with the upstream's subscription, before the downstream receives one.
    public var receiveSubscription: ((any Subscription) -> Void)?

    /// A closure that is called with each element, before the downstream receives it.
    public var receiveOutput: ((Upstream.Output) -> Void)?

    /// A closure that is called with the completion, before the downstream receives it.
    public var receiveCompletion: ((Subscribers.Completion<Upstream.Failure>) -> Void)?

    /// A closure that is called when the downstream cancels, before the upstream is cancelled.
    public var receiveCancel: (() -> Void)?

    /// A closure that is called with each demand of the downstream, including demand that it returns for an element.
    public var receiveRequest: ((Subscribers.Demand) -> Void)?

    /// The publisher whose events are observed.
    public let upstream: Upstream

    /// Creates a publisher that calls closures with the events of another publisher.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose events are observed.
    ///   - receiveSubscription: A closure that is called with the upstream's subscription, before the downstream
    ///     receives one.
    ///   - receiveOutput: A closure that is called with each element, before the downstream receives it.
    ///   - receiveCompletion: A closure that is called with the completion, before the downstream receives it.
    ///   - receiveCancel: A closure that is called when the downstream cancels, before the upstream is cancelled.
    ///   - receiveRequest: A closure that is called with each demand of the downstream, including demand that it
    ///     returns for an element.
    @inlinable
    public init(
      upstream: Upstream,
      receiveSubscription: ((any Subscription) -> Void)? = nil,
      receiveOutput: ((Output) -> Void)? = nil,
      receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil,
      receiveCancel: (() -> Void)? = nil,
      receiveRequest: ((Subscribers.Demand) -> Void)?
    ) {
      self.upstream = upstream
      self.receiveSubscription = receiveSubscription
      self.receiveOutput = receiveOutput
      self.receiveCompletion = receiveCompletion
      self.receiveCancel = receiveCancel
      self.receiveRequest = receiveRequest
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribeConduit(
        Conduits.HandleEvents(
          downstream: subscriber,
          hooks: EventHooks(
            receiveSubscription: receiveSubscription,
            receiveOutput: receiveOutput,
            receiveCompletion: receiveCompletion,
            receiveCancel: receiveCancel,
            receiveRequest: receiveRequest
          )
        )
      )
    }
  }
}

// MARK: Conduit

/// The closures of `handleEvents`, which are released together.
@usableFromInline
struct EventHooks<Output, Failure: Error> {

  @usableFromInline
  let receiveSubscription: ((any Subscription) -> Void)?

  @usableFromInline
  let receiveOutput: ((Output) -> Void)?

  @usableFromInline
  let receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)?

  @usableFromInline
  let receiveCancel: (() -> Void)?

  @usableFromInline
  let receiveRequest: ((Subscribers.Demand) -> Void)?

  @inlinable
  init(
    receiveSubscription: ((any Subscription) -> Void)?,
    receiveOutput: ((Output) -> Void)?,
    receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)?,
    receiveCancel: (() -> Void)?,
    receiveRequest: ((Subscribers.Demand) -> Void)?
  ) {
    self.receiveSubscription = receiveSubscription
    self.receiveOutput = receiveOutput
    self.receiveCompletion = receiveCompletion
    self.receiveCancel = receiveCancel
    self.receiveRequest = receiveRequest
  }
}

extension Conduits {

  @usableFromInline
  final class HandleEvents<Downstream: Subscriber>: Conduit, Subscriber, DescribedByName {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let hooks: Releasable<EventHooks<Input, Failure>>

    // Stored apart from the hooks, so that an element costs nothing if no closure observes elements.
    @usableFromInline
    let reportsOutput: Bool

    @usableFromInline
    let reportsRequests: Bool

    /// The thread that reports the end; zero before.
    @usableFromInline
    let endThread = Atomic<UInt>(0)

    @inlinable
    init(downstream: Downstream, hooks: EventHooks<Input, Failure>) {
      self.downstream = downstream
      self.hooks = Releasable(hooks)
      reportsOutput = hooks.receiveOutput != nil
      reportsRequests = hooks.receiveRequest != nil
    }

    @usableFromInline
    func receive(subscription: any Subscription) {
      hooks.use { $0.receiveSubscription?(subscription) }
      if accept(subscription) { downstream.receive(subscription: self) }
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      if reportsOutput { hooks.use { $0.receiveOutput?(input) } }
      let demand = downstream.receive(input)
      if reportsRequests, demand != .none { hooks.use { $0.receiveRequest?(demand) } }
      return demand
    }

    @usableFromInline
    func receive(completion: Subscribers.Completion<Failure>) {
      if reportsEnd() {
        hooks.use { $0.receiveCompletion?(completion) }
        hooks.end()
      }
      _ = terminate()
      downstream.receive(completion: completion)
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
      hooks.use { $0.receiveRequest?(demand) }
      super.request(demand)
    }

    @usableFromInline
    override func cancel() {
      let isReported = phase == .awaiting || reportsEnd()
      if isReported { hooks.use { $0.receiveCancel?() } }
      guard let subscription = disconnect() else { return }
      if isReported { hooks.end() }
      subscription.cancel()
    }

    /// Whether this thread reports the end. Of a completion and a cancel on two threads, one is reported.
    private func reportsEnd() -> Bool {
      let thread = Platform.currentThread
      let (isFirst, first) = endThread.compareExchange(expected: 0, desired: thread, ordering: .acquiringAndReleasing)
      return isFirst || first == thread
    }

    @usableFromInline
    var description: String { "HandleEvents" }
  }
}
