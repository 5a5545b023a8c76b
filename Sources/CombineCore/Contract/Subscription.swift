/// A protocol for the link between one subscriber and one publisher.
///
/// ``CustomCombineIdentifierConvertible/combineIdentifier`` identifies a subscription, so a subscription is almost
/// always a class. Cancelling releases what the subscription holds. It has an effect only once.
public protocol Subscription: Cancellable, CustomCombineIdentifierConvertible {

  /// Requests more values from the publisher.
  ///
  /// The publisher delivers values that it already has before this call returns.
  ///
  /// - Parameter demand: The number of further values, in addition to the earlier demand.
  func request(_ demand: Subscribers.Demand)

  /// The lock inside which this subscription calls its subscriber, if it is one of this package.
  ///
  /// Clients do not implement this property.
  ///
  /// A sink that receives the subscription uses that lock in place of its own, so an element passes one lock on its way.
  var _gate: UnsafeRawPointer? { get }
}

extension Subscription {

  /// Returns `nil`: a subscription of a client has no such lock.
  @inlinable
  public var _gate: UnsafeRawPointer? { nil }
}

/// A namespace for ready-made subscriptions.
public enum Subscriptions {}

extension Subscriptions {

  /// A subscription that ignores every request and cancellation, for publishers that have nothing to send.
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
