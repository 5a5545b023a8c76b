import Synchronization

/// A publisher that announces the changes of an observable object.
///
/// It never completes. A subscriber that has requested anything receives every announcement, regardless of its demand.
/// An operator that must not receive more than it requested passes announcements on nevertheless. An asynchronous
/// sequence keeps one announcement until a task awaits it.
public final class ObservableObjectPublisher: Publisher {

  /// The kind of values this publisher publishes: announcements carry no value.
  public typealias Output = Void

  /// The kind of errors this publisher can fail with: none.
  public typealias Failure = Never

  @usableFromInline
  let table = SubscriberTable()

  /// Whether the subscriptions keep this publisher alive.
  @exclusivity(unchecked)  // Only with the table's lock held.
  private var isKeptBySubscriptions = false

  /// Creates a publisher without subscribers.
  public init() {}

  /// Creates a publisher that its subscriptions keep alive, because its object cannot store it.
  ///
  /// - Parameter isKeptBySubscriptions: Whether the subscriptions keep it alive until ``releaseFromSubscriptions()`` is
  ///   called.
  init(isKeptBySubscriptions: Bool) {
    self.isKeptBySubscriptions = isKeptBySubscriptions
  }

  deinit {
    // A subscription that its subscriber still holds keeps the table, and the table keeps that subscription.
    table.removeAll(ObservableObjectConduit.self) { _ in }
  }

  /// Subscribes `subscriber` to the announcements.
  ///
  /// - Parameter subscriber: The subscriber. It receives announcements after its first request.
  @inlinable
  @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Void, S.Failure == Never {
    let conduit = Conduits.ObservableObject(table: table, downstream: subscriber)
    register(conduit)
    subscriber.receive(subscription: conduit)
  }

  /// Announces a change to all subscribers.
  @inlinable
  public func send() {
    table.forEach(ObservableObjectConduit.self) { $0.announce($0) }
  }

  @usableFromInline
  func register(_ conduit: ObservableObjectConduit) {
    table.lock.withLock {
      if isKeptBySubscriptions { conduit.keptPublisher = self }
      table.insert(conduit)
    }
    table.tidy()
  }

  /// Makes the subscriptions release this publisher, because the observed object is deallocated.
  func releaseFromSubscriptions() {
    // Later subscriptions do not keep the publisher alive. The table contains the earlier ones.
    table.lock.withLock { isKeptBySubscriptions = false }
    table.forEach(ObservableObjectConduit.self) { $0.releasePublisher() }
  }
}

// Atomics and locks guard the state.
extension ObservableObjectPublisher: @unchecked Sendable {}

/// The subscription of one subscriber to an observable object's publisher.
///
/// The class does not know the downstream's type. It calls the downstream through ``announce``, a function that is
/// made, and therefore specialized, where the type is known.
@usableFromInline
class ObservableObjectConduit: SubscriberTableElement, Subscription {

  /// A function that announces a change to the downstream.
  ///
  /// It may be called only in a traversal, which guarantees that the downstream still exists.
  @usableFromInline
  final let announce: (ObservableObjectConduit) -> Void

  /// The table lives as long as the subscription is held, and therefore needs no lock. The publisher does not.
  @usableFromInline
  final let table: SubscriberTable

  /// The state: closed at first, and open from the first request until the cancellation.
  @usableFromInline
  final let state = Atomic<UInt8>(ObservableObjectConduit.closed)

  /// The publisher, if this subscription keeps it alive.
  @exclusivity(unchecked)  // Only with the table's lock held.
  fileprivate final var keptPublisher: ObservableObjectPublisher?

  @usableFromInline
  static var closed: UInt8 { 0 }

  @usableFromInline
  static var open: UInt8 { 1 }

  @usableFromInline
  static var cancelled: UInt8 { 2 }

  @inlinable
  init(table: SubscriberTable, announce: @escaping (ObservableObjectConduit) -> Void) {
    self.table = table
    self.announce = announce
  }

  /// Whether announcements are delivered downstream.
  @inlinable
  @inline(__always)
  final var isOpen: Bool { state.load(ordering: .acquiring) == 1 }

  @usableFromInline
  final func request(_ demand: Subscribers.Demand) {
    _ = state.compareExchange(expected: Self.closed, desired: Self.open, ordering: .acquiringAndReleasing)
  }

  @usableFromInline
  final func cancel() {
    let previous = state.exchange(Self.cancelled, ordering: .acquiringAndReleasing)
    guard previous != Self.cancelled else { return }
    gate.releaseWaiting()
    table.remove(self)
    releasePublisher()
  }

  fileprivate final func releasePublisher() {
    let publisher = table.lock.withLock { exchange(&keptPublisher, with: nil) }
    withExtendedLifetime(publisher) {}  // Released with the lock free.
  }

  /// The downstream, for a mirror. It is `nil` after its release.
  var reflectedDownstream: Any? {
    fatalError("ObservableObjectConduit is abstract")
  }
}

extension ObservableObjectConduit: DescribedByName {

  @usableFromInline
  var description: String { "ObservableObjectPublisher" }

  @usableFromInline
  var reflectedChildren: KeyValuePairs<String, Any> { ["downstream": reflectedDownstream as Any] }
}

extension Conduits {

  /// An ``ObservableObjectConduit`` with a downstream of known type.
  @usableFromInline
  final class ObservableObject<Downstream: Subscriber>: ObservableObjectConduit
  where Downstream.Input == Void, Downstream.Failure == Never {

    /// Written once, by ``releaseContents()``, with the table's lock held.
    ///
    /// It is read with that lock held, or in a traversal. ``releaseContents()`` is never called during a traversal.
    @exclusivity(unchecked)
    @usableFromInline
    var downstream: BorrowedSubscriber<Downstream>?

    @inlinable
    init(table: SubscriberTable, downstream: Downstream) {
      self.downstream = BorrowedSubscriber(downstream)
      super.init(table: table) {
        unsafeDowncast($0, to: ObservableObject<Downstream>.self).announceBorrowed()
      }
    }

    /// Announces a change to the downstream, provided that it has requested anything.
    @inlinable
    @inline(__always)
    func announceBorrowed() {
      if Downstream.isSink {
        // A sink serializes its calls itself, and ends together with its subscription.
        guard isOpen else { return }
        switch downstream {
        case .some(let downstream): downstream.base.receiveInGateOfSink(())
        case nil: break
        }
      } else {
        gate.pass(unless: { !isOpen }) {
          guard isOpen else { return }
          switch downstream {
          case .some(let downstream): UnrequestedDelivery.announcement.mark { _ = downstream.receive(()) }
          case nil: break
          }
        }
      }
    }

    @usableFromInline
    override func releaseContents() {
      _ = takeDownstream()
    }

    @usableFromInline
    override func releaseContentsUnlessVisited() {
      // A traversal uses the downstream only inside the gate, and first checks whether the subscription is open. In front of
      // a sink a traversal does not pass this gate, but a cancelled sink releases its closures itself.
      guard !Downstream.isSink, gate.tryEnter() else { return }
      let taken = takeDownstream()
      gate.leave()
      _ = consume taken
    }

    private func takeDownstream() -> BorrowedSubscriber<Downstream>? {
      var taken: BorrowedSubscriber<Downstream>?
      table.lock.withLock { swap(&taken, &downstream) }
      return taken
    }

    @usableFromInline
    override var reflectedDownstream: Any? {
      table.lock.withLock {
        switch downstream {
        case .some(let downstream): downstream.base
        case nil: nil
        }
      }
    }
  }
}
