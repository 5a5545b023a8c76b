@_spi(Companions) import CombineExtras

/// A subject that publishes its last values to each new subscriber; see `CombineExtras`.
public typealias ReplaySubject = CombineExtras.ReplaySubject

extension ReplaySubject {

  /// Creates a subject that keeps a number of values, and whose completion overtakes the values for which a subscriber has
  /// no demand.
  ///
  /// - Parameter bufferSize: The maximum number of values that a new subscriber receives. With zero or less it keeps none.
  public convenience init(bufferSize: Int) {
    self.init(overtakingAfter: bufferSize)
  }

  /// The subscriptions, in the order in which they were made, for tests that import this module with `@testable`.
  var subscriptions: [ReplaySubscription] {
    subscriptionIdentifiers.map { ReplaySubscription(combineIdentifier: $0) }
  }
}

/// The identity of a subscription to a replay subject. A subscriber was given the same identifier.
struct ReplaySubscription: CustomCombineIdentifierConvertible {
  let combineIdentifier: CombineIdentifier
}

extension Publisher {

  /// Shares one subscription to this publisher, and replays its last elements to each new subscriber.
  ///
  /// The elements are kept as long as the returned publisher exists. A subscriber that comes after all others have
  /// cancelled receives the old elements first.
  ///
  /// - Parameter count: The maximum number of elements that a new subscriber receives.
  /// - Returns: A publisher that shares one subscription.
  public func share(
    replay count: Int
  ) -> Publishers.Autoconnect<Publishers.Multicast<Self, ReplaySubject<Output, Failure>>> {
    multicast(subject: ReplaySubject(bufferSize: count)).autoconnect()
  }
}
