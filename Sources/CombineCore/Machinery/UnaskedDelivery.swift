import CCombinePlatform

/// The mark of a delivery that the demand does not cover, and that is legal because Combine's own publishers make it.
///
/// Some publishers of this package send without demand, as Combine's do: an observable object's publisher,
/// `collect(.byTime)`, `collect(.byTimeOrCount)` and `replaceEmpty(with:)`. They mark their deliveries, for the thread. A
/// consumer that ends the process for a value beyond the demand looks at the mark first. An operator that delivers later,
/// or on another thread, carries the mark over (``UnaskedDeliveryMemory``).
///
/// Everything that is called inside a marked delivery sees the mark. So it excuses more than it must: a user's publisher
/// that sends too much from there does not trap.
@usableFromInline
package enum UnaskedDelivery: UInt8 {

  /// A value, which must not get lost.
  case value = 1

  /// The announcement of a change: two of them say no more than one.
  case announcement = 2

  /// What marks the thread's current delivery.
  @inlinable
  @inline(__always)
  package static var current: UnaskedDelivery? {
    UnaskedDelivery(rawValue: combine_unasked_delivery())
  }

  /// Whether the thread's current delivery is marked.
  @inlinable
  @inline(__always)
  package static var isCurrent: Bool {
    combine_unasked_delivery() != 0
  }

  /// Delivers with this mark. Afterwards the thread has the mark that it had before.
  @inlinable
  @inline(__always)
  package func mark<Result>(_ deliver: () -> Result) -> Result {
    let outer = combine_unasked_delivery()
    combine_set_unasked_delivery(rawValue)
    defer { combine_set_unasked_delivery(outer) }
    return deliver()
  }
}

extension Subscribers.Demand {

  /// What is left of the demand that an unasked value was answered with, once that value is counted.
  ///
  /// An operator counts the value like any other: the demand was none, is one less than that, and grows by the answer.
  /// A filter shows why. It answers a value that it drops with one more; for an unasked one nothing was used up. Without
  /// this the operator would ask a successor of its upstream for a value that nobody wants.
  @inlinable
  var afterUnaskedValue: Subscribers.Demand {
    self == .none || self == .unlimited ? self : self - 1
  }
}
