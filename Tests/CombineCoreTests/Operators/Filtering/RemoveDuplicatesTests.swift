import CombineCore
import TestSupport
import Testing

@Suite struct RemoveDuplicatesTests {

  private static let input = [1, 2, 2, 50, 30, 10, -1, 51, 52]

  @Test func filtersAndHasItsOwnSubscription() {
    expectFiltering(name: "RemoveDuplicates", priming: [0], throwing: false) { upstream, onCall in
      upstream.removeDuplicates { _, value in
        onCall()
        return !value.isMultiple(of: 2)
      }
    }
  }

  @Test func publishesValuesForWhichThePredicateIsFalse() {
    func run(_ predicate: @escaping (Int, Int) -> Bool) -> (values: [Int], demands: [Int?]) {
      let upstream = ManualPublisher<Int, TestError>()
      let subscriber = RecordingSubscriber<Int, TestError>(onValue: { _ in .max(4) })
      upstream.removeDuplicates(by: predicate).subscribe(subscriber)
      let demands = Self.input.map { upstream.send($0).max }
      return (subscriber.values, demands)
    }
    let notAscending = run { $0 >= $1 }
    #expect(notAscending.values == [1, 2, 50, 51, 52])
    #expect(notAscending.demands == [4, 4, 1, 4, 1, 1, 1, 4, 4])

    let descending = run { $0 > $1 }
    #expect(descending.values == [1, 2, 2, 50, 51, 52])
    #expect(descending.demands == [4, 4, 4, 4, 1, 1, 1, 4, 4])

    let equal = run(==)
    #expect(equal.values == [1, 2, 50, 30, 10, -1, 51, 52])
    #expect(equal.demands == [4, 4, 1, 4, 4, 4, 4, 4, 4])
  }

  @Test func comparesByEqualityByDefault() {
    let upstream = ManualPublisher<Int, TestError>()
    let subscriber = RecordingSubscriber<Int, TestError>()
    let publisher: Publishers.RemoveDuplicates<ManualPublisher<Int, TestError>> = upstream.removeDuplicates()
    publisher.subscribe(subscriber)
    #expect(publisher.upstream === upstream)
    #expect(publisher.predicate(1, 1))
    #expect(!publisher.predicate(1, 2))

    for value in Self.input { upstream.send(value) }
    #expect(subscriber.values == [1, 2, 50, 30, 10, -1, 51, 52])
  }

  @Test func callsThePredicateOnceForEachValueButTheFirst() {
    let upstream = ManualPublisher<Int, TestError>()
    let subscriber = RecordingSubscriber<Int, TestError>()
    var pairs: [[Int]] = []
    let publisher = upstream.removeDuplicates { previous, value in
      pairs.append([previous, value])
      return previous == value
    }
    publisher.subscribe(subscriber)
    for value in [1, 2, 2, 3] { upstream.send(value) }
    #expect(pairs == [[1, 2], [2, 2], [2, 3]])

    publisher.subscribe(RecordingSubscriber())
    upstream.send(3)
    #expect(pairs.count == 3, "another subscription starts anew")
  }

  @Test func comparesWithTheLastPublishedValue() {
    let upstream = ManualPublisher<Int, TestError>()
    let subscriber = RecordingSubscriber<Int, TestError>()
    upstream.removeDuplicates { abs($0 - $1) <= 1 }.subscribe(subscriber)

    for value in [1, 2, 3, 4, 5] { upstream.send(value) }
    #expect(subscriber.values == [1, 3, 5])
  }

  @Test func comparesANestedValueWithTheOuterOne() {
    let upstream = ManualPublisher<Int, TestError>()
    let subscriber = RecordingSubscriber<Int, TestError>()
    var returned: [Subscribers.Demand] = []
    upstream.removeDuplicates().subscribe(subscriber)
    subscriber.onValue = { value in
      if value == 1 {
        returned.append(upstream.send(1))
        returned.append(upstream.send(2))
      }
      return .none
    }

    upstream.send(1)
    #expect(subscriber.values == [1, 2])
    #expect(returned == [.max(1), .none])
  }

