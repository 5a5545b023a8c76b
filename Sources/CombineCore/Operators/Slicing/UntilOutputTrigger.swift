/// What an operator that waits for the first value of another publisher does with the events of that one.
@usableFromInline
protocol UntilOutputParent: AnyObject, Subscription {

  associatedtype OtherFailure: Error

  func receiveOther(subscription: any Subscription)

  /// A value, whatever it is.
  ///
  /// - Returns: Whether the operator is done with the other publisher, which then no longer keeps it alive.
  func receiveOtherValue() -> Bool

  func receiveOther(completion: Subscribers.Completion<OtherFailure>)
}

extension Conduits {

  /// What keeps the operator's conduit alive until it is done with the other publisher, which may keep what it was
  /// handed for much longer: Combine does not cancel that subscription, and a program can see that.
  @usableFromInline
  final class UntilOutputLink<Parent: UntilOutputParent> {

    private let lock = Lock()

    @exclusivity(unchecked)  // Only with the lock held.
    private var kept: Parent?

    /// The conduit, while it is alive. Never written again, so that it needs no lock.
    @usableFromInline
    private(set) weak var parent: Parent?

    @usableFromInline
    let combineIdentifier: CombineIdentifier

    @usableFromInline
    init(to parent: Parent) {
      kept = parent
      combineIdentifier = parent.combineIdentifier
      self.parent = parent
    }

    /// Releases the conduit.
    @usableFromInline
    func release() {
      let released = lock.withLock { exchange(&kept, with: nil) }
      _ = released  // Released with the lock free.
    }
  }

  /// What such an operator hands to the other publisher: passes each event on, and shows itself as the operator's own
  /// conduit does.
  @usableFromInline
  struct UntilOutputTrigger<Parent: UntilOutputParent, Input>: Subscriber {

    @usableFromInline
    let link: UntilOutputLink<Parent>

    @usableFromInline
    var combineIdentifier: CombineIdentifier { link.combineIdentifier }

    @inlinable
    init(of parent: Parent) {
      link = UntilOutputLink(to: parent)
    }

    @inlinable
    func receive(subscription: any Subscription) {
      if let parent = link.parent {
        parent.receiveOther(subscription: subscription)
      } else {
        subscription.cancel()
      }
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      if let parent = link.parent, parent.receiveOtherValue() { link.release() }
      return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Parent.OtherFailure>) {
      link.parent?.receiveOther(completion: completion)
    }
  }
}

/// Leaves the list of a subject of this package, whose subscriptions nobody can see being cancelled. A foreign
/// subscription is released, and not cancelled, as in Combine.
func leaveList(of subscription: any Subscription) {
  (subscription as? SubjectSubscription)?.cancel()
}

extension Conduits.UntilOutputTrigger: CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible,
  DescribedByName
where Parent: DescribedByName {

  @usableFromInline
  var description: String { link.parent?.description ?? "" }
}
