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

  /// Ends the connection with an error of the operator's own: cancels upstream, then tells the downstream.
  ///
  /// Does nothing unless connected: what ended meanwhile, by the closure that has thrown for example, is not told.
  @inlinable
  func fail(with error: Downstream.Failure) {
    guard let subscription = disconnect() else { return }
    subscription.cancel()
    downstream.receive(completion: .failure(error))
  }
}
