import Dispatch
import Foundation
import TestSupport
import Testing

@testable import CombineCore

/// Threads that wait behind a slow value return at once when the connection ends.
@Suite struct GateReleaseTests {

  typealias Upstream = ConcurrentPublisher<Int, TestError>
  typealias Downstream = RecordingSubscriber<Int, TestError>

  /// An operator with a gate, attached so that two threads that send 1 and 2 meet at it.
  struct Gated: CustomTestStringConvertible, Sendable {

    let testDescription: String

    /// Attaches the downstream, behind the operator.
    ///
    /// - Returns: Another event that ends the connection: the upstream's, or the other's, failure or value.
    let attach: @Sendable (Downstream, Upstream, ThreadScheduler) -> @Sendable () -> Void

    /// Whether that event lets the threads at the gate go while the slow value is being delivered. If not, it is itself
    /// delivered after those, from the scheduler.
    var isEndPrompt = true
    var firesTimers = false

    init(
      _ name: String,
      isEndPrompt: Bool = true,
      firesTimers: Bool = false,
      _ attach: @escaping @Sendable (Downstream, Upstream, ThreadScheduler) -> @Sendable () -> Void
    ) {
      testDescription = name
      self.attach = attach
      self.isEndPrompt = isEndPrompt
      self.firesTimers = firesTimers
    }
  }

  static let operators: [Gated] = [
    Gated("merge") { downstream, upstream, _ in
      let other = Upstream()
      upstream.merge(with: other).subscribe(downstream)
      return { other.send(completion: .failure("x")) }
    },
    Gated("flatMap") { downstream, upstream, _ in
      let outer = ConcurrentPublisher<Upstream, TestError>()
      outer.flatMap { $0 }.subscribe(downstream)
      outer.send(upstream)
      return { outer.send(completion: .failure("x")) }
    },
    Gated("switchToLatest") { downstream, upstream, _ in
      let outer = ConcurrentPublisher<Upstream, TestError>()
      outer.switchToLatest().subscribe(downstream)
      outer.send(upstream)
      return { outer.send(completion: .failure("x")) }
    },
    Gated("switchToLatest, replaced") { downstream, upstream, _ in
      let outer = ConcurrentPublisher<Upstream, TestError>()
      outer.switchToLatest().subscribe(downstream)
      outer.send(upstream)
      return { outer.send(Upstream()) }
    },
    Gated("zip") { downstream, upstream, _ in
      let other = Upstream()
      upstream.zip(other) { first, _ in first }.subscribe(downstream)
      for _ in 0..<10 { other.send(0) }
      return { other.send(completion: .failure("x")) }
    },
    Gated("combineLatest") { downstream, upstream, _ in
      let other = Upstream()
      upstream.combineLatest(other) { first, _ in first }.subscribe(downstream)
      other.send(0)
      return { other.send(completion: .failure("x")) }
    },
    Gated("prefix(untilOutputFrom:)") { downstream, upstream, _ in
      let other = Upstream()
      upstream.prefix(untilOutputFrom: other).subscribe(downstream)
      return { other.send(0) }
    },
    Gated("drop(untilOutputFrom:)") { downstream, upstream, _ in
      upstream.drop(untilOutputFrom: Just(0).setFailureType(to: TestError.self)).subscribe(downstream)
      return { upstream.send(completion: .failure("x")) }
    },
    Gated("receive(on:)", isEndPrompt: false) { downstream, upstream, scheduler in
      upstream.receive(on: scheduler).subscribe(downstream)
      return { upstream.send(completion: .failure("x")) }
    },
    Gated("delay", isEndPrompt: false) { downstream, upstream, scheduler in
      upstream.delay(for: 1, scheduler: scheduler).subscribe(downstream)
      return { upstream.send(completion: .failure("x")) }
    },
    Gated("collect(.byTimeOrCount)", isEndPrompt: false) { downstream, upstream, scheduler in
      upstream.collect(.byTimeOrCount(scheduler, 1, 1)).map { $0[0] }.subscribe(downstream)
      return { upstream.send(completion: .failure("x")) }
    },
    Gated("debounce", firesTimers: true) { downstream, upstream, scheduler in
      upstream.debounce(for: 1, scheduler: scheduler).subscribe(downstream)
      return { upstream.send(completion: .failure("x")) }
    },
    Gated("throttle", isEndPrompt: false) { downstream, upstream, scheduler in
      upstream.throttle(for: 0, scheduler: scheduler, latest: true).subscribe(downstream)
      return { upstream.send(completion: .failure("x")) }
    },
    Gated("timeout", isEndPrompt: false) { downstream, upstream, scheduler in
      upstream.timeout(1, scheduler: scheduler).subscribe(downstream)
      return { upstream.send(completion: .failure("x")) }
    },
  ]

