/// The pairs of entities that touch.
struct Contacts {

  struct Pair {
    let a: Entity
    let b: Entity

    func involves(_ entity: Entity) -> Bool { a === entity || b === entity }

    /// The distance between the surfaces, which is negative if the entities overlap.
    var gap: Double { (b.position - a.position).length - a.radius - b.radius }

    /// The point on the surface of the first entity that is nearest to the second one.
    var position: SIMD2<Double> { a.position + direction * a.radius }

    /// The direction from the first entity to the second one, with the length 1.
    private var direction: SIMD2<Double> {
      let difference = b.position - a.position
      return difference == .zero ? SIMD2(1, 0) : difference / difference.length
    }

    /// Makes the entities bounce off each other, as discs of one thickness do, unless they move apart.
    func bounce() {
      let approach = ((a.velocity - b.velocity) * direction).sum()
      guard approach > 0 else { return }
      let (massA, massB) = (a.radius * a.radius, b.radius * b.radius)
      let impulse = 2 * approach / (massA + massB) * direction
      a.velocity -= impulse * massB
      b.velocity += impulse * massA
    }
  }

  private(set) var pairs: [Pair] = []

  /// Adds a pair. Returns `false` if it is there already.
  mutating func insert(_ pair: Pair) -> Bool {
    guard !contains(pair) else { return false }
    pairs.append(pair)
    return true
  }

  /// Removes a pair. Returns `false` if it is not there.
  mutating func remove(_ pair: Pair) -> Bool {
    guard let index = pairs.firstIndex(where: { $0.a === pair.a && $0.b === pair.b }) else { return false }
    pairs.remove(at: index)
    return true
  }

  private func contains(_ pair: Pair) -> Bool {
    pairs.contains { $0.a === pair.a && $0.b === pair.b }
  }
}

extension SIMD2<Double> {
  var length: Double { (self * self).sum().squareRoot() }
}
