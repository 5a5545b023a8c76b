import Dispatch
import Foundation
import TestSupport
import Testing

@testable import CombineCore
@testable import CombineThreads

/// A thread that waits behind a slow value returns at once when the subscription ends.
@Suite struct GateReleaseTests {

  typealias Upstream = ConcurrentPublisher<Int, TestError>
  typealias Downstream = RecordingSubscriber<Int, TestError>

  /// An operator with a gate, at which two threads that send 1 and 2 meet.
  struct Gated: CustomTestStringConvertible, Sendable {

    let testDescription: String

    /// Subscribes the downstream through the operator.
    ///
    /// - Returns: A closure that ends the subscription otherwise: by a failure or a value of the upstream, or of the
    ///   other upstream.
    let attach: @Sendable (Downstream, Upstream, ThreadScheduler) -> @Sendable () -> Void

    /// Whether that event ends the subscription at once. Otherwise the scheduler delivers it after the values.
    var isEndPrompt = true
    var firesTimers = false

    /// Whether that event ends a part of the subscription only.
    var isReplacement: Bool { testDescription.hasSuffix("replaced") }

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
    Gated("debounce", isEndPrompt: false, firesTimers: true) { downstream, upstream, scheduler in
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

  /// The state that the threads of a test share.
  private final class Scene: @unchecked Sendable {
    // Sendable: all properties are set before the threads start. Any thread may use the publisher, the semaphores, and
    // the subscription, which is one of this package.

    let upstream = Upstream()
    let downstream: Downstream
    let scheduler: ThreadScheduler
    private let isInside = DispatchSemaphore(value: 0)
    private let mayLeave = DispatchSemaphore(value: 0)
    private let completion = Guarded(false)
    private var subscription: (any WaitedFor)?
    private var otherEnd: @Sendable () -> Void = {}

    init(_ gated: Gated, _ demand: Subscribers.Demand) {
      scheduler = ThreadScheduler(workers: 3, firesTimers: gated.firesTimers)
      downstream = Downstream(requesting: demand)
      downstream.onValue = { [isInside, mayLeave] value in
        if value == 1 {
          isInside.signal()
          mayLeave.wait()
        }
        return .none
      }
      downstream.onCompletion = { [completion] _ in completion.withLock { $0 = true } }
      otherEnd = gated.attach(downstream, upstream, scheduler)
      subscription = downstream.subscription as? any WaitedFor
    }

    var waitingThreads: Int { subscription?.waitingThreads ?? -1 }

    var isCompleted: Bool { completion.withLock { $0 } }

    func waitUntilOneIsInside() {
      isInside.wait()
      isInside.signal()
    }

    func letTheFirstLeave() { mayLeave.signal() }

    func cancel() { downstream.subscription?.cancel() }

    func endOtherwise() { otherEnd() }
  }

  /// The first thread delivers 1 and stays in the downstream. The second waits at the gate with 2, and the third
  /// cancels.
  @Test(arguments: operators, [Subscribers.Demand.unlimited, .max(100)])
  func aWaitingThreadReturnsWhenTheDownstreamCancels(_ gated: Gated, _ demand: Subscribers.Demand) {
    let scene = Scene(gated, demand)
    onThreads(3) { thread in
      if thread == 0 { return scene.upstream.send(1) }
      scene.waitUntilOneIsInside()
      if thread == 1 { return scene.upstream.send(2) }
      #expect(holdsEventually { scene.waitingThreads == 1 })
      scene.cancel()
      #expect(holdsEventually { scene.waitingThreads == 0 }, "the thread still waits")
      scene.letTheFirstLeave()
    }
    scene.scheduler.finish()
    #expect(scene.downstream.values == [1])
  }

  /// The thread that ends the subscription waits for the first thread too. So the test does not wait for it.
  @Test(arguments: operators.filter(\.isEndPrompt), [Subscribers.Demand.unlimited, .max(100)])
  func aWaitingThreadReturnsWhenAnotherEventEndsTheSubscription(_ gated: Gated, _ demand: Subscribers.Demand) {
    let scene = Scene(gated, demand)
    let hasReturned = Guarded(false)
    onThreads(4) { thread in
      if thread == 0 { return scene.upstream.send(1) }
      scene.waitUntilOneIsInside()
      switch thread {
      case 1:
        scene.upstream.send(2)
        hasReturned.withLock { $0 = true }
      case 2:
        #expect(holdsEventually { scene.waitingThreads == 1 })
        scene.endOtherwise()
      default:
        #expect(holdsEventually { hasReturned.withLock { $0 } }, "the thread still waits")
        scene.letTheFirstLeave()
      }
    }
    scene.scheduler.finish()
    #expect(scene.downstream.values == [1])
    #expect(scene.isCompleted == !gated.isReplacement)
  }
}

/// A subscription that exposes how many threads sleep at its gate.
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
extension Conduits.ScheduledDelivery: WaitedFor { fileprivate var waitingThreads: Int { gate.waitingCount } }
extension Conduits.CollectByTime: WaitedFor { fileprivate var waitingThreads: Int { gate.waitingCount } }
extension Conduits.Debounce: WaitedFor { fileprivate var waitingThreads: Int { gate.waitingCount } }
extension Conduits.Throttle: WaitedFor { fileprivate var waitingThreads: Int { gate.waitingCount } }
extension Conduits.Timeout: WaitedFor { fileprivate var waitingThreads: Int { gate.waitingCount } }
