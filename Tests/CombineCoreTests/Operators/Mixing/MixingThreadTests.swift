import CombineCore
import Dispatch
import TestSupport
import Testing

/// An operator whose upstreams may send on different threads.
enum MixingOperator: CaseIterable, Sendable {

  case merge, combineLatest, zip, flatMap, switchToLatest

  typealias Upstream = ConcurrentPublisher<Int, TestError>

  /// Subscribes through the operator so that the values of `a` pass unchanged, for as many values as the tests send.
  ///
  /// - Returns: A closure, callable on any thread, that makes the operator fail.
  func attach(
    _ downstream: RecordingSubscriber<Int, TestError>,
    to a: Upstream,
    and b: Upstream
  ) -> @Sendable () -> Void {
    let fail: @Sendable () -> Void = { b.send(completion: .failure("b")) }
    switch self {
    case .merge:
      Publishers.Merge(a, b).subscribe(downstream)
    case .combineLatest:
      a.combineLatest(b) { first, _ in first }.subscribe(downstream)
      b.send(0)
    case .zip:
      a.zip(b) { first, _ in first }.subscribe(downstream)
      for _ in 0..<10 { b.send(0) }
    case .flatMap:
      let children = Publishers.Sequence<[Upstream], TestError>(sequence: [a, b])
      Publishers.FlatMap(upstream: children, maxPublishers: .unlimited) { $0 }.subscribe(downstream)
    case .switchToLatest:
      let outer = ConcurrentPublisher<Upstream, TestError>()
      outer.switchToLatest().subscribe(downstream)
      outer.send(a)
      return { outer.send(completion: .failure("b")) }
    }
    return fail
  }
}

@Suite struct MixingThreadTests {

  /// The events of the downstream if `a` sends 2 during the delivery of 1, and another thread then sends an event.
  ///
  /// The downstream blocks its thread until that event arrives, or for a moment. The moment is too short to fail a
  /// correct operator, and long enough to catch a wrong one.
  private func eventsOfANestedDelivery(
    _ mixingOperator: MixingOperator,
    demand: Subscribers.Demand,
    then event: @escaping @Sendable (MixingOperator.Upstream, () -> Void) -> Void
  ) -> (events: [Event<Int>], overlapped: Bool) {
    let (a, b) = (MixingOperator.Upstream(), MixingOperator.Upstream())
    let downstream = RecordingSubscriber<Int, TestError>(requesting: demand)
    let (isNested, next) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    var overlapped = false
    downstream.onValue = { value in
      switch value {
      case 1:
        a.send(2)
        isNested.signal()
        overlapped = next.wait(timeout: .now() + .milliseconds(30)) == .success
      case 2: break
      default: next.signal()
      }
      return .none
    }
    downstream.onCompletion = { _ in next.signal() }
    let fail = mixingOperator.attach(downstream, to: a, and: b)
    onThreads(2) { thread in
      if thread == 0 {
        a.send(1)
      } else {
        isNested.wait()
        event(b, fail)
      }
    }
    return (Array(downstream.events.dropFirst()), overlapped)
  }

  @Test(arguments: MixingOperator.allCases, [Subscribers.Demand.unlimited, .max(100)])
  func aFailureWaitsForADeliveryWithANestedDelivery(_ mixingOperator: MixingOperator, _ demand: Subscribers.Demand) {
    let result = eventsOfANestedDelivery(mixingOperator, demand: demand) { _, fail in fail() }
    #expect(!result.overlapped)
    let nested: [Event<Int>] = mixingOperator == .combineLatest ? [] : [.value(2)]
    #expect(result.events == [.value(1)] + nested + [.failure("b")])
  }

  @Test(arguments: [MixingOperator.merge, .flatMap], [Subscribers.Demand.unlimited, .max(100)])
  func aValueWaitsForADeliveryWithANestedDelivery(_ mixingOperator: MixingOperator, _ demand: Subscribers.Demand) {
    let result = eventsOfANestedDelivery(mixingOperator, demand: demand) { b, _ in b.send(3) }
    #expect(!result.overlapped)
    #expect(result.events == [.value(1), .value(2), .value(3)])
  }

  /// An upstream must not send on two threads at once. If it does, the downstream still receives one call at a time.
  @Test func deliveriesOfAnUpstreamThatSendsOnTwoThreadsDoNotOverlap() {
    let (a, b) = (SharedUpstream<Int>(), SharedUpstream<Int>())
    let downstream = ExclusiveSubscriber<Int>()
    a.zip(b) { first, _ in first }.subscribe(downstream)
    for _ in 0..<2000 { b.send(0) }
    onThreads(2) { thread in
      for value in 0..<1000 { a.send(thread * 1000 + value) }
    }
    #expect(downstream.overlapCount == 0)
    #expect(downstream.values.sorted() == Array(0..<2000))
  }
}
