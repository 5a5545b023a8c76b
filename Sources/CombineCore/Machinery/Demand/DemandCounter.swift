import CombineThreads
import Synchronization

/// The outstanding demand of one subscription, and whether the subscription has ended. Any thread may change it.
///
/// While demand is unlimited an element costs one load. While it is finite each change costs one atomic operation.
@usableFromInline
package struct DemandCounter: ~Copyable, Sendable {

  /// The raw value of the demand. After the end it is the last raw value plus ``ended``.
  @usableFromInline
  let rawValue = Atomic<UInt>(0)

  @inlinable
  package init() {}

  @inlinable
  @_transparent
  static var ended: UInt { Subscribers.Demand.unlimitedRawValue + 1 }

  /// The demand at this moment, or the last demand after the end. The greatest finite values count as unlimited.
  @inlinable
  package var value: Subscribers.Demand {
    let raw = rawValue.load(ordering: .acquiring)
    guard raw >= Self.ended else { return Subscribers.Demand(rawValue: raw) }
    return raw == .max ? .unlimited : Subscribers.Demand(rawValue: raw - Self.ended)
  }

  /// Whether the demand is unlimited and has not ended.
  @inlinable
  @inline(__always)
  var isUnlimited: Bool {
    rawValue.load(ordering: .acquiring) == Subscribers.Demand.unlimitedRawValue
  }

  /// Adds to the demand. It does nothing after the end.
  @inlinable
  @inline(__always)
  package func add(_ demand: Subscribers.Demand) {
    if demand.rawValue != 0 { addSome(demand) }
  }

  @usableFromInline
  func addSome(_ demand: Subscribers.Demand) {
    var old = rawValue.load(ordering: .acquiring)
    while old < Subscribers.Demand.unlimitedRawValue {
      InterleavingPoint.atomicStep.reach()
      let (done, seen) = rawValue.compareExchange(
        expected: old,
        desired: (Subscribers.Demand(rawValue: old) + demand).rawValue,
        ordering: .acquiringAndReleasing
      )
      if done { return }
      old = seen
    }
  }

  /// Makes the demand unlimited for a subscription that no other code has yet.
  func beginUnlimited() {
    rawValue.store(Subscribers.Demand.unlimitedRawValue, ordering: .releasing)
  }

  /// Uses one element of the demand.
  ///
  /// - Returns: Whether there was one. There is none after the end.
  @inlinable
  package func take() -> Bool {
    var old = rawValue.load(ordering: .acquiring)
    while old != Subscribers.Demand.unlimitedRawValue {
      if old == 0 || old >= Self.ended { return false }
      InterleavingPoint.atomicStep.reach()
      let (done, seen) = rawValue.compareExchange(
        expected: old,
        desired: old &- 1,
        ordering: .acquiringAndReleasing
      )
      if done { return true }
      old = seen
    }
    return true
  }

  /// Ends the subscription.
  ///
  /// - Returns: Whether it had not ended before.
  package func end() -> Bool {
    var old = rawValue.load(ordering: .acquiring)
    while old < Self.ended {
      InterleavingPoint.atomicStep.reach()
      // Sequentially consistent: the caller then checks whether another thread is inside the downstream.
      let (done, seen) = rawValue.compareExchange(
        expected: old,
        desired: old > .max - Self.ended ? .max : old + Self.ended,
        ordering: .sequentiallyConsistent
      )
      if done { return true }
      old = seen
    }
    return false
  }

  /// Whether ``end()`` was called.
  @inlinable
  package var hasEnded: Bool {
    rawValue.load(ordering: .sequentiallyConsistent) >= Self.ended
  }
}
