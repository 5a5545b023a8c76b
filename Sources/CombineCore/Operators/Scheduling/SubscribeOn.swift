import CombineThreads

extension Publisher {

  /// Subscribes to the upstream, requests elements and cancels on a scheduler.
  ///
  /// The subscription, elements and the completion pass on the thread on which the upstream sends them. Each request
  /// and the cancellation is a separate action on the scheduler. After a cancellation nothing more is delivered, even
  /// before the upstream is cancelled. The downstream receives its subscription only after the scheduler has run the
  /// subscribing action.
  ///
  /// Some schedulers run actions within the scheduling call. With such a scheduler, a request must not be made within
  /// the delivery that answers another request: that traps. Returning demand from the delivery is allowed.
  ///
  /// ```swift
  /// marbles {
  ///   "-a--b--|"
  ///   $0.cold(0).subscribe(on: $0.scheduler)  // At the same time here, but in an action of the scheduler.
  ///   "-a--b--|"
  /// }
  /// ```
  ///
  /// ```swift
  /// let finished = DispatchSemaphore(value: 0)
  /// let cancellable = [1, 2].publisher
  ///   .subscribe(on: DispatchQueue(label: "work"))
  ///   .sink { @Sendable in print($0); finished.signal() } receiveValue: { @Sendable in print($0) }
  /// finished.wait()
  /// // prints 1
  /// // prints 2
  /// // prints finished
  /// ```
  ///
  /// - Parameters:
  ///   - scheduler: The scheduler on which the upstream is called.
  ///   - options: The options that the scheduler is called with.
  /// - Returns: A publisher of the same elements. It passes demand to the upstream unchanged.
  @inlinable
  public func subscribe<S: Scheduler>(on scheduler: S, options: S.SchedulerOptions? = nil)
    -> Publishers.SubscribeOn<Self, S>
  {
    Publishers.SubscribeOn(upstream: self, scheduler: scheduler, options: options)
  }
}

extension Publishers {

  /// A publisher that subscribes to its upstream, requests elements and cancels on a scheduler.
  public struct SubscribeOn<Upstream: Publisher, Context: Scheduler>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that is subscribed to.
    public let upstream: Upstream

    /// The scheduler on which the upstream is called.
    public let scheduler: Context

    /// The options that the scheduler is called with.
    public let options: Context.SchedulerOptions?

    /// Creates a publisher that subscribes to another publisher on a scheduler.
    ///
    /// - Parameters:
    ///   - upstream: The publisher that is subscribed to.
    ///   - scheduler: The scheduler on which the upstream is called.
    ///   - options: The options that the scheduler is called with.
    @inlinable
    public init(upstream: Upstream, scheduler: Context, options: Context.SchedulerOptions?) {
      self.upstream = upstream
      self.scheduler = scheduler
      self.options = options
    }

    /// Schedules an action that subscribes `subscriber` to the upstream.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let (upstream, scheduler, options) = (upstream, scheduler, options)
      let conduit = Conduits.SubscribeOn(downstream: subscriber) {
        let call = RevocableAction($0)
        scheduler.schedule(options: options) { call.runLast() }
      }
      // This subscribes as a client would. With all of the upstream inlined here, the compiler (6.3) may trap.
      conduit.schedule { upstream.subscribe(conduit) }
    }
  }
}

extension Publishers.SubscribeOn: Sendable
where Upstream: Sendable, Context: Sendable, Context.SchedulerOptions: Sendable {}

// MARK: Conduit

// A structure, although it holds only a closure: in a release build the specializer of Swift 6.2 fails an assertion for a
// container of functions, such as `Deque<() -> Void>`.
private struct UpstreamCall {
  let run: () -> Void
}

extension Conduits {

  @usableFromInline
  final class SubscribeOn<Downstream: Subscriber>: Conduit, ConnectingConduit {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    typealias Failure = Downstream.Failure

    /// The thread that is calling the upstream, or zero.
    @exclusivity(unchecked)  // These two: only with the lock held.
    private var caller: UInt = 0

    /// The calls that other threads have left meanwhile. The calling thread makes them after its own.
    @exclusivity(unchecked)
    private var waiting = Deque<UpstreamCall>()

    /// A closure that passes an action to the scheduler. The action counts once, however often the scheduler runs it.
    ///
    /// It is made where the scheduler's type is known. Requests and cancellations come through an existential, and
    /// would have to look up that type.
    @usableFromInline
    let schedule: (@escaping () -> Void) -> Void

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    init(downstream: Downstream, schedule: @escaping (@escaping () -> Void) -> Void) {
      self.downstream = downstream
      self.schedule = schedule
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      phase == .subscribed ? downstream.receive(input) : .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      if disconnect() != nil { downstream.receive(completion: completion) }
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
      guard let subscription else { return }
      schedule {
        self.callUpstream(nested: { Misuse.trap("SubscribeOn", .requestInsideRequest) }) {
          subscription.request(demand)
        }
      }
    }

    // The cancellation may be nested in a request on the same thread, if the upstream is synchronous and the downstream
    // needs no more elements. It passes.
    @usableFromInline
    override func cancel() {
      guard let subscription = disconnect() else { return }
      schedule {
        self.callUpstream(nested: { subscription.cancel() }) { subscription.cancel() }
      }
    }

    /// Calls the upstream without overlapping other such calls, even on a scheduler with many threads.
    ///
    /// No thread waits for another. It may hold the gate of an operator further downstream, which the other thread's call
    /// needs. It is no ``Deliverer``: these are calls upstream, without demand and without an end.
    ///
    /// - Parameters:
    ///   - nested: A closure that runs instead if this thread is in such a call.
    ///   - call: A closure that makes the call.
    private func callUpstream(nested: () -> Void, _ call: @escaping () -> Void) {
      let thread = Platform.currentThread
      let isNested = lock.withLock { () -> Bool? in
        if caller == thread { return true }
        if caller != 0 {
          waiting.append(UpstreamCall(run: call))
          return nil
        }
        caller = thread
        return false
      }
      switch isNested {
      case nil: return
      case true?: return nested()
      case false?: call()
      }
      while let next = lock.withLock({ nextCallLocked() }) { next.run() }
    }

    private func nextCallLocked() -> UpstreamCall? {
      let next = waiting.popFirst()
      if next == nil { caller = 0 }
      return next
    }

    @usableFromInline
    var description: String { "SubscribeOn" }
  }
}
