/// The conduit of an operator that passes on some elements, perhaps changed, and drops the others.
///
/// It sends its downstream its own subscription.
///
/// A final class for each operator defines what happens to an element. One atomic load checks the state for each
/// element. A ``StrictConduit`` traps on events before the subscription. Any other ``Conduit`` ignores them.
@usableFromInline
protocol FilteringConduit: RequestPassingConduit {

  /// Filters one element: returns the element to deliver, returns `nil` to drop it, or throws to end the subscription.
  ///
  /// It is called once for each element, outside any lock.
  func filter(_ input: Input) throws(Downstream.Failure) -> Downstream.Input?

  /// Called after an element was dropped.
  ///
  /// - Returns: The demand that replaces the dropped element. The default is one element.
  func drop() -> Subscribers.Demand

  /// Called when an element or a completion is ignored because the conduit is not subscribed.
  ///
  /// - Parameter mistake: The programming error, in case there has been no subscription yet.
  func willIgnore(_ mistake: Misuse)

  /// Converts a failure of the upstream for the downstream.
  static func downstreamFailure(_ failure: Failure) -> Downstream.Failure
}

extension FilteringConduit {

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard phase == .subscribed else {
      willIgnore(.valueBeforeSubscription)
      return DeliveryReceipt.refuse()
    }
    do throws(Downstream.Failure) {
      guard let output = try filter(input) else { return drop() }
      return downstream.receive(output)
    } catch {
      fail(with: error)
      return .none
    }
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard disconnect() != nil else { return willIgnore(.completionBeforeSubscription) }
    downstream.receive(completion: completion.mapFailure(Self.downstreamFailure))
  }

  @inlinable
  func drop() -> Subscribers.Demand { .max(1) }

  @inlinable
  func willIgnore(_ mistake: Misuse) {}

  @usableFromInline
  var reflectedChildren: KeyValuePairs<String, Any> { ["downstream": downstream] }
}

extension FilteringConduit where Downstream.Failure == Failure {

  @inlinable
  static func downstreamFailure(_ failure: Failure) -> Failure { failure }
}

extension FilteringConduit where Downstream.Failure == any Error {

  @inlinable
  static func downstreamFailure(_ failure: Failure) -> any Error { failure }
}
