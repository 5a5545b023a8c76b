import CombineExtras
import CombineTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct AsyncMapLatestTests {

  private let doors = AsyncDoors()

  @Test func publishesTheResultOfAnElementThatNoneFollows() async {
    let probe = AsyncProbe<Int, Never>(requesting: .unlimited)
    Just(1).asyncMapLatest { $0 * 10 }.subscribe(probe)
    #expect(await probe.log.first(2) == [.value(10), .finished])
  }

  @Test func theNextElementCancelsTheTaskAndItsResultIsDropped() async {
    let probe = AsyncProbe<Int, Never>(requesting: .unlimited)
    let upstream = ManualPublisher<Int, Never>()
    upstream
      .asyncMapLatest { [doors] value in
        await doors.pass(value)
        return value * 10
      }
      .subscribe(probe)
    #expect(upstream.history == [.requested(.unlimited)])
    _ = upstream.send(1)
    #expect(await doors.log.first(1) == ["arrived 1"])
    _ = upstream.send(2)
    #expect(await doors.log.first(3).sorted() == ["arrived 1", "arrived 2", "cancelled 1"])
    doors.open(2)
    upstream.send(completion: .finished)
    #expect(await probe.log.first(2) == [.value(20), .finished])
  }

  @Test func aTaskStartsWithTheDemand() async {
    let probe = AsyncProbe<Int, Never>(requesting: .none)
    let upstream = ManualPublisher<Int, Never>()
    let started = Guarded(0)
    upstream.asyncMapLatest { value in
      started.withLock { $0 += 1 }
      return value
    }.subscribe(probe)
    _ = upstream.send(1)
    _ = upstream.send(2)
    probe.request(.max(1))
    #expect(await probe.log.first(1) == [.value(2)])
    #expect(started.withLock { $0 } == 1)
    probe.cancel()
  }

  @Test func anErrorOfTheClosureFailsAndCancelsTheUpstream() async {
    let probe = AsyncProbe<Int, any Error>(requesting: .unlimited)
    let upstream = ManualPublisher<Int, TestError>()
    upstream.tryAsyncMapLatest { value -> Int in
      if value == 2 { throw TestError("wrong") }
      return value
    }.subscribe(probe)
    _ = upstream.send(1)
    _ = await probe.log.first(1)
    _ = upstream.send(2)
    #expect(await probe.log.first(2) == [.value(1), .failure("wrong")])
    #expect(upstream.history.last == .cancelled)
  }

  @Test func aFailureOfTheUpstreamIsPassedOnAtOnce() async {
    let probe = AsyncProbe<Int, any Error>(requesting: .unlimited)
    let upstream = ManualPublisher<Int, TestError>()
    upstream.tryAsyncMapLatest { [doors] value in
      await doors.pass(value); return value
    }.subscribe(probe)
    _ = upstream.send(1)
    await doors.log.first(1)
    upstream.send(completion: .failure("wrong"))
    #expect(await probe.log.first(1) == [.failure("wrong")])
    doors.open(1)
  }
}
