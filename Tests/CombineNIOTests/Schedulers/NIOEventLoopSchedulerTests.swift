#if NIO
  @testable import CombineNIO
  import Dispatch
  import NIOCore
  import NIOEmbedded
  import NIOPosix
  import TestSupport
  import Testing

  @Suite struct NIOEventLoopSchedulerTests {

    private let loop = MultiThreadedEventLoopGroup.singleton.next()

    private var scheduler: NIOEventLoopScheduler { loop.scheduler }

    @Test func knowsTheTime() {
      let before = NIODeadline.now()
      let now = scheduler.now.deadline
      let after = NIODeadline.now()
      #expect(before <= now)
      #expect(now <= after)
      #expect(scheduler.minimumTolerance == .zero)
    }

    @Test func runsActionsForNowLaterAndInOrder() {
      let log = SharedLog<Int>()
      onLoop {
        for number in 0..<100 { self.scheduler.schedule { log.append(number) } }
        #expect(log.values.isEmpty, "the action never runs during the call")
      }
      #expect(log.wait(for: 100) == Array(0..<100))
    }

    @Test func runsActionsOnTheLoop() {
      let log = SharedLog<Bool>()
      scheduler.schedule { log.append(self.loop.inEventLoop) }
      scheduler.schedule(after: scheduler.now) { log.append(self.loop.inEventLoop) }
      log.wait(for: 2)
      let token = scheduler.schedule(after: scheduler.now, interval: 3600) { log.append(self.loop.inEventLoop) }
      #expect(log.wait(for: 3) == [true, true, true])
      token.cancel()
    }

    @Test func anIntervalThatNeverPassesFiresOnce() {
      let log = SharedLog<Int>()
      let token = scheduler.schedule(after: scheduler.now, interval: .nanoseconds(.max), tolerance: .nanoseconds(.max))
      {
        log.append(1)
      }
      let other = scheduler.schedule(after: scheduler.now, interval: .nanoseconds(.min), tolerance: .nanoseconds(.min))
      {
        log.append(2)
      }
      while log.wait(for: log.values.count + 1).filter({ $0 == 2 }).count < 3 {}
      other.cancel()
      pass(milliseconds: 20)
      token.cancel()
      #expect(log.values.filter { $0 == 1 } == [1])
    }

    @Test func runsAnActionNotBeforeItsDate() {
      let log = SharedLog<NIODeadline>()
      let date = scheduler.now.advanced(by: .milliseconds(30))
      scheduler.schedule(after: date) { log.append(.now()) }
      scheduler.schedule(after: date, tolerance: .seconds(3600)) { log.append(.now()) }
      let times = log.wait(for: 2)
      #expect(times.count == 2)
      #expect(times.allSatisfy { $0 >= date.deadline })
    }

    @Test func actionsForPastDatesRunSoonButNotAtOnce() {
      let log = SharedLog<Int>()
      let past = NIOEventLoopScheduler.SchedulerTimeType(.distantPast)
      let token = onLoop {
        self.scheduler.schedule(after: past) { log.append(1) }
        let token = self.scheduler.schedule(after: past, interval: .seconds(3600)) { log.append(2) }
        #expect(log.values.isEmpty)
        return UncheckedToken(token: token)
      }
      #expect(log.wait(for: 2).sorted() == [1, 2])
      token.token.cancel()
    }

    @Test func repeatsFromTheDateOnceInEachInterval() {
      let log = SharedLog<NIODeadline>()
      let date = scheduler.now.advanced(by: .milliseconds(20))
      let token = scheduler.schedule(after: date, interval: .milliseconds(10)) { log.append(.now()) }
      let times = log.wait(for: 4)
      token.cancel()
      #expect(token is AnyCancellable)
      #expect(times.count >= 4)
      for (index, time) in times.prefix(4).enumerated() {
        #expect(time >= date.deadline + .milliseconds(Int64(10 * index)))
      }
    }

    @Test func anIntervalThatIsNotPositiveRepeatsAsFastAsPossible() {
      let log = SharedLog<Int>()
      let token = scheduler.schedule(after: scheduler.now, interval: .seconds(-1), tolerance: .seconds(-1)) {
        log.append(1)
      }
      #expect(log.wait(for: 3).count >= 3)
      token.cancel()
    }

    @Test func cancellingOnTheLoopStopsTheRepetitionAndReleasesTheAction() {
      let log = SharedLog<Int>()
      let released = SharedLog<Void>()
      let token: any Cancellable
      do {
        let object = CallsOnDeinit { released.signal() }
        token = scheduler.schedule(after: scheduler.now, interval: .milliseconds(1)) {
          _ = object
          log.append(1)
        }
      }
      log.wait(for: 2)
      #expect(released.values.isEmpty)
      let unchecked = UncheckedToken(token: token)
      onLoop { unchecked.token.cancel() }
      #expect(released.values.count == 1)
      let count = log.values.count
      pass(milliseconds: 20)
      #expect(log.values.count == count)
    }

    @Test func releasingTheTokenStopsTheRepetition() {
      let log = SharedLog<Int>()
      var token: (any Cancellable)? = scheduler.schedule(after: scheduler.now, interval: .milliseconds(1)) {
        log.append(1)
      }
      log.wait(for: 2)
      #expect(token != nil)
      token = nil
      pass(milliseconds: 5)  // A run may have been under way.
      let count = log.values.count
      pass(milliseconds: 20)
      #expect(log.values.count == count)
    }

    @Test func actionMayCancelItsOwnRepetition() {
      let log = SharedLog<Int>()
      let token = SharedLog<any Cancellable>()
      onLoop {
        token.append(
          self.scheduler.schedule(after: self.scheduler.now, interval: .milliseconds(1)) {
            log.append(1)
            token.values[0].cancel()
          }
        )
      }
      log.wait(for: 1)
      pass(milliseconds: 20)
      #expect(log.values == [1])
    }

    @Test func anActionForTheDistantFutureNeverRuns() {
      let log = SharedLog<Int>()
      let token = scheduler.schedule(after: .init(.distantFuture), interval: 1) { log.append(1) }
      scheduler.schedule(after: .init(.distantFuture)) { log.append(2) }
      pass(milliseconds: 20)
      token.cancel()
      #expect(log.values.isEmpty)
    }

    @Test func cancellingFromManyThreadsLeavesNoRepetition() {
      let running = SharedLog<Int>()
      onThreads(4) { thread in
        for _ in 0..<200 {
          let token = self.scheduler.schedule(after: self.scheduler.now, interval: .nanoseconds(1)) {
            running.append(thread)
          }
          token.cancel()
        }
      }
      pass(milliseconds: 5)
      let count = running.values.count
      pass(milliseconds: 20)
      #expect(running.values.count == count)
    }

    @Test func deliversElementsInOrderOnTheLoop() {
      let log = SharedLog<Int>()
      let isOnLoop = SharedLog<Bool>()
      let done = SharedLog<Void>()
      let cancellable = (0..<1000).publisher
        .receive(on: scheduler)
        .sink(
          receiveCompletion: { _ in done.signal() },
          receiveValue: {
            isOnLoop.append(self.loop.inEventLoop)
            log.append($0)
          }
        )
      done.wait(for: 1)
      #expect(log.values == Array(0..<1000))
      #expect(isOnLoop.values.allSatisfy { $0 })
      cancellable.cancel()
    }

    // MARK: Embedded loops

    @Test func followsTheTimeOfAnEmbeddedLoop() {
      let loop = EmbeddedEventLoop()
      let scheduler = loop.scheduler
      var log: [String] = []
      let cancellable = Just("late").delay(for: .seconds(60), scheduler: scheduler).sink { log.append($0) }
      let ticks = scheduler.schedule(after: scheduler.now.advanced(by: 20), interval: 20) { log.append("tick") }
      loop.advanceTime(by: .seconds(59))
      #expect(log == ["tick", "tick"])
      loop.advanceTime(by: .seconds(1))
      #expect(log.sorted() == ["late", "tick", "tick", "tick"])
      ticks.cancel()
      loop.advanceTime(by: .seconds(60))
      #expect(log.count == 4)
      cancellable.cancel()
    }

    @Test func leavesOutDatesThatHavePassed() {
      func next(_ date: UInt64, _ interval: TimeAmount, _ now: UInt64) -> UInt64 {
        EventLoopRepetition.date(
          after: .uptimeNanoseconds(date),
          interval: interval,
          now: .uptimeNanoseconds(now)
        ).uptimeNanoseconds
      }
      #expect(next(100, .nanoseconds(10), 100) == 110)
      #expect(next(100, .nanoseconds(10), 109) == 110)
      #expect(next(100, .nanoseconds(10), 110) == 120)
      #expect(next(100, .nanoseconds(10), 155) == 160)
      #expect(next(100, .nanoseconds(10), 50) == 110)
      #expect(next(100, .nanoseconds(-5), 100) == 101)
      #expect(next(100, .nanoseconds(.max), 200) == UInt64(Int64.max))
      #expect(next(0, .nanoseconds(1), UInt64(Int64.max)) == UInt64(Int64.max))
    }

    // MARK: Loops that shut down

    @Test func aLoopThatShutsDownReleasesTheActionsForLater() throws {
      let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
      let released = SharedLog<Int>()
      let scheduler = group.next().scheduler
      let tokens = (0..<2).map { number -> (any Cancellable)? in
        let object = CallsOnDeinit { released.append(number) }
        let date = scheduler.now.advanced(by: 3600)
        guard number == 0 else {
          scheduler.schedule(after: date) { _ = object }
          return nil
        }
        return scheduler.schedule(after: date, interval: 3600) { _ = object }
      }
      try group.syncShutdownGracefully()
      #expect(released.wait(for: 2).sorted() == [0, 1])
      withExtendedLifetime(tokens) {}
    }

    @Test func aPipelineOutlivesItsLoop() throws {
      let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
      let subject = PassthroughSubject<Int, Never>()
      let log = SharedLog<Int>()
      let cancellable = subject.receive(on: group.next().scheduler).sink { log.append($0) }
      subject.send(1)
      log.wait(for: 1)
      try group.syncShutdownGracefully()
      subject.send(2)
      cancellable.cancel()
      #expect(log.values == [1])
    }

    // MARK: Support

    @discardableResult
    private func onLoop<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result {
      try! loop.submit(body).wait()
    }

    /// Waits for a time by the loop's own clock. All actions due on the loop before that have run afterwards.
    private func pass(milliseconds: Int64) {
      try! loop.scheduleTask(in: .milliseconds(milliseconds)) {}.futureResult.wait()
    }
  }

  /// A token that one thread at a time uses.
  private struct UncheckedToken: @unchecked Sendable {
    let token: any Cancellable
  }
#endif
