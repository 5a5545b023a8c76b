/// A subscription that is an object, as nearly all subscriptions are.
///
/// A reference to an object takes two words, and an existential takes five. A program may have very many sinks, and each
/// keeps its subscription: with five words an idle one takes 267 bytes in place of 235 (the benchmark row
/// `idle-subscriptions`).
@usableFromInline
package typealias SubscriptionObject = any Subscription & AnyObject

/// An object around a subscription that is not an object.
final class BoxedSubscription: Subscription {

  private let base: any Subscription

  init(_ base: any Subscription) {
    self.base = base
  }

  func request(_ demand: Subscribers.Demand) { base.request(demand) }

  func cancel() { base.cancel() }

  var _gate: UnsafeRawPointer? { base._gate }

  var _isDelivering: Bool { base._isDelivering }
}
