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

  /// This subscription if it is an object, else `nil`. Clients do not implement this property.
  ///
  /// Nearly all subscriptions are objects. A reference to an object takes two words, and an existential takes five. The
  /// reference is also copied without a witness table. Only the type itself can make the conversion quickly.
  var _object: (any Subscription & AnyObject)? { get }
}

extension Subscription {

  /// Always `nil`, because this subscription is not an object.
  @inlinable
  public var _object: (any Subscription & AnyObject)? { nil }
}

extension Subscription where Self: AnyObject {

  /// This subscription itself.
  @inlinable
  public var _object: (any Subscription & AnyObject)? { self }
}

/// A subscription that is an object. Variables that change often keep subscriptions in this form.
@usableFromInline
typealias SubscriptionObject = any Subscription & AnyObject

extension Subscription {

  /// This subscription as an object: itself, or a box around it.
  @inlinable
  var object: SubscriptionObject { _object ?? BoxedSubscription(self) }
}

/// An object around a subscription that is not an object.
@usableFromInline
final class BoxedSubscription: Subscription {

  private let base: any Subscription

  @usableFromInline
  init(_ base: any Subscription) {
    self.base = base
  }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) { base.request(demand) }

  @usableFromInline
  func cancel() { base.cancel() }
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
