import CombineThreads

extension ConnectablePublisher {

  /// Connects this publisher when the first subscriber subscribes, and disconnects it when the last one cancels.
  ///
  /// ```swift
  /// marbles {
  ///   "a--b--c--|"
  ///   $0[0].multicast { PassthroughSubject() }.autoconnect()
  ///   "a--b-!"
  ///   "^----!"
  /// }
  /// ```
  ///
  /// ```swift
  /// let numbers = [1, 2].publisher.multicast { PassthroughSubject() }
  /// let cancellable = numbers.autoconnect().sink { print($0) }  // prints 1, 2
  /// ```
  ///
  /// A completion does not disconnect. A subscriber that cancels while the connection is being made, such as `prefix(1)`,
  /// undoes it, unless the upstream has completed by then. Each call of this method creates a publisher with its own
  /// subscriber count.
  ///
  /// While the first subscriber's thread connects, a subscriber on another thread does not wait for the connection. It may
  /// miss what the upstream sends in that time, as if it had come later.
  ///
  /// - Returns: A publisher of the same elements that connects automatically.
  @inlinable
  public func autoconnect() -> Publishers.Autoconnect<Self> {
    Publishers.Autoconnect(upstream: self)
  }
}

extension Publishers {

  /// A publisher that keeps its upstream connected while it has subscribers.
  public class Autoconnect<Upstream: ConnectablePublisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that is connected.
    public final let upstream: Upstream

    @usableFromInline
    final let connection: AutoconnectConnection

    /// Creates a publisher that keeps another one connected while it has subscribers.
    ///
    /// - Parameter upstream: The publisher that is connected.
    public init(upstream: Upstream) {
      self.upstream = upstream
      connection = AutoconnectConnection(
        connect: { upstream.connect() },
        hasCompleted: { (upstream as? any CompletionReporting)?.hasCompleted($0) ?? false }
      )
    }

    /// Subscribes `subscriber` to the upstream, and then connects the upstream unless it is connected already.
    @inlinable
    @inline(__always)
    public final func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let registration = AutoconnectRegistration(parent: self, connection: connection)
      var decision = connection.register(registration, isSubscribed: false)
      upstream.subscribeConduit(Conduits.Autoconnect(registration: registration, downstream: subscriber))
      if decision == .later { decision = connection.register(registration, isSubscribed: true) }
      if decision == .connect { connection.connected(upstream.connect(), for: registration) }
    }
  }
}

// The upstream is constant, and the connection is thread-safe.
extension Publishers.Autoconnect: @unchecked Sendable where Upstream: Sendable {}

/// A connectable publisher that can say whether the upstream of a connection has completed while that was being made.
protocol CompletionReporting {
  func hasCompleted(_ connection: any Cancellable) -> Bool
}

// MARK: Machine

/// The entry of one subscriber in the count. It keeps the publisher alive.
@usableFromInline
final class AutoconnectRegistration {

  enum Phase {

    /// Not counted yet. It subscribed first, and the connection does not exist yet.
    case waiting
    case counted

    /// Not counted any longer. Further cancellations have no effect.
    case left
  }

  /// The publisher. Only a mirror shows its type.
  @usableFromInline
  let parent: AnyObject

  @usableFromInline
  let connection: AutoconnectConnection

  @exclusivity(unchecked)  // Only with the lock of the connection held.
  var phase = Phase.waiting

  @usableFromInline
  init(parent: AnyObject, connection: AutoconnectConnection) {
    self.parent = parent
    self.connection = connection
  }
}

/// The pure state of an autoconnecting publisher: its connection, and the number of subscribers that use it.
enum AutoconnectMachine {

  case disconnected

  /// A thread subscribes the first subscriber and will connect. Subscribers on other threads do not have to.
  case connecting(thread: UInt, others: Int)

  case connected(count: Int, any Cancellable)

  /// A thread cancels the connection, because the last subscriber has left.
  ///
  /// Subscribers that arrive on other threads meanwhile wait until that is done, because otherwise there would be two
  /// connections. The cancelling thread then connects for them.
  case disconnecting(thread: UInt, waiting: Int)

