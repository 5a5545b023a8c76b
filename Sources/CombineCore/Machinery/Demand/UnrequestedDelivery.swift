import CCombinePlatform
import Synchronization

/// The mark of a delivery without demand, which is legal because Combine's own publishers make it.
///
/// Some publishers send without demand, as in Combine: an observable object's publisher, `collect(.byTime)`,
/// `collect(.byTimeOrCount)` and `replaceEmpty(with:)`. They mark their deliveries, in a variable of the thread. A
/// subscriber that traps for a value beyond the demand checks the mark first. An operator that delivers later, or on
/// another thread, keeps the mark in an ``UnrequestedDeliveryMark``.
///
/// All code inside a marked delivery sees the mark. So a user's publisher that sends too much from there does not trap.
@usableFromInline
package enum UnrequestedDelivery: UInt8 {

  /// A value, which must not be lost.
  case value = 1

  /// The announcement of a change. Two announcements mean no more than one.
  case announcement = 2

  /// The mark of the thread's current delivery.
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

  /// Runs `deliver` with this mark, and then restores the mark before.
  @inlinable
  @inline(__always)
  package func mark<Result>(_ deliver: () -> Result) -> Result {
    let outer = begin()
    let result = deliver()
    Self.end(outer)
    return result
  }

  /// Begins what ``mark(_:)`` does, without a closure, which captures its variables in a debug build. ``end(_:)`` follows.
  ///
  /// - Returns: The mark that this one is nested in.
  @inlinable
  @inline(__always)
  func begin() -> UInt8 {
    let outer = combine_unrequested_delivery()
    combine_set_unrequested_delivery(rawValue)
    return outer
  }

  @inlinable
  @inline(__always)
  static func end(_ outer: UInt8) {
    combine_set_unrequested_delivery(outer)
  }
}

extension Subscribers.Demand {

  /// The remaining demand after an unrequested value, given the demand that its receiver has returned.
  ///
  /// An operator counts the value like any other: the demand was zero, becomes one less, and grows by the returned demand.
  /// A filter shows why. It returns a demand of one for a value that it drops, but an unrequested value has used up none.
  /// Otherwise the operator would request a value that no subscriber wants.
  @inlinable
  var afterUnrequestedValue: Subscribers.Demand {
    self == .none || self == .unlimited ? self : self - 1
  }
}

/// The mark of an operator that delivers values later, on another thread, or of one publisher after another.
///
/// It is the mark of the last marked value, and stays from then on. Later values may be beyond the demand as well:
///
/// - A filter downstream returns demand for a value that it drops.
/// - A request passes the operators one by one, and each of them counts it. A value without demand may meet it on its way.
///   Those that have counted the request take the value for the requested one. Those that have not send another.
@usableFromInline
package struct UnrequestedDeliveryMark: ~Copyable, Sendable {

  /// The raw value of the mark; zero for none. What makes one delivery follow another orders the memory.
  @usableFromInline
  let rawValue = Atomic<UInt8>(0)

  @inlinable
  package init() {}

  /// Notes the mark of a value that arrives.
  @inlinable
  @inline(__always)
  package func note() {
    if let current = UnrequestedDelivery.current { rawValue.store(current.rawValue, ordering: .relaxed) }
  }

  /// Sets the mark, because this operator itself delivers values beyond the demand.
  @inlinable
  func set(_ mark: UnrequestedDelivery) {
    rawValue.store(mark.rawValue, ordering: .relaxed)
  }

  /// Begins a delivery with the mark, if there is one. ``UnrequestedDelivery/end(_:)`` follows.
  ///
  /// - Returns: The mark that this one is nested in.
  @inlinable
  @inline(__always)
  func begin() -> UInt8 {
    let mark = rawValue.load(ordering: .relaxed)
    let outer = combine_unrequested_delivery()
    if mark != 0 { combine_set_unrequested_delivery(mark) }
    return outer
  }

  /// Runs `deliver`, with the mark if there is one.
  @inlinable
  @inline(__always)
  package func mark<Result>(_ deliver: () -> Result) -> Result {
    let outer = begin()
    let result = deliver()
    UnrequestedDelivery.end(outer)
    return result
  }
}
