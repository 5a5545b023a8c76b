import CombineExtras
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct FutureOperationTests {

  @Test func runsAtOnceAndSharesTheResult() async {
    let count = Guarded(0)
    let future = Future<Int, Never> {
      count.withLock {
        $0 += 1; return $0
      }
    }
    #expect(await future.value == 1)
    #expect(await future.value == 1)
    #expect(count.withLock { $0 } == 1)
  }

  @Test func failsWithTheError() async {
    let probe = AsyncProbe<Int, TestError>(requesting: .max(1))
    let future = Future<Int, TestError> { () async throws(TestError) in throw "wrong" }
    future.subscribe(probe)
    #expect(await probe.log.first(1) == [.failure("wrong")])
  }

  @Test func aCancelOfASubscriptionDoesNotCancelTheOperation() async {
    let doors = AsyncDoors()
    let future = Future {
      await doors.pass(1); return 5
    }
    let first = AsyncProbe<Int, Never>(requesting: .max(1))
    let second = AsyncProbe<Int, Never>(requesting: .max(1))
    future.subscribe(first)
    future.subscribe(second)
    await doors.log.first(1)
    first.cancel()
    doors.open(1)
    #expect(await second.log.first(2) == [.value(5), .finished])
    #expect(doors.log.values == ["arrived 1", "passed 1"])
    #expect(first.log.values == [])
  }

  @Test func theReleaseOfTheFutureDoesNotCancelTheOperation() async {
    let doors = AsyncDoors()
    do {
      let future = Future { await doors.pass(1) }
      await doors.log.first(1)
      withExtendedLifetime(future) {}
    }
    doors.open(1)
    #expect(await doors.log.first(2) == ["arrived 1", "passed 1"])
  }

  @Test func theOwnerOfATaskCancelsIt() async {
    let doors = AsyncDoors()
    let task = Task {
      await doors.pass(1)
      try Task.checkCancellation()
      return 5
    }
    let probe = AsyncProbe<Int, any Error>(requesting: .max(1))
    Future(task).subscribe(probe)
    await doors.log.first(1)
    task.cancel()
    #expect(await probe.log.first(1) == [.failure(CancellationError())])
  }

  @Test func theFutureOfATaskThatHasEnded() async {
    let task = Task { 5 }
    _ = await task.value
    #expect(await Future(task).value == 5)
  }

  @Test func aCallbackStillMakesAFuture() async {
    let future = Future<Int, Never> { promise in promise(.success(3)) }
    #expect(await future.value == 3)
  }
}
