import Combine
import CombineTesting

/// 44: the typed events of a running scene. A subscription on an entity ends with the entity.
///
/// The scene is in `Models/Scene`, and the pipelines of a larger one in `Models/Scene/SceneBoard.swift`. Virtual time drives it.
struct SceneSubscriptions: Recipe {
  let number = 44
  let title = "Scene events"

  func run(_ timeline: Timeline, _ server: Server) throws {
    let scheduler = TestScheduler()
    let scene = Scene(size: SIMD2(400, 100))
    let ball = Entity("ball", radius: 10, position: SIMD2(50, 50), velocity: SIMD2(100, 0))
    let post = Entity("post", radius: 10, position: SIMD2(200, 50))
    [ball, post].forEach(scene.add)
    let clock = FrameClock(interval: 0.05, scheduler: scheduler).sink { scene.advance(by: $0) }

    // RealityKit's two ways: a closure, and a publisher.
    let touching = scene.subscribe(to: CollisionEvents.Began.self, on: post) { event in
      timeline.log("\(scheduler.now): \(event.entityA.name) was touched by \(event.entityB.name)")
    }
    let parting = scene.publisher(for: CollisionEvents.Ended.self)
      .map { "\(scheduler.now): \($0.entityA.name) and \($0.entityB.name) parted" }
      .sink { timeline.log($0) }
    let seconds = scene.publisher(for: SceneEvents.Update.self, on: post)
      .scan(0) { seconds, update in seconds + update.deltaTime }
      .last()
      .sink(
        receiveCompletion: { timeline.log($0) },
        receiveValue: { timeline.log("post had \(Int(($0 * 20).rounded())) updates") }
      )
    timeline.expect([])

    scheduler.advance(to: 2000)
    timeline.expect(["1300: post was touched by ball", "1350: ball and post parted"])

    // A removal ends the subscriptions on the entity.
    scene.remove(post)
    timeline.expect(["post had 40 updates", "finished"])
    scheduler.advance(to: 3000)
    timeline.expect([])
    [touching, parting, seconds].forEach { $0.cancel() }
    clock.cancel()

    followAndPause(timeline)
  }

  /// The scene of the page.
  private func followAndPause(_ timeline: Timeline) {
    let scheduler = TestScheduler()
    let board = SceneBoard(scheduler: scheduler)
    let messages = board.$message.dropFirst().removeDuplicates().sink { timeline.log($0) }

    board.follow("Amber")
    board.isRunning = true
    scheduler.advance(by: .seconds(10))
    board.isRunning = false
    let (picture, collisions) = (board.picture, board.collisions)
    scheduler.advance(by: .seconds(10))
    timeline.expect("the picture of a pause", board.picture, picture)
    timeline.expect("collisions in a pause", board.collisions, collisions)
    timeline.expect("fewer sounds than collisions", board.sounds < collisions, got: board.sounds)

    board.removeFollowed()
    board.isRunning = true
    scheduler.advance(by: .seconds(10))
    timeline.expect([
      "Following Amber.",
      "Following Amber. It met Olive.",
      "Following Amber. It met Cyan, Olive.",
      "Following Amber. It met Violet, Cyan, Olive.",
      "Amber was removed. The subscription on it has finished.",
    ])
    messages.cancel()
  }
}
