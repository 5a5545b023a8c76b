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

  /// An address that identifies the calls to the subscriber, if this subscription or one before it serializes them and is of
  /// this package.
  ///
  /// Clients do not implement this property.
  ///
  /// A sink that receives the subscription needs no lock of its own in such a call.
  var _gate: UnsafeRawPointer? { get }

  /// Whether such a call may be running on another thread. A sink asks after it has noted its end, and before it cancels.
  ///
  /// Clients do not implement this property.
  var _isDelivering: Bool { get }

  /// This subscription as an object: itself, or a box around it.
  ///
  /// Clients do not implement this property.
  ///
  /// A reference to an object takes two words, and an existential takes five. A program may have very many sinks, and each
  /// keeps its subscription.
  var _object: any Subscription & AnyObject { get }
}

extension Subscription {

  /// Returns `nil`: a subscription of a client has no such lock.
  @inlinable
  public var _gate: UnsafeRawPointer? { nil }

  /// Returns `false`, as there are no such calls.
  @inlinable
  public var _isDelivering: Bool { false }

  /// Returns a box around this subscription.
  public var _object: any Subscription & AnyObject { BoxedSubscription(self) }
}

extension Subscription where Self: AnyObject {

  /// Returns this subscription.
  @inlinable
  public var _object: any Subscription & AnyObject { self }
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
