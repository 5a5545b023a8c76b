import CombineThreads
import Synchronization

extension Publisher {

  /// Subscribes to this publisher again when it fails, up to a number of times.
  ///
  /// ```swift
  /// marbles {
  ///   "--a--#"
  ///   $0.cold(0).retry(1)
  ///   "--a----a--#"
  ///   "^----^"
  /// }
  /// ```
  ///
  /// ```swift
  /// let cancellable = Fail<Int, URLError>(error: URLError(.timedOut))
  ///   .retry(3)
  ///   .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })  // the fourth failure
  /// ```
  ///
  /// After a failure, the operator requests the outstanding demand from the next subscription.
  ///
  /// - Parameter retries: The maximum number of new subscriptions after failures. Zero means none. A negative number
  ///   means no limit.
  /// - Returns: A publisher of the elements of each attempt, with the completion of the last attempt.
  @inlinable
  public func retry(_ retries: Int) -> Publishers.Retry<Self> {
    Publishers.Retry(upstream: self, retries: retries)
  }
}

extension Publishers {

  /// A publisher that subscribes to its upstream again when it fails.
  public struct Retry<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that is subscribed to again.
    public let upstream: Upstream

    /// The maximum number of new subscriptions after failures.
    ///
    /// `nil` means no limit.
    public let retries: Int?

    /// Creates a publisher that subscribes to another publisher again when it fails.
    ///
    /// - Parameters:
    ///   - upstream: The publisher that is subscribed to again.
    ///   - retries: The maximum number of new subscriptions after failures. `nil` or a negative number means no limit.
    @inlinable
    public init(upstream: Upstream, retries: Int?) {
      self.upstream = upstream
      self.retries = retries
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let upstream = upstream
      let conduit = Conduits.Retry(downstream: subscriber, retries: retries) { upstream.subscribeLater($0) }
      upstream.subscribeConduit(conduit)
    }
  }
}

extension Publishers.Retry: Equatable where Upstream: Equatable {}

extension Publishers.Retry: Sendable where Upstream: Sendable {}

// MARK: Machine

/// The pure state of a retry: its current upstream, and the number of retries that remain.
@usableFromInline
struct RetryMachine {

  private(set) var upstream = UpstreamState.awaiting

  /// The number of retries that remain. `nil` or a negative number means no limit.
  private(set) var remaining: Int?

  /// Whether the downstream has received a subscription.
  private var hasSentSubscription = false

  private var loop = Resubscription()

  init(retries: Int?) {
    remaining = retries
  }

  var hasEnded: Bool {
    if case .terminal = upstream { true } else { false }
  }

  enum SubscriptionAction: Equatable {
    case cancel
    case store
    case storeAndSendSubscription
  }

  mutating func accept(_ subscription: any Subscription) -> SubscriptionAction {
    guard upstream.accept(subscription) else { return .cancel }
    defer { hasSentSubscription = true }
    return hasSentSubscription ? .store : .storeAndSendSubscription
  }

  enum FailureAction: Equatable {
    case ignore

    /// Pass the failure on, because no retry remains.
    case finish

    /// Run the loop: subscribe until ``hasSubscribed()`` returns `false`.
    case subscribe

    /// Another call runs the loop and will repeat it.
    case wait
  }

  /// Handles a failure.
  ///
  /// - Returns: The action to carry out, and the failed subscription, which the caller must release.
  mutating func fail() -> (action: FailureAction, released: (any Subscription)?) {
    if hasEnded { return (.ignore, nil) }
    if remaining == 0 { return (.finish, upstream.terminate()) }
    if let remaining, remaining > 0 { self.remaining = remaining - 1 }
    let subscription = upstream.terminate()
    upstream = .awaiting
    return (loop.begin() ? .subscribe : .wait, subscription)
  }

  /// Notes that a repeated `subscribe` has returned.
  ///
  /// - Returns: Whether the caller must subscribe once more.
  mutating func hasSubscribed() -> Bool {
    loop.didSubscribe(unless: hasEnded)
  }

  /// Ends the state.
  ///
  /// - Returns: Whether this call is the first to end it, and the subscription, which the caller must cancel or
  ///   release.
  mutating func end() -> (isFirst: Bool, subscription: (any Subscription)?) {
    (!hasEnded, upstream.terminate())
  }
}

// MARK: Conduit

extension Conduits {

  @usableFromInline
  final class Retry<Downstream: Subscriber>: Subscriber, Subscription, DescribedByName {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    typealias Failure = Downstream.Failure

    /// The references that the conduit releases when it ends.
    @usableFromInline
    struct Ends {

      @usableFromInline
      let downstream: Downstream

      /// A closure that subscribes the conduit to the publisher, of which it holds a copy.
      @usableFromInline
      let subscribe: (Retry<Downstream>) -> Void

