import CombineCore
import TestSupport
import Testing

@Suite struct DropWhileTests {

  @Test func acceptsEventsOutOfOrder() {
    expectLenient(name: "DropWhile", rules: .droppingByPredicate) { $0.drop { $0 == 1 } }
  }

  @Test func publishesAllFromTheFirstForWhichThePredicateFails() {
    expectDropsWhile(name: "DropWhile") { $0.drop(while: $1) }
  }

  @Test func callsThePredicateOnlyWhileSubscribed() {
    expectPredicateOnlyWhileSubscribed { $0.drop(while: $1) }
  }

  @Test func releasesThePredicateAtTheEnd() {
    expectPredicateReleased { $0.drop(while: $1) }
  }

  @Test func aPredicateMayCancel() {
    expectPredicateMayCancel { $0.drop(while: $1) }
  }

  @Test func releasesThePredicateWhileItRunsOnAnotherThread() {
    expectPredicateReleasedUnderThreads { $0.drop(while: $1) }
  }

  #if compiler(>=6.3)  // The capture list of an exit test.
    @Test(arguments: EmptyRequest.allCases) func traps(on request: EmptyRequest) async {
      _ = request.prepare { $0.drop { _ in true } }  // The preparation itself must not trap.
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [request] in
        request.prepare { $0.drop { _ in true } }()
      }.expectMisuse("DropWhile", .zeroDemand)
    }
  #endif

  @Test func keepsItsArguments() {
    let upstream = TestUpstream()
    let publisher: Publishers.DropWhile<TestUpstream> = upstream.drop { $0 < 4 }
    #expect(publisher.upstream === upstream)
    #expect(publisher.predicate(3) && !publisher.predicate(4))
    #expect(Publishers.DropWhile(upstream: upstream) { $0 > 4 }.predicate(5))
  }

  @Test func reflectsItself() {
    let upstream = TestUpstream()
    upstream.drop { _ in true }.subscribe(RecordingSubscriber())
    expectReflection(of: upstream.subscriber!, description: "DropWhile")
  }
}

@Suite struct TryDropWhileTests {

  @Test func acceptsEventsOutOfOrder() {
    expectLenient(name: "TryDropWhile", rules: .droppingByPredicate) { $0.tryDrop { $0 == 1 } }
  }

  @Test func publishesAllFromTheFirstForWhichThePredicateFails() {
    expectDropsWhile(name: "TryDropWhile") { $0.tryDrop(while: $1) }
  }

  @Test func callsThePredicateOnlyWhileSubscribed() {
    expectPredicateOnlyWhileSubscribed { $0.tryDrop(while: $1) }
  }

  @Test func releasesThePredicateAtTheEnd() {
    expectPredicateReleased { $0.tryDrop(while: $1) }
  }

  @Test func aPredicateMayCancel() {
    expectPredicateMayCancel { $0.tryDrop(while: $1) }
  }

  @Test func releasesThePredicateWhileItRunsOnAnotherThread() {
    expectPredicateReleasedUnderThreads { $0.tryDrop(while: $1) }
  }

  @Test func failsWithAThrownError() {
    var calls = 0
    var isReleased = false
    let upstream = TestUpstream()
    let subscriber = RecordingSubscriber<Int, any Error>(requesting: .max(5))
    do {
      let resource = Resource { isReleased = true }
      upstream.tryDrop {
        calls += 1
        if $0 == 100 { throw TestError("thrown") }
        return resource.exists
      }.subscribe(subscriber)
    }
    upstream.subscription!.onCancel = {
      #expect(subscriber.events == [.subscription("TryDropWhile")], "the upstream is cancelled first")
      #expect(isReleased)
      subscriber.request(.max(1))
      #expect(upstream.send(2) == .none, "ended before that")
    }

    #expect(upstream.send(1) == .max(1))
    #expect(upstream.send(100) == .none)
    #expect(upstream.send(2) == .none)
    upstream.send(completion: .finished)
    subscriber.request(.max(3))
    subscriber.cancel()

    #expect(subscriber.events == [.subscription("TryDropWhile"), .failure("thrown")])
    #expect(upstream.history == [.requested(.max(5)), .cancelled])
    #expect(calls == 2)
  }

