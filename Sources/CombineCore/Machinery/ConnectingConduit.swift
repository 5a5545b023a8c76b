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

  /// Ends the connection by the operator's own decision: cancels upstream, then tells the downstream.
  ///
  /// Does nothing unless connected: what ended meanwhile, by the operator's closure for example, is not told.
  @inlinable
  func end(with completion: Subscribers.Completion<Downstream.Failure>) {
    guard let subscription = disconnect() else { return }
    subscription.cancel()
    if !wasCancelled { downstream.receive(completion: completion) }
  }

  /// Ends the connection with an error of the operator's own.
  @inlinable
  func fail(with error: Downstream.Failure) {
    end(with: .failure(error))
  }
}