  /// One thread delivers 1 and stays inside the downstream, a second waits at the gate with 2, and a third ends it all.
  ///
  /// - Returns: Whether the second thread waited, and then no longer did, while the first was still inside.
  private func waits(
    in operatorWithGate: Gated,
    _ demand: Subscribers.Demand,
    then end: @escaping @Sendable (any Subscription, () -> Void) -> Void
  ) -> (waited: Bool, returned: Bool, values: [Int]) {
    // The first two do not wait for each other at the scheduler, whose third thread has the end to do.
    let scheduler = ThreadScheduler(workers: 3, firesTimers: operatorWithGate.firesTimers)
    let upstream = Upstream()
    let downstream = Downstream(requesting: demand)
    let (isInside, mayLeave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    downstream.onValue = { value in
      if value == 1 {
        isInside.signal()
        mayLeave.wait()
      }
      return .none
    }
    let otherEnd = operatorWithGate.attach(downstream, upstream, scheduler)
    let subscription = downstream.subscription as! any Subscription & WaitedFor
    let result = Guarded((waited: false, returned: false))
    let shared = UncheckedBox(subscription)
    onThreads(3) { thread in
      switch thread {
      case 0:
        upstream.send(1)
      case 1:
        isInside.wait()
        isInside.signal()
        upstream.send(2)
      default:
        isInside.wait()
        isInside.signal()
        let waited = eventually { shared.value.waitingThreads == 1 }
        end(shared.value, otherEnd)
        let returned = eventually { shared.value.waitingThreads == 0 }
        result.withLock { $0 = (waited, returned) }
        mayLeave.signal()
      }
    }
    scheduler.finish()
    return result.withLock { ($0.waited, $0.returned, downstream.values) }
  }

  private struct UncheckedBox: @unchecked Sendable {
    // Sendable: a subscription of ours may be used on any thread.
    let value: any Subscription & WaitedFor
    init(_ value: any Subscription & WaitedFor) { self.value = value }
  }

  @Test(arguments: operators, [Subscribers.Demand.unlimited, .max(100)])
  func aThreadThatWaitsReturnsWhenTheDownstreamCancels(_ gated: Gated, _ demand: Subscribers.Demand) {
    let result = waits(in: gated, demand) { subscription, _ in subscription.cancel() }
    #expect(result.waited)
    #expect(result.returned, "it waits until the first has left")
    #expect(result.values == [1])
  }

  /// The end itself waits for the first thread, so it is made on one of its own.
  @Test(arguments: operators.filter(\.isEndPrompt), [Subscribers.Demand.unlimited, .max(100)])
  func aThreadThatWaitsReturnsWhenAnotherEventEndsIt(_ gated: Gated, _ demand: Subscribers.Demand) {
    let done = DispatchGroup()
    let completes = Guarded(false)
    let scheduler = ThreadScheduler(workers: 3, firesTimers: gated.firesTimers)
    let upstream = Upstream()
    let downstream = Downstream(requesting: demand)
    let (isInside, mayLeave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    downstream.onValue = { value in
      if value == 1 {
        isInside.signal()
        mayLeave.wait()
      }
      return .none
    }
    downstream.onCompletion = { _ in completes.withLock { $0 = true } }
    let end = gated.attach(downstream, upstream, scheduler)
    let shared = UncheckedBox(downstream.subscription as! any Subscription & WaitedFor)
    let second = Guarded((isSending: false, hasReturned: false))
    onThreads(4) { thread in
      switch thread {
      case 0:
        upstream.send(1)
      case 1:
        isInside.wait()
        isInside.signal()
        upstream.send(2)
        second.withLock { $0.hasReturned = true }
      case 2:
        done.enter()
        isInside.wait()
        isInside.signal()
        _ = eventually { shared.value.waitingThreads == 1 }
        second.withLock { $0.isSending = true }
        end()
        done.leave()
      default:
        #expect(eventually { second.withLock { $0.isSending } })
        // With a scheduler the thread that waits is one of its own, and the sender has long returned.
        #expect(eventually { second.withLock { $0.hasReturned } }, "it waits until the first has left")
        mayLeave.signal()
      }
    }
    scheduler.finish()
    #expect(downstream.values == [1])
    #expect(completes.withLock { $0 } == (gated.testDescription != "switchToLatest, replaced"))
  }

  @Test func aThreadThatAnnouncesAChangeReturnsWhenTheDownstreamCancels() {
    let publisher = ObservableObjectPublisher()
    let downstream = RecordingSubscriber<Void, Never>(requesting: .unlimited)
    let (isInside, mayLeave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    downstream.onValue = { _ in
      isInside.signal()
      mayLeave.wait()
      return .none
    }
    publisher.subscribe(downstream)
    let shared = UncheckedBox(downstream.subscription as! any Subscription & WaitedFor)
    onThreads(3) { thread in
      switch thread {
      case 0:
        publisher.send()
      case 1:
        isInside.wait()
        isInside.signal()
        publisher.send()
      default:
        isInside.wait()
        isInside.signal()
        #expect(eventually { shared.value.waitingThreads == 1 })
        shared.value.cancel()
        #expect(eventually { shared.value.waitingThreads == 0 }, "it waits until the first has left")
        mayLeave.signal()
      }
    }
    #expect(downstream.values.count == 1)
  }
}

/// Looks again and again until a condition holds, for at most ten seconds.
private func eventually(_ condition: () -> Bool) -> Bool {
  let deadline = ContinuousClock.now + .seconds(10)
  while !condition() {
    if ContinuousClock.now > deadline { return false }
    Thread.sleep(forTimeInterval: 0.000_5)
  }
  return true
}

/// A subscription that says how many threads sleep at its gate.
private protocol WaitedFor {
  var waitingThreads: Int { get }
}

extension MergeCore: WaitedFor { fileprivate var waitingThreads: Int { gate.waitingCount } }
extension FlatMapCore: WaitedFor { fileprivate var waitingThreads: Int { gate.waitingCount } }
extension SwitchToLatestCore: WaitedFor { fileprivate var waitingThreads: Int { gate.waitingCount } }
extension ZipCore: WaitedFor { fileprivate var waitingThreads: Int { gate.waitingCount } }
extension CombineLatestCore: WaitedFor { fileprivate var waitingThreads: Int { gate.waitingCount } }
extension PrefixUntilOutputConduit: WaitedFor { fileprivate var waitingThreads: Int { gate.waitingCount } }
extension DropUntilOutputConduit: WaitedFor { fileprivate var waitingThreads: Int { gate.waitingCount } }
extension SubscriberTableElement: WaitedFor { fileprivate var waitingThreads: Int { gate.waitingCount } }
extension Conduits.ScheduledDelivery: WaitedFor { fileprivate var waitingThreads: Int { gate.waitingCount } }
extension Conduits.CollectByTime: WaitedFor { fileprivate var waitingThreads: Int { gate.waitingCount } }
extension Conduits.Debounce: WaitedFor { fileprivate var waitingThreads: Int { gate.waitingCount } }
extension Conduits.Throttle: WaitedFor { fileprivate var waitingThreads: Int { gate.waitingCount } }
extension Conduits.Timeout: WaitedFor { fileprivate var waitingThreads: Int { gate.waitingCount } }
