import CombineThreads
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
  let table = SubjectTable(name: "ObservableObjectPublisher", ignoresDemand: true)

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
    table.removeAll()
  }

  /// Subscribes `subscriber` to the announcements.
  ///
  /// - Parameter subscriber: The subscriber. It receives announcements after its first request.
  @inlinable
  @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Void, S.Failure == Never {
    let conduit = SubjectSubscription(table: table, downstream: HeldSubscriber(subscriber))
    register(conduit)
    subscriber.receive(subscription: conduit)
    _ = table.endAnnouncement(of: conduit)
  }

  /// Announces a change to all subscribers.
  @inlinable
  public func send() {
    table.send(Unmanaged.passUnretained(self).toOpaque())  // Any address: the value has no bytes.
  }

  @usableFromInline
  func register(_ conduit: SubjectSubscription) {
    _ = table.register(conduit, of: table.lock.withLock { isKeptBySubscriptions } ? self : nil)
  }

  /// Makes the subscriptions release this publisher, because the observed object is deallocated.
  func releaseFromSubscriptions() {
    let released = table.lock.withLock {
      isKeptBySubscriptions = false
      return table.takeSustained()
    }
    withExtendedLifetime(released) {}  // Released with the lock free.
  }
}

// Atomics and locks guard the state.
extension ObservableObjectPublisher: @unchecked Sendable {}
