import Combine

/// A scene of six entities, and pipelines of its events.
final class SceneBoard: ObservableObject {

  /// An entity as it is drawn.
  struct Shape: Encodable, Equatable {
    let name: String
    let x: Double
    let y: Double
    let radius: Double
    let opacity: Double
    var isFollowed = false
  }

  static let names = ["Amber", "Blue", "Cyan", "Olive", "Violet", "Ghost"]

  /// The number of seconds between two frames.
  static let interval = 0.02

  @Published private(set) var collisions = 0
  @Published private(set) var sounds = 0
  @Published private(set) var distance = "–"

  /// The name of the entity that the user follows.
  @Published private(set) var followed: String?

  @Published private(set) var message = "Tap an entity to follow it."

  /// What the scene has published and who has received it, the newest event first.
  @Published private(set) var log: [String] = []

  @Published private var shapes: [Shape] = []

  let scene = Scene(size: SIMD2(600, 360))

  private let running = CurrentValueSubject<Bool, Never>(false)
  private var subscriptions: Set<AnyCancellable> = []

  init(scheduler: some Scheduler, stages: Stages = .none) {

    // A pause cancels the clock. Nothing else stops the scene.
    running
      .removeDuplicates()
      .stage("running", in: stages)
      .map { isRunning -> AnyPublisher<Double, Never> in
        guard isRunning else { return Empty(completeImmediately: false).eraseToAnyPublisher() }
        return FrameClock(interval: Self.interval, scheduler: scheduler).eraseToAnyPublisher()
      }
      .switchToLatest()
      .sink { [scene] in scene.advance(by: $0) }
      .store(in: &subscriptions)

    scene.publisher(for: CollisionEvents.Began.self)
      .scan(0) { count, _ in count + 1 }
      .stage("collisions", in: stages)
      .assign(to: &$collisions)

    // Many collisions at once make one sound.
    scene.publisher(for: CollisionEvents.Began.self)
      .throttle(for: .milliseconds(400), scheduler: scheduler, latest: false)
      .stage("sound", in: stages) { _ in "♪" }
      .scan(0) { count, _ in count + 1 }
      .assign(to: &$sounds)

    // Following another entity cancels the subscription on the previous one.
    $followed
      .map { [weak self, scene] name -> AnyPublisher<String, Never> in
        guard let entity = scene.entities.first(where: { $0.name == name }) else {
          return Empty(completeImmediately: false).eraseToAnyPublisher()
        }
        let name = entity.name
        return scene.publisher(for: CollisionEvents.Began.self, on: entity)
          .handleEvents(
            receiveOutput: { self?.record($0.summary, receivedBy: name) },
            receiveCompletion: { _ in self?.record("finished", receivedBy: name) }
          )
          .map(\.entityB.name)
          .stage("followed", in: stages)
          .scan([]) { others, other in Array(([other] + others).prefix(3)) }
          .map { "Following \(name). It met \($0.joined(separator: ", "))." }
          .prepend("Following \(name).")
          .append("\(name) was removed. The subscription on it has finished.")
          .eraseToAnyPublisher()
      }
      .switchToLatest()
      .assign(to: &$message)

    // The updates of two entities, frame by frame, as long as both are in the scene.
    let pairNames = ["Amber", "Blue"]
    scene.publisher(for: SceneEvents.DidAddEntity.self)
      .filter { pairNames.contains($0.entity.name) }
      .map { [scene] _ -> AnyPublisher<String, Never> in
        let pair = scene.entities.filter { pairNames.contains($0.name) }
        guard pair.count == 2 else { return Just("–").eraseToAnyPublisher() }
        return scene.positions(of: pair[0])
          .zip(scene.positions(of: pair[1]))
          .map { 25 * Int(($0 - $1).length / 25) }
          .removeDuplicates()
          .stage("distance", in: stages)
          .map { "\($0)" }
          .append("–")
          .eraseToAnyPublisher()
      }
      .switchToLatest()
      .assign(to: &$distance)

    // An entity that fades after its first collision.
    scene.publisher(for: SceneEvents.DidAddEntity.self)
      .map(\.entity)
      .filter { $0.name == "Ghost" }
      .flatMap { [scene] ghost in
        scene.publisher(for: CollisionEvents.Began.self, on: ghost)
          .first()
          .stage("first hit", in: stages) { $0.entityB.name }
          .flatMap { _ in scene.publisher(for: SceneEvents.Update.self, on: ghost) }
          .scan(1) { opacity, update in opacity - update.deltaTime / 3 }
          .prefix { $0 > 0 }
          .handleEvents(
            receiveOutput: { ghost.opacity = $0 },
            receiveCompletion: { _ in scene.remove(ghost) }
          )
      }
      .sink { _ in }
      .store(in: &subscriptions)

    draw(on: scheduler)
    recordEvents()
    addMissing()
  }

