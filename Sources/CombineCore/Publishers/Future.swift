import Synchronization

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

  // Written once, with the lock held. Once `isFulfilled` is set it never changes, and is read without the lock.
  @exclusivity(unchecked)
  @usableFromInline
  var storedResult: Result<Output, Failure>?

  /// Whether there is a `storedResult`. Set after it.
  @usableFromInline
  let isFulfilled = Atomic<Bool>(false)

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
    let result = register(conduit)
    subscriber.receive(subscription: conduit)
    let isDue = conduit.didAnnounce()
    if case .failure? = result { return conduit.offerResult(keepsParent: false) }
    if isDue { conduit.offerResult(keepsParent: false) }
  }

  /// Registers a conduit as waiting, unless there is a result.
  ///
  /// - Returns: The result.
  @inlinable
  func register(_ conduit: FutureConduit<Output, Failure>) -> Result<Output, Failure>? {
    if let result { return result }
    let result = lock.withLock {
      if storedResult == nil {
        conduit.isRegistered = true
        waiting.add(conduit)
      }
      return storedResult
    }
    waiting.tidy()
    return result
  }

  /// Stores the result and delivers it to the waiting subscriptions. It does nothing if there is a result already.
  @inlinable
  func fulfill(_ result: Result<Output, Failure>) {
    let isFirst = lock.withLock {
      guard storedResult == nil else { return false }
      storedResult = result
      isFulfilled.store(true, ordering: .releasing)
      return true
    }
    guard isFirst else { return }
    waiting.forEach(FutureConduit<Output, Failure>.self) { $0.offerResult(keepsParent: false) }
  }

  @inlinable
  var result: Result<Output, Failure>? {
    isFulfilled.load(ordering: .acquiring) ? storedResult : nil
  }

  @inlinable
  func remove(_ conduit: FutureConduit<Output, Failure>) {
    if conduit.isRegistered { waiting.remove(conduit) }
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

/// The subscription of one subscriber to a future.
///
/// The class does not know the downstream's type. A subclass does its work in a closure, as a subject's conduit does.
@usableFromInline
class FutureConduit<Output, Failure: Error>: SubscriberTableElement, Subscription {

  /// What is done once, and then releases the downstream.
  @usableFromInline
  enum Call {
    case deliver(Result<Output, Failure>)
    case release
  }

  @usableFromInline
  final let lock = Lock()

  @exclusivity(unchecked)  // These three: only with the lock held.
  @usableFromInline
  final var state = FutureSubscriptionMachine()

  /// Another thread may find the result meanwhile. The thread that delivers the subscription then delivers the result.
  @exclusivity(unchecked)
  @usableFromInline
  final var announcement = Announcement<Void>(causedBy: Platform.currentThread)

  @exclusivity(unchecked)
  @usableFromInline
  final var parent: Future<Output, Failure>?

  // Set before another thread can have this object.
  @exclusivity(unchecked)
  @usableFromInline
  final var isRegistered = false

  @usableFromInline
  final let perform: (FutureConduit<Output, Failure>, Call) -> Void

  @inlinable
  init(parent: Future<Output, Failure>, perform: @escaping (FutureConduit<Output, Failure>, Call) -> Void) {
    self.parent = parent
    self.perform = perform
  }

  @inlinable
  final func request(_ demand: Subscribers.Demand) {
    demand.assertNonZero("Future")
    offerResult(keepsParent: true, isRequested: true)
  }

  /// Delivers the future's result, if there is one and the state allows it.
  ///
  /// - Parameters:
  ///   - keepsParent: Whether the mirror still shows the future after a value was delivered. It does if the value was
  ///     requested after it existed.
  ///   - isRequested: Whether the downstream has just requested something.
  @inlinable
  final func offerResult(keepsParent: Bool, isRequested: Bool = false) {
    // One call ends the state. Only that call ever delivers anything.
    let due = lock.withLock { () -> (parent: Future<Output, Failure>, result: Result<Output, Failure>)? in
      if isRequested, !state.request() { return nil }
      guard let parent, let result = parent.result, !announcement.holds(()), state.offer(result) else { return nil }
      return (parent, result)
    }
    guard let due else { return }
    due.parent.remove(self)
    perform(self, .deliver(due.result))
    if case .success = due.result, keepsParent { return }
    lock.withLock { self.parent = nil }  // Not the last reference: there is the constant.
  }

  /// Notes that the downstream has received the subscription.
  ///
  /// - Returns: Whether the caller must offer the result.
  @inlinable
  final func didAnnounce() -> Bool {
    lock.withLock { announcement.end() } != nil
  }

  @inlinable
  final func cancel() {
    let (isFirst, parent) = lock.withLock { () -> (Bool, Future<Output, Failure>?) in
      state.end() ? (true, exchange(&self.parent, with: nil)) : (false, nil)
    }
    guard isFirst else { return }
    parent?.remove(self)
    perform(self, .release)
    withExtendedLifetime(parent) {}  // Released with the lock free.
  }

  /// The downstream, for a mirror; `nil` after its release.
  var reflectedDownstream: Any? {
    fatalError("FutureConduit is abstract")
  }
}

extension Conduits {

  /// A ``FutureConduit`` with its downstream.
  @usableFromInline
  final class Future<Downstream: Subscriber>: FutureConduit<Downstream.Input, Downstream.Failure> {

    @exclusivity(unchecked)  // Only with the lock held.
    @usableFromInline
    var downstream: Downstream?

    @inlinable
    init(parent: CombineCore.Future<Downstream.Input, Downstream.Failure>, downstream: Downstream) {
      self.downstream = downstream
      super.init(parent: parent) { _unsafeUncheckedDowncast($0, to: Future<Downstream>.self).perform($1) }
    }

    @inlinable
    @inline(__always)
    func perform(_ call: Call) {
      guard let downstream = lock.withLock({ exchange(&self.downstream, with: nil) }) else { return }
      switch call {
      case .deliver(.success(let value)):
        _ = downstream.receive(value)
        downstream.receive(completion: .finished)
      case .deliver(.failure(let error)):
        downstream.receive(completion: .failure(error))
      case .release:
        break
      }
    }

    @usableFromInline
    override var reflectedDownstream: Any? { lock.withLock { downstream } }
  }
}

extension FutureConduit: DescribedByName {

  @usableFromInline
  var description: String { "Future" }

  @usableFromInline
  var reflectedChildren: KeyValuePairs<String, Any> {
    let (parent, hasAnyDemand) = lock.withLock { (self.parent, state.hasAnyDemand) }
    return [
      "parent": parent as Any,
      "downstream": reflectedDownstream as Any,
      "hasAnyDemand": hasAnyDemand,
      "subject": parent as Any,
    ]
  }
}
