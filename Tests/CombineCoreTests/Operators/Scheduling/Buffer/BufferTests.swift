import Foundation
import TestSupport
import Testing

@testable import CombineCore

// MARK: Machine

/// What `TimingMachineTests` does not walk through.
@Suite struct BufferMachineTests {

  private typealias State = BufferMachine<Int, TestError>

  @Test func twoBuffersServeAllBatches() {
    var state = State(size: 100, whenFull: .dropNewest)
    _ = state.announcement.end()
    state.demand = .unlimited
    var bases: Set<UnsafeMutableRawPointer> = []
    for round in 0..<100 {
      for value in 0...(round % 4) { _ = state.receive(value, on: 1) }
      var batch = Deque<Int>()
      _ = state.drain(on: 1, into: &batch)
      while batch.popFirst() != nil {}
      if let base = batch.base { bases.insert(base) }
      _ = state.didDeliver(.none, into: &batch)
      let left = batch.base
      #expect(left == nil, "the memory is returned")
    }
    #expect(bases.count <= 2)
  }
}

// MARK: Operator

/// What a model cannot say, and examples. `CoreOperatorModelTests` have every sequence of events, `TimingLifeCycleTests` the life
/// cycle that it shares with others.
@Suite(.serialized) struct BufferTests {

  private let upstream = ManualPublisher<Int, TestError>()

  private func attach(
    size: Int,
    _ prefetch: Publishers.PrefetchStrategy = .byRequest,
    whenFull: Publishers.BufferingStrategy<TestError> = .dropNewest,
    requesting demand: Subscribers.Demand? = nil
  ) -> RecordingSubscriber<Int, TestError> {
    let downstream = RecordingSubscriber<Int, TestError>(onSubscription: { if let demand { $0.request(demand) } })
    upstream.buffer(size: size, prefetch: prefetch, whenFull: whenFull).subscribe(downstream)
    return downstream
  }

  /// The events after the subscription.
  private func events(_ downstream: RecordingSubscriber<Int, TestError>) -> [Event<Int>] {
    Array(downstream.events.dropFirst())
  }

  private func send(_ values: ClosedRange<Int>) -> [Subscribers.Demand] {
    values.map { upstream.send($0) }
  }

  @Test func keepsItsArguments() {
    let publisher: Publishers.Buffer<ManualPublisher<Int, TestError>> =
      upstream.buffer(size: 3, prefetch: .keepFull, whenFull: .customError { "full" })
    #expect(publisher.upstream === upstream)
    #expect(publisher.size == 3)
    #expect(publisher.prefetch == .keepFull)
    guard case .customError(let makeError) = publisher.whenFull else {
      Issue.record("\(publisher.whenFull)")
      return
    }
    #expect(makeError() == "full")
    let made = Publishers.Buffer(upstream: upstream, size: 4, prefetch: .byRequest, whenFull: .dropOldest)
    #expect(made.size == 4)
  }

  @Test func prefetchStrategiesAreEquatableAndHashable() {
    #expect(Publishers.PrefetchStrategy.keepFull == .keepFull)
    #expect(Publishers.PrefetchStrategy.keepFull != .byRequest)
    #expect(Set<Publishers.PrefetchStrategy>([.keepFull, .byRequest, .keepFull]).count == 2)
  }

  // MARK: Requests

