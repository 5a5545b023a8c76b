import CombineThreads
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

  /// The address of the result, or zero. Once it is set it never changes.
  ///
  /// The result lies at an address, so that code which is not specialized, such as a request, looks up no type.
  @usableFromInline
  let resultAddress = Atomic<UInt>(0)

  /// Whether the result is a failure. Set before its address.
  @usableFromInline
  let isFailure = Atomic<Bool>(false)

  /// The subscriptions that wait for the result, or did and have not requested it yet. There is no table if the future was
  /// fulfilled before anybody subscribed.
  @exclusivity(unchecked)  // Written once, with the lock held, before the first conduit is registered.
  @usableFromInline
  var waiting: SubscriberTable?

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

  deinit {
    guard let result else { return }
    result.deinitialize(count: 1)
    result.deallocate()
  }

  /// Subscribes `subscriber` to the result of this future.
  ///
  /// The subscriber receives the value and `.finished` once the value exists and the subscriber has requested
  /// something. It receives a failure as soon as it exists, without demand.
  @inlinable
  @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    if sendsAll(to: subscriber) { return }
    let conduit = FutureConduit(parent: self, downstream: HeldSubscriber(subscriber))
    let hadFailed = register(conduit)
    subscriber.receive(subscription: conduit)
    if conduit.didAnnounce() || hadFailed { conduit.offerResult(keepsParent: false) }
  }

  /// Sends a subscriber the value, if there is one and the subscriber takes it without a subscription.
  @inlinable
  @inline(__always)
  func sendsAll<S: Subscriber>(to subscriber: S) -> Bool where S.Input == Output, S.Failure == Failure {
    guard let result, case .success(let value) = result.pointee else { return false }
    return subscriber._receiveAll(until: { nil }) {
      _ = subscriber.receive(value)
      subscriber.receive(completion: .finished)
    }
  }

  /// Registers a conduit as waiting, unless there is a result.
  ///
  /// - Returns: Whether the result is a failure.
  @inlinable
  func register(_ conduit: FutureConduit<Output, Failure>) -> Bool {
    if hasResult { return hasFailed }
    var table: SubscriberTable?
    lock.withLock {
      guard !hasResult else { return }
      conduit.isRegistered = true
      if waiting == nil { waiting = SubscriberTable() }
      table = waiting
      table?.add(conduit)
    }
    return hasFailed
  }

  /// Stores the result and delivers it to the waiting subscriptions. It does nothing if there is a result already.
  @inlinable
  func fulfill(_ result: Result<Output, Failure>) {
    let new = UnsafeMutablePointer<Result<Output, Failure>>.allocate(capacity: 1)
    new.initialize(to: result)
    // Not inside the closure, as a debug build would look up the type of the result there, too.
    var fails = false
    if case .failure = result { fails = true }
    var table: SubscriberTable?
    let isFirst = lock.withLock {
      guard !hasResult else { return false }
      isFailure.store(fails, ordering: .relaxed)
      resultAddress.store(UInt(bitPattern: new), ordering: .releasing)
      table = waiting
      return true
    }
    guard isFirst else {
      new.deinitialize(count: 1)
      return new.deallocate()
    }
    table?.send {
      _unsafeUncheckedDowncast($0, to: FutureConduit<Output, Failure>.self).offerResult(keepsParent: false)
    }
  }

  @inlinable
  var hasResult: Bool { resultAddress.load(ordering: .acquiring) != 0 }

  @inlinable
  var hasFailed: Bool { hasResult && isFailure.load(ordering: .relaxed) }

  /// The result, if there is one.
  @inlinable
  var result: UnsafeMutablePointer<Result<Output, Failure>>? {
    UnsafeMutablePointer(bitPattern: resultAddress.load(ordering: .acquiring))
  }

  @inlinable
  func remove(_ conduit: FutureConduit<Output, Failure>) {
    if conduit.isRegistered { waiting?.remove(conduit) }
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
  mutating func offer(isFailure: Bool) -> Bool {
    (isFailure || hasAnyDemand) && end()
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

/// The subscription of one subscriber to a future. It does not know the subscriber's type; see ``HeldSubscriber``.
@usableFromInline
final class FutureConduit<Output, Failure: Error>: SubscriberListElement, Subscription {

  @usableFromInline
  let lock = Lock()

  @exclusivity(unchecked)  // These four: only with the lock held.
  @usableFromInline
  var state = FutureSubscriptionMachine()

  /// Another thread may find the result meanwhile. The thread that delivers the subscription then delivers the result.
  @exclusivity(unchecked)
  @usableFromInline
  var announcement = Announcement(causedBy: Platform.currentThread)

  @exclusivity(unchecked)
  @usableFromInline
  var parent: Future<Output, Failure>?

  @exclusivity(unchecked)
  @usableFromInline
  var downstream: HeldSubscriber

  // Set before another thread can have this object.
  @exclusivity(unchecked)
  @usableFromInline
  var isRegistered = false

  @inlinable
  init(parent: Future<Output, Failure>, downstream: consuming HeldSubscriber) {
    self.parent = parent
    self.downstream = downstream
  }

  @inlinable
  func request(_ demand: Subscribers.Demand) {
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
  func offerResult(keepsParent: Bool, isRequested: Bool = false) {
    // These are no result of the closure, as a debug build would look up the type of that.
    var due: Future<Output, Failure>?
    var deliver: HeldSubscriber.Function?
    // One call ends the state. Only that call ever delivers anything.
    lock.withLock {
      if isRequested, !state.request() { return }
      guard let parent, parent.hasResult, !announcement.holds() else { return }
      guard state.offer(isFailure: parent.hasFailed) else { return }
      due = parent
      deliver = downstream.take()
    }
    guard let due, let deliver, let result = due.result else { return }
    due.remove(self)
    _ = deliver(.fulfill(result))
    if keepsParent, !due.hasFailed { return }
    lock.withLock { parent = nil }  // Not the last reference: there is the constant.
  }

  /// Notes that the downstream has received the subscription.
  ///
  /// - Returns: Whether the caller must offer the result.
  @inlinable
  func didAnnounce() -> Bool {
    lock.withLock { announcement.end() }
  }

  @inlinable
  func cancel() {
    // Both are released with the lock free.
    var parent: Future<Output, Failure>?
    var released: HeldSubscriber.Function?
    lock.withLock {
      guard state.end() else { return }
      parent = self.parent
      self.parent = nil
      released = downstream.take()
    }
    parent?.remove(self)
    withExtendedLifetime((parent, released)) {}
  }

  /// The downstream, for a mirror; `nil` after its release.
  private var reflectedDownstream: Any? {
    HeldSubscriber.reflection(of: lock.withLock { downstream.function })
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