  @Test func aPredicateMaySendAnotherValue() {
    final class Element {
      let number: Int
      init(_ number: Int) { self.number = number }
    }
    let upstream = ManualPublisher<Element, TestError>()
    let subscriber = RecordingSubscriber<Element, TestError>()
    var isNested = false
    upstream.removeDuplicates { previous, element in
      if !isNested {
        isNested = true
        upstream.send(Element(3))
      }
      return previous.number == element.number
    }.subscribe(subscriber)

    upstream.send(Element(1))
    upstream.send(Element(2))
    #expect(subscriber.values.map(\.number) == [1, 3, 2])
  }

  #if compiler(>=6.3)  // The capture list of an exit test.
    @Test(arguments: FilteringMisuse.allCases) func traps(on misuse: FilteringMisuse) async {
      _ = misuse.prepare { $0.removeDuplicates() }  // The preparation itself must not trap.
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [misuse] in
        misuse.prepare { $0.removeDuplicates() }()
      }.expectMisuse("RemoveDuplicates", misuse.mistake)
    }
  #endif

  @Test func reflectsItself() {
    expectRememberedElement(in: "RemoveDuplicates") { $0.removeDuplicates() }
  }
}

@Suite struct TryRemoveDuplicatesTests {

  @Test func filtersAndHasItsOwnSubscription() {
    expectFiltering(name: "TryRemoveDuplicates", priming: [0], throwing: true) { upstream, onCall in
      upstream.tryRemoveDuplicates { _, value in
        onCall()
        if value == 100 { throw TestError("thrown") }
        return !value.isMultiple(of: 2)
      }
    }
  }

  @Test func doesNotCallThePredicateAfterItHasThrown() {
    let upstream = ManualPublisher<Int, TestError>()
    let subscriber = RecordingSubscriber<Int, any Error>(requesting: .unlimited)
    var calls = 0
    let publisher: Publishers.TryRemoveDuplicates<ManualPublisher<Int, TestError>> = upstream.tryRemoveDuplicates {
      calls += 1
      if $1 == 42 { throw TestError("thrown") }
      return $0 == $1
    }
    #expect(publisher.upstream === upstream)
    publisher.subscribe(subscriber)

    for value in [1, 2, 2, 1, 3, 3, 3, 3, 3, 42, 42, 43] { upstream.send(value) }
    #expect(upstream.send(44) == .none)

    #expect(calls == 9)
    #expect(
      subscriber.events == [
        .subscription("TryRemoveDuplicates"), .value(1), .value(2), .value(1), .value(3), .failure("thrown"),
      ]
    )
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
  }

  #if compiler(>=6.3)  // The capture list of an exit test.
    @Test(arguments: FilteringMisuse.allCases) func traps(on misuse: FilteringMisuse) async {
      _ = misuse.prepare { $0.tryRemoveDuplicates { $0 == $1 } }  // The preparation itself must not trap.
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [misuse] in
        misuse.prepare { $0.tryRemoveDuplicates { $0 == $1 } }()
      }.expectMisuse("TryRemoveDuplicates", misuse.mistake)
    }
  #endif

  @Test func reflectsItself() {
    expectRememberedElement(in: "TryRemoveDuplicates") { $0.tryRemoveDuplicates { $0 == $1 } }
  }
}

private func expectRememberedElement<P: Publisher>(
  in name: String,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ make: (TestUpstream) -> P
) where P.Output == Int {
  let upstream = TestUpstream()
  let subscriber = RecordingSubscriber<Int, P.Failure>()
  make(upstream).subscribe(subscriber)
  let conduit = upstream.subscriber!
  expectReflection(of: conduit, description: name, children: ["downstream", "last"], sourceLocation: sourceLocation)
  #expect(reflectedChild("downstream", of: conduit) as AnyObject === subscriber, sourceLocation: sourceLocation)
  #expect(reflectedOptionalChild("last", of: conduit) == nil, sourceLocation: sourceLocation)
  upstream.send(5)
  #expect(reflectedOptionalChild("last", of: conduit) as? Int == 5, sourceLocation: sourceLocation)
}
