/// An event of a running ``Scene``.
///
/// An event of your own is a structure that conforms to this protocol. ``Scene/send(_:)`` publishes it.
protocol Event {

  /// Returns the event as a subscription on an entity receives it, or `nil` if the event does not involve the entity.
  ///
  /// The default returns the event itself, because it concerns the whole scene.
  func seen(from entity: Entity) -> Self?
}

extension Event {
  func seen(from entity: Entity) -> Self? { self }
}
