import CombineTesting
import Foundation
import TestSupport
import Testing

@Suite struct TimerTests {

  private let scheduler = TestScheduler()

  private typealias Downstream = RecordingSubscriber<VirtualTime, Never>

  @Test func publishesTheTimeAfterEachInterval() {
    let downstream = Downstream(requesting: .unlimited)
    let timer = scheduler.timerPublisher(every: 10)
    timer.subscribe(downstream)
    scheduler.advance(by: 100)
    #expect(downstream.events == [.subscription("Timer")])
    let connection = timer.connect()
    scheduler.advance(by: 30)
    #expect(downstream.values == [110, 120, 130])
    connection.cancel()
    scheduler.advance(by: 30)
    #expect(downstream.events.count == 4)
  }

  @Test func stopsAfterTheLastElementOfItsDownstream() {
    var values: [VirtualTime] = []
    let cancellable = scheduler.timerPublisher(every: 1).autoconnect().prefix(3).sink { values.append($0) }
    scheduler.run()
    #expect(values == [1, 2, 3])
    #expect(scheduler.now == 3)
    cancellable.cancel()
  }

  @Test func stopsWhenItsDownstreamCancels() {
    let cancellable = scheduler.timerPublisher(every: 1).autoconnect().sink { _ in }
    scheduler.advance(by: 2)
    cancellable.cancel()
    scheduler.run()
    #expect(scheduler.now == 2)
  }

  @Test func passesItsOptionsToTheScheduler() {
    let scheduler = VirtualScheduler()
    let timer = scheduler.timerPublisher(every: 5, tolerance: 2, options: 7)
    #expect(timer.interval == 5)
    #expect(timer.tolerance == 2)
    #expect(timer.options == 7)
    #expect(timer.scheduler === scheduler)
    timer.connect().cancel()
    #expect(scheduler.traffic == [.now, .every(5, interval: 5, tolerance: 2, 7)])
    let other = ExtraPublishers.Timer(every: 5, scheduler: scheduler)
    #expect(other.tolerance == nil)
    other.connect().cancel()
    #expect(scheduler.traffic.last == .every(5, interval: 5, tolerance: 0, nil))
  }

  @Test func startsAgainAfterTheSchedulerHasDroppedIt() {
    let scheduler = VirtualScheduler()
    let downstream = RecordingSubscriber<VirtualScheduler.SchedulerTimeType, Never>(requesting: .unlimited)
    let timer = scheduler.timerPublisher(every: 5)
    timer.subscribe(downstream)
    let first = timer.connect()
    scheduler.dropAll()
    scheduler.advance(to: 10)
    #expect(downstream.values == [])
    let second = timer.connect()
    scheduler.advance(to: 15)
    #expect(downstream.values == [15])
    withExtendedLifetime((first, second)) {}
  }

  @Test func goesOnWhileThePublisherOrAResultOfConnectIsLeft() {
    let downstream = Downstream(requesting: .unlimited)
    var timer: ExtraPublishers.Timer<TestScheduler>? = scheduler.timerPublisher(every: 10)
    timer?.subscribe(downstream)
    do { _ = timer?.connect() }
    scheduler.advance(by: 10)
    #expect(downstream.values.count == 1, "the publisher is left")
    do {
      let connection = timer?.connect()
      timer = nil
      scheduler.advance(by: 10)
      #expect(downstream.values.count == 2, "the connection is left")
      withExtendedLifetime(connection) {}
    }
    scheduler.advance(by: 10)
    #expect(downstream.values.count == 2)
  }

  @Test func aSecondConnectDoesNothingMore() {
    let downstream = Downstream(requesting: .unlimited)
    let timer = scheduler.timerPublisher(every: 10)
    timer.subscribe(downstream)
    let connections = [timer.connect(), timer.connect()]
    scheduler.advance(by: 20)
    #expect(downstream.values == [10, 20])
    connections[1].cancel()
    scheduler.run()
    #expect(downstream.values == [10, 20])
  }

  @Test func canBeConnectedAgain() {
    let downstream = Downstream(requesting: .unlimited)
    let timer = scheduler.timerPublisher(every: 10)
    timer.subscribe(downstream)
    timer.connect().cancel()
    scheduler.advance(by: 5)
    let connection = timer.connect()
    scheduler.advance(by: 20)
    #expect(downstream.values == [15, 25])
    connection.cancel()
  }

  @Test func eachSubscriberHasItsOwnDemand() {
    let (modest, greedy) = (Downstream(requesting: .max(1)), Downstream(requesting: .unlimited))
    let timer = scheduler.timerPublisher(every: 10)
    timer.validatingDemand().subscribe(modest)
    timer.validatingDemand().subscribe(greedy)
    let connection = timer.connect()
    scheduler.advance(by: 30)
    #expect(modest.values == [10])
    #expect(greedy.values == [10, 20, 30])
    // What arrived without demand is lost.
    modest.request(.max(1))
    #expect(modest.values == [10])
    scheduler.advance(by: 20)
    #expect(modest.values == [10, 40])
    connection.cancel()
  }

  @Test func cancellingOneSubscriberLeavesTheOthers() {
    let (first, second) = (Downstream(requesting: .unlimited), Downstream(requesting: .unlimited))
    let timer = scheduler.timerPublisher(every: 10)
    timer.subscribe(first)
    timer.subscribe(second)
    let connection = timer.connect()
    scheduler.advance(by: 10)
    first.cancel()
    scheduler.advance(by: 10)
    #expect(first.values == [10])
    #expect(second.values == [10, 20])
    connection.cancel()
  }

  @Test func aCancelInTheFirstTickOfAnImmediateSchedulerStopsTheTimer() {
    // It runs the action inside the call, and again when the test says so.
    final class Repeating: Scheduler {
      var action: (() -> Void)?
      var now: VirtualTime { 0 }
      var minimumTolerance: VirtualTimeInterval { 0 }
      func schedule(options: Never?, _ action: @escaping () -> Void) {}
      func schedule(
        after: VirtualTime,
        tolerance: VirtualTimeInterval,
        options: Never?,
        _ action: @escaping () -> Void
      ) {}
      func schedule(
        after: VirtualTime,
        interval: VirtualTimeInterval,
        tolerance: VirtualTimeInterval,
        options: Never?,
        _ action: @escaping () -> Void
      ) -> any Cancellable {
        self.action = action
        action()
        return AnyCancellable { self.action = nil }
      }
    }
    let scheduler = Repeating()
    let timer = scheduler.timerPublisher(every: 1)
    var count = 0
    let cancellable = timer.sink { _ in
      count += 1
      timer.connect().cancel()
    }
    let connection = timer.connect()
    #expect(count == 1)
    #expect(scheduler.action == nil)
    cancellable.cancel()
    connection.cancel()
  }

  @Test func isReleasedWithItsConnection() {
    weak var released: ExtraPublishers.Timer<TestScheduler>?
    var connection: (any Cancellable)?
    let downstream = Downstream(requesting: .unlimited)
    do {
      let timer = scheduler.timerPublisher(every: 10)
      released = timer
      timer.subscribe(downstream)
      connection = timer.connect()
    }
    #expect(released == nil)
    scheduler.advance(by: 10)
    #expect(downstream.values == [10])
    #expect(connection != nil)
    connection = nil
    scheduler.run()
    #expect(scheduler.now == 10)
  }
}
