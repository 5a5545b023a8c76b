import CombineThreads

/// The reactions of an operator that waits for the first element of another publisher to the events of that publisher.
@usableFromInline
protocol UntilOutputParent: AnyObject, Subscription {

  associatedtype OtherFailure: Error

  func receiveOther(subscription: any Subscription)

  /// Handles an element, whose value has no effect.
  ///
  /// - Returns: Whether the operator no longer needs the other publisher, which then no longer keeps it alive.
  func receiveOtherValue() -> Bool

  func receiveOther(completion: Subscribers.Completion<OtherFailure>)
}

extension Conduits {

  /// A reference that keeps the operator's conduit alive until it no longer needs the other publisher.
  ///
  /// The other publisher may keep its subscriber for much longer: Combine does not cancel that subscription, which a
  /// program can observe.
  @usableFromInline
  final class UntilOutputLink<Parent: UntilOutputParent> {

    private let lock = Lock()

    @exclusivity(unchecked)  // Only with the lock held.
    private var kept: Parent?

    /// The conduit, while it is alive. It is never written again, so it needs no lock.
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

  /// The operator's subscriber to the other publisher.
  ///
  /// It passes each event on, and has the description and mirror of the operator's conduit.
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

/// Removes a subscription from the list of its subject, if the subject belongs to this package.
///
/// No program can observe that cancellation. A foreign subscription is only released, and not cancelled, as in Combine.
func leaveSubject(of subscription: any Subscription) {
  (subscription as? SubjectSubscription)?.cancel()
}

extension Conduits.UntilOutputTrigger: CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible,
  DescribedByName
where Parent: DescribedByName {

  @usableFromInline
  var description: String { link.parent?.description ?? "" }
}
