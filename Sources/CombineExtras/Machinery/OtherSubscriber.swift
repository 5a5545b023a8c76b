import CombineCore

/// An operator with a second upstream of another type, whose values it uses. For one that only triggers something there is
/// ``TriggerSubscriber``.
@usableFromInline
protocol OtherSubscriberParent: AnyObject, CustomStringConvertible {

  associatedtype OtherInput
  associatedtype OtherFailure: Error

  func receive(other subscription: any Subscription)

  func receive(other input: OtherInput)

  func receive(other completion: Subscribers.Completion<OtherFailure>)
}

extension ExtraConduits {

  /// The subscriber to a second upstream. The operator requests unlimited demand from it.
  @usableFromInline
  struct OtherSubscriber<Parent: OtherSubscriberParent>: Subscriber, DescribedByName {

    @usableFromInline
    let parent: Parent

    @usableFromInline
    let combineIdentifier = CombineIdentifier()

    @inlinable
    init(of parent: Parent) {
      self.parent = parent
    }

    @inlinable
    func receive(subscription: any Subscription) {
      parent.receive(other: subscription)
    }

    @inlinable
    func receive(_ input: Parent.OtherInput) -> Subscribers.Demand {
      parent.receive(other: input)
      return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Parent.OtherFailure>) {
      parent.receive(other: completion)
    }

    @usableFromInline
    var description: String { parent.description }
  }
}
