import CombineTesting
import Testing

@testable import recipes

/// The pipelines of the page, in virtual time.
@Suite struct SceneBoardTests {

  private let scheduler = TestScheduler()
  private let board: SceneBoard

  init() {
    board = SceneBoard(scheduler: scheduler)
  }

  private func run(seconds: Double) {
    board.isRunning = true
    scheduler.advance(by: .seconds(seconds))
    board.isRunning = false
  }

  @Test func aPauseStopsEverything() {
    run(seconds: 5)
    let (picture, log, collisions) = (board.picture, board.log, board.collisions)
    #expect(collisions > 0)
    scheduler.advance(by: .seconds(5))
    #expect(board.picture == picture)
    #expect(board.log == log)
    run(seconds: 1)
    #expect(board.picture != picture)
  }

  @Test func manyCollisionsMakeFewerSounds() {
    run(seconds: 20)
    #expect(0 < board.sounds && board.sounds < board.collisions)
  }

  @Test func followingAnotherEntityEndsTheSubscriptionOnThePreviousOne() {
    board.follow("Amber")
    run(seconds: 10)
    #expect(board.message.hasPrefix("Following Amber. It met"))
    board.follow("Violet")
    #expect(board.message == "Following Violet.")
    #expect(board.picture.filter(\.isFollowed).map(\.name) == ["Violet"])
    let count = board.log.count { $0.contains("→ Amber") }
    run(seconds: 20)
    #expect(board.message.hasPrefix("Following Violet. It met"))
    #expect(board.log.count { $0.contains("→ Amber") } <= count)
  }

  @Test func aRemovalIsShownAndTheEntityCanBeAddedAgain() {
    board.follow("Amber")
    #expect(board.canRemove && !board.canAdd)
    board.removeFollowed()
    #expect(board.message == "Amber was removed. The subscription on it has finished.")
    #expect(board.log.prefix(2) == ["0.0 s finished → Amber", "0.0 s WillRemoveEntity Amber → scene"])
    scheduler.advance()
    #expect(!board.isPresent("Amber"))
    #expect(!board.canRemove && board.canAdd)
    #expect(board.followed == nil)

    board.addMissing()
    #expect(board.isPresent("Amber"))
    #expect(board.followed == nil)
    board.follow("Amber")
    #expect(board.message == "Following Amber.")
  }

  @Test func theDistanceNeedsBothEntities() {
    #expect(board.distance == "–")
    run(seconds: 0.1)
    #expect(board.distance == "175")
    board.follow("Blue")
    board.removeFollowed()
    #expect(board.distance == "–")
    board.addMissing()
    run(seconds: 0.1)
    #expect(board.distance != "–")
  }

  @Test func theGhostFadesAfterItsFirstCollisionAndIsRemoved() {
    var opacities: [Double] = []
    let subscription = board.objectWillChange.sink { [board] in
      if let ghost = board.picture.first(where: { $0.name == "Ghost" }) { opacities.append(ghost.opacity) }
    }
    run(seconds: 20)
    #expect(!board.isPresent("Ghost"))
    #expect(Set(opacities).count > 50)
    #expect(opacities == opacities.sorted(by: >))
    subscription.cancel()
  }

  @Test func nothingOfABoardIsLeft() {
    weak var weakBoard: SceneBoard?
    weak var weakScene: Scene?
    weak var weakEntity: Entity?
    do {
      let board = SceneBoard(scheduler: scheduler)
      (weakBoard, weakScene, weakEntity) = (board, board.scene, board.scene.entities.first)
      board.follow("Amber")
      board.isRunning = true
      scheduler.advance(by: .seconds(2))
    }
    #expect(weakBoard == nil)
    #expect(weakScene == nil)
    #expect(weakEntity == nil)
    scheduler.resume()  // A clock that had continued would not end.
  }
}
