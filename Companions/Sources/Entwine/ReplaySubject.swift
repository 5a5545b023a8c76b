@_spi(Companions) import CombineExtras

/// A subject that publishes its last values to each new subscriber; see `CombineExtras`.
public typealias ReplaySubject = CombineExtras.ReplaySubject

extension ReplaySubject {

  /// Creates a subject that keeps a number of values.
  ///
  /// - Parameter maxBufferSize: The maximum number of values that a new subscriber receives.
  public convenience init(maxBufferSize: Int) {
    self.init(replaying: maxBufferSize)
  }

  /// Creates a subject that keeps a number of values.
  ///
  /// - Parameter bufferSize: The maximum number of values that a new subscriber receives.
  /// - Returns: The subject.
  public static func create(bufferSize: Int) -> ReplaySubject<Output, Failure> {
    ReplaySubject(maxBufferSize: bufferSize)
  }

  /// Creates a subject that keeps all values.
  ///
  /// - Returns: The subject.
  public static func createUnbounded() -> ReplaySubject<Output, Failure> {
    ReplaySubject()
  }

  /// The number of subscriptions, for tests that import this module with `@testable`.
  var subscriptionCount: Int { subscriptionIdentifiers.count }
}

extension Publisher {

  /// Shares one subscription to this publisher, and replays its last elements to each new subscriber.
  ///
  /// When the last subscriber has cancelled, the elements are dropped, and the next subscriber starts anew.
  ///
  /// - Parameter maxBufferSize: The maximum number of elements that a new subscriber receives.
  /// - Returns: A publisher that shares one subscription.
  public func share(
    replay maxBufferSize: Int
  ) -> Publishers.ReferenceCounted<Self, ReplaySubject<Output, Failure>> {
    multicast { ReplaySubject(maxBufferSize: maxBufferSize) }.referenceCounted()
  }
}

extension Publishers {

  /// A publisher that connects when the first subscriber arrives, and disconnects when the last one leaves.
  public typealias ReferenceCounted = ExtraPublishers.ReferenceCounted
}
