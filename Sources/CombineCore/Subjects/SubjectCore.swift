import CombineThreads
import Synchronization

/// What both subjects share: their subscribers, their completion, and their upstream subscriptions.
///
/// It is an object apart from the subject. Subscriptions, and subscribers that send to the subject, hold it for their
/// lifetime without keeping the subject alive.
@usableFromInline
class SubjectCore<Output, Failure: Error>: SubjectTable {

  /// A copy of `hasDemand`, to be read without the lock.
  private final let hasDemandHint = Atomic<Bool>(false)

  @exclusivity(unchecked)  // These four: only with the lock held.
  private final var hasDemand = false

  @exclusivity(unchecked)
  private final var upstreams: [any Subscription] = []

  /// The number of upstreams at which expired ones are removed.
  @exclusivity(unchecked)
  private final var sweepCount = 8

  @exclusivity(unchecked)
  private final var completion: Subscribers.Completion<Failure>?

  // MARK: Subscribers

  /// Subscribes a subscriber to a subject, or sends it the completion if the subject has completed.
  ///
  /// - Parameters:
  ///   - subscriber: The subscriber.
  ///   - subject: The subject that this is the core of.
  @inlinable
  @inline(__always)
  final func subscribe<S: Subscriber>(_ subscriber: S, to subject: AnyObject)
  where S.Input == Output, S.Failure == Failure {
    let subscription = SubjectSubscription(table: self, downstream: HeldSubscriber(subscriber))
    if register(subscription, of: subject) {
      subscriber.receive(subscription: subscription)
      if endAnnouncement(of: subscription) { complete(subscriber, inside: subscription) }
    } else {
      subscriber.receive(subscription: Subscriptions.empty)
      complete(subscriber, inside: nil)
    }
  }

  // Apart, as a debug build looks up the completion's type at the beginning of the function. Few subscribers come after the
  // end, so a client's release build need not specialize it for each of them.
  @usableFromInline
  final func complete<S: Subscriber>(_ subscriber: S, inside subscription: SubjectSubscription?)
  where S.Failure == Failure {
    guard let completion = lock.withLock({ self.completion }) else { return }
    guard let subscription else { return subscriber.receive(completion: completion) }
    withUnsafePointer(to: completion) { subscription.deliver(completion: $0) }
    didComplete(subscription)
  }

  // MARK: The end

  final override func keep(completion: UnsafeRawPointer) {
    self.completion = completion.assumingMemoryBound(to: Subscribers.Completion<Failure>.self).pointee
  }

  /// Completes the subject: removes its subscribers and sends them the completion. It does nothing the second time.
  final func send(completion: Subscribers.Completion<Failure>) {
    withUnsafePointer(to: completion) { complete($0) }
  }

  // MARK: Upstreams

  /// Keeps an upstream subscription for the subject's lifetime, or until it has expired.
  ///
  /// - Returns: Whether unlimited demand is to be requested from it now.
  /// - Complexity: O(1), amortized.
  final func keep(_ subscription: any Subscription) -> Bool {
    // Expired subscriptions are released with the lock free.
    let (isDue, _) = lock.withLock {
      let expired = upstreams.count >= sweepCount ? removeExpired() : []
      upstreams.append(subscription)
      return (hasDemand, expired)
    }
    return isDue
  }

  /// Removes expired upstreams. A subject that lives long, such as the one inside a `share()`, is connected repeatedly.
  /// It is called with the lock held.
  private final func removeExpired() -> [any Subscription] {
    var expired: [any Subscription] = []
    upstreams.removeAll { upstream in
      guard let candidate = upstream as? any ExpiringSubscription, candidate.hasExpired else { return false }
      expired.append(upstream)
      return true
    }
    sweepCount = max(8, 2 * upstreams.count)
    return expired
  }

  /// Cancels and releases the upstream subscriptions, when the subject is deallocated.
  @usableFromInline
  final func cancelUpstreams() {
    for upstream in lock.withLock({ exchange(&upstreams, with: []) }) { upstream.cancel() }
  }

  /// Requests unlimited demand from the upstreams, when a subscriber has requested something for the first time.
  final func requestFromUpstreams() {
    if hasDemandHint.load(ordering: .acquiring) { return }
    for upstream in lock.withLock({ upstreamsToRequest() }) { upstream.request(.unlimited) }
  }

  /// - Returns: All upstreams the first time, none afterwards. It is called with the lock held.
  private final func upstreamsToRequest() -> [any Subscription] {
    guard !hasDemand else { return [] }
    hasDemand = true
    hasDemandHint.store(true, ordering: .releasing)
    return upstreams
  }
}

/// A subscription that can deliver nothing more, and can tell so.
protocol ExpiringSubscription: Subscription {
  var hasExpired: Bool { get }
}