  @Test(arguments: [Publishers.PrefetchStrategy.keepFull, .byRequest])
  func requestsFromTheUpstreamBeforeTheDownstreamReceivesItsSubscription(_ prefetch: Publishers.PrefetchStrategy) {
    let downstream = RecordingSubscriber<Int, TestError>()
    let asked: [ManualSubscription.Call] = [.requested(prefetch == .keepFull ? .max(3) : .unlimited)]
    downstream.onSubscription = { [upstream] _ in #expect(upstream.history == asked) }
    upstream.buffer(size: 3, prefetch: prefetch, whenFull: .dropNewest).subscribe(downstream)
    #expect(downstream.events == [.subscription("Buffer")])
    downstream.request(.max(7))
    #expect(upstream.history == asked, "requests are not forwarded")
  }

  @Test func measuredDemandExample() {
    let downstream = attach(size: 10, .keepFull, whenFull: .dropOldest, requesting: .max(5))
    downstream.onValue = { $0 == 5 || $0 == 10 ? .max(5) : .none }
    #expect(upstream.history == [.requested(.max(10))])
    // The upstream honours demand: ten values, and one for each of the first five.
    #expect(send(0...4) == Array(repeating: .max(1), count: 5))
    #expect(send(5...14) == Array(repeating: .none, count: 10))
    #expect(downstream.values == Array(0...4))
    downstream.request(.max(9))
    #expect(downstream.values == Array(0...14))
    #expect(upstream.history == [.requested(.max(10)), .requested(.max(10))])
    downstream.request(.max(5))
    #expect(upstream.history.count == 2)
  }

  // MARK: A value that exceeds the size

  @Test func dropsTheNewest() {
    let downstream = attach(size: 2, whenFull: .dropNewest)
    #expect(send(1...4) == [.none, .none, .none, .none])
    downstream.request(.unlimited)
    #expect(downstream.values == [1, 2])
  }

  @Test func dropsTheOldest() {
    let downstream = attach(size: 2, whenFull: .dropOldest)
    #expect(send(1...4) == [.none, .none, .none, .none])
    downstream.request(.unlimited)
    #expect(downstream.values == [3, 4])
  }

  @Test func aDroppedValueIsReleased() {
    final class Value {}
    for whenFull in [Publishers.BufferingStrategy<TestError>.dropNewest, .dropOldest] {
      let upstream = ManualPublisher<Value, TestError>()
      let downstream = RecordingSubscriber<Value, TestError>()
      upstream.buffer(size: 1, prefetch: .byRequest, whenFull: whenFull).subscribe(downstream)
      weak var first: Value?
      weak var second: Value?
      do {
        let values = (Value(), Value())
        (first, second) = values
        upstream.send(values.0)
        upstream.send(values.1)
      }
      #expect((first == nil) != (second == nil))
      downstream.cancel()
      #expect(first == nil && second == nil, "a cancel empties the buffer")
    }
  }

  @Test(arguments: [Publishers.PrefetchStrategy.keepFull, .byRequest])
  func failsWithTheClosuresErrorAfterTheNextRequest(_ prefetch: Publishers.PrefetchStrategy) {
    var calls = 0
    let downstream = attach(
      size: 5,
      prefetch,
      whenFull: .customError {
        calls += 1
        return "full"
      }
    )
    let first = ManualSubscription.Call.requested(prefetch == .keepFull ? .max(5) : .unlimited)
    #expect(send(1...6) == Array(repeating: .none, count: 6))
    #expect(events(downstream) == [], "the downstream receives nothing")
    #expect(upstream.history == [first, .cancelled])
    #expect(send(7...10) == Array(repeating: .none, count: 4))
    upstream.send(completion: .finished)
    #expect(calls == 1)
    downstream.request(.max(3))
    #expect(events(downstream) == [.value(1), .value(2), .value(3), .failure("full")], "the other two are dropped")
    #expect(upstream.history == [first, .cancelled] + (prefetch == .keepFull ? [.requested(.max(3))] : []))
  }

  @Test func anOverflowBeforeTheSubscriptionFailsAtTheNextRequestToo() {
    upstream.subscription!.onRequest = { [upstream] _ in upstream.send(1) }
    let downstream = RecordingSubscriber<Int, TestError>(onSubscription: { [upstream] _ in upstream.send(2) })
    upstream.buffer(size: 1, prefetch: .byRequest, whenFull: .customError { "full" }).subscribe(downstream)
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
    #expect(events(downstream) == [], "the downstream receives nothing")
    downstream.request(.max(1))
    #expect(events(downstream) == [.value(1), .failure("full")])
  }

  @Test func anOverflowAfterAnEarlyFinishFailsAtTheNextRequestToo() {
    upstream.subscription!.onRequest = { [upstream] _ in
      upstream.send(1)
      upstream.send(completion: .finished)
      upstream.send(2)
    }
    let downstream = attach(size: 1, whenFull: .customError { "full" })
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
    #expect(events(downstream) == [], "the downstream receives nothing")
    downstream.request(.max(1))
    #expect(events(downstream) == [.value(1), .failure("full")])
  }

  @Test func aSubscriptionInsideTheErrorsClosureIsCancelled() {
    let second = ManualSubscription()
    let downstream = attach(
      size: 1,
      whenFull: .customError { [upstream] in
        upstream.send(subscription: second)
        return "full"
      }
    )
    _ = send(1...2)
    downstream.request(.unlimited)
    #expect(second.history == [.cancelled])
    #expect(events(downstream) == [.value(1), .failure("full")])
  }

  @Test func aFailureInsideABatchIsDeliveredThereAndTheRestFollows() {
    let downstream = attach(size: 5)
    _ = send(1...3)
    downstream.onValue = { [upstream] value in
      if value == 1 { upstream.send(completion: .failure("end")) }
      return .none
    }
    downstream.request(.max(3))
    #expect(events(downstream) == [.value(1), .failure("end"), .value(2), .value(3)])
  }

  @Test func aZeroRequestSendsTheFailure() {
    let downstream = attach(size: 1, whenFull: .customError { "full" })
    _ = send(1...2)
    downstream.request(.none)
    #expect(events(downstream) == [.failure("full")])
  }

  @Test func aBufferOfSizeZeroDropsEveryValueEvenOnDemand() {
    let newest = attach(size: 0, .keepFull, whenFull: .dropNewest, requesting: .unlimited)
    #expect(upstream.history == [.requested(.max(0))])
    #expect(upstream.send(1) == .none)
    #expect(events(newest) == [])

    let oldest = attach(size: 0, whenFull: .dropOldest, requesting: .unlimited)
    #expect(upstream.send(1) == .none)
    #expect(events(oldest) == [], "there is none to drop but the new one")

    let failing = attach(size: 0, whenFull: .customError { "full" }, requesting: .unlimited)
    upstream.send(1)
    #expect(events(failing) == [])
    failing.request(.max(1))
    #expect(events(failing) == [.failure("full")])
  }

  // MARK: Reentrancy

  @Test func aSynchronousUpstreamFillsTheBufferFirst() {
    let downstream = RecordingSubscriber<Int, Never>(requesting: .max(2))
    (1...5).publisher.buffer(size: 3, prefetch: .keepFull, whenFull: .dropNewest).subscribe(downstream)
    #expect(downstream.values == [1, 2])
    downstream.request(.unlimited)
    #expect(downstream.events.dropFirst() == [.value(1), .value(2), .value(3), .value(4), .value(5), .finished])
  }

  /// Combine delivers it before the subscription, where most subscribers miss it.
  @Test func aFailureDuringTheFirstRequestFollowsTheSubscription() {
    upstream.subscription!.onRequest = { [upstream] _ in
      upstream.send(1)
      upstream.send(completion: .failure("early"))
    }
    #expect(attach(size: 5).events == [.subscription("Buffer"), .failure("early")])
    let asking = attach(size: 5, requesting: .unlimited)
    #expect(asking.events == [.subscription("Buffer"), .value(1), .failure("early")])
  }

  // MARK: Reflection

  @Test func reflectsItsState() {
    let downstream = attach(size: 5)
    func child(_ label: String) -> String {
      reflectedChild(label, of: upstream.subscriber!).map { String(describing: $0) } ?? "missing"
    }
    #expect(child("values") == "[]")
    #expect(child("downstreamDemand") == "max(0)")
    #expect(child("terminal") == "nil")
    #expect(child("state") == "subscribed")
    _ = send(1...2)
    upstream.send(completion: .finished)
    #expect(child("values") == "[1, 2]")
    #expect(child("terminal") == "Optional(finished)" || child("terminal").contains("finished"))
    downstream.onValue = { [unowned downstream] _ in
      downstream.request(.max(3))
      return .none
    }
    downstream.cancel()
    #expect(child("values") == "[]")
    #expect(child("state") == "terminal")
    let asking = attach(size: 5, requesting: .max(4))
    _ = send(1...1)
    #expect(child("downstreamDemand") == "max(3)")
    asking.cancel()
  }

  // MARK: Threads

  /// Runs `body` on another thread during the delivery of the first of the values 1 and 2, and returns the events.
  private func eventsWhen(
    _ body: @escaping (ManualPublisher<Int, TestError>, any Subscription) -> Void
  ) -> [Event<Int>] {
    let downstream = attach(size: 5)
    _ = send(1...2)
    // The other thread has ended when the delivery continues.
    nonisolated(unsafe) let upstream = upstream
    nonisolated(unsafe) let subscription = downstream.subscription!
    nonisolated(unsafe) let body = body
    downstream.onValue = { value in
      if value == 1 { onThreads(1) { _ in body(upstream, subscription) } }
      return .none
    }
    downstream.request(.max(3))
    return events(downstream)
  }

  @Test func eventsOfAnotherThreadFollowTheBatch() {
    #expect(eventsWhen { upstream, _ in upstream.send(3) } == [.value(1), .value(2), .value(3)])
    #expect(
      eventsWhen { upstream, subscription in
        for value in 3...5 { upstream.send(value) }
        subscription.request(.max(1))
      } == [.value(1), .value(2), .value(3), .value(4)]
    )
    #expect(eventsWhen { upstream, _ in upstream.send(completion: .finished) } == [.value(1), .value(2), .finished])
    #expect(
      eventsWhen { upstream, _ in upstream.send(completion: .failure("end")) } == [
        .value(1), .value(2), .failure("end"),
      ]
    )
  }

  @Test func aCancelOnAnotherThreadDropsTheRestOfTheBatch() {
    #expect(eventsWhen { _, subscription in subscription.cancel() } == [.value(1)])
  }

  @Test func valuesAndRequestsMayComeFromSeveralThreads() {
    let count = 5000
    let upstream = SharedUpstream<Int>()
    let downstream = ExclusiveSubscriber<Int>(requesting: .none)
    upstream.buffer(size: count, prefetch: .byRequest, whenFull: .dropNewest).subscribe(downstream)
    onThreads(3) { thread in
      for number in 0..<count {
        if thread == 0 { upstream.send(number) } else { downstream.request(.max(number % 2)) }
      }
      if thread == 0 { upstream.finish() }
    }
    downstream.request(.unlimited)
    #expect(downstream.overlapCount == 0)
    #expect(downstream.values == Array(0..<count))
    #expect(downstream.completionCount == 1)
    #expect(downstream.lateCount == 0)
  }

  /// An upstream that sends no more values than were requested.
  private final class ObedientUpstream: Publisher, Subscription, @unchecked Sendable {
    // Sendable: `subscriber` is set before the threads start, and the rest is atomic.
    typealias Output = Int
    typealias Failure = TestError
    let demand = DemandCounter()
    var subscriber: (any Subscriber<Int, TestError>)?

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == TestError {
      self.subscriber = subscriber
      subscriber.receive(subscription: self)
    }

    func request(_ more: Subscribers.Demand) { demand.add(more) }
    func cancel() {}

    /// Sends the numbers up to `count`, and waits for demand. Gives up if that takes too long.
    func send(_ count: Int) {
      var sent = 0
      var idle = 0
      while sent < count && idle < 10_000_000 {
        guard demand.take() else {
          idle += 1
          sched_yield()
          continue
        }
        demand.add(subscriber!.receive(sent))
        sent += 1
      }
    }
  }

  @Test func keepFullLosesNoDemandAndNoValue() {
    let count = 3000
    let upstream = ObedientUpstream()
    let downstream = ExclusiveSubscriber<Int>(requesting: .none)
    upstream.buffer(size: 4, prefetch: .keepFull, whenFull: .customError { "full" }).subscribe(downstream)
    onThreads(3) { thread in
      if thread == 0 { return upstream.send(count) }
      for _ in 0..<count { downstream.request(.max(1)) }
    }
    #expect(downstream.values == Array(0..<count))
    #expect(downstream.completionCount == 0, "the buffer never overflowed")
    #expect(downstream.overlapCount == 0)
    #expect(upstream.demand.value == .max(4), "as many as the size allows")
  }

  @Test func cancelRacesWithValuesAndRequests() {
    for _ in 0..<100 {
      let upstream = SharedUpstream<Int>()
      let downstream = ExclusiveSubscriber<Int>(requesting: .max(5))
      upstream.buffer(size: 3, prefetch: .byRequest, whenFull: .dropOldest).subscribe(downstream)
      onThreads(3) { thread in
        switch thread {
        case 0: for number in 0..<50 { upstream.send(number) }
        case 1: for _ in 0..<20 { downstream.request(.max(2)) }
        default: downstream.cancel()
        }
      }
      #expect(downstream.overlapCount == 0)
      #expect(upstream.cancelCount == 1)
      #expect(downstream.values == downstream.values.sorted())
    }
  }

  @Test func makesTheErrorOnceEvenIfRequestsArriveMeanwhile() {
    for _ in 0..<100 {
      let calls = Guarded(0)
      let upstream = SharedUpstream<Int>()
      let downstream = ExclusiveSubscriber<Int>(requesting: .none)
      let whenFull = Publishers.BufferingStrategy<TestError>.customError {
        calls.withLock { $0 += 1 }
        return "full"
      }
      upstream.buffer(size: 1, prefetch: .byRequest, whenFull: whenFull).subscribe(downstream)
      onThreads(3) { thread in
        if thread < 2 {
          for number in 0..<50 { upstream.send(number) }
        } else {
          for _ in 0..<5 { downstream.request(.max(1)) }
        }
      }
      downstream.request(.unlimited)
      #expect(calls.withLock { $0 } == 1)
      #expect(upstream.cancelCount == 1)
      #expect(downstream.completionCount == 1)
      #expect(downstream.lateCount == 0)
      #expect(downstream.overlapCount == 0)
    }
  }
}
