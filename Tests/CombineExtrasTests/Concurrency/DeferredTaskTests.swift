import CombineTesting
import TestSupport
import Testing

@testable import CombineExtras

@Suite(.timeLimit(.minutes(10))) struct DeferredTaskTests {

  @Test func publishesTheResult() async {
    let probe = AsyncProbe<Int, Never>(requesting: .max(1))
    DeferredTask { 42 }.subscribe(probe)
    #expect(await probe.log.first(2) == [.value(42), .finished])
  }

  @Test func failsWithTheError() async {
    let probe = AsyncProbe<Int, TestError>(requesting: .max(1))
    DeferredTask<Int, TestError> { () throws(TestError) in throw "wrong" }.subscribe(probe)
    #expect(await probe.log.first(1) == [.failure("wrong")])
  }

  @Test func theFailureIsInferredFromTheClosure() {
    @Sendable func load() async throws -> Int { 1 }
    let failing = DeferredTask { try await load() }
    let harmless = DeferredTask { 1 }
    #expect(type(of: failing) == DeferredTask<Int, any Error>.self)
    #expect(type(of: harmless) == DeferredTask<Int, Never>.self)
  }

  @Test func startsAtTheFirstRequestAndOnce() async {
    let doors = AsyncDoors()
    let probe = AsyncProbe<Int, Never>()
    DeferredTask {
      await doors.pass(1); return 1
    }.subscribe(probe)
    #expect(doors.log.values == [])
    probe.request(.max(1))
    probe.request(.max(1))
    await doors.log.first(1)
    doors.open(1)
    #expect(await probe.log.first(2) == [.value(1), .finished])
    #expect(doors.log.values == ["arrived 1", "passed 1"])
  }

  @Test func runsForEachSubscription() async {
    let count = Guarded(0)
    let publisher = DeferredTask {
      count.withLock {
        $0 += 1; return $0
      }
    }
    let first = AsyncProbe<Int, Never>(requesting: .unlimited)
    publisher.subscribe(first)
    #expect(await first.log.first(2) == [.value(1), .finished])
    let second = AsyncProbe<Int, Never>(requesting: .unlimited)
    publisher.subscribe(second)
    #expect(await second.log.first(2) == [.value(2), .finished])
  }

  @Test func aCancelCancelsTheTask() async {
    let doors = AsyncDoors()
    let probe = AsyncProbe<Int, Never>(requesting: .max(1))
    let released = AsyncLog<Bool>()
    do {
      let token = Token(CallsOnDeinit { released.append(true) })
      DeferredTask {
        await doors.pass(1); return withExtendedLifetime(token) { 1 }
      }.subscribe(probe)
    }
    await doors.log.first(1)
    probe.cancel()
    #expect(await doors.log.first(2) == ["arrived 1", "cancelled 1"])
    // The task and its closure are gone by then, so nothing can arrive later.
    await released.first(1)
    #expect(probe.log.values == [])
  }

  @Test func aCancelBeforeTheFirstRequestPreventsTheTask() {
    let count = Guarded(0)
    let probe = AsyncProbe<Void, Never>()
    DeferredTask { count.withLock { $0 += 1 } }.subscribe(probe)
    probe.cancel()
    probe.request(.max(1))
    #expect(count.withLock { $0 } == 0)
  }

  @Test func theLatestOfSeveralTasksCancelsTheOthers() async {
    let doors = AsyncDoors()
    let subject = PassthroughSubject<Int, Never>()
    let log = AsyncLog<Int>()
    let cancellable =
      subject
      .map { value in
        DeferredTask {
          await doors.pass(value); return value
        }
      }
      .switchToLatest()
      .sink { log.append($0) }
    subject.send(1)
    await doors.log.first(1)
    subject.send(2)
    doors.open(2)
    #expect(await log.first(1) == [2])
    #expect(doors.log.values.contains("cancelled 1"))
    cancellable.cancel()
  }
}
