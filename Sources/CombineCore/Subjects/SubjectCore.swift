import Synchronization

/// What both subjects are made of: their subscribers, how they ended, and their upstream subscriptions.
///
/// It is apart from the subject so that a bridge from a publisher, and each subscription, can hold it for good while the
/// subject itself is not kept alive.
@usableFromInline
class SubjectCore<Output, Failure: Error, Notes: SubjectNotes & ~Copyable>: SubjectTable {

  @usableFromInline
  typealias Conduit = SubjectConduit<Output, Failure, Notes>

  @usableFromInline
  final let hasEnded = Atomic<Bool>(false)

  /// `hasDemand` and whether there are any subscriptionDeliveries, each to be read without the lock.
  private final let hasDemandHint = Atomic<Bool>(false)

  private final let isDeliveringSubscriptions = Atomic<Bool>(false)

  @exclusivity(unchecked)  // These five: only with the lock held.
  private final var hasDemand = false

  @exclusivity(unchecked)
  private final var upstreams: [any Subscription] = []

  /// How many upstreams there may be before the expired ones are sought out.
  @exclusivity(unchecked)
  private final var sweepCount = 8

  @exclusivity(unchecked)
  private final var subscriptionDeliveries = SubscriptionDeliveries()

  @exclusivity(unchecked)
  private final var completion: Subscribers.Completion<Failure>?

  // MARK: Subscribers

  /// Attaches a subscriber to a subject, or hands it the completion if the subject has ended.
  ///
  /// - Parameters:
  ///   - subscriber: The subscriber.
  ///   - subject: The subject that this is the core of.
  ///   - number: The number of the last value that the subscriber does not get.
  @inlinable
  @inline(__always)
  final func subscribe<S: Subscriber>(_ subscriber: S, to subject: AnyObject, after number: Int = 0)
  where S.Input == Output, S.Failure == Failure {
    let conduit = Conduits.Subject<S, Notes>(table: self, downstream: subscriber)
    conduit.notes.start(after: number)
    if register(conduit, of: subject) {
      conduit.notes.deliveringSubscription { subscriber.receive(subscription: conduit) }
      guard let completion = finishSubscriptionDelivery(of: conduit) else { return }
      conduit.gate.pass { subscriber.receive(completion: completion) }
    } else {
      subscriber.receive(subscription: Subscriptions.empty)
      if let completion = presentCompletion { subscriber.receive(completion: completion) }
    }
  }

  /// Registers a conduit, unless the subject has ended.
  ///
  /// - Returns: Whether it did.
  @usableFromInline
  final func register(_ conduit: SubjectSubscription, of subject: AnyObject) -> Bool {
    defer { tidy() }
    return lock.withLock {
      guard !hasEnded.load(ordering: .relaxed) else { return false }
      insert(conduit, sustaining: subject)
      subscriptionDeliveries.begin(ObjectIdentifier(conduit), on: Platform.currentThread)
      isDeliveringSubscriptions.store(true, ordering: .relaxed)
      return true
    }
  }

  /// Notes that the downstream has the subscription.
  ///
  /// - Returns: The completion that it is to be told now, if any.
  @usableFromInline
  final func finishSubscriptionDelivery(of conduit: SubjectSubscription) -> Subscribers.Completion<Failure>? {
    let isDue = changeSubscriptionDeliveries { $0.finish(ObjectIdentifier(conduit)) } ?? false
    return isDue ? presentCompletion : nil
  }

  /// Notes that a subscriber has asked for something.
  final func noteRequest(from subscription: SubjectSubscription) {
    changeSubscriptionDeliveries { $0.request(ObjectIdentifier(subscription)) }
  }

  override func withholdCompletion(from subscription: SubjectSubscription) {
    changeSubscriptionDeliveries { $0.withholdCompletion(from: ObjectIdentifier(subscription)) }
  }

  /// Changes the list of subscriptionDeliveries if it is not empty. Whoever calls this with a subscription was handed it, or found
  /// it in the table, after it was entered in the list: so the look without the lock finds it, if it is still there.
  @discardableResult
  private final func changeSubscriptionDeliveries<Result>(_ body: (inout SubscriptionDeliveries) -> Result) -> Result? {
    guard isDeliveringSubscriptions.load(ordering: .relaxed) else { return nil }
    return lock.withLock {
      let result = body(&subscriptionDeliveries)
      isDeliveringSubscriptions.store(!subscriptionDeliveries.isEmpty, ordering: .relaxed)
      return result
    }
  }

  // MARK: The end

  @usableFromInline
  final var presentCompletion: Subscribers.Completion<Failure>? {
    lock.withLock { completion }
  }

  /// Ends the subject, forgets its subscribers and tells them; does nothing if it had ended before.
  final func send(completion: Subscribers.Completion<Failure>) {
    let isFirst = lock.withLock {
      guard self.completion == nil else { return false }
      self.completion = completion
      hasEnded.store(true, ordering: .releasing)
      return true
    }
    guard isFirst else { return }
    removeAll(Conduit.self) { conduit in
      guard conduit.demand.end() else { return }
      conduit.gate.releaseWaiting()
      let mayGo = changeSubscriptionDeliveries {
        $0.admitCompletion(for: ObjectIdentifier(conduit), on: Platform.currentThread)
      }
      if mayGo ?? true { conduit.gate.pass { conduit.deliverCompletion(completion) } }
    }
  }

  // MARK: Upstreams

  /// Keeps an upstream subscription for life, or until it has expired.
  ///
  /// - Returns: Whether it is to be asked for unlimited demand now.
  /// - Complexity: O(1), amortised.
  final func keep(_ subscription: any Subscription) -> Bool {
    // What has expired is released after the lock.
    let (isDue, _) = lock.withLock {
      let expired = upstreams.count >= sweepCount ? removeExpired() : []
      upstreams.append(subscription)
      return (hasDemand, expired)
    }
    return isDue
  }

  /// Removes what has expired: a subject that lives long, such as the one inside a `share()`, is connected again and
  /// again. Called with the lock held.
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

  /// Cancels the upstream subscriptions and lets them go: for the end of the subject's life.
  @usableFromInline
  final func cancelUpstreams() {
    for upstream in lock.withLock({ exchange(&upstreams, with: []) }) { upstream.cancel() }
  }

  /// Notes that a subscriber has asked for something.
  ///
  /// - Returns: The upstream subscriptions to ask for unlimited demand: all, the first time; none afterwards.
  final func upstreamsToAsk() -> [any Subscription] {
    if hasDemandHint.load(ordering: .acquiring) { return [] }
    return lock.withLock {
      guard !hasDemand else { return [] }
      hasDemand = true
      hasDemandHint.store(true, ordering: .releasing)
      return upstreams
    }
  }
}

/// A subscription of which nothing can come any more, whatever is asked of it.
protocol ExpiringSubscription: Subscription {
  var hasExpired: Bool { get }
}
