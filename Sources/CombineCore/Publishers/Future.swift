/// A publisher of one value, or a failure, that is made once and given to every subscriber.
///
/// A future turns a callback into a publisher. Its work starts when the future is created, not when something
/// subscribes; ``Deferred`` around it makes it start for each subscriber.
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

  /// A function that fulfils a future with a value or an error. Only its first call does anything.
  public typealias Promise = (Result<Output, Failure>) -> Void

  @usableFromInline
  let lock = Lock()

  @exclusivity(unchecked)  // Only with the lock held.
  @usableFromInline
  var storedResult: Result<Output, Failure>?

  /// Those that wait for the result, or have it but have not asked for it.
  @usableFromInline
  let waiting = SubscriberTable()

  /// Creates a future and starts its work.
  ///
  /// - Parameter attemptToFulfill: Does the work, or starts it. Called once, before this returns, with a promise to
  ///   call when the result is there, from any thread; the promise keeps the future alive.
  // The promise that is handed out is more than a `Promise`: `@Sendable`, so that it can be called from another queue
  // or task in the Swift 6 language mode too. Whatever takes a `Promise` takes it.
  @inlinable
  public init(_ attemptToFulfill: @escaping (@escaping @Sendable (Result<Output, Failure>) -> Void) -> Void) {
    // What `fulfill` touches is behind a lock; the result is passed on, to whichever thread subscribers live on.
    nonisolated(unsafe) let future = self
    attemptToFulfill { future.fulfill($0) }
  }

  /// Attaches a subscriber. It gets the value, and `.finished`, once there is one and it has asked for something; a
  /// failure as soon as there is one.
  @inlinable
  @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let conduit = Conduits.Future(parent: self, downstream: subscriber)
    attach(conduit) { subscriber.receive(subscription: conduit) }
  }

  /// Adds a conduit to those that wait, unless there is a result, and has its downstream told.
  @inlinable
  func attach(_ conduit: Conduits.Future<Output, Failure>, announce: () -> Void) {
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

  /// Stores the result and gives it to those that wait. Does nothing the second time.
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

// The result is behind a lock and the table of subscribers is safe; the result is only passed on, to whichever thread
// subscribers live on.
extension Future: @unchecked Sendable where Output: Sendable {}

// MARK: State

/// The pure state of a future's subscription: whether it is active, and whether anything was asked for.
@usableFromInline
struct FutureSubscriptionState {

  @usableFromInline
  var isActive = true

  @usableFromInline
  var hasAnyDemand = false

  /// The thread that is handing the subscription over; zero once it has.
  ///
  /// A result that another thread finds to be due waits for that, and that thread does not: it may itself be handing
  /// over a subscription that this one is about to ask.
  @usableFromInline
  var announcer: UInt

  /// Whether a result was found to be due meanwhile.
  @usableFromInline
  var isDue = false

  @inlinable
  init(announcer: UInt = 0) {
    self.announcer = announcer
  }

  /// Notes that the downstream has the subscription.
  ///
  /// - Returns: Whether another thread has left a result to be delivered.
  @inlinable
  mutating func didAnnounce() -> Bool {
    announcer = 0
    return exchange(&isDue, with: false)
  }

  /// Notes that something was asked for.
  ///
  /// - Returns: Whether a result is to be delivered now if there is one.
  @inlinable
  mutating func request() -> Bool {
    if isActive { hasAnyDemand = true }
    return isActive
  }

  /// Ends the subscription if the result can be delivered: a failure always, a value where something was asked for.
  ///
  /// - Returns: Whether it is to be delivered, by the caller.
  @inlinable
  mutating func offer<Output, Failure>(
    _ result: Result<Output, Failure>,
    on thread: UInt = Platform.currentThread
  ) -> Bool {
    if announcer != 0 && announcer != thread {
      isDue = true
      return false
    }
    if case .success = result, !hasAnyDemand { return false }
    return end()
  }

  /// Ends the subscription.
  ///
  /// - Returns: Whether it was active.
  @inlinable
  mutating func end() -> Bool {
    hasAnyDemand = false
    return exchange(&isActive, with: false)
  }
}

// MARK: Conduit

extension Conduits {

  /// The subscription of one subscriber of a future.
  ///
  /// The class does not know the downstream's type. Its closures are made, and so specialized, where the type is known.
  @usableFromInline
  final class Future<Output, Failure: Error>: SubscriberTableElement, Subscription {

    @usableFromInline
    let lock = Lock()

    @exclusivity(unchecked)  // These three: only with the lock held.
    @usableFromInline
    var state = FutureSubscriptionState(announcer: Platform.currentThread)

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

    /// Delivers the future's result if there is one and the state allows it.
    ///
    /// - Parameter keepsParent: Whether the future stays visible in the mirror after a value, as it does where the
    ///   value was asked for late.
    @inlinable
    func offerResult(keepsParent: Bool) {
      guard let parent = lock.withLock({ self.parent }), let result = parent.result else { return }
      // One call takes the downstream, and is the only one that ever delivers anything.
      let downstream = lock.withLock { state.offer(result) ? exchange(&self.downstream, with: nil) : nil }
      guard let downstream else { return }
      parent.remove(self)
      downstream.receive(result)
      if case .success = result, keepsParent { return }
      lock.withLock { self.parent = nil }  // Not the last reference: there is the constant.
    }

    /// Notes that the downstream has the subscription.
    ///
    /// - Returns: Whether the result is to be offered.
    @inlinable
    func didAnnounce() -> Bool {
      lock.withLock { state.didAnnounce() }
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
