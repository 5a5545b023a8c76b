/// The conduit of an operator that lets some elements through, perhaps changed, and drops the others, and that tells
/// the downstream of a subscription of its own.
///
/// An operator's conduit is a final class that says what becomes of an element; all else is here. The state is checked
/// by one load for each element. A ``StrictConduit`` traps on what comes before a subscription, another ``Conduit``
/// ignores it.
@usableFromInline
protocol FilteringConduit: ConnectingConduit {

  /// What becomes of an element: what the downstream gets, nothing if the element is dropped, or an error, which ends
  /// the subscription. Called once for each element, with no lock held.
  func filter(_ input: Input) throws(Downstream.Failure) -> Downstream.Input?

  /// An element was dropped.
  ///
  /// - Returns: The demand that makes up for it: one more element, unless the operator has other ideas.
  func drop() -> Subscribers.Demand

  /// An element or a completion is ignored because there is no connection.
  ///
  /// - Parameter mistake: What it is if there has not been one yet.
  func willIgnore(_ mistake: Misuse)

  /// An upstream failure as the downstream gets it.
  static func downstreamFailure(_ failure: Failure) -> Downstream.Failure
}

extension FilteringConduit {

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard phase == .subscribed else {
      willIgnore(.valueBeforeSubscription)
      return .none
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
