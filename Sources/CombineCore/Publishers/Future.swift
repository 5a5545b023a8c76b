/// A publisher that produces one value or a failure once, and publishes it to every subscriber.
///
/// A future turns a callback into a publisher. Its work starts when the future is created, not when a subscriber
/// subscribes. Wrap it in a ``Deferred`` to start the work for each subscriber.
///
/// ```swift
/// marbles { test in
///   Future<String, Never> { promise in
///     test.scheduler.schedule(after: 3) { promise(.success("a")) }
///   }
///   "---(a|)"
/// }
/// ```
///
/// ```swift
/// let answer = Future<Int, Never> { promise in
///   promise(.success(42))  // at once, or later, from any thread
/// }
/// let cancellable = answer.sink { print($0) }  // prints 42
/// ```
public final class Future<Output, Failure: Error>: Publisher {

  /// A closure that fulfills a future with a value or an error.
  ///
  /// Only its first call has an effect.
  public typealias Promise = (Result<Output, Failure>) -> Void

  @usableFromInline
  let lock = Lock()

  @exclusivity(unchecked)  // Only with the lock held.
  @usableFromInline
  var storedResult: Result<Output, Failure>?

  /// The subscriptions that wait for the result, or that have not requested the existing value.
  @usableFromInline
  let waiting = SubscriberTable()

  /// Creates a future and starts its work.
  ///
  /// - Parameter attemptToFulfill: A closure that does the work or starts it. This initializer calls it once, before it
  ///   returns. The closure receives a promise, and calls it from any thread when the result exists. The promise keeps
  ///   the future alive.
  // The promise that the closure receives is also `@Sendable`, unlike `Promise`. It can therefore be called from
  // another queue or task in the Swift 6 language mode, too. It can be passed wherever a `Promise` is expected.
  @inlinable
  public init(_ attemptToFulfill: @escaping (@escaping @Sendable (Result<Output, Failure>) -> Void) -> Void) {
    // A lock guards everything that `fulfill` touches. The result only moves to the threads on which the subscribers
    // live.
    nonisolated(unsafe) let future = self
    attemptToFulfill { future.fulfill($0) }
  }

  /// Subscribes `subscriber` to the result of this future.
  ///
  /// The subscriber receives the value and `.finished` once the value exists and the subscriber has requested
  /// something. It receives a failure as soon as it exists, without demand.
  @inlinable
  @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let conduit = Conduits.Future(parent: self, downstream: subscriber)
    register(conduit) { subscriber.receive(subscription: conduit) }
  }

  /// Registers a conduit as waiting, unless there is a result, and calls `announce` to send its downstream the
  /// subscription.
  @inlinable
  func register(_ conduit: Conduits.Future<Output, Failure>, announce: () -> Void) {
    let result = lock.withLock {
      if storedResult == nil { waiting.add(conduit) }
      return storedResult
    }
    waiting.tidy()
    announce()
    let isDue = conduit.didAnnounce()
    if case .failure? = result { return conduit.offerResult(keepsParent: false) }
    if isDue { conduit.offerResult(keepsParent: false) }
  }

  /// Stores the result and delivers it to the waiting subscriptions. It does nothing if there is a result already.
  @inlinable
  func fulfill(_ result: Result<Output, Failure>) {
    let isFirst = lock.withLock {
      guard storedResult == nil else { return false }
      storedResult = result
      return true
    }
    guard isFirst else { return }
    waiting.forEach(Conduits.Future<Output, Failure>.self) { $0.offerResult(keepsParent: false) }
  }

  @inlinable
  var result: Result<Output, Failure>? {
    lock.withLock { storedResult }
  }

  @inlinable
  func remove(_ conduit: Conduits.Future<Output, Failure>) {
    waiting.remove(conduit)
  }
}

// A lock guards the result, and the table of subscribers is thread-safe. The result only moves to the threads on which
// the subscribers live.
extension Future: @unchecked Sendable where Output: Sendable {}

// MARK: Machine

/// The pure state of a future's subscription: whether it is active, and whether anything was requested.
@usableFromInline
struct FutureSubscriptionMachine {

  @usableFromInline
  var isActive = true

  @usableFromInline
  var hasAnyDemand = false

  @inlinable
  init() {}

  /// Notes that something was requested.
  ///
  /// - Returns: Whether the caller must deliver the result, if there is one.
  @inlinable
  mutating func request() -> Bool {
    if isActive { hasAnyDemand = true }
    return isActive
  }

