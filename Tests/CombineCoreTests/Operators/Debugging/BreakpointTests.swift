import CombineCore
import Foundation
import TestSupport
import Testing

@Suite struct BreakpointTests {

  @Test func isTransparent() {
    expectTransparent(failure: TestError()) { $0.breakpoint() }
    expectTransparent(failure: TestError()) {
      $0.breakpoint(
        receiveSubscription: { _ in false },
        receiveOutput: { _ in false },
        receiveCompletion: { _ in false }
      )
    }
    expectTransparent(failure: TestError?.none) { $0.breakpointOnError() }
  }

  @Test func callsTheClosureBeforeForwardingEachEventInAnyState() {
    let upstream = TestUpstream(subscription: nil)
    var log: [String] = []
    let subscriber = RecordingSubscriber<Int, TestError>(
      onSubscription: { log.append("got \($0)") },
      onValue: {
        log.append("got \($0)")
        return .max($0)
      },
      onCompletion: { log.append("got \($0)") }
    )
    upstream.breakpoint(
      receiveSubscription: {
        log.append("asked \($0)")
        return false
      },
      receiveOutput: {
        log.append("asked \($0)")
        return false
      },
      receiveCompletion: {
        log.append("asked \($0)")
        return false
      }
    ).subscribe(subscriber)

    #expect(upstream.send(1) == .max(1))
    for _ in 0..<2 { upstream.send(subscription: ManualSubscription()) }
    for _ in 0..<2 { upstream.send(completion: .finished) }
    upstream.send(completion: .failure("x"))
    #expect(upstream.send(2) == .max(2))

    let events = [
      "1", "ManualSubscription", "ManualSubscription", "finished", "finished", #"failure(x)"#, "2",
    ]
    #expect(log == events.flatMap { ["asked \($0)", "got \($0)"] })
  }

  @Test func theClosureReceivesTheUpstreamsSubscription() {
    let upstream = TestUpstream()
    var seen: (any Subscription)?
    upstream.breakpoint(receiveSubscription: {
      seen = $0
      return false
    }).subscribe(RecordingSubscriber())
    #expect(seen as? ManualSubscription === upstream.subscription)
  }

  @Test func theClosureReceivesASubscriptionEvenInFrontOfASink() {
    var seen: [String] = []
    let cancellable = Just(1).breakpoint(receiveSubscription: {
      seen.append("\($0)")
      return false
    }).sink { seen.append("\($0)") }
    #expect(seen == ["Just", "1"])
    cancellable.cancel()
  }

  // MARK: Stopping

  /// An event at which a breakpoint stops.
  enum Stop: String, CaseIterable, Codable, Sendable {

    case subscription, value, finish, failure, failureOnError

    func run() {
      let upstream = TestUpstream(subscription: nil)
      let subscriber = RecordingSubscriber<Int, TestError>(requesting: .unlimited)
      switch self {
      case .subscription: upstream.breakpoint(receiveSubscription: { _ in true }).subscribe(subscriber)
      case .value: upstream.breakpoint(receiveOutput: { $0 == 3 }).subscribe(subscriber)
      case .finish: upstream.breakpoint(receiveCompletion: { $0 == .finished }).subscribe(subscriber)
      case .failure: upstream.breakpoint(receiveCompletion: { $0 == .failure("x") }).subscribe(subscriber)
      case .failureOnError: upstream.breakpointOnError().subscribe(subscriber)
      }
      if self != .subscription { upstream.send(subscription: ManualSubscription()) }
      for value in 0..<3 { upstream.send(value) }
      if self != .finish { upstream.send(completion: .finished) }
      switch self {
      case .subscription: upstream.send(subscription: ManualSubscription())
      case .value: upstream.send(3)
      case .finish: upstream.send(completion: .finished)
      case .failure, .failureOnError: upstream.send(completion: .failure("x"))
      }
    }
  }

  #if !os(Windows)
    #if compiler(>=6.3)  // The capture list of an exit test.
      @Test(arguments: Stop.allCases) func raisesATrapSignal(at stop: Stop) async {
        await #expect(processExitsWith: .signal(SIGTRAP)) { [stop] in
          stop.run()
        }
      }
    #endif

    @Test func forwardsTheEventWhenTheDebuggerContinues() async {
      await #expect(processExitsWith: .exitCode(17)) {
        signal(SIGTRAP, SIG_IGN)  // As if a debugger continued.
        var count = 0
        for stop in Stop.allCases {
          stop.run()
          count += 1
        }
        let upstream = TestUpstream()
        let subscriber = RecordingSubscriber<Int, TestError>(onValue: { .max($0) })
        upstream.breakpoint(receiveOutput: { _ in true }).breakpointOnError().subscribe(subscriber)
        let returned = upstream.send(3)
        upstream.send(completion: .failure("x"))
        let isPassed = subscriber.events == [.subscription("ManualSubscription"), .value(3), .failure("x")]
        exit(count == Stop.allCases.count && isPassed && returned == .max(3) ? 17 : 1)
      }
    }
  #endif

  // MARK: Surface

  @Test func keepsItsClosures() throws {
    let upstream = TestUpstream()
    let publisher = upstream.breakpoint(receiveOutput: { $0 == 1 })
    #expect(publisher.upstream === upstream)
    #expect(publisher.receiveSubscription == nil)
    #expect(publisher.receiveCompletion == nil)
    let receiveOutput = try #require(publisher.receiveOutput)
    #expect([1, 2].map { receiveOutput($0) } == [true, false])

    let made = Publishers.Breakpoint(upstream: upstream)
    #expect(made.upstream === upstream)
    #expect(made.receiveSubscription == nil && made.receiveOutput == nil && made.receiveCompletion == nil)
    let full = Publishers.Breakpoint(
      upstream: upstream,
      receiveSubscription: { _ in true },
      receiveCompletion: { _ in true }
    )
    #expect(full.receiveSubscription != nil && full.receiveOutput == nil && full.receiveCompletion != nil)
  }

  @Test func onErrorStopsAtCompletionsOnly() throws {
    func resolved<T>(_ value: T) -> T.Type { T.self }
    let upstream = TestUpstream()
    let publisher = upstream.breakpointOnError()
    #expect(resolved(publisher) == Publishers.Breakpoint<TestUpstream>.self)
    #expect(publisher.upstream === upstream)
    #expect(publisher.receiveSubscription == nil)
    #expect(publisher.receiveOutput == nil)
    let receiveCompletion = try #require(publisher.receiveCompletion)
    #expect(receiveCompletion(.failure("x")))
    #expect(!receiveCompletion(.finished))
  }

  @Test func reflectsItself() {
    let upstream = TestUpstream()
    upstream.breakpoint().subscribe(RecordingSubscriber())
    expectReflection(of: upstream.subscriber!, description: "Breakpoint")
  }
}
