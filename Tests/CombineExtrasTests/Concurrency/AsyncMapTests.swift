import CombineTesting
import TestSupport
import Testing

@testable import CombineExtras

@Suite(.timeLimit(.minutes(10))) struct AsyncMapTests {

  private let doors = AsyncDoors()

  @Test func oneElementAfterTheOtherByDefault() async {
    let probe = AsyncProbe<Int, Never>(requesting: .unlimited)
    let upstream = ManualPublisher<Int, Never>()
    upstream.asyncMap { [doors] value in
      await doors.pass(value); return value * 10
    }.subscribe(probe)
    #expect(upstream.history == [.requested(.max(1))])
    #expect(upstream.send(1) == .none)
    await doors.log.first(1)
    #expect(upstream.history == [.requested(.max(1))])
    probe.cancel()
  }

  @Test func publishesInOrder() async {
    let probe = AsyncProbe<Int, Never>(requesting: .unlimited)
    (1...3).publisher.asyncMap(maxConcurrent: 3) { [doors] value in
      await doors.pass(value); return value * 10
    }
    .subscribe(probe)
    await doors.log.first(3)
    doors.open(3)
    doors.open(2)
    await doors.log.first(5)
    #expect(probe.log.values == [])
    doors.open(1)
    #expect(await probe.log.first(4) == [.value(10), .value(20), .value(30), .finished])
  }

  @Test func publishesAsResultsComeIfOrderIsNotPreserved() async {
    let probe = AsyncProbe<Int, Never>(requesting: .unlimited)
    (1...3).publisher
      .asyncMap(maxConcurrent: 3, preservingOrder: false) { [doors] value in
        await doors.pass(value); return value * 10
      }
      .subscribe(probe)
    await doors.log.first(3)
    doors.open(3)
    #expect(await probe.log.first(1) == [.value(30)])
    doors.open(1)
    #expect(await probe.log.first(2) == [.value(30), .value(10)])
    doors.open(2)
    #expect(await probe.log.first(4) == [.value(30), .value(10), .value(20), .finished])
  }

  @Test func noMoreTasksThanTheMaximum() async {
    let running = Guarded((now: 0, most: 0))
    let probe = AsyncProbe<Int, Never>(requesting: .unlimited)
    (1...40).publisher.asyncMap(maxConcurrent: 4, preservingOrder: false) { value in
      running.withLock {
        $0.now += 1
        $0.most = max($0.most, $0.now)
      }
      await Task.yield()
      running.withLock { $0.now -= 1 }
      return value
    }
    .subscribe(probe)
    #expect(await probe.log.first(41).last == .finished)
    #expect(Set(probe.values) == Set(1...40))
    #expect(running.withLock { $0.most } <= 4)
  }

  @Test func requestsNoMoreThanTheDownstreamHasRequested() async {
    let probe = AsyncProbe<Int, Never>(requesting: .max(2))
    let upstream = ManualPublisher<Int, Never>()
    upstream.asyncMap(maxConcurrent: 5) { $0 }.subscribe(probe)
    #expect(upstream.history == [.requested(.max(2))])
    probe.request(.max(10))
    #expect(upstream.history == [.requested(.max(2)), .requested(.max(3))])
    probe.cancel()
    #expect(upstream.history.last == .cancelled)
  }

  @Test func aLimitedDemandIsNotExceeded() async {
    let probe = AsyncProbe<Int, Never>(requesting: .max(2))
    let started = AsyncLog<Int>()
    (1...9).publisher.asyncMap(maxConcurrent: 5) { value in
      started.append(value); return value
    }.subscribe(probe)
    #expect(await probe.log.first(2) == [.value(1), .value(2)])
    #expect(started.values == [1, 2] || started.values == [2, 1])
    probe.request(.max(1))
    #expect(await probe.log.first(3) == [.value(1), .value(2), .value(3)])
    #expect(started.values.count == 3)
    probe.cancel()
  }

  @Test func aCancelCancelsAllTasksAndNothingFollows() async {
    let probe = AsyncProbe<Int, Never>(requesting: .unlimited)
    let released = AsyncLog<Bool>()
    do {
      let token = Token(CallsOnDeinit { released.append(true) })
      (1...3).publisher
        .asyncMap(maxConcurrent: 3) { [doors] value in
          await doors.pass(value)
          return withExtendedLifetime(token) { value }
        }
        .subscribe(probe)
    }
    await doors.log.first(3)
    probe.cancel()
    #expect(Set(await doors.log.first(6).suffix(3)) == ["cancelled 1", "cancelled 2", "cancelled 3"])
    await released.first(1)
    #expect(probe.log.values == [])
  }

  /// A task takes along what its request brings at once, but no more than a hundred elements.
  @Test func aTaskGoesOnWithTheNextElement() async {
    let tasks = Guarded<[Int]>([])
    let probe = AsyncProbe<Int, Never>(requesting: .unlimited)
    (1...350).publisher
      .asyncMap { value in
        let task = withUnsafeCurrentTask { $0.hashValue }
        tasks.withLock { $0.append(task) }
        return value
      }
      .subscribe(probe)
    await probe.log.first(351)
    #expect(probe.values == Array(1...350))
    let seen = tasks.withLock { $0 }
    let changes = zip(seen, seen.dropFirst()).filter { $0 != $1 }.count
    #expect((3..<175).contains(changes))
  }

  @Test func aCancelReachesATaskThatHasGoneOn() async {
    let probe = AsyncProbe<Int, Never>(requesting: .unlimited)
    (1...30).publisher
      .asyncMap { [doors] value in
        if value == 30 { await doors.pass(value) }
        return value
      }
      .subscribe(probe)
    await doors.log.first(1)
    probe.cancel()
    #expect(await doors.log.first(2).last == "cancelled 30")
    #expect(probe.values == Array(1..<30))
  }

  @Test func aTaskThatWasCancelledByItsElementDoesNotGoOn() async {
    let probe = AsyncProbe<Bool, Never>(requesting: .unlimited)
    (1...30).publisher
      .asyncMap { _ in
        let isCancelled = Task.isCancelled
        withUnsafeCurrentTask { $0?.cancel() }
        return isCancelled
      }
      .subscribe(probe)
    await probe.log.first(31)
    #expect(probe.values == Array(repeating: false, count: 30))
  }

  @Test func anErrorCancelsTheOtherTasksAndTheUpstream() async {
    let probe = AsyncProbe<Int, any Error>(requesting: .unlimited)
    let upstream = ManualPublisher<Int, TestError>()
    upstream.tryAsyncMap(maxConcurrent: 2) { [doors] value -> Int in
      await doors.pass(value)
      if value == 2 { throw TestError("wrong") }
      return value
    }
    .subscribe(probe)
    upstream.send(1)
    upstream.send(2)
    await doors.log.first(2)
    doors.open(2)
    #expect(await probe.log.first(1) == [.failure("wrong")])
    #expect(await doors.log.first(4).last == "cancelled 1")
    #expect(upstream.history.last == .cancelled)
    #expect(upstream.history.filter { $0 == .cancelled }.count == 1)
  }

  @Test func aFailureOfTheUpstreamCancelsTheTasks() async {
    let probe = AsyncProbe<Int, TestError>(requesting: .unlimited)
    let upstream = ManualPublisher<Int, TestError>()
    upstream.asyncMap { [doors] value in
      await doors.pass(value); return value
    }.subscribe(probe)
    upstream.send(1)
    await doors.log.first(1)
    upstream.send(completion: .failure("wrong"))
    #expect(probe.log.values == [.failure("wrong")])
    #expect(await doors.log.first(2).last == "cancelled 1")
    #expect(!upstream.history.contains(.cancelled))
  }

  @Test func aSubscriptionThatArrivesLateOrTwiceIsCancelled() {
    let upstream = ManualPublisher<Int, Never>()
    let probe = AsyncProbe<Int, Never>(requesting: .max(1))
    upstream.asyncMap { $0 }.subscribe(probe)
    let second = ManualSubscription()
    upstream.send(subscription: second)
    #expect(second.history == [.cancelled])
    let lateUpstream = ManualPublisher<Int, Never>(subscription: nil)
    let cancelled = AsyncProbe<Int, Never>(requesting: .max(1))
    lateUpstream.asyncMap { $0 }.subscribe(cancelled)
    cancelled.cancel()
    let late = ManualSubscription()
    lateUpstream.send(subscription: late)
    #expect(late.history == [.cancelled])
    probe.cancel()
  }

  @Test func anEmptyUpstreamFinishesWithoutDemand() async {
    let probe = AsyncProbe<Int, Never>()
    Empty<Int, Never>().asyncMap { $0 }.subscribe(probe)
    #expect(probe.log.values == [.finished])
  }

  @Test func subscriptionsAreIndependent() async {
    let publisher = (1...3).publisher.asyncMap { $0 * 2 }
    let limited = AsyncProbe<Int, Never>(requesting: .max(1))
    let other = AsyncProbe<Int, Never>(requesting: .unlimited)
    publisher.subscribe(limited)
    publisher.subscribe(other)
    #expect(await other.log.first(4) == [.value(2), .value(4), .value(6), .finished])
    #expect(await limited.log.first(1) == [.value(2)])
    limited.cancel()
  }

  @Test func aMaximumThatIsNotPositiveEndsTheProcess() async {
    await #expect(processExitsWith: .failure) {
      _ = Just(1).asyncMap(maxConcurrent: 0) { $0 }
    }
  }
}

/// What `ExtrasTaskModelTests` does not walk through.
@Suite struct AsyncMapMachineTests {

  private func machine(_ maxConcurrent: Int) -> AsyncMapMachine<String> {
    AsyncMapMachine(maxConcurrent: maxConcurrent, preservesOrder: true)
  }

  @Test func aResultCountsAsInWorkUntilItIsDelivered() {
    var state = machine(2)
    let request = state.request(.unlimited, undelivered: 0)
    #expect(request == 2)
    _ = state.receiveElement()
    _ = state.receiveElement()
    state.receive("a", of: 0)
    let value = state.popResult()
    #expect(value == "a")
    let requests = [state.newRequest(undelivered: 1), state.newRequest(undelivered: 0)]
    #expect(requests == [0, 1])
  }

  @Test func anUnlimitedMaximumRequestsUnlimitedDemand() {
    var state = machine(.max)
    let request = state.request(.unlimited, undelivered: 0)
    #expect(request == .max)
  }
}
