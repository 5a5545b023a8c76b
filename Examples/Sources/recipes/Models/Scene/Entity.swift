/// A disc that moves in a ``Scene``.
final class Entity: EventSource {

  let name: String

  let radius: Double

  /// The place of the center.
  var position: SIMD2<Double>

  /// The distance that the entity moves in a second.
  var velocity: SIMD2<Double>

  /// The opacity, from 0 to 1.
  var opacity = 1.0

  /// The scene that the entity is in, or `nil`.
  weak var scene: Scene?

  init(_ name: String, radius: Double, position: SIMD2<Double>, velocity: SIMD2<Double> = .zero) {
    self.name = name
    self.radius = radius
    self.position = position
    self.velocity = velocity
  }
}