  @Test func dropsAnErrorThrownAfterACancel() {
    let upstream = TestUpstream()
    let subscriber = RecordingSubscriber<Int, any Error>()
    upstream.tryDrop { _ in
      subscriber.cancel()
      throw TestError("thrown")
    }.subscribe(subscriber)

    #expect(upstream.send(1) == .none)
    #expect(subscriber.events == [.subscription("TryDropWhile")])
    #expect(upstream.history == [.cancelled])
  }

  #if compiler(>=6.3)  // The capture list of an exit test.
    @Test(arguments: EmptyRequest.allCases) func traps(on request: EmptyRequest) async {
      _ = request.prepare { $0.tryDrop { _ in true } }  // The preparation itself must not trap.
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [request] in
        request.prepare { $0.tryDrop { _ in true } }()
      }.expectMisuse("TryDropWhile", .zeroDemand)
    }
  #endif

  @Test func keepsItsArguments() throws {
    let upstream = TestUpstream()
    let publisher: Publishers.TryDropWhile<TestUpstream> = upstream.tryDrop {
      if $0 == 5 { throw TestError("thrown") }
      return $0 < 4
    }
    #expect(publisher.upstream === upstream)
    #expect(try publisher.predicate(3))
    #expect(throws: TestError.self) { try publisher.predicate(5) }
  }

  @Test func reflectsItself() {
    let upstream = TestUpstream()
    upstream.tryDrop { _ in true }.subscribe(RecordingSubscriber())
    expectReflection(of: upstream.subscriber!, description: "TryDropWhile")
  }
}

// MARK: Both

extension LenientRules {

  fileprivate static let droppingByPredicate = LenientRules(
    deliversValuesBeforeSubscription: false,
    deliversValuesAfterEnd: false,
    deliversCompletionBeforeSubscription: false,
    deliversCompletionsAfterEnd: false,
    forwardsEmptyRequests: false
  )
}

/// An object that a predicate keeps.
private final class Resource {

  let exists = true
  private let onDeinit: () -> Void

  init(onDeinit: @escaping () -> Void) {
    self.onDeinit = onDeinit
  }

  deinit { onDeinit() }
}

private typealias Predicate = (Int) -> Bool

private func expectDropsWhile<P: Publisher>(
  name: String,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ make: (TestUpstream, @escaping Predicate) -> P
) where P.Output == Int {
  let upstream = TestUpstream()
  let subscriber = RecordingSubscriber<Int, P.Failure>(
    onSubscription: { $0.request(.max(2)) },
    onValue: { value in
      if value == 4 { #expect(upstream.send(0) == .max(2), "no longer dropping", sourceLocation: sourceLocation) }
      return .max(value + 2)
    }
  )
  var tested: [Int] = []
  let publisher = make(upstream) {
    tested.append($0)
    return $0 < 4
  }
  publisher.subscribe(subscriber)

  let demands = [1, 3, 2, 4, 1, 5].map { upstream.send($0) }
  #expect(demands == [.max(1), .max(1), .max(1), .max(6), .max(3), .max(7)], sourceLocation: sourceLocation)
  subscriber.request(.max(3))
  upstream.send(completion: .finished)
  #expect(
    subscriber.events == [.subscription(name), .value(4), .value(0), .value(1), .value(5), .finished],
    sourceLocation: sourceLocation
  )
  #expect(upstream.history == [.requested(.max(2)), .requested(.max(3))], sourceLocation: sourceLocation)
  #expect(tested == [1, 3, 2, 4], sourceLocation: sourceLocation)

  publisher.subscribe(RecordingSubscriber())
  #expect(upstream.send(1) == .max(1), "another subscription drops anew", sourceLocation: sourceLocation)
}

private func expectPredicateOnlyWhileSubscribed<P: Publisher>(
  sourceLocation: SourceLocation = #_sourceLocation,
  _ make: (TestUpstream, @escaping Predicate) -> P
) where P.Output == Int {
  for endsByCancel in [true, false] {
    let upstream = TestUpstream(subscription: nil)
    let subscriber = RecordingSubscriber<Int, P.Failure>()
    var calls = 0
    make(upstream) { _ in
      calls += 1
      return true
    }.subscribe(subscriber)
    #expect(upstream.send(1) == .none, sourceLocation: sourceLocation)
    upstream.send(subscription: ManualSubscription())
    #expect(upstream.send(1) == .max(1), sourceLocation: sourceLocation)
    if endsByCancel { subscriber.cancel() } else { upstream.send(completion: .finished) }
    #expect(upstream.send(1) == .none, sourceLocation: sourceLocation)
    #expect(calls == 1, sourceLocation: sourceLocation)
  }
}

