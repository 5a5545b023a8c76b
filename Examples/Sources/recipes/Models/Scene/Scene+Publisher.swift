import Combine

extension Scene {

  /// A publisher of the events of one type.
  ///
  /// An event for which a subscriber has no demand is dropped. The publisher keeps neither the scene nor an entity alive.
  struct Publisher<E: Event>: Combine.Publisher {
    typealias Output = E
    typealias Failure = Never

    fileprivate let hub: EventHub

    func receive(subscriber: some Subscriber<E, Never>) {
      hub.subscribe(subscriber)
    }
  }

  /// Returns a publisher of the events of one type.
  ///
  /// With an entity as the source, it publishes only the events that involve the entity. It finishes when the entity is removed,
  /// and at once if the entity is not in this scene. If the entity is added again, a new publisher is necessary. All publishers
  /// finish with the scene.
  ///
  /// A subscription that a handler makes receives the events after the one that is being handled.
  ///
  /// - Parameters:
  ///   - event: The type of the events.
  ///   - source: The entity that the events involve. The default is the whole scene.
  func publisher<E: Event>(for event: E.Type, on source: (any EventSource)? = nil) -> Publisher<E> {
    Publisher(hub: hub(of: source))
  }

  /// Calls a closure with each event of one type, until the result is cancelled or released.
  ///
  /// A closure that refers to the scene keeps it alive until then.
  ///
  /// - Parameters:
  ///   - event: The type of the events.
  ///   - source: The entity that the events involve. The default is the whole scene.
  ///   - handler: A closure that receives each event. It is released when the entity is removed.
  func subscribe<E: Event>(
    to event: E.Type,
    on source: (any EventSource)? = nil,
    _ handler: @escaping (E) -> Void
  ) -> any Cancellable {
    publisher(for: event, on: source).sink(receiveValue: handler)
  }
}
