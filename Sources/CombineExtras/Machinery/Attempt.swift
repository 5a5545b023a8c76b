import CombineCore

/// The subscriber of one attempt of an operator that subscribes to its upstream again.
///
/// An upstream that breaks its contract may complete a second time when the next attempt has begun already. The number
/// keeps that end from being taken for the end of the current attempt.
@usableFromInline
struct Attempt<Downstream: Subscriber>: Subscriber, DescribedByName {

  @usableFromInline
  typealias Input = Downstream.Input

  @usableFromInline
  typealias Failure = Downstream.Failure

  @usableFromInline
  let number: Int

  @usableFromInline
  let conduit: ResubscribingConduit<Downstream>

  @usableFromInline
  let combineIdentifier: CombineIdentifier

  @inlinable
  init(_ number: Int, of conduit: ResubscribingConduit<Downstream>) {
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

  @usableFromInline
  var description: String { conduit.description }
}
