/// The events of a scene's frames, and of its entities that come and go.
enum SceneEvents {

  /// A frame begins. The entities move after this event.
  struct Update: Event {

    /// The time since the previous frame, in seconds.
    let deltaTime: Double
  }

  /// An entity was added.
  struct DidAddEntity: Event {
    let entity: Entity

    func seen(from entity: Entity) -> Self? { self.entity === entity ? self : nil }
  }

  /// An entity is about to be removed. The subscriptions on it finish after this event.
  struct WillRemoveEntity: Event {
    let entity: Entity

    func seen(from entity: Entity) -> Self? { self.entity === entity ? self : nil }
  }
}
