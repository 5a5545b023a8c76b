/// What an operator that waits for the first value of another publisher does with the events of that one.
@usableFromInline
protocol UntilOutputParent: AnyObject, Subscription {

  associatedtype OtherFailure: Error

  func receiveOther(subscription: any Subscription)

  /// A value, whatever it is.
  func receiveOtherValue()

  func receiveOther(completion: Subscribers.Completion<OtherFailure>)
}

extension Conduits {

  /// What such an operator hands to the other publisher: passes each event on, and shows itself as the operator's own
  /// conduit does.
  @usableFromInline
  struct UntilOutputSide<Parent: UntilOutputParent, Input>: Subscriber {

    @usableFromInline
    let parent: Parent

    @usableFromInline
    var combineIdentifier: CombineIdentifier { parent.combineIdentifier }

    @inlinable
    init(of parent: Parent) {
      self.parent = parent
    }

    @inlinable
    func receive(subscription: any Subscription) {
      parent.receiveOther(subscription: subscription)
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      parent.receiveOtherValue()
      return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Parent.OtherFailure>) {
      parent.receiveOther(completion: completion)
    }
  }
}

extension Conduits.UntilOutputSide: CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible,
  DescribedByName
where Parent: DescribedByName {

  @usableFromInline
  var description: String { parent.description }
}
