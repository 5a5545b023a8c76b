import CombineTesting
import Testing

@testable import recipes

@Suite struct FrameClockTests {

  @Test func aFrameComesOnceAnInterval() {
    let scheduler = TestScheduler()
    let subscriber = scheduler.start(configuration: .init(cancelled: 290)) {
      FrameClock(interval: 0.02, scheduler: scheduler)
    }
    #expect(
      subscriber.recordedOutput == [
        (200, .subscription), (220, .input(0.02)), (240, .input(0.02)), (260, .input(0.02)), (280, .input(0.02)),
      ]
    )
  }

  @Test func aCancellationStopsTheTimer() {
    let scheduler = TestScheduler()
    let frames = FrameClock(interval: 0.02, scheduler: scheduler).sink { _ in }
    scheduler.advance(by: 100)
    frames.cancel()
    scheduler.resume()  // It would not end.
    #expect(scheduler.now == 100)
  }

  @Test func aLateSchedulerMakesUpForFiveFrames() {
    let scheduler = LateScheduler()
    var count = 0
    let frames = FrameClock(interval: 0.02, scheduler: scheduler).sink { _ in count += 1 }
    scheduler.fire(at: 20)
    #expect(count == 1)
    scheduler.fire(at: 80)
    #expect(count == 4)
    scheduler.fire(at: 90)
    #expect(count == 4)
    scheduler.fire(at: 10_000)
    #expect(count == 9)
    scheduler.fire(at: 10_020)
    #expect(count == 10)
    frames.cancel()
  }

  @Test func aSceneRunsInVirtualTime() {
    let scheduler = TestScheduler()
    let scene = Scene(size: SIMD2(1000, 100))
    let ball = Entity("ball", radius: 10, position: SIMD2(50, 50), velocity: SIMD2(100, 0))
    let post = Entity("post", radius: 10, position: SIMD2(110, 50))
    [ball, post].forEach(scene.add)
    let clock = FrameClock(interval: 0.1, scheduler: scheduler).sink { scene.advance(by: $0) }
    var times: [VirtualTime] = []
    let subscription = scene.subscribe(to: CollisionEvents.Began.self, on: post) { _ in times.append(scheduler.now) }
    scheduler.advance(to: 2000)
    #expect(times == [400])
    clock.cancel()
    subscription.cancel()
  }
}

/// A scheduler whose timer fires when the test says so.
private final class LateScheduler: Scheduler {

  var now: VirtualTime = 0
  var minimumTolerance: VirtualTimeInterval { 0 }
  private var action: () -> Void = {}

  func fire(at time: VirtualTime) {
    now = time
    action()
  }

  func schedule(options: Never?, _ action: @escaping () -> Void) { action() }

  func schedule(
    after date: VirtualTime,
    tolerance: VirtualTimeInterval,
    options: Never?,
    _ action: @escaping () -> Void
  ) {
    self.action = action
  }

  func schedule(
    after date: VirtualTime,
    interval: VirtualTimeInterval,
    tolerance: VirtualTimeInterval,
    options: Never?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    self.action = action
    return AnyCancellable { self.action = {} }
  }
}
