/// The conduit of an operator with one upstream, whose downstream gets the conduit itself as its subscription.
@usableFromInline
protocol ConnectingConduit: Conduit, Subscriber, DescribedByName {

  associatedtype Downstream: Subscriber

  var downstream: Downstream { get }
}

extension ConnectingConduit {

  @inlinable
  func receive(subscription: any Subscription) {
    if accept(subscription) { downstream.receive(subscription: self) }
  }
}