  // MARK: What the user does

  /// Whether the scene's clock runs.
  var isRunning: Bool {
    get { running.value }
    set {
      objectWillChange.send()
      running.send(newValue)
    }
  }

  func follow(_ name: String) {
    guard isPresent(name) else { return }
    followed = name
  }

  /// Removes the entity that the user follows.
  func removeFollowed() {
    scene.entities.first { $0.name == followed }.map(scene.remove)
  }

  /// Adds the entities that were removed.
  func addMissing() {
    for (index, name) in Self.names.enumerated() where !scene.entities.contains(where: { $0.name == name }) {
      let (column, row) = (Double(index % 3), Double(index / 3))
      scene.add(
        Entity(
          name,
          radius: 24 + 4 * Double(index % 4),
          position: SIMD2(100 + 200 * column, 100 + 160 * row),
          velocity: SIMD2(90 - 70 * column, 110 - 150 * row)
        )
      )
    }
  }

  // MARK: What is shown

  /// The entities to draw.
  var picture: [Shape] {
    shapes.map { shape in
      var shape = shape
      shape.isFollowed = shape.name == followed
      return shape
    }
  }

  func isPresent(_ name: String) -> Bool { shapes.contains { $0.name == name } }

  var canRemove: Bool { followed.map(isPresent) ?? false }

  var canAdd: Bool { shapes.count < Self.names.count }

  private func draw(on scheduler: some Scheduler) {
    // `WillRemoveEntity` comes before the removal, so the scene is read later.
    let removals = scene.publisher(for: SceneEvents.WillRemoveEntity.self).map(\.entity.name).receive(on: scheduler)
    removals.map { _ in }
      .merge(
        with: scene.publisher(for: SceneEvents.DidAddEntity.self).map { _ in },
        scene.publisher(for: SceneEvents.Update.self).map { _ in }
      )
      .map { [scene] in scene.entities.map(Shape.init) }
      .removeDuplicates()
      .assign(to: &$shapes)

    // A removed entity that is added again is not followed.
    removals
      .sink { [weak self] name in
        if self?.followed == name { self?.followed = nil }
      }
      .store(in: &subscriptions)
  }

  private func recordEvents() {
    scene.publisher(for: CollisionEvents.Began.self).map(\.summary)
      .merge(
        with: scene.publisher(for: SceneEvents.DidAddEntity.self).map { "DidAddEntity \($0.entity.name)" },
        scene.publisher(for: SceneEvents.WillRemoveEntity.self).map { "WillRemoveEntity \($0.entity.name)" }
      )
      .sink { [weak self] in self?.record($0, receivedBy: "scene") }
      .store(in: &subscriptions)
  }

  /// Adds a receiver to the newest line if that is about the same event, or else a line.
  private func record(_ event: String, receivedBy receiver: String) {
    let tenths = Int((scene.time * 10).rounded())
    let line = "\(tenths / 10).\(tenths % 10) s \(event) →"
    if let newest = log.first, newest.hasPrefix(line) {
      log[0] = "\(newest), \(receiver)"
    } else {
      log = ["\(line) \(receiver)"] + log.prefix(6)
    }
  }
}

extension SceneBoard.Shape {
  fileprivate init(_ entity: Entity) {
    self.init(
      name: entity.name,
      x: entity.position.x.rounded(),
      y: entity.position.y.rounded(),
      radius: entity.radius,
      opacity: (entity.opacity * 100).rounded() / 100
    )
  }
}

extension Scene {
  /// Returns a publisher of the place of an entity in each frame.
  fileprivate func positions(of entity: Entity) -> some Combine.Publisher<SIMD2<Double>, Never> {
    publisher(for: SceneEvents.Update.self, on: entity).map { _ in entity.position }
  }
}

extension CollisionEvents.Began {
  /// A description that is the same for each subscription.
  fileprivate var summary: String {
    "Began \([entityA.name, entityB.name].sorted().joined(separator: " + "))"
  }
}
