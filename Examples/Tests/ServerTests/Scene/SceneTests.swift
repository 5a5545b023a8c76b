import CombineTesting
import Testing

@testable import recipes

/// The scene and its events, without a clock: each test runs the frames.
@Suite struct SceneTests {

  private let scene = Scene(size: SIMD2(1000, 100))

  /// Two entities that touch at 0.4 seconds, and then part.
  private let ball = Entity("ball", radius: 10, position: SIMD2(50, 50), velocity: SIMD2(100, 0))
  private let post = Entity("post", radius: 10, position: SIMD2(110, 50))
  private let other = Entity("other", radius: 10, position: SIMD2(900, 50))

  init() {
    [ball, post, other].forEach(scene.add)
  }

  private func run(_ frames: Int) {
    for _ in 0..<frames { scene.advance(by: 0.1) }
  }

  // MARK: Frames and collisions

  @Test func anUpdateComesOnceAFrameBeforeTheEntitiesMove() {
    var updates: [Double] = []
    var places: [Double] = []
    let subscription = scene.subscribe(to: SceneEvents.Update.self) { [ball] update in
      updates.append(update.deltaTime)
      places.append(ball.position.x)
    }
    scene.advance(by: 0.1)
    scene.advance(by: 0.2)
    #expect(updates == [0.1, 0.2])
    #expect(places == [50, 60])
    #expect(ball.position == SIMD2(80, 50))
    subscription.cancel()
    run(1)
    #expect(updates.count == 2)
  }

  @Test func aCollisionBeginsOnceAndEndsOnce() {
    var events: [String] = []
    let subscriptions = [
      scene.subscribe(to: CollisionEvents.Began.self) { event in
        events.append("began \(event.entityA.name) \(event.entityB.name) at \(Int(event.position.x))")
      },
      scene.subscribe(to: CollisionEvents.Ended.self) { event in
        events.append("ended \(event.entityA.name) \(event.entityB.name)")
      },
    ]
    // They overlap for some frames, and then the post moves away.
    (ball.position, ball.velocity) = (post.position - SIMD2(15, 0), .zero)
    run(3)
    #expect(events == ["began ball post at 105"])
    post.velocity = SIMD2(100, 0)
    run(3)
    #expect(events == ["began ball post at 105", "ended ball post"])
    subscriptions.forEach { $0.cancel() }
  }

  @Test func equalDiscsExchangeTheirVelocities() {
    run(5)
    #expect(ball.velocity == .zero)
    #expect(post.velocity == SIMD2(100, 0))
  }

  @Test func theEdgesKeepEntitiesInside() {
    other.velocity = SIMD2(500, -300)
    for _ in 0..<200 {
      run(1)
      #expect((10...990).contains(other.position.x) && (10...90).contains(other.position.y))
    }
  }

  // MARK: Subscriptions on an entity

  @Test func aSubscriptionOnAnEntityReceivesItsEventsOnlyWithTheEntityFirst() {
    var received: [String] = []
    let subscriptions = [ball, post, other].map { (entity: Entity) in
      scene.subscribe(to: CollisionEvents.Began.self, on: entity) { event in
        received.append("\(entity.name): \(event.entityA.name) \(event.entityB.name)")
      }
    }
    run(6)
    #expect(received == ["ball: ball post", "post: post ball"])
    subscriptions.forEach { $0.cancel() }
  }

  @Test func theSceneAsASourceIsTheDefault() {
    var count = 0
    let subscription = scene.subscribe(to: CollisionEvents.Began.self, on: scene) { _ in count += 1 }
    run(6)
    #expect(count == 1)
    subscription.cancel()
  }

  @Test func anEventOfOnesOwnReachesTheEntitiesThatItInvolves() {
    struct Scored: Event {
      let scorer: Entity
      func seen(from entity: Entity) -> Self? { entity === scorer ? self : nil }
    }
    var received: [String] = []
    let subscriptions: [any Cancellable] = [
      scene.subscribe(to: Scored.self) { _ in received.append("scene") },
      scene.subscribe(to: Scored.self, on: ball) { _ in received.append("ball") },
      scene.subscribe(to: Scored.self, on: post) { _ in received.append("post") },
    ]
    scene.send(Scored(scorer: ball))
    #expect(received == ["ball", "scene"])
    subscriptions.forEach { $0.cancel() }
  }

