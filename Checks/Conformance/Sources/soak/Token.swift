import Synchronization

/// An element, or an object that a closure holds, whose lifetime is counted.
///
/// Every pipeline of the soak sends tokens, and each of its closures holds one. A conduit that is not released holds a
/// closure, or a downstream that holds one. So every kind of leak is visible in the count.
final class Token: Sendable {

  let number: Int

  private static let alive = Atomic(0)

  /// The number of live tokens.
  static var aliveCount: Int { alive.load(ordering: .sequentiallyConsistent) }

  init(_ number: Int = 0) {
    self.number = number
    Self.alive.add(1, ordering: .relaxed)
  }

  deinit {
    Self.alive.subtract(1, ordering: .relaxed)
  }
}
