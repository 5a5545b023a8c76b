/// What an operator with several upstreams does with the events of one of them.
@usableFromInline
protocol SideParent: AnyObject, Subscription, CustomStringConvertible {

  associatedtype SideInput
  associatedtype SideFailure: Error

  /// Tells the operator which of its upstreams an event comes from.
  associatedtype SideKey

  func receive(subscription: any Subscription, at key: SideKey)

  func receive(_ input: SideInput, at key: SideKey) -> Subscribers.Demand

  func receive(completion: Subscribers.Completion<SideFailure>, at key: SideKey)

  /// Has everything sent to the side now, if it would ask for everything at once: see ``Subscriber``.
  func receiveAll(at key: SideKey, until subscription: () -> SubscriptionObject?, _ send: () -> Void) -> Bool
}

extension SideParent {

  @inlinable
  @inline(__always)
  func receiveAll(at key: SideKey, until subscription: () -> SubscriptionObject?, _ send: () -> Void) -> Bool {
    false
  }
}

/// What an operator that joins the values of several upstreams into rows does with the events of one of them.
@usableFromInline
protocol RowParent: AnyObject, Subscription, CustomStringConvertible {

  associatedtype SideFailure: Error

  func receive(subscription: any Subscription, at index: Int)

  /// - Parameter put: Puts the value into its cell, and returns the value that it replaces there; called with the
  ///   operator's lock held.
  func receive<Input>(_ input: Input, at index: Int, put: (Self, Input) -> Input?) -> Subscribers.Demand

  func receive(completion: Subscribers.Completion<SideFailure>, at index: Int)
}

/// An operator whose sides show it in their mirrors.
@usableFromInline
protocol ReflectedInSides: CustomCombineIdentifierConvertible {}

extension Conduits {

  /// What an operator hands to one of several upstreams: passes each event on, with a key that says whose it is.
  @usableFromInline
  struct Side<Parent: SideParent>: Subscriber {

    @usableFromInline
    let parent: Parent

    @usableFromInline
    let key: Parent.SideKey

    @usableFromInline
    let combineIdentifier: CombineIdentifier

    @inlinable
    init(of parent: Parent, key: Parent.SideKey, identifier: CombineIdentifier = CombineIdentifier()) {
      combineIdentifier = identifier
      self.parent = parent
      self.key = key
    }

    @inlinable
    func receive(subscription: any Subscription) {
      parent.receive(subscription: subscription, at: key)
    }

    @inlinable
    func receive(_ input: Parent.SideInput) -> Subscribers.Demand {
      parent.receive(input, at: key)
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Parent.SideFailure>) {
      parent.receive(completion: completion, at: key)
    }

    @inlinable
    @inline(__always)
    func _receiveAll(until subscription: () -> SubscriptionObject?, _ send: () -> Void) -> Bool {
      parent.receiveAll(at: key, until: subscription, send)
    }
  }

  /// A side whose operator keeps the values of different upstreams, of different types, in one row.
  @usableFromInline
  struct RowSide<Parent: RowParent, Input>: Subscriber {

    @usableFromInline
    let parent: Parent

    @usableFromInline
    let index: Int

    /// Captures nothing, so that it is a plain function made for these very types.
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
    func receive(completion: Subscribers.Completion<Parent.SideFailure>) {
      parent.receive(completion: completion, at: index)
    }
  }
}

extension Conduits.Side: DescribedByName {

  @usableFromInline
  var description: String { parent.description }

  @usableFromInline
  var reflectedChildren: KeyValuePairs<String, Any> { ["parentSubscription": parent.combineIdentifier] }
}

extension Conduits.RowSide: CustomStringConvertible {

  @usableFromInline
  var description: String { parent.description }
}

extension Conduits.RowSide: CustomReflectable, CustomPlaygroundDisplayConvertible, DescribedByName
where Parent: ReflectedInSides {

  @usableFromInline
  var reflectedChildren: KeyValuePairs<String, Any> { ["parentSubscription": parent.combineIdentifier] }
}
