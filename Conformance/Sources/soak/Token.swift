import Synchronization

/// An element, or what a closure holds: an object whose life is counted.
///
/// Every pipeline of the soak passes tokens along, and every closure of its own holds one. A conduit that is not
/// released holds a closure or a downstream that does, so that a leak of whatever kind shows in the count.
final class Token: Sendable {

  let number: Int

  private static let alive = Atomic(0)

  /// How many there are.
  static var aliveCount: Int { alive.load(ordering: .sequentiallyConsistent) }

  init(_ number: Int = 0) {
    self.number = number
    Self.alive.add(1, ordering: .relaxed)
  }

  deinit {
    Self.alive.subtract(1, ordering: .relaxed)
  }
}