  /// Ends the subscription if the result can be delivered.
  ///
  /// A failure always can. A value can once something was requested.
  ///
  /// - Returns: Whether the caller must deliver the result.
  @inlinable
  mutating func offer<Output, Failure>(_ result: Result<Output, Failure>) -> Bool {
    if case .success = result, !hasAnyDemand { return false }
    return end()
  }

  /// Ends the subscription.
  ///
  /// - Returns: Whether the subscription was active.
  @inlinable
  mutating func end() -> Bool {
    hasAnyDemand = false
    return exchange(&isActive, with: false)
  }
}

// MARK: Conduit

extension Conduits {

  /// The subscription of one subscriber to a future.
  ///
  /// The class does not know the downstream's type. Its closures are made, and so specialized, where the type is known.
  @usableFromInline
  final class Future<Output, Failure: Error>: SubscriberTableElement, Subscription {

    @usableFromInline
    let lock = Lock()

    @exclusivity(unchecked)  // These four: only with the lock held.
    @usableFromInline
    var state = FutureSubscriptionMachine()

    /// Another thread may find the result meanwhile. The thread that delivers the subscription then delivers the result.
    @exclusivity(unchecked)
    @usableFromInline
    var announcement = Announcement<Void>(causedBy: Platform.currentThread)

    @exclusivity(unchecked)
    @usableFromInline
    var downstream: Downstream?

    @exclusivity(unchecked)
    @usableFromInline
    var parent: CombineCore.Future<Output, Failure>?

    @usableFromInline
    struct Downstream {

      @usableFromInline
      let receive: (Result<Output, Failure>) -> Void

      @usableFromInline
      let reflection: () -> Any

      @inlinable
      init(receive: @escaping (Result<Output, Failure>) -> Void, reflection: @escaping () -> Any) {
        self.receive = receive
        self.reflection = reflection
      }
    }

    @inlinable
    convenience init<S: Subscriber>(parent: CombineCore.Future<Output, Failure>, downstream: S)
    where S.Input == Output, S.Failure == Failure {
      let receive: (Result<Output, Failure>) -> Void = { result in
        switch result {
        case .success(let value):
          _ = downstream.receive(value)
          downstream.receive(completion: .finished)
        case .failure(let error):
          downstream.receive(completion: .failure(error))
        }
      }
      self.init(parent: parent, downstream: Downstream(receive: receive, reflection: { downstream }))
    }

    @inlinable
    init(parent: CombineCore.Future<Output, Failure>, downstream: Downstream) {
      self.parent = parent
      self.downstream = downstream
    }

    @inlinable
    func request(_ demand: Subscribers.Demand) {
      demand.assertNonZero("Future")
      if lock.withLock({ state.request() }) { offerResult(keepsParent: true) }
    }

    /// Delivers the future's result, if there is one and the state allows it.
    ///
    /// - Parameter keepsParent: Whether the mirror still shows the future after a value was delivered. It does if the
    ///   value was requested after it existed.
    @inlinable
    func offerResult(keepsParent: Bool) {
      guard let parent = lock.withLock({ self.parent }), let result = parent.result else { return }
      // One call takes the downstream. Only that call ever delivers anything.
      let downstream = lock.withLock { () -> Downstream? in
        guard !announcement.holds(()), state.offer(result) else { return nil }
        return exchange(&self.downstream, with: nil)
      }
      guard let downstream else { return }
      parent.remove(self)
      downstream.receive(result)
      if case .success = result, keepsParent { return }
      lock.withLock { self.parent = nil }  // Not the last reference: there is the constant.
    }

    /// Notes that the downstream has received the subscription.
    ///
    /// - Returns: Whether the caller must offer the result.
    @inlinable
    func didAnnounce() -> Bool {
      lock.withLock { announcement.end() } != nil
    }

    @inlinable
    func cancel() {
      let (downstream, parent) = lock.withLock { () -> (Downstream?, CombineCore.Future<Output, Failure>?) in
        guard state.end() else { return (nil, nil) }
        return (exchange(&self.downstream, with: nil), exchange(&self.parent, with: nil))
      }
      parent?.remove(self)
      withExtendedLifetime((downstream, parent)) {}  // Released with the lock free.
    }
  }
}

extension Conduits.Future: DescribedByName {

  @usableFromInline
  var description: String { "Future" }

  @usableFromInline
  var reflectedChildren: KeyValuePairs<String, Any> {
    let (parent, downstream, hasAnyDemand) = lock.withLock { (self.parent, self.downstream, state.hasAnyDemand) }
    return [
      "parent": parent as Any,
      "downstream": downstream?.reflection() as Any,
      "hasAnyDemand": hasAnyDemand,
      "subject": parent as Any,
    ]
  }
}
