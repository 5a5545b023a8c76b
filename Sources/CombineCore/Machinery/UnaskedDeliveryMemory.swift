import Synchronization

/// The mark that the values of an operator carry which delivers them later, or on another thread.
///
/// It is that of the last marked value that came, and stays from then on: the values that follow may be beyond the
/// demand as well, as a filter downstream answers a value that it drops with demand for another one.
@usableFromInline
struct UnaskedDeliveryMemory: ~Copyable, Sendable {

  /// The mark's raw value; zero for none. What is sent to a scheduler carries the order of memory along.
  @usableFromInline
  let rawValue = Atomic<UInt8>(0)

  @inlinable
  init() {}

  /// Takes notice of the mark of a value that arrives.
  @inlinable
  @inline(__always)
  func note() {
    if let current = UnaskedDelivery.current { rawValue.store(current.rawValue, ordering: .relaxed) }
  }

  /// Delivers a value, with the mark if there is one.
  @inlinable
  @inline(__always)
  func mark<Result>(_ deliver: () -> Result) -> Result {
    guard let unasked = UnaskedDelivery(rawValue: rawValue.load(ordering: .relaxed)) else { return deliver() }
    return unasked.mark(deliver)
  }
}
