/// The conduit of an operator without a state to guard: the downstream gets the upstream's own subscription, and every
/// event, in any order and any number of times, is passed on. An operator's conduit says what it changes; one that
/// looks at the subscription says, too, that it cannot do without.
@usableFromInline
protocol TransparentConduit: Subscriber, DescribedByName {

  associatedtype Downstream: Subscriber

  var downstream: Downstream { get }
}

extension TransparentConduit {

  @inlinable
  func receive(subscription: any Subscription) {
    downstream.receive(subscription: subscription)
  }

  @inlinable
  @inline(never)  // A chain of these in one function makes the compiler (6.3) trap.
  func _receiveAll(until subscription: () -> (any Subscription)?, _ send: () -> Void) -> Bool {
    downstream._receiveAll(until: subscription, send)
  }
}

extension TransparentConduit where Input == Downstream.Input {

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    downstream.receive(input)
  }
}

extension TransparentConduit where Failure == Downstream.Failure {

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    downstream.receive(completion: completion)
  }
}
