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

  /// This subscription where it is an object, as nearly all are; else `nil`. Not to be implemented.
  ///
  /// A reference to an object takes two words where one to anything takes five, and needs no table of functions to be
  /// copied. There is no quick way to turn one into the other but to ask the type itself.
  var _object: (any Subscription & AnyObject)? { get }
}

extension Subscription {

  /// Nothing, as this is no object.
  @inlinable
  public var _object: (any Subscription & AnyObject)? { nil }
}

extension Subscription where Self: AnyObject {

  /// This object.
  @inlinable
  public var _object: (any Subscription & AnyObject)? { self }
}

/// A subscription that is an object: what a variable keeps that is changed often.
@usableFromInline
typealias SubscriptionObject = any Subscription & AnyObject

extension Subscription {

  /// This subscription as an object: itself, or in a box.
  @inlinable
  var object: SubscriptionObject { _object ?? BoxedSubscription(self) }
}

/// A subscription that is no object, in one that is.
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