  /// Handles a new subscriber.
  ///
  /// - Returns: Whether it is counted. If not, its thread must connect, even if it is connecting already. A subscriber
  ///   that subscribes while the first one receives its subscription finds the publisher disconnected.
  mutating func register(thread: UInt) -> Bool {
    switch self {
    case .disconnected:
      self = .connecting(thread: thread, others: 0)
      return false
    case .disconnecting(thread, let waiting):
      self = .connecting(thread: thread, others: waiting)
      return false
    case .disconnecting(let first, let waiting):
      self = .disconnecting(thread: first, waiting: waiting + 1)
      return true
    case .connecting(thread, _):
      return false
    case .connecting(let first, let others):
      self = .connecting(thread: first, others: others + 1)
      return true
    case .connected(let count, let connection):
      self = .connected(count: count + 1, connection)
      return true
    }
  }

  /// Handles a connection, made for a subscriber that is counted from now on unless it has left already.
  ///
  /// - Parameters:
  ///   - connection: The connection.
  ///   - isCounted: Whether the subscriber is counted.
  ///   - isKept: Whether the connection is kept without a subscriber, because its upstream has completed. It is made once.
  /// - Returns: A connection that is replaced or not needed. If the machine is `disconnecting` because of that, the caller
  ///   cancels the connection and then calls ``didDisconnect(thread:)``. A subscriber that comes meanwhile would otherwise
  ///   make a second connection beside it, and receive an element from both.
  mutating func connected(
    _ connection: any Cancellable,
    isCounted: Bool,
    isKept: Bool = false
  ) -> (any Cancellable)? {
    let own = isCounted ? 1 : 0
    switch self {
    case .connecting(_, let others) where own + others > 0 || isKept:
      self = .connected(count: own + others, connection)
      return nil
    case .connecting(let thread, _):
      self = .disconnecting(thread: thread, waiting: 0)
      return connection
    case .connected(_, let old) where isCounted:
      self = .connected(count: 1, connection)
      return old
    case .disconnected where isCounted:
      self = .connected(count: 1, connection)
      return nil
    case .disconnecting(_, let waiting) where own + waiting > 0:
      self = .connected(count: own + waiting, connection)
      return nil
    case .connected, .disconnected, .disconnecting:
      return connection
    }
  }

  /// Removes a subscriber that was counted.
  ///
  /// - Returns: The connection to cancel, if it was the last subscriber. The caller then calls
  ///   ``didDisconnect(thread:)``.
  mutating func leave(thread: UInt) -> (any Cancellable)? {
    switch self {
    case .disconnecting(let first, let waiting) where waiting > 0:
      self = .disconnecting(thread: first, waiting: waiting - 1)
      return nil
    case .connecting(let thread, let others) where others > 0:
      self = .connecting(thread: thread, others: others - 1)
      return nil
    case .connected(let count, let connection) where count > 1:
      self = .connected(count: count - 1, connection)
      return nil
    case .connected(_, let connection):
      self = .disconnecting(thread: thread, waiting: 0)
      return connection
    case .connecting, .disconnected, .disconnecting:
      // It was counted for a connection that another one has replaced since.
      return nil
    }
  }

  /// Notes that a thread has cancelled the connection that it took.
  ///
  /// - Returns: Whether it must connect again, for subscribers that arrived meanwhile.
  mutating func didDisconnect(thread: UInt) -> Bool {
    guard case .disconnecting(thread, let waiting) = self else { return false }
    self = waiting > 0 ? .connecting(thread: thread, others: waiting) : .disconnected
    return waiting > 0
  }
}

/// The connection of an autoconnecting publisher, with the lock that guards its state.
@usableFromInline
final class AutoconnectConnection {

  private let lock = Lock()

  @exclusivity(unchecked)  // Only with the lock held.
  private var state = AutoconnectMachine.disconnected

  private let connect: () -> any Cancellable

  private let hasCompleted: (any Cancellable) -> Bool

  /// - Parameters:
  ///   - connect: A closure that connects the upstream.
  ///   - hasCompleted: A closure that returns whether the upstream has completed while a connection was being made.
  init(connect: @escaping () -> any Cancellable, hasCompleted: @escaping (any Cancellable) -> Bool) {
    self.connect = connect
    self.hasCompleted = hasCompleted
  }

  /// What a new subscriber has to do.
  @usableFromInline
  enum Decision {

    /// Subscribe, and then connect.
    case connect

    /// Subscribe, and then ask again.
    case later
    case subscribe
  }

  /// Handles a new subscriber.
  ///
  /// While another thread cancels the connection, the subscriber is counted only when it is subscribed. Otherwise that
  /// thread might connect for it before, and what the upstream sends at once would be lost.
  @usableFromInline
  func register(_ registration: AutoconnectRegistration, isSubscribed: Bool) -> Decision {
    let thread = Platform.currentThread
    return lock.withLock {
      if registration.phase == .left { return .subscribe }
      if !isSubscribed, case .disconnecting(let other, _) = state, other != thread { return .later }
      guard state.register(thread: thread) else { return .connect }
      registration.phase = .counted
      return .subscribe
    }
  }

