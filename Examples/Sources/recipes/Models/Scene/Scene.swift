/// A scene in two dimensions, whose entities move, bounce, and publish typed events.
///
/// ``advance(by:)`` runs one frame. A ``FrameClock`` on any scheduler can drive it, so a test runs it in virtual time.
///
/// A handler may change the scene. Its change takes effect when the current event has reached all subscribers. So all of them
/// see the same scene, and no event overtakes another one. Use a scene and its entities on one thread at a time.
final class Scene: EventSource {

  /// The area in which the entities move. They bounce off its edges.
  let size: SIMD2<Double>

  /// The entities, in the order of their addition.
  private(set) var entities: [Entity] = []

  /// The sum of all frames, in seconds.
  private(set) var time = 0.0

  private var contacts = Contacts()

  private let deliveries = DeliveryCounter()
  private let hub: EventHub
  private var hubs: [ObjectIdentifier: EventHub] = [:]

  /// The changes that were asked for during the current one.
  private var requested: [() -> Void] = []
  private var isChanging = false

  init(size: SIMD2<Double>) {
    self.size = size
    hub = EventHub(deliveries)
  }

  deinit {
    hubs.values.forEach { $0.finish() }
    hub.finish()
  }

  // MARK: Entities

  /// Adds an entity and publishes ``SceneEvents/DidAddEntity``. It ignores an entity that is in a scene already.
  func add(_ entity: Entity) {
    change { [self] in
      guard entity.scene == nil else { return }
      entity.scene = self
      entities.append(entity)
      hubs[ObjectIdentifier(entity)] = EventHub(deliveries)
      deliver(SceneEvents.DidAddEntity(entity: entity))
    }
  }

  /// Removes an entity and finishes the subscriptions on it. It ignores an entity that is not in this scene.
  ///
  /// The last events of those subscriptions are ``SceneEvents/WillRemoveEntity``, and ``CollisionEvents/Ended`` for each entity
  /// that it touches.
  func remove(_ entity: Entity) {
    change { [self] in
      guard entity.scene === self else { return }
      deliver(SceneEvents.WillRemoveEntity(entity: entity))
      contacts.pairs.filter { $0.involves(entity) }.forEach(end)
      entity.scene = nil
      entities.removeAll { $0 === entity }
      hubs.removeValue(forKey: ObjectIdentifier(entity))?.finish()
    }
  }

  // MARK: Frames

  /// Runs one frame: publishes ``SceneEvents/Update``, moves the entities, and publishes the collisions.
  ///
  /// - Parameter deltaTime: The time since the previous frame, in seconds.
  func advance(by deltaTime: Double) {
    change { [self] in
      time += deltaTime
      deliver(SceneEvents.Update(deltaTime: deltaTime))
    }
    change { [self] in
      entities.forEach { move($0, deltaTime) }
    }
    // Each event is a change of its own, so a handler's change comes before the next one.
    change { [self] in
      for pair in contacts.pairs where pair.gap > 0 {
        change { [self] in end(pair) }
      }
      for pair in pairs where pair.gap <= 0 {
        change { [self] in begin(pair) }
      }
    }
  }

  private var pairs: [Contacts.Pair] {
    entities.enumerated().flatMap { index, a in entities[(index + 1)...].map { b in Contacts.Pair(a: a, b: b) } }
  }

  private func move(_ entity: Entity, _ deltaTime: Double) {
    entity.position += entity.velocity * deltaTime
    for axis in 0..<2 {
      let (least, most) = (entity.radius, size[axis] - entity.radius)
      if entity.position[axis] < least {
        entity.position[axis] = least
        entity.velocity[axis] = abs(entity.velocity[axis])
      } else if entity.position[axis] > most {
        entity.position[axis] = most
        entity.velocity[axis] = -abs(entity.velocity[axis])
      }
    }
  }

  private func begin(_ pair: Contacts.Pair) {
    guard pair.a.scene === self, pair.b.scene === self else { return }
    pair.bounce()
    guard contacts.insert(pair) else { return }
    deliver(CollisionEvents.Began(entityA: pair.a, entityB: pair.b, position: pair.position))
  }

  private func end(_ pair: Contacts.Pair) {
    guard contacts.remove(pair) else { return }
    deliver(CollisionEvents.Ended(entityA: pair.a, entityB: pair.b))
  }

  // MARK: Events

  /// Publishes an event to the subscriptions on the entities that it involves, and then to those to the scene.
  func send(_ event: some Event) {
    change { [self] in deliver(event) }
  }

  private func deliver(_ event: some Event) {
    deliveries.count {
      for entity in entities {
        if let event = event.seen(from: entity) { hubs[ObjectIdentifier(entity)]?.send(event) }
      }
      hub.send(event)
    }
  }

  /// Makes a change at once, or directly after the current one if a handler asks for it.
  private func change(_ change: @escaping () -> Void) {
    guard !isChanging else {
      requested.append(change)
      return
    }
    isChanging = true
    var waiting = [change]
    while !waiting.isEmpty {
      waiting.removeFirst()()
      // In front of the rest of a frame, so that a handler's change comes before the next event.
      waiting.insert(contentsOf: requested, at: 0)
      requested = []
    }
    isChanging = false
  }

  // MARK: Subscriptions

  /// The hub of a source, or a finished one if the source is not in this scene.
  func hub(of source: (any EventSource)?) -> EventHub {
    guard let source, source !== self else { return hub }
    if let hub = hubs[ObjectIdentifier(source)] { return hub }
    let finished = EventHub(deliveries)
    finished.finish()
    return finished
  }
}
