/// What an operator with several upstreams does with the events of one of them, its constituent.
@usableFromInline
package protocol ConstituentParent: AnyObject, Subscription, CustomStringConvertible {

  associatedtype ConstituentInput
  associatedtype ConstituentFailure: Error

  /// What tells the constituents apart.
  associatedtype ConstituentKey

  func receive(subscription: any Subscription, at key: ConstituentKey)

  func receive(_ input: ConstituentInput, at key: ConstituentKey) -> Subscribers.Demand

  func receive(completion: Subscribers.Completion<ConstituentFailure>, at key: ConstituentKey)

  /// Has everything sent to the constituent now, if it would request unlimited demand: see ``Subscriber``.
  func receiveAll(at key: ConstituentKey, until subscription: () -> SubscriptionObject?, _ send: () -> Void) -> Bool
}

extension ConstituentParent {

  @inlinable
  @inline(__always)
  package func receiveAll(
    at key: ConstituentKey,
    until subscription: () -> SubscriptionObject?,
    _ send: () -> Void
  ) -> Bool {
    false
  }
}

/// What an operator that combines values of several upstreams does with the events of one of them.
@usableFromInline
protocol SlotsParent: AnyObject, Subscription, CustomStringConvertible {

  associatedtype ConstituentFailure: Error

  func receive(subscription: any Subscription, at index: Int)

  /// - Parameter put: A closure that puts the value into its slot and returns the value that it replaces there. It is
  ///   called with the operator's lock held.
  func receive<Input>(_ input: Input, at index: Int, put: (Self, Input) -> Input?) -> Subscribers.Demand

  func receive(completion: Subscribers.Completion<ConstituentFailure>, at index: Int)
}

/// An operator whose constituents show it in their mirrors.
@usableFromInline
protocol ReflectedInConstituents: CustomCombineIdentifierConvertible {}

extension Conduits {

  /// The subscriber to one of several upstreams. It passes each event to the operator, with a key that tells which
  /// upstream it came from.
  @usableFromInline
  package struct Constituent<Parent: ConstituentParent>: Subscriber {

    @usableFromInline
    let parent: Parent

    @usableFromInline
    let key: Parent.ConstituentKey

    @usableFromInline
    package let combineIdentifier: CombineIdentifier

    @inlinable
    package init(of parent: Parent, key: Parent.ConstituentKey) {
      combineIdentifier = CombineIdentifier()
      self.parent = parent
      self.key = key
    }

    @inlinable
    package func receive(subscription: any Subscription) {
      parent.receive(subscription: subscription, at: key)
    }

    @inlinable
    @inline(__always)
    package func receive(_ input: Parent.ConstituentInput) -> Subscribers.Demand {
      parent.receive(input, at: key)
    }

    @inlinable
    package func receive(completion: Subscribers.Completion<Parent.ConstituentFailure>) {
      parent.receive(completion: completion, at: key)
    }

    @inlinable
    @inline(__always)
    package func _receiveAll(until subscription: () -> SubscriptionObject?, _ send: () -> Void) -> Bool {
      parent.receiveAll(at: key, until: subscription, send)
    }
  }

  /// The subscriber to one of several upstreams whose values have different types and separate slots.
  @usableFromInline
  struct SlotConstituent<Parent: SlotsParent, Input>: Subscriber {

    @usableFromInline
    let parent: Parent

    @usableFromInline
    let index: Int

    /// It captures nothing, so it is a plain function, specialized for these types.
    @usableFromInline
    let put: (Parent, Input) -> Input?

    @usableFromInline
    let combineIdentifier: CombineIdentifier

    @inlinable
    init(of parent: Parent, index: Int, put: @escaping (Parent, Input) -> Input?) {
      combineIdentifier = CombineIdentifier()
      self.parent = parent
      self.index = index
      self.put = put
    }

    @inlinable
    func receive(subscription: any Subscription) {
      parent.receive(subscription: subscription, at: index)
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      parent.receive(input, at: index, put: put)
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Parent.ConstituentFailure>) {
      parent.receive(completion: completion, at: index)
    }
  }
}

extension Conduits.Constituent: DescribedByName {

  @usableFromInline
  package var description: String { parent.description }

  @usableFromInline
  package var reflectedChildren: KeyValuePairs<String, Any> { ["parentSubscription": parent.combineIdentifier] }
}

extension Conduits.SlotConstituent: CustomStringConvertible {

  @usableFromInline
  var description: String { parent.description }
}

extension Conduits.SlotConstituent: CustomReflectable, CustomPlaygroundDisplayConvertible, DescribedByName
where Parent: ReflectedInConstituents {

  @usableFromInline
  var reflectedChildren: KeyValuePairs<String, Any> { ["parentSubscription": parent.combineIdentifier] }
}
