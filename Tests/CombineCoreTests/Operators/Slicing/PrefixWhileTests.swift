import CombineCore
import TestSupport
import Testing

@Suite struct PrefixWhileTests {

  @Test func filtersAndHasItsOwnSubscription() {
    expectFiltering(name: "PrefixWhile", throwing: false, dropping: false) { upstream, onCall in
      upstream.prefix { _ in
        onCall()
        return true
      }
    }
  }

  @Test func finishesWhereThePredicateFails() {
    expectEndWherePredicateFails(name: "PrefixWhile") { upstream, onCall in
      upstream.prefix {
        onCall($0)
        return $0 < 4
      }
    }
  }

  @Test func doesNotFinishIfThePredicateCancels() {
    expectNoFinishAfterCancel { $0.prefix(while: $1) }
  }

  @Test func aNestedValueCanFinishTheStream() {
    let upstream = TestUpstream()
    let subscriber = RecordingSubscriber<Int, TestError>()
    subscriber.onValue = { _ in
      #expect(upstream.send(9) == .none)
      return .max(2)
    }
    upstream.prefix { $0 < 4 }.subscribe(subscriber)

    #expect(upstream.send(1) == .max(2))
    #expect(subscriber.events == [.subscription("PrefixWhile"), .value(1), .finished])
    #expect(upstream.history == [.cancelled])
  }

  @Test func keepsItsArguments() {
    let upstream = TestUpstream()
    let publisher: Publishers.PrefixWhile<TestUpstream> = upstream.prefix { $0 < 4 }
    #expect(publisher.upstream === upstream)
    #expect(publisher.predicate(3) && !publisher.predicate(4))
    #expect(Publishers.PrefixWhile(upstream: upstream) { $0 > 4 }.predicate(5))
  }

  #if compiler(>=6.3)  // The capture list of an exit test.
    @Test(arguments: FilteringMisuse.allCases) func traps(on misuse: FilteringMisuse) async {
      _ = misuse.prepare { $0.prefix { _ in true } }  // The preparation itself must not trap.
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [misuse] in
        misuse.prepare { $0.prefix { _ in true } }()
      }.expectMisuse("PrefixWhile", misuse.mistake)
    }
  #endif

  @Test func reflectsItself() {
    let upstream = TestUpstream()
    let subscriber = RecordingSubscriber<Int, TestError>()
    upstream.prefix { _ in true }.subscribe(subscriber)
    expectReflection(of: upstream.subscriber!, description: "PrefixWhile", children: ["downstream"])
    #expect(reflectedChild("downstream", of: upstream.subscriber!) as AnyObject === subscriber)
  }
}

@Suite struct TryPrefixWhileTests {

  @Test func filtersAndHasItsOwnSubscription() {
    expectFiltering(name: "TryPrefixWhile", throwing: true, dropping: false) { upstream, onCall in
      upstream.tryPrefix {
        onCall()
        if $0 == 100 { throw TestError("thrown") }
        return true
      }
    }
  }

  @Test func finishesWhereThePredicateFails() {
    expectEndWherePredicateFails(name: "TryPrefixWhile") { upstream, onCall in
      upstream.tryPrefix {
        onCall($0)
        return $0 < 4
      }
    }
  }

  @Test func doesNotFinishIfThePredicateCancels() {
    expectNoFinishAfterCancel { $0.tryPrefix(while: $1) }
  }

  @Test func keepsItsArguments() throws {
    let upstream = TestUpstream()
    let publisher: Publishers.TryPrefixWhile<TestUpstream> = upstream.tryPrefix {
      if $0 == 5 { throw TestError("thrown") }
      return $0 < 4
    }
    #expect(publisher.upstream === upstream)
    #expect(try publisher.predicate(3))
    #expect(throws: TestError.self) { try publisher.predicate(5) }
  }

  #if compiler(>=6.3)  // The capture list of an exit test.
    @Test(arguments: FilteringMisuse.allCases) func traps(on misuse: FilteringMisuse) async {
      _ = misuse.prepare { $0.tryPrefix { _ in true } }  // The preparation itself must not trap.
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [misuse] in
        misuse.prepare { $0.tryPrefix { _ in true } }()
      }.expectMisuse("TryPrefixWhile", misuse.mistake)
    }
  #endif

  @Test func reflectsItself() {
    let upstream = TestUpstream()
    upstream.tryPrefix { _ in true }.subscribe(RecordingSubscriber())
    expectReflection(of: upstream.subscriber!, description: "TryPrefixWhile", children: ["downstream"])
  }
}

/// Checks an operator that publishes values below four, and calls its second parameter with each value that it tests.
private func expectEndWherePredicateFails<P: Publisher>(
  name: String,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ make: (TestUpstream, _ onCall: @escaping (Int) -> Void) -> P
) where P.Output == Int {
  let upstream = TestUpstream()
  let subscriber = RecordingSubscriber<Int, P.Failure>(
    onSubscription: { $0.request(.max(2)) },
    onValue: { _ in .max(4) }
  )
  var tested: [Int] = []
  let publisher = make(upstream) { tested.append($0) }
  publisher.subscribe(subscriber)
  #expect((1...3).map { upstream.send($0) } == [.max(4), .max(4), .max(4)], sourceLocation: sourceLocation)
  upstream.subscription!.onCancel = {
    #expect(subscriber.values == [1, 2, 3], sourceLocation: sourceLocation)
    #expect(subscriber.events.last == .value(3), "the upstream is cancelled first", sourceLocation: sourceLocation)
    #expect(upstream.send(1) == .none, "ended before that", sourceLocation: sourceLocation)
  }
  #expect(upstream.send(4) == .none, sourceLocation: sourceLocation)

  let expected: [Event<Int>] = [.subscription(name), .value(1), .value(2), .value(3), .finished]
  #expect(subscriber.events == expected, sourceLocation: sourceLocation)
  #expect(upstream.history == [.requested(.max(2)), .cancelled], sourceLocation: sourceLocation)

  #expect([1, 6].map { upstream.send($0) } == [.none, .none], sourceLocation: sourceLocation)
  upstream.send(completion: .failure("late"))
  upstream.send(completion: .finished)
  subscriber.request(.max(5))
  subscriber.cancel()
  let late = ManualSubscription()
  upstream.send(subscription: late)
  #expect(subscriber.events == expected, sourceLocation: sourceLocation)
  #expect(upstream.history == [.requested(.max(2)), .cancelled], sourceLocation: sourceLocation)
  #expect(late.history == [.cancelled], sourceLocation: sourceLocation)
  #expect(tested == [1, 2, 3, 4], "tested once each, and never after the end", sourceLocation: sourceLocation)

  publisher.subscribe(subscriber)
  #expect(upstream.send(1) == .max(4), "another subscription starts anew", sourceLocation: sourceLocation)
}

private func expectNoFinishAfterCancel<P: Publisher>(
  sourceLocation: SourceLocation = #_sourceLocation,
  _ make: (TestUpstream, _ predicate: @escaping (Int) -> Bool) -> P
) where P.Output == Int {
  let upstream = TestUpstream()
  let subscriber = RecordingSubscriber<Int, P.Failure>()
  let publisher = make(upstream) { _ in
    subscriber.cancel()
    return false
  }
  publisher.subscribe(subscriber)
  subscriber.clear()
  #expect(upstream.send(1) == .none, sourceLocation: sourceLocation)
  #expect(subscriber.events == [], sourceLocation: sourceLocation)
  #expect(upstream.history == [.cancelled], sourceLocation: sourceLocation)
}
