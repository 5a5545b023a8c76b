import Synchronization

/// The outstanding demand of one subscription, which any thread may raise or use up.
///
/// Unlimited demand is seen by one load and never written again; a count costs one atomic operation a change.
@usableFromInline
package struct DemandCounter: ~Copyable, Sendable {

  @usableFromInline
  let rawValue = Atomic<UInt>(0)

  @inlinable
  package init() {}

  /// The demand at this moment.
  @inlinable
  package var value: Subscribers.Demand {
    Subscribers.Demand(rawValue: rawValue.load(ordering: .acquiring))
  }

  /// Adds to the demand.
  @inlinable
  @inline(__always)
  package func add(_ demand: Subscribers.Demand) {
    if demand.rawValue != 0 { addSome(demand) }
  }

  @usableFromInline
  func addSome(_ demand: Subscribers.Demand) {
    var old = value
    while !old.isUnlimited {
      InterleavingPoint.atomicStep.reach()
      let (done, seen) = rawValue.compareExchange(
        expected: old.rawValue,
        desired: (old + demand).rawValue,
        ordering: .acquiringAndReleasing
      )
      if done { return }
      old = Subscribers.Demand(rawValue: seen)
    }
  }

  /// Uses one element of the demand.
  ///
  /// - Returns: Whether there was any.
  @inlinable
  package func take() -> Bool {
    var old = rawValue.load(ordering: .acquiring)
    while old != Subscribers.Demand.unlimitedRawValue {
      if old == 0 { return false }
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
}