private func expectPredicateReleased<P: Publisher>(
  sourceLocation: SourceLocation = #_sourceLocation,
  _ make: (TestUpstream, @escaping Predicate) -> P
) where P.Output == Int {
  for endsByCancel in [true, false] {
    var isReleased = false
    let upstream = TestUpstream(subscription: nil)
    let subscriber = RecordingSubscriber<Int, P.Failure>(
      onCompletion: { _ in #expect(isReleased, "before the completion", sourceLocation: sourceLocation) }
    )
    do {
      let resource = Resource { isReleased = true }
      make(upstream) { $0 < 5 && resource.exists }.subscribe(subscriber)
    }
    let conduit = upstream.subscriber as! any Subscription
    conduit.cancel()
    upstream.send(completion: .finished)
    #expect(!isReleased, "neither has an effect before a subscription", sourceLocation: sourceLocation)
    upstream.send(subscription: ManualSubscription(onCancel: { #expect(isReleased, sourceLocation: sourceLocation) }))
    #expect(upstream.send(4) == .max(1), sourceLocation: sourceLocation)
    upstream.send(5)
    #expect(!isReleased, sourceLocation: sourceLocation)
    if endsByCancel { conduit.cancel() } else { upstream.send(completion: .failure("end")) }
    #expect(isReleased, sourceLocation: sourceLocation)
  }
}

private func expectPredicateMayCancel<P: Publisher>(
  sourceLocation: SourceLocation = #_sourceLocation,
  _ make: (TestUpstream, @escaping Predicate) -> P
) where P.Output == Int {
  for answer in [true, false] {
    var isReleased = false
    let upstream = TestUpstream()
    let subscriber = RecordingSubscriber<Int, P.Failure>()
    do {
      let resource = Resource { isReleased = true }
      make(upstream) { [unowned subscriber] _ in
        subscriber.cancel()
        #expect(!isReleased, "not while it runs", sourceLocation: sourceLocation)
        return resource.exists == answer
      }.subscribe(subscriber)
    }
    upstream.send(1)
    #expect(isReleased, sourceLocation: sourceLocation)
    #expect(subscriber.values == (answer ? [] : [1]), "answered \(answer)", sourceLocation: sourceLocation)
    #expect(upstream.history == [.cancelled], sourceLocation: sourceLocation)
  }
}

private func expectPredicateReleasedUnderThreads<P: Publisher>(
  sourceLocation: SourceLocation = #_sourceLocation,
  _ make: (SharedUpstream<Int>, @escaping Predicate) -> P
) where P.Output == Int {
  for _ in 0..<200 {
    let releases = Guarded(0)
    let upstream = SharedUpstream<Int>()
    let subscriber = CountingSubscriber<Int, P.Failure>()
    do {
      let resource = Resource { releases.withLock { $0 += 1 } }
      make(upstream) { _ in resource.exists }.subscribe(subscriber)
    }
    nonisolated(unsafe) let subscription = subscriber.subscription!
    onThreads(2) { thread in
      if thread == 0 {
        for value in 0..<20 { upstream.send(value) }
      } else {
        subscription.cancel()
      }
    }
    #expect(releases.withLock { $0 } == 1, sourceLocation: sourceLocation)
    #expect(subscriber.values == 0, sourceLocation: sourceLocation)
    #expect(upstream.cancelCount == 1, sourceLocation: sourceLocation)
  }
}

/// A request of `.none` in each phase of a subscription. It traps.
enum EmptyRequest: String, CaseIterable, Codable, Sendable {

  case first, whileConnected, afterCompletion, afterCancel

  /// Subscribes through the operator and leads up to the request.
  ///
  /// - Returns: A closure that makes the request.
  func prepare<P: Publisher>(_ make: (TestUpstream) -> P) -> () -> Void {
    let upstream = TestUpstream(subscription: nil)
    make(upstream).subscribe(RecordingSubscriber())
    let conduit = upstream.subscriber as! any Subscription
    if self != .first { upstream.send(subscription: ManualSubscription()) }
    if self == .afterCompletion { upstream.send(completion: .finished) }
    if self == .afterCancel { conduit.cancel() }
    return { conduit.request(.none) }
  }
}
