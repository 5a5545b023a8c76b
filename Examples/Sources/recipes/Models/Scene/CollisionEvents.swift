/// The events of two entities that touch.
///
/// A subscription to the scene receives one event for each pair. A subscription on an entity receives the event with that
/// entity as `entityA`, so `entityB` is the other one.
enum CollisionEvents {

  /// Two entities touch that did not touch in the previous frame.
  struct Began: Event {
    let entityA: Entity
    let entityB: Entity

    /// The point at which they touch.
    let position: SIMD2<Double>

    func seen(from entity: Entity) -> Self? {
      if entity === entityA { return self }
      if entity === entityB { return Self(entityA: entityB, entityB: entityA, position: position) }
      return nil
    }
  }

  /// Two entities no longer touch, or one of them is about to be removed.
  struct Ended: Event {
    let entityA: Entity
    let entityB: Entity

    func seen(from entity: Entity) -> Self? {
      if entity === entityA { return self }
      if entity === entityB { return Self(entityA: entityB, entityB: entityA) }
      return nil
    }
  }
}