      @inlinable
      init(downstream: Downstream, subscribe: @escaping (Retry<Downstream>) -> Void) {
        self.downstream = downstream
        self.subscribe = subscribe
      }
    }

    private let lock = Lock()

    /// Held around every call of the downstream. The upstream may fail inside one of its deliveries, and the next one send on
    /// another thread before that delivery has ended.
    @usableFromInline
    let gate = Gate()

    @usableFromInline
    var _gate: UnsafeRawPointer? { gate.address }

    @usableFromInline
    var _isDelivering: Bool { gate.mayBeEnteredByOther }

    /// Whether the downstream has cancelled, maybe after the last upstream had completed.
    @usableFromInline
    let isCancelled = Atomic<Bool>(false)

    @exclusivity(unchecked)  // Only with the lock held.
    private var state: RetryMachine

    /// The outstanding demand, over all subscriptions.
    ///
    /// It is increased with the lock held, so that no new subscription misses any of it.
    @usableFromInline
    let demand = DemandCounter()

    /// Set with a value beyond the demand, for the values of the next subscriptions.
    @usableFromInline
    let unrequested = UnrequestedDeliveryMark()

    @usableFromInline
    let ends: Releasable<Ends>

    @inlinable
    convenience init(downstream: Downstream, retries: Int?, subscribe: @escaping (Retry<Downstream>) -> Void) {
      self.init(retries: retries, ends: Ends(downstream: downstream, subscribe: subscribe))
    }

    @usableFromInline
    init(retries: Int?, ends: Ends) {
      state = RetryMachine(retries: retries)
      self.ends = Releasable(ends)
    }

    @usableFromInline
    func receive(subscription: any Subscription) {
      let (action, outstanding) = lock.withLock { (state.accept(subscription), demand.value) }
      switch action {
      case .cancel:
        subscription.cancel()
        return
      case .store:
        break
      case .storeAndSendSubscription:
        ends.hold()?.value.downstream.receive(subscription: self)
      }
      if outstanding > .none { subscription.request(outstanding) }
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      let more = ends.use { ends in
        guard demand.take() else { return passUnrequested(input, to: ends.downstream) }
        return unrequested.mark { pass(input, to: ends.downstream) }
      }
      if let more, more != .none { addDemand(more) }
      return .none
    }

    /// Passes on an element beyond the demand, if a publisher of this package has marked it as unrequested.
    @usableFromInline
    func passUnrequested(_ input: Input, to downstream: Downstream) -> Subscribers.Demand {
      if !UnrequestedDelivery.isCurrent { Misuse.trap("Retry", .valueBeyondDemand) }
      unrequested.note()
      return pass(input, to: downstream).afterUnrequestedValue
    }

    @inlinable
    @inline(__always)
    func pass(_ input: Input, to downstream: Downstream) -> Subscribers.Demand {
      gate.pass(input, to: downstream, unless: isCancelled.load(ordering: .acquiring))
    }

    @usableFromInline
    func receive(completion: Subscribers.Completion<Failure>) {
      switch completion {
      case .finished:
        let (isFirst, subscription) = lock.withLock { state.end() }
        _ = subscription  // Released with the lock free.
        if isFirst { finish(completion) }
      case .failure:
        let (action, subscription) = lock.withLock { state.fail() }
        _ = subscription
        switch action {
        case .ignore, .wait: break
        case .finish: finish(completion)
        case .subscribe: subscribeUntilAccepted()
        }
      }
    }

    private func finish(_ completion: Subscribers.Completion<Failure>) {
      let last = ends.hold()
      ends.end()
      gate.pass(unless: { isCancelled.load(ordering: .acquiring) }) {
        if !isCancelled.load(ordering: .acquiring) { last?.value.downstream.receive(completion: completion) }
      }
    }

    /// Subscribes again, and repeats that if the attempt has failed by the time the call returns.
    ///
    /// Failures therefore do not recurse.
    private func subscribeUntilAccepted() {
      repeat {
        ends.hold()?.value.subscribe(self)
      } while lock.withLock { state.hasSubscribed() }
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
      addDemand(demand)
    }

    @usableFromInline
    func addDemand(_ more: Subscribers.Demand) {
      let subscription = lock.withLock { () -> (any Subscription)? in
        guard !state.hasEnded else { return nil }
        demand.add(more)
        return state.upstream.subscription
      }
      subscription?.request(more)
    }

    @usableFromInline
    func cancel() {
      isCancelled.store(true, ordering: .releasing)
      let (isFirst, subscription) = lock.withLock { state.end() }
      gate.releaseWaiting()
      guard isFirst else { return }
      // This comes first, so that elements that the upstream sends during its cancellation are dropped.
      ends.end()
      subscription?.cancel()
    }

    @usableFromInline
    var description: String { "Retry" }
  }
}
