/// A protocol for the connection of one subscriber to one publisher.
///
/// A subscription is identified by ``CustomCombineIdentifierConvertible/combineIdentifier``, so it is almost always
/// a class. Cancelling it frees what it holds; it can be done once.
public protocol Subscription: Cancellable, CustomCombineIdentifierConvertible {

  /// Tells the publisher that it may send more values.
  ///
  /// Values that the publisher has already are delivered before the call returns.
  ///
  /// - Parameter demand: How many more values, in addition to those asked for before.
  func request(_ demand: Subscribers.Demand)
}

/// A namespace for subscriptions.
public enum Subscriptions {}

extension Subscriptions {

  /// A subscription that ignores every request and cancel: for publishers that have nothing to send.
  @inlinable
  public static var empty: any Subscription { EmptySubscription.shared }
}

@usableFromInline
final class EmptySubscription: Subscription, Sendable {

  @usableFromInline
  static let shared = EmptySubscription()

  private init() {}

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {}

  @usableFromInline
  func cancel() {}
}

extension EmptySubscription: DescribedByName {

  @usableFromInline
  var description: String { "Empty" }
}
