extension Publisher {

  /// Subscribes to, asks and cancels the upstream on a scheduler.
  ///
  /// Values, the completion and the subscription pass on whatever thread the upstream sends them. Each request and the
  /// cancel is an action of its own on the scheduler; after a cancel nothing more is delivered, even before the
  /// upstream knows. The downstream gets its subscription only when the scheduler has run the subscribing.
  ///
  /// A scheduler that runs actions inside the scheduling call must not get a request from inside the delivery that
  /// answers another one: that traps. (Returning demand from the delivery is fine.)
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
  /// let cancellable = [1, 2, 3].publisher
  ///   .subscribe(on: ImmediateScheduler.shared)
  ///   .sink { print($0) }  // prints 1, 2, 3
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

  /// A publisher that subscribes to, asks and cancels its upstream on a scheduler.
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

    /// Creates a publisher that subscribes to another one on a scheduler.
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

    /// Makes the scheduler attach a subscriber to the upstream.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let (upstream, scheduler, options) = (upstream, scheduler, options)
      let conduit = Conduits.SubscribeOn(downstream: subscriber) { scheduler.schedule(options: options, $0) }
      // As a client would: with all of the upstream inlined here the compiler (6.3) may trap.
      scheduler.schedule(options: options) { upstream.subscribe(conduit) }
    }
  }
}

extension Publishers.SubscribeOn: Sendable
where Upstream: Sendable, Context: Sendable, Context.SchedulerOptions: Sendable {}

// MARK: Conduit

extension Conduits {

  @usableFromInline
  final class SubscribeOn<Downstream: Subscriber>: Conduit, ConnectingConduit {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    typealias Failure = Downstream.Failure

    /// The thread that calls upstream; zero if none does.
    @exclusivity(unchecked)  // These two: only with the lock held.
    private var caller: UInt = 0

    /// The calls that came on other threads meanwhile, which that thread makes after its own.
    @exclusivity(unchecked)
    private var waiting = Deque<() -> Void>()

    /// Hands an action to the scheduler. Made where the scheduler's type is known: requests and cancels come through an
    /// existential, and would have to look that type up.
    private let schedule: (@escaping () -> Void) -> Void

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

    // The cancel may come from inside a request on the same thread: a synchronous upstream, and a downstream that has
    // had enough. It goes through.
    @usableFromInline
    override func cancel() {
      guard let subscription = disconnect() else { return }
      schedule {
        self.callUpstream(nested: { subscription.cancel() }) { subscription.cancel() }
      }
    }

    /// Calls upstream, so that on a scheduler with many threads the calls do not overlap. No thread waits for another:
    /// one may hold the gate of an operator further down that the other's call leads to.
    ///
    /// - Parameters:
    ///   - nested: What to do instead if this thread is in such a call.
    ///   - call: The call.
    private func callUpstream(nested: () -> Void, _ call: @escaping () -> Void) {
      let thread = Platform.currentThread
      let isNested = lock.withLock { () -> Bool? in
        if caller == thread { return true }
        if caller != 0 {
          waiting.append(call)
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
      while let next = lock.withLock({ nextCallLocked() }) { next() }
    }

    private func nextCallLocked() -> (() -> Void)? {
      let next = waiting.popFirst()
      if next == nil { caller = 0 }
      return next
    }

    @usableFromInline
    var description: String { "SubscribeOn" }
  }
}
