import Synchronization

/// What both subjects are made of: their subscribers, how they ended, and their upstream subscriptions.
///
/// It is apart from the subject so that a bridge from a publisher can hold it, and send into it without a retain,
/// while the subject itself is not kept alive.
@usableFromInline
final class SubjectCore<Output, Failure: Error> {

  @usableFromInline
  let table = SubscriberTable<SubjectConduit<Output, Failure>>()

  private let lock = Lock()

  @exclusivity(unchecked)  // These four: only with the lock held.
  private var completion: Subscribers.Completion<Failure>?

  @exclusivity(unchecked)
  private var upstreams: [any Subscription] = []

  /// How many upstreams there may be before the expired ones are sought out.
  @exclusivity(unchecked)
  private var sweepCount = 8

  @exclusivity(unchecked)
  private var wasAsked = false

  /// `wasAsked` and whether there is a completion, each to be read without the lock.
  private let wasAskedHint = Atomic<Bool>(false)

  @usableFromInline
  let hasEnded = Atomic<Bool>(false)

  @usableFromInline
  init() {}

  /// Attaches a subscriber to a subject, or hands it the completion if the subject has ended.
  ///
  /// - Parameters:
  ///   - subscriber: The subscriber.
  ///   - subject: The subject that this is the core of.
  ///   - description: What the subscription describes itself as.
  @inlinable
  @inline(__always)
  func attach<S: Subscriber>(
    _ subscriber: S,
    to subject: some SubjectParent<Output, Failure>,
    description: String
  ) where S.Input == Output, S.Failure == Failure {
    let subscription = SubjectSubscription<Output, Failure>(description: description)
    let conduit = Conduits.Subject(subscription: subscription, downstream: subscriber)
    if let completion = register(conduit, of: subject) {
      subscriber.receive(subscription: Subscriptions.empty)
      subscriber.receive(completion: completion)
    } else {
      subscriber.receive(subscription: subscription)
      conduit.finishHandover()
    }
  }

  /// Registers a conduit, unless the subject has ended: then returns how.
  @usableFromInline
  func register(
    _ conduit: SubjectConduit<Output, Failure>,
    of subject: any SubjectParent<Output, Failure>
  ) -> Subscribers.Completion<Failure>? {
    defer { table.tidy() }
    return lock.withLock {
      if let completion { return completion }
      conduit.subscription.attach(to: subject, conduit: conduit)
      table.add(conduit)
      return nil
    }
  }

  /// Sends a value to each subscriber that has demand.
  @inlinable
  func send(_ input: Output) {
    table.forEach { $0.offer(input) }
  }

  /// Ends the subject, forgets its subscribers and tells them; does nothing if it had ended before.
  func send(completion: Subscribers.Completion<Failure>) {
    let isFirst = lock.withLock {
      guard self.completion == nil else { return false }
      self.completion = completion
      hasEnded.store(true, ordering: .releasing)
      return true
    }
    guard isFirst else { return }
    for conduit in table.removeAll() {
      conduit.finish(completion)
    }
  }

  /// Keeps an upstream subscription for life, or until it has expired.
  ///
  /// - Returns: Whether it is to be asked for unlimited demand now.
  /// - Complexity: O(1), amortised.
  func keep(_ subscription: any Subscription) -> Bool {
    // What has expired is released after the lock.
    let (isDue, _) = lock.withLock {
      let expired = upstreams.count >= sweepCount ? removeExpired() : []
      upstreams.append(subscription)
      return (wasAsked, expired)
    }
    return isDue
  }

  /// Removes what has expired: a subject that lives long, such as the one inside a `share()`, is connected again and
  /// again. Called with the lock held.
  private func removeExpired() -> [any Subscription] {
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
  func cancelUpstreams() {
    for upstream in lock.withLock({ exchange(&upstreams, with: []) }) { upstream.cancel() }
  }

  /// Notes that a subscriber has asked for something.
  ///
  /// - Returns: The upstream subscriptions to ask for unlimited demand: all, the first time; none afterwards.
  func upstreamsToAsk() -> [any Subscription] {
    if wasAskedHint.load(ordering: .acquiring) { return [] }
    return lock.withLock {
      guard !wasAsked else { return [] }
      wasAsked = true
      wasAskedHint.store(true, ordering: .releasing)
      return upstreams
    }
  }
}

/// A subscription of which nothing can come any more, whatever is asked of it.
protocol ExpiringSubscription: Subscription {
  var hasExpired: Bool { get }
}
