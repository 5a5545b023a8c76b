import CCombinePlatform
import Synchronization

/// The mark of a delivery that the demand does not cover, and that is legal because Combine's own publishers make it.
///
/// Some publishers of this package send without demand, as Combine's do: an observable object's publisher,
/// `collect(.byTime)`, `collect(.byTimeOrCount)` and `replaceEmpty(with:)`. They mark their deliveries, for the thread. A
/// consumer that ends the process for a value beyond the demand looks at the mark first. An operator that delivers later,
/// or on another thread, carries the mark over (``UnrequestedDeliveryMark``).
///
/// Everything that is called inside a marked delivery sees the mark. So it excuses more than it must: a user's publisher
/// that sends too much from there does not trap.
@usableFromInline
package enum UnrequestedDelivery: UInt8 {

  /// A value, which must not get lost.
  case value = 1

  /// The announcement of a change: two of them say no more than one.
  case announcement = 2

  /// What marks the thread's current delivery.
  @inlinable
  @inline(__always)
  package static var current: UnrequestedDelivery? {
    UnrequestedDelivery(rawValue: combine_unrequested_delivery())
  }

  /// Whether the thread's current delivery is marked.
  @inlinable
  @inline(__always)
  package static var isCurrent: Bool {
    combine_unrequested_delivery() != 0
  }

  /// Delivers with this mark. Afterwards the thread has the mark that it had before.
  @inlinable
  @inline(__always)
  package func mark<Result>(_ deliver: () -> Result) -> Result {
    let outer = combine_unrequested_delivery()
    combine_set_unrequested_delivery(rawValue)
    defer { combine_set_unrequested_delivery(outer) }
    return deliver()
  }
}

extension Subscribers.Demand {

  /// What is left of the demand that an unrequested value was answered with, once that value is counted.
  ///
  /// An operator counts the value like any other: the demand was none, is one less than that, and grows by the answer.
  /// A filter shows why. It answers a value that it drops with one more; for an unrequested one nothing was used up. Without
  /// this the operator would ask a successor of its upstream for a value that nobody wants.
  @inlinable
  var afterUnrequestedValue: Subscribers.Demand {
    self == .none || self == .unlimited ? self : self - 1
  }
}

/// The mark that the values of an operator carry which delivers them later, or on another thread.
///
/// It is that of the last marked value that came, and stays from then on: the values that follow may be beyond the
/// demand as well, as a filter downstream answers a value that it drops with demand for another one.
@usableFromInline
struct UnrequestedDeliveryMark: ~Copyable, Sendable {

  /// The mark's raw value; zero for none. What is sent to a scheduler carries the order of memory along.
  @usableFromInline
  let rawValue = Atomic<UInt8>(0)

  @inlinable
  init() {}

  /// Takes notice of the mark of a value that arrives.
  @inlinable
  @inline(__always)
  func note() {
    if let current = UnrequestedDelivery.current { rawValue.store(current.rawValue, ordering: .relaxed) }
  }

  /// Delivers a value, with the mark if there is one.
  @inlinable
  @inline(__always)
  func mark<Result>(_ deliver: () -> Result) -> Result {
    guard let unrequested = UnrequestedDelivery(rawValue: rawValue.load(ordering: .relaxed)) else { return deliver() }
    return unrequested.mark(deliver)
  }
}