  @Test func aRemovalFinishesTheSubscriptionsOnTheEntity() {
    let recorders = [post, other].map { entity in
      let recorder = TestScheduler().createTestableSubscriber(SceneEvents.Update.self, Never.self)
      scene.publisher(for: SceneEvents.Update.self, on: entity).subscribe(recorder)
      return recorder
    }
    run(1)
    scene.remove(post)
    run(1)
    #expect(recorders.map { $0.recordedOutput.count } == [3, 3])
    #expect(
      recorders.map { $0.recordedOutput.contains { if case .completion = $0.1 { true } else { false } } } == [
        true, false,
      ]
    )
    #expect(post.scene == nil)
  }

  @Test func theLastEventsOfARemovedEntityAreItsRemovalAndTheEndsOfItsCollisions() {
    var received: [String] = []
    run(4)
    let subscriptions: [any Cancellable] = [
      scene.publisher(for: SceneEvents.WillRemoveEntity.self, on: ball)
        .sink(
          receiveCompletion: { _ in received.append("finished") },
          receiveValue: { _ in received.append("will remove") }
        ),
      scene.subscribe(to: CollisionEvents.Ended.self, on: ball) { _ in received.append("ended") },
      scene.subscribe(to: CollisionEvents.Ended.self, on: post) {
        received.append("post: ended with \($0.entityB.name)")
      },
    ]
    scene.remove(ball)
    #expect(received == ["will remove", "ended", "post: ended with ball", "finished"])
    subscriptions.forEach { $0.cancel() }
  }

  @Test func aSubscriptionOnAnEntityThatIsNotInTheSceneFinishesAtOnce() {
    let stranger = Entity("stranger", radius: 1, position: .zero)
    Scene(size: SIMD2(10, 10)).add(stranger)
    scene.remove(post)
    for entity in [stranger, post] {
      var isFinished = false
      let subscription = scene.publisher(for: SceneEvents.Update.self, on: entity)
        .sink(receiveCompletion: { _ in isFinished = true }, receiveValue: { _ in })
      #expect(isFinished)
      subscription.cancel()
    }
  }

  @Test func anEntityThatIsAddedAgainHasNewSubscriptions() {
    var received: [String] = []
    func subscribe(_ name: String) -> any Cancellable {
      scene.subscribe(to: SceneEvents.Update.self, on: post) { _ in received.append(name) }
    }
    let first = subscribe("first")
    scene.remove(post)
    scene.add(post)
    let second = subscribe("second")
    run(1)
    #expect(received == ["second"])
    [first, second].forEach { $0.cancel() }
  }

  // MARK: Handlers that change the scene

  @Test func anEntityIsRemovedInItsOwnCollisionAfterAllHaveHeardOfIt() {
    var received: [String] = []
    let subscriptions: [any Cancellable] = [
      scene.subscribe(to: CollisionEvents.Began.self, on: ball) { [scene] event in
        scene.remove(event.entityA)
        received.append("ball: began")
      },
      scene.subscribe(to: CollisionEvents.Began.self, on: post) { _ in received.append("post: began") },
      scene.subscribe(to: CollisionEvents.Ended.self, on: post) { _ in received.append("post: ended") },
      scene.subscribe(to: CollisionEvents.Began.self) { _ in received.append("scene: began") },
      scene.subscribe(to: SceneEvents.WillRemoveEntity.self) { _ in received.append("scene: will remove") },
    ]
    run(6)
    #expect(received == ["ball: began", "post: began", "scene: began", "scene: will remove", "post: ended"])
    #expect(scene.entities.map(\.name) == ["post", "other"])
    subscriptions.forEach { $0.cancel() }
  }

  @Test func aRemovalInACollisionComesBeforeTheOtherCollisionsOfTheFrame() {
    // The ball touches two posts at once.
    scene.add(Entity("upper", radius: 10, position: SIMD2(110, 33)))
    post.position.y = 67
    var names: [String] = []
    let subscription = scene.subscribe(to: CollisionEvents.Began.self) { [scene, ball] event in
      names.append(event.entityB.name)
      scene.remove(ball)
    }
    run(6)
    #expect(names == ["post"])
    subscription.cancel()
  }

  @Test func anEntityAddedInAnUpdateMovesInThatFrameAndUpdatesWithTheNext() {
    let late = Entity("late", radius: 10, position: SIMD2(500, 50), velocity: SIMD2(10, 0))
    var updates = 0
    var inner: (any Cancellable)?
    let subscription = scene.subscribe(to: SceneEvents.DidAddEntity.self) { [scene] event in
      inner = scene.subscribe(to: SceneEvents.Update.self, on: event.entity) { _ in updates += 1 }
    }
    let adding = scene.subscribe(to: SceneEvents.Update.self) { [scene] _ in scene.add(late) }
    run(1)
    #expect(late.position.x == 501)
    #expect(updates == 0)
    run(2)
    #expect(updates == 2)
    #expect(scene.entities.count { $0 === late } == 1)
    [subscription, adding].forEach { $0.cancel() }
    inner?.cancel()
  }

  @Test func aSubscriptionThatAHandlerMakesReceivesTheNextEvent() {
    // The ball's subscribers hear of an update before those of the post.
    var received: [String] = []
    let present = scene.subscribe(to: SceneEvents.Update.self, on: post) { _ in received.append("present") }
    var inner: (any Cancellable)?
    let outer = scene.subscribe(to: SceneEvents.Update.self, on: ball) { [scene, post] _ in
      guard inner == nil else { return }
      inner = scene.subscribe(to: SceneEvents.Update.self, on: post) { _ in received.append("new") }
    }
    run(1)
    #expect(received == ["present"])
    run(1)
    #expect(received.sorted() == ["new", "present", "present"])
    [present, outer].forEach { $0.cancel() }
    inner?.cancel()
  }

  @Test func aFrameThatAHandlerAsksForFollowsTheEvent() {
    var times: [Double] = []
    let subscription = scene.subscribe(to: SceneEvents.Update.self) { [scene] update in
      times.append(update.deltaTime)
      if update.deltaTime == 1 { scene.advance(by: 0.5) }
    }
    scene.advance(by: 1)
    #expect(times == [1, 0.5])
    #expect(scene.time == 1.5)
    subscription.cancel()
  }

  // MARK: Demand and memory

  @Test func eventsWithoutDemandAreDropped() {
    let subscriber = TwoEvents()
    scene.publisher(for: SceneEvents.Update.self).subscribe(subscriber)
    run(5)
    #expect(subscriber.count == 2)
    subscriber.subscription?.request(.max(1))
    run(5)
    #expect(subscriber.count == 3)
    subscriber.subscription?.cancel()
  }

  private final class TwoEvents: Subscriber {
    var subscription: (any Subscription)?
    var count = 0

    func receive(subscription: any Subscription) {
      self.subscription = subscription
      subscription.request(.max(2))
    }

    func receive(_ input: SceneEvents.Update) -> Subscribers.Demand {
      count += 1
      return .none
    }

    func receive(completion: Subscribers.Completion<Never>) {}
  }

  private final class Witness {}

  @Test func aRemovalReleasesTheEntityAndTheHandlers() {
    var entity: Entity? = Entity("short-lived", radius: 1, position: SIMD2(500, 50))
    weak let weakEntity = entity
    scene.add(entity!)
    var witness: Witness? = Witness()
    weak let weakWitness = witness
    // The handler refers to the entity, and the cancellable and the publisher are kept.
    let publisher = scene.publisher(for: SceneEvents.Update.self, on: entity)
    let subscription = publisher.sink { [entity, witness] _ in
      withExtendedLifetime((entity, witness)) {}
    }
    run(1)
    scene.remove(entity!)
    (entity, witness) = (nil, nil)
    #expect(weakEntity == nil)
    #expect(weakWitness == nil)
    withExtendedLifetime((publisher, subscription)) {}
  }

  @Test func aCancellationReleasesTheHandler() {
    var witness: Witness? = Witness()
    weak let weakWitness = witness
    let subscription = scene.subscribe(to: SceneEvents.Update.self, on: ball) { [witness] _ in
      withExtendedLifetime(witness) {}
    }
    witness = nil
    #expect(weakWitness != nil)
    subscription.cancel()
    #expect(weakWitness == nil)
  }

  @Test func aReleasedSceneFinishesItsSubscriptionsAndReleasesItsEntities() {
    var scene: Scene? = Scene(size: SIMD2(10, 10))
    weak let weakScene = scene
    var entity: Entity? = Entity("entity", radius: 1, position: .zero)
    weak let weakEntity = entity
    scene?.add(entity!)
    var completions = 0
    let subscriptions = [nil, entity].compactMap { source in
      scene?.publisher(for: SceneEvents.Update.self, on: source)
        .sink(receiveCompletion: { _ in completions += 1 }, receiveValue: { _ in })
    }
    (scene, entity) = (nil, nil)
    #expect(weakScene == nil)
    #expect(weakEntity == nil)
    #expect(completions == 2)
    subscriptions.forEach { $0.cancel() }
  }
}
