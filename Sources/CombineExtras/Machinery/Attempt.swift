import CombineCore

/// The subscriber of one attempt of an operator that subscribes to its upstream again.
///
/// An upstream that breaks its contract may complete a second time when the next attempt has begun already. The number
/// keeps that end from being taken for the end of the current attempt.
@usableFromInline
struct Attempt<Conduit: AttemptingConduit>: Subscriber {

  @usableFromInline
  typealias Input = Conduit.Input

  @usableFromInline
  typealias Failure = Conduit.Failure

  @usableFromInline
  let number: Int

  @usableFromInline
  let conduit: Conduit

  @usableFromInline
  let combineIdentifier: CombineIdentifier

  @inlinable
  init(_ number: Int, of conduit: Conduit) {
    self.number = number
    self.conduit = conduit
    combineIdentifier = CombineIdentifier(conduit)
  }

  @inlinable
  func receive(subscription: any Subscription) {
    conduit.receive(subscription: subscription, attempt: number)
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    conduit.receive(input, attempt: number)
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    conduit.receive(completion: completion, attempt: number)
  }
}

extension Attempt: CustomStringConvertible where Conduit: CustomStringConvertible {

  @usableFromInline
  var description: String { conduit.description }
}

/// An operator that subscribes to its upstream again.
@usableFromInline
protocol AttemptingConduit: AnyObject {

  associatedtype Input
  associatedtype Failure: Error

  func receive(subscription: any Subscription, attempt: Int)
  func receive(_ input: Input, attempt: Int) -> Subscribers.Demand
  func receive(completion: Subscribers.Completion<Failure>, attempt: Int)
}
