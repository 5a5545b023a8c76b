import CombineCore
import TestSupport
import Testing

/// The behaviour that `receive(on:)` and `delay` share: all but the traffic.
@Suite struct ScheduledDeliveryTests {

  static let operators = [TimingOperator.delay, .receiveOn]

  /// The traffic of one delivery scheduled at the rig's time.
  private func traffic(_ timingOperator: TimingOperator, _ rig: TimingRig) -> [VirtualScheduler.Traffic] {
    timingOperator == .delay ? [.now, .at(rig.scheduler.time.advanced(by: 10), tolerance: 1, nil)] : [.run(nil)]
  }

  @Test(arguments: operators)
  func schedulesEachEventSeparately(_ timingOperator: TimingOperator) {
    let rig = TimingRig(timingOperator)
    let one = traffic(timingOperator, rig)
    #expect(rig.upstream.send(1) == .none)
    #expect(rig.scheduler.traffic == one)
    #expect(rig.upstream.send(2) == .none)
    #expect(rig.scheduler.traffic == one + one)
    rig.upstream.send(completion: .failure("end"))
    #expect(rig.scheduler.traffic == one + one + one)
    #expect(rig.downstream.events == [])
    rig.settle()
    #expect(rig.downstream.events == [.value(1), .value(2), .failure("end")])
    #expect(rig.scheduler.traffic == one + one + one)
  }

  @Test(arguments: operators)
  func forwardsRequestsAtOnceAndUnchanged(_ timingOperator: TimingOperator) {
    let rig = TimingRig(timingOperator, downstream: RecordingSubscriber())
    rig.downstream.request(.max(3))
    rig.downstream.request(.none)
    rig.downstream.request(.unlimited)
    #expect(rig.upstream.history == [.requested(.max(3)), .requested(.none), .requested(.unlimited)])
    #expect(rig.scheduler.traffic == [])
  }

  @Test(arguments: operators)
  func deliversWithoutRegardToDemand(_ timingOperator: TimingOperator) {
    let rig = TimingRig(timingOperator, downstream: RecordingSubscriber())
    rig.upstream.send(1)
    rig.upstream.send(completion: .finished)
    rig.settle()
    #expect(rig.downstream.events == [.value(1), .finished])
  }

  @Test(arguments: operators)
  func returnedDemandIsRequestedAfterTheDelivery(_ timingOperator: TimingOperator) {
    let rig = TimingRig(timingOperator)
    rig.downstream.onValue = { [unowned rig] value in
      #expect(rig.upstream.history.count == value - 1)
      return .max(value)
    }
    rig.upstream.send(1)
    rig.upstream.send(2)
    rig.settle()
    #expect(rig.upstream.history == [.requested(.max(1)), .requested(.max(2))])
  }

  @Test(arguments: operators)
  func returnedUnlimitedDemandIsRequestedEachTime(_ timingOperator: TimingOperator) {
    let rig = TimingRig(timingOperator)
    rig.downstream.onValue = { _ in .unlimited }
    rig.upstream.send(1)
    rig.upstream.send(2)
    rig.settle()
    #expect(rig.upstream.history == [.requested(.unlimited), .requested(.unlimited)])
  }

  @Test(arguments: operators)
  func whileEndingForwardsReturnedDemandButNoRequests(_ timingOperator: TimingOperator) {
    let rig = TimingRig(timingOperator)
    rig.downstream.onValue = { [unowned rig] _ in
      rig.downstream.request(.max(5))
      return .max(2)
    }
    rig.upstream.send(1)
    rig.upstream.send(completion: .finished)
    rig.downstream.request(.max(7))
    #expect(rig.upstream.history == [])
    rig.settle()
    #expect(rig.upstream.history == [.requested(.max(2))])
    #expect(rig.downstream.events == [.value(1), .finished])
  }

  @Test(arguments: operators)
  func cancelDropsScheduledValues(_ timingOperator: TimingOperator) {
    let rig = TimingRig(timingOperator)
    rig.upstream.send(1)
    rig.downstream.cancel()
    #expect(rig.upstream.history == [.cancelled])
    rig.settle()
    #expect(rig.downstream.events == [])
  }

  @Test(arguments: operators)
  func eachActionDeliversTheOldestEvent(_ timingOperator: TimingOperator) {
    let rig = TimingRig(timingOperator)
    rig.upstream.send(1)
    rig.scheduler.delayPending(to: 500)
    rig.upstream.send(2)
    rig.settle()
    #expect(rig.downstream.events == [.value(1)])
    rig.upstream.send(completion: .finished)
    rig.scheduler.advance(to: 600)
    #expect(rig.downstream.events == [.value(1), .value(2), .finished])
  }

  @Test(arguments: operators)
  func theEventsOfDroppedActionsAreDroppedWithTheNextEvent(_ timingOperator: TimingOperator) {
    let rig = TimingRig(timingOperator)
    rig.upstream.send(1)
    rig.scheduler.dropAll()
    rig.upstream.send(2)
    rig.settle()
    #expect(rig.downstream.events == [.value(2)])
  }

