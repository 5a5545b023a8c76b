import CombineCore
import TestSupport
import Testing

@Suite struct FilterTests {

  @Test func isTransparent() {
    expectTransparent(failure: TestError()) { $0.filter { $0 == 2 } }
  }

  @Test func requestsOneMoreForEachDroppedValue() {
    let upstream = ManualPublisher<Int, TestError>()
    let subscriber = RecordingSubscriber<Int, TestError>(
      onSubscription: { $0.request(.max(2)) },
      onValue: { _ in .max(4) }
    )
    upstream.filter { $0.isMultiple(of: 2) }.subscribe(subscriber)

    #expect((1...5).map { upstream.send($0) } == [.max(1), .max(4), .max(1), .max(4), .max(1)])
    upstream.send(completion: .finished)
    upstream.send(completion: .failure("late"))
    #expect(upstream.send(6) == .max(4))

    #expect(
      subscriber.events == [
        .subscription("ManualSubscription"), .value(2), .value(4), .finished, .failure("late"), .value(6),
      ]
    )
    #expect(upstream.history == [.requested(.max(2))])
  }

  @Test func fusesWithFilterAndTryFilter() throws {
    let upstream = ManualPublisher<Int, TestError>()
    var calls = 0
    let even = upstream.filter { value in
      calls += 1
      return value.isMultiple(of: 2)
    }
    let both: Publishers.Filter<ManualPublisher<Int, TestError>> = even.filter { value in
      calls += 1
      return value.isMultiple(of: 3)
    }
    let tried: Publishers.TryFilter<ManualPublisher<Int, TestError>> = even.tryFilter { value in
      if value == 100 { throw TestError("thrown") }
      return value.isMultiple(of: 3)
    }
    #expect(both.upstream === upstream)
    #expect(tried.upstream === upstream)
    #expect(try [6, 2, 3].map { try tried.isIncluded($0) } == [true, false, false])
    #expect(throws: TestError("thrown")) { try tried.isIncluded(100) }

    calls = 0
    #expect(both.isIncluded(12))
    #expect(calls == 2)

    calls = 0
    let subscriber = RecordingSubscriber<Int, TestError>()
    both.subscribe(subscriber)
    #expect(subscriber.events == [.subscription("ManualSubscription")])
    let returned = (1...10).map { upstream.send($0) }
    #expect(returned == (1...10).map { $0 == 6 ? .none : .max(1) })
    #expect(subscriber.values == [6])
    #expect(calls == 15)
  }

  @Test func reflectsItself() {
    let upstream = ManualPublisher<Int, TestError>()
    upstream.filter { _ in true }.subscribe(RecordingSubscriber())
    expectReflection(of: upstream.subscriber!, description: "Filter")
  }
}

@Suite struct TryFilterTests {

  @Test func filtersAndHasItsOwnSubscription() {
    expectFiltering(name: "TryFilter", throwing: true) { upstream, onCall in
      upstream.tryFilter { value in
        onCall()
        if value == 100 { throw TestError("thrown") }
        return value.isMultiple(of: 2)
      }
    }
  }

  @Test func doesNotSerializeValues() {
    expectNoSerialisation { $0.tryFilter { _ in true }.mapError { _ in "" } }
  }

  @Test func aThrownErrorBecomesTheFailure() {
    let upstream = ManualPublisher<Int, TestError>()
    let subscriber = RecordingSubscriber<Int, any Error>(onValue: { _ in .max(42) })
    var calls = 0
    upstream.tryFilter { value in
      calls += 1
      if value == 5 { throw TestError("thrown") }
      return value.isMultiple(of: 2)
    }.subscribe(subscriber)
    upstream.subscription!.onCancel = { #expect(subscriber.events.last == .value(4)) }

    #expect((1...6).map { upstream.send($0) } == [.max(1), .max(42), .max(1), .max(42), .none, .none])
    upstream.send(completion: .finished)
    upstream.send(completion: .failure("late"))
    subscriber.request(.max(3))
    subscriber.cancel()

    #expect(
      subscriber.events == [.subscription("TryFilter"), .value(2), .value(4), .failure("thrown")]
    )
    #expect(upstream.history == [.cancelled])
    #expect(calls == 5)
  }

  #if compiler(>=6.3)  // The capture list of an exit test.
    @Test(arguments: FilteringMisuse.allCases) func traps(on misuse: FilteringMisuse) async {
      _ = misuse.prepare { $0.tryFilter { _ in true } }  // The preparation itself must not trap.
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [misuse] in
        misuse.prepare { $0.tryFilter { _ in true } }()
      }.expectMisuse("TryFilter", misuse.mistake)
    }
  #endif

  @Test func fusesWithFilterAndTryFilter() throws {
    let upstream = ManualPublisher<Int, TestError>()
    let first = upstream.tryFilter { value in
      if value == 100 { throw TestError("first") }
      return value.isMultiple(of: 2)
    }
    let filtered: Publishers.TryFilter<ManualPublisher<Int, TestError>> = first.filter { $0.isMultiple(of: 3) }
    let tried: Publishers.TryFilter<ManualPublisher<Int, TestError>> = first.tryFilter { value in
      if value == 50 { throw TestError("second") }
      return value.isMultiple(of: 3)
    }
    for publisher in [filtered, tried] {
      #expect(publisher.upstream === upstream)
      #expect(try [6, 2, 3].map { try publisher.isIncluded($0) } == [true, false, false])
      #expect(throws: TestError("first")) { try publisher.isIncluded(100) }
      let subscriber = RecordingSubscriber<Int, any Error>()
      publisher.subscribe(subscriber)
      #expect(subscriber.events == [.subscription("TryFilter")])
    }
    #expect(throws: TestError("second")) { try tried.isIncluded(50) }
  }

  @Test func reflectsItself() {
    let upstream = ManualPublisher<Int, TestError>()
    let subscriber = RecordingSubscriber<Int, any Error>()
    upstream.tryFilter { _ in true }.subscribe(subscriber)
    expectReflection(of: upstream.subscriber!, description: "TryFilter", children: ["downstream"])
    #expect(reflectedChild("downstream", of: upstream.subscriber!) as AnyObject === subscriber)
  }

  @Test func aValueAndACancelOnTwoThreadsAreSafe() {
    for _ in 0..<200 {
      let upstream = ManualPublisher<Int, TestError>()
      let subscriber = RecordingSubscriber<Int, any Error>()
      upstream.tryFilter { value in
        if value == 50 { throw TestError("thrown") }
        return true
      }.subscribe(subscriber)
      // Each thread uses one of the two, and they share no state. The test is of the conduit.
      nonisolated(unsafe) let source = upstream
      nonisolated(unsafe) let subscription = subscriber.subscription!
      onThreads(2) { thread in
        if thread == 0 {
          for value in 0..<100 { source.send(value) }
        } else {
          subscription.cancel()
          subscription.request(.max(1))
        }
      }
      #expect(upstream.history.count { $0 == .cancelled } == 1)
      #expect(subscriber.events.count { $0 == .failure("thrown") } <= 1)
      subscriber.dropSubscription()
    }
  }
}
