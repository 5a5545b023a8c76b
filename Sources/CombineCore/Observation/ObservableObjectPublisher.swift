import Synchronization

/// A publisher that announces the changes of an observable object.
///
/// It never completes. A subscriber that has requested anything receives every announcement, whatever its demand. An
/// operator that must not receive more than it requested passes announcements on all the same; an asynchronous sequence
/// keeps one until it is awaited.
public final class ObservableObjectPublisher: Publisher {

  /// The kind of values this publisher publishes: announcements carry none.
  public typealias Output = Void

  /// The kind of errors this publisher publishes: announcements cannot fail.
  public typealias Failure = Never

  @usableFromInline
  let table = SubscriberTable()

  /// Whether the subscriptions keep this alive.
  @exclusivity(unchecked)  // Only with the table's lock held.
  private var isKeptBySubscriptions = false

  /// Creates a publisher without subscribers.
  public init() {}

  /// Creates a publisher that its subscriptions keep alive, as nothing else may: that of an object that cannot.
  ///
  /// - Parameter isKeptBySubscriptions: Whether they do so until ``releaseFromSubscriptions()`` is called.
  init(isKeptBySubscriptions: Bool) {
    self.isKeptBySubscriptions = isKeptBySubscriptions
  }

  deinit {
    // A subscription that its subscriber still holds keeps the table, and the table keeps that subscription.
    table.removeAll(ObservableObjectConduit.self) { _ in }
  }

  /// Attaches a subscriber.
  ///
  /// - Parameter subscriber: The subscriber, which receives announcements after its first request.
  @inlinable
  @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Void, S.Failure == Never {
    let conduit = Conduits.ObservableObject(table: table, downstream: subscriber)
    attach(conduit)
    subscriber.receive(subscription: conduit)
  }

  /// Announces a change to all subscribers.
  @inlinable
  public func send() {
    table.forEach(ObservableObjectConduit.self) { $0.announce($0) }
  }

  @usableFromInline
  func attach(_ conduit: ObservableObjectConduit) {
    table.lock.withLock {
      if isKeptBySubscriptions { conduit.keptPublisher = self }
      table.insert(conduit)
    }
    table.tidy()
  }

  /// Has the subscriptions no longer keep this alive, as the object is gone that it announces the changes of.
  func releaseFromSubscriptions() {
    // Who subscribes from now on does not keep it either; who did before is in the table.
    table.lock.withLock { isKeptBySubscriptions = false }
    table.forEach(ObservableObjectConduit.self) { $0.releasePublisher() }
  }
}

// The state is in atomics and behind locks.
extension ObservableObjectPublisher: @unchecked Sendable {}

/// One subscriber of an observable object's publisher, and its subscription.
///
/// The class knows nothing of the downstream's type; it calls it through ``announce``, a function that was made where
/// the type was known and is therefore specialised for it.
@usableFromInline
class ObservableObjectConduit: SubscriberTableElement, Subscription {

  /// Announces a change to the downstream. Only for a walk, which sees to it that the downstream is still there.
  @usableFromInline
  final let announce: (ObservableObjectConduit) -> Void

  /// It stays for as long as the subscription is held, and so needs no lock; the publisher does not.
  @usableFromInline
  final let table: SubscriberTable

  /// Closed at first, open from the first request until the cancel.
  @usableFromInline
  final let state = Atomic<UInt8>(ObservableObjectConduit.closed)

  /// The publisher, if this keeps it alive.
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

  /// Whether announcements go downstream.
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

  /// The downstream, for a mirror; nothing once it was released.
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

  /// An ``ObservableObjectConduit`` that knows its downstream.
  @usableFromInline
  final class ObservableObject<Downstream: Subscriber>: ObservableObjectConduit
  where Downstream.Input == Void, Downstream.Failure == Never {

    /// Written once, by ``letGo()``, with the table's lock held; read with it held too, or by a walk, inside which that
    /// is never called.
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

    /// Announces a change downstream once that has requested anything.
    @inlinable
    @inline(__always)
    func announceBorrowed() {
      if Downstream.isSink {
        // A sink serializes its calls itself, and ends with its subscription.
        guard isOpen else { return }
        switch downstream {
        case .some(let downstream): downstream.base.receiveInGateOfSink(())
        case nil: break
        }
      } else {
        gate.pass(unless: { !isOpen }) {
          guard isOpen else { return }
          switch downstream {
          case .some(let downstream): UnaskedDelivery.announcement.mark { _ = downstream.receive(()) }
          case nil: break
          }
        }
      }
    }

    @usableFromInline
    override func letGo() {
      var none: BorrowedSubscriber<Downstream>?
      table.lock.withLock { swap(&none, &downstream) }
      _ = consume none  // Released with the lock free.
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