  /// Handles the connection that was made for a subscriber.
  @usableFromInline
  func connected(_ connection: any Cancellable, for registration: AutoconnectRegistration) {
    let isKept = lock.withLock { registration.phase == .left } && hasCompleted(connection)
    let (superfluous, isCancelled, isDisconnecting) = lock.withLock {
      let isCounted = registration.phase == .waiting
      if isCounted { registration.phase = .counted }
      let (superfluous, isDisconnecting) = connectedLocked(connection, isCounted: isCounted, isKept: isKept)
      return (superfluous, !isCounted, isDisconnecting)
    }
    // A connection made for a subscriber that has left is cancelled here, because no later call would cancel it. A
    // replaced connection is only released.
    if isCancelled { superfluous?.cancel() }
    if isDisconnecting { reconnectIfAwaited() }
  }

  /// Handles a connection. The caller holds the lock.
  ///
  /// - Returns: A connection that is replaced or not needed, and whether its cancellation must be followed by
  ///   ``reconnectIfAwaited()``.
  private func connectedLocked(
    _ connection: any Cancellable,
    isCounted: Bool,
    isKept: Bool
  ) -> ((any Cancellable)?, Bool) {
    guard case .connecting = state else { return (state.connected(connection, isCounted: isCounted), false) }
    let superfluous = state.connected(connection, isCounted: isCounted, isKept: isKept)
    return (superfluous, superfluous != nil)
  }

  /// Removes a subscriber when it is cancelled for the first time, and disconnects with the last one.
  func leave(_ registration: AutoconnectRegistration) {
    let thread = Platform.currentThread
    let last = lock.withLock { () -> (any Cancellable)? in
      defer { registration.phase = .left }
      return registration.phase == .counted ? state.leave(thread: thread) : nil
    }
    guard let last else { return }
    last.cancel()
    reconnectIfAwaited()
  }

  /// Connects again, after this thread has disconnected, if subscribers have arrived meanwhile.
  private func reconnectIfAwaited() {
    while lock.withLock({ state.didDisconnect(thread: Platform.currentThread) }) {
      let next = connect()
      // These subscribers may have left again.
      let isKept = hasCompleted(next)
      let (superfluous, isDisconnecting) = lock.withLock { connectedLocked(next, isCounted: false, isKept: isKept) }
      superfluous?.cancel()
      if !isDisconnecting { return }
    }
  }
}

// MARK: Conduit

extension Conduits {

  @usableFromInline
  struct Autoconnect<Downstream: Subscriber>: Subscriber, DescribedByName {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let registration: AutoconnectRegistration

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let combineIdentifier: CombineIdentifier

    @inlinable
    init(registration: AutoconnectRegistration, downstream: Downstream) {
      combineIdentifier = CombineIdentifier()
      self.registration = registration
      self.downstream = downstream
    }

    @inlinable
    func receive(subscription: any Subscription) {
      downstream.receive(subscription: AutoconnectSubscription(upstream: subscription, registration: registration))
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      downstream.receive(input)
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      downstream.receive(completion: completion)
    }

    @usableFromInline
    var description: String { "Autoconnect" }

    @usableFromInline
    var reflectedChildren: KeyValuePairs<String, Any> { ["parent": registration.parent, "downstream": downstream] }
  }
}

/// The upstream's subscription. A cancellation also removes the subscriber from the count.
@usableFromInline
struct AutoconnectSubscription: Subscription, CustomStringConvertible, CustomPlaygroundDisplayConvertible {

  @usableFromInline
  let upstream: any Subscription

  @usableFromInline
  let registration: AutoconnectRegistration

  @usableFromInline
  init(upstream: any Subscription, registration: AutoconnectRegistration) {
    self.upstream = upstream
    self.registration = registration
  }

  @usableFromInline
  var combineIdentifier: CombineIdentifier { upstream.combineIdentifier }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    upstream.request(demand)
  }

  @usableFromInline
  func cancel() {
    registration.connection.leave(registration)
    upstream.cancel()
  }

  @usableFromInline
  var _gate: UnsafeRawPointer? { upstream._gate }

  @usableFromInline
  var _isDelivering: Bool { upstream._isDelivering }

  @usableFromInline
  var description: String { String(describing: upstream) }

  @usableFromInline
  var playgroundDescription: Any { description }
}