  @Test(arguments: operators)
  func cancelWhileEndingStopsNothing(_ timingOperator: TimingOperator) {
    let rig = TimingRig(timingOperator)
    rig.upstream.send(1)
    rig.upstream.send(completion: .finished)
    rig.downstream.cancel()
    rig.settle()
    #expect(rig.downstream.events == [.value(1), .finished])
    #expect(rig.upstream.history == [])
  }

  @Test(arguments: operators)
  func cancelDuringADeliveryWhileEndingStopsNothing(_ timingOperator: TimingOperator) {
    let rig = TimingRig(timingOperator)
    rig.downstream.onValue = { [unowned rig] _ in
      rig.downstream.cancel()
      return .none
    }
    rig.upstream.send(1)
    rig.upstream.send(2)
    rig.upstream.send(completion: .finished)
    rig.settle()
    #expect(rig.downstream.events == [.value(1), .value(2), .finished])
    #expect(rig.upstream.history == [])
  }

  @Test(arguments: operators)
  func cancelDuringADeliveryDropsItsReturnedDemand(_ timingOperator: TimingOperator) {
    let rig = TimingRig(timingOperator)
    rig.downstream.onValue = { [unowned rig] _ in
      rig.downstream.cancel()
      return .max(1)
    }
    rig.upstream.send(1)
    rig.upstream.send(2)
    rig.settle()
    #expect(rig.downstream.values == [1])
    #expect(rig.upstream.history == [.cancelled])
  }

  @Test(arguments: operators)
  func valuesAfterTheCompletionScheduleNothing(_ timingOperator: TimingOperator) {
    let rig = TimingRig(timingOperator)
    rig.upstream.send(completion: .finished)
    rig.scheduler.clearTraffic()
    #expect(rig.upstream.send(1) == .none)
    rig.upstream.send(completion: .failure("late"))
    #expect(rig.scheduler.traffic == [])
    rig.settle()
    #expect(rig.downstream.events == [.finished])
  }

  @Test(arguments: operators)
  func theStateIsTerminalWhenTheCompletionIsDelivered(_ timingOperator: TimingOperator) {
    let rig = TimingRig(timingOperator)
    rig.downstream.onCompletion = { [unowned rig] _ in
      rig.downstream.cancel()
      rig.downstream.request(.max(1))
      rig.scheduler.clearTraffic()
      rig.upstream.send(1)
      rig.upstream.send(completion: .finished)
      #expect(rig.scheduler.traffic == [])
    }
    rig.upstream.send(completion: .finished)
    rig.settle()
    #expect(rig.downstream.events == [.finished])
    #expect(rig.upstream.history == [])
  }

  @Test(arguments: operators)
  func aCompletionActionThatRunsTwiceDeliversOnce(_ timingOperator: TimingOperator) {
    let rig = TimingRig(timingOperator)
    rig.upstream.send(completion: .finished)
    rig.scheduler.duplicatePending()
    rig.settle()
    #expect(rig.downstream.events == [.finished])
  }

  @Test func isSynchronousWithTheImmediateSchedulerAndDeliversNested() {
    for isDelay in [true, false] {
      let upstream = ManualPublisher<Int, TestError>()
      let downstream = RecordingSubscriber<Int, TestError>(requesting: .unlimited)
      if isDelay {
        upstream.delay(for: 10, scheduler: ImmediateScheduler.shared).subscribe(downstream)
      } else {
        upstream.receive(on: ImmediateScheduler.shared).subscribe(downstream)
      }
      upstream.subscription!.clear()
      var log: [String] = []
      downstream.onValue = { value in
        log.append("in \(value)")
        if value < 3 { upstream.send(value + 1) }
        log.append("out \(value)")
        return .max(value)
      }
      #expect(upstream.send(1) == .none)
      #expect(log == ["in 1", "in 2", "in 3", "out 3", "out 2", "out 1"])
      #expect(
        upstream.history == [.requested(.max(3)), .requested(.max(2)), .requested(.max(1))],
        "innermost first"
      )
      upstream.send(completion: .finished)
      #expect(downstream.events.last == .finished)
    }
  }

  /// An upstream that answers each request, and a downstream that requests during each delivery.
  @Test func recursionThroughTheImmediateSchedulerIsAllowed() {
    let upstream = ManualPublisher<Int, TestError>()
    var next = 0
    upstream.subscription!.onRequest = { _ in
      next += 1
      if next <= 20 { upstream.send(next) }
    }
    let downstream = RecordingSubscriber<Int, TestError>(requesting: .max(1))
    downstream.onValue = { [unowned downstream] _ in
      downstream.request(.max(1))
      return .none
    }
    upstream.receive(on: ImmediateScheduler.shared).subscribe(downstream)
    #expect(downstream.values == Array(1...20))
  }

  @Test func deliversASequenceInOrder() {
    let scheduler = VirtualScheduler()
    let downstream = RecordingSubscriber<Int, Never>(requesting: .max(1), returning: [.max(1), .max(1)])
    (1...5).publisher.receive(on: scheduler).subscribe(downstream)
    scheduler.advance(by: 100)
    #expect(downstream.values == [1, 2, 3])
    downstream.request(.unlimited)
    scheduler.advance(by: 100)
    #expect(downstream.values == [1, 2, 3, 4, 5])
    #expect(downstream.events.last == .finished)
  }
}
