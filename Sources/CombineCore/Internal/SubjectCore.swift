import Synchronization

/// What both subjects keep beside their subscribers: how they ended, and their upstream subscriptions.
@usableFromInline
final class SubjectCore<Failure: Error> {

  private let lock = Lock()

  @exclusivity(unchecked)  // These three: only with the lock held.
  private var completion: Subscribers.Completion<Failure>?

  @exclusivity(unchecked)
  private var upstreams: [any Subscription] = []

  @exclusivity(unchecked)
  private var wasAsked = false

  /// `wasAsked` and whether there is a completion, each to be read without the lock.
  private let wasAskedHint = Atomic<Bool>(false)

  @usableFromInline
  let hasEnded = Atomic<Bool>(false)

  @usableFromInline
  init() {}

  deinit {
    for upstream in upstreams { upstream.cancel() }
  }

  /// Registers a conduit, unless the subject has ended: then returns how.
  ///
  /// - Parameter link: Ties the conduit to its subject; called only when it is registered, before it can be seen.
  @usableFromInline
  func attach<Output>(
    _ conduit: SubjectConduit<Output, Failure>,
    to table: SubscriberTable<SubjectConduit<Output, Failure>>,
    link: () -> Void
  ) -> Subscribers.Completion<Failure>? {
    defer { table.tidy() }
    return lock.withLock {
      if let completion { return completion }
      link()
      table.add(conduit)
      return nil
    }
  }

  /// Ends the subject and forgets its subscribers.
  ///
  /// - Returns: The subscribers to be told; none if it had ended before.
  func complete<Output>(
    _ completion: Subscribers.Completion<Failure>,
    emptying table: SubscriberTable<SubjectConduit<Output, Failure>>
  ) -> [SubjectConduit<Output, Failure>] {
    let isFirst = lock.withLock {
      guard self.completion == nil else { return false }
      self.completion = completion
      hasEnded.store(true, ordering: .releasing)
      return true
    }
    return isFirst ? table.removeAll() : []
  }

  /// Keeps an upstream subscription for life.
  ///
  /// - Returns: Whether it is to be asked for unlimited demand now.
  func keep(_ subscription: any Subscription) -> Bool {
    lock.withLock {
      upstreams.append(subscription)
      return wasAsked
    }
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
