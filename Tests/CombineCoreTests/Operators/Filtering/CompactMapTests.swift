import CombineCore
import TestSupport
import Testing

@Suite struct CompactMapTests {

  @Test func isTransparent() {
    expectTransparent(failure: TestError()) { $0.compactMap { $0 == 2 ? 2 : nil } }
  }

  @Test func requestsOneMoreForEachDroppedValue() {
    let upstream = ManualPublisher<String, TestError>()
    let subscriber = RecordingSubscriber<Int, TestError>(
      onSubscription: { $0.request(.max(2)) },
      onValue: { _ in .max(4) }
    )
    upstream.compactMap { Int($0) }.subscribe(subscriber)

    #expect(["a", "1", "b", "2"].map { upstream.send($0) } == [.max(1), .max(4), .max(1), .max(4)])
    upstream.send(completion: .finished)
    #expect(upstream.send("3") == .max(4))

    #expect(
      subscriber.events == [.subscription("ManualSubscription"), .value(1), .value(2), .finished, .value(3)]
    )
    #expect(upstream.history == [.requested(.max(2))])
  }

  @Test func unwrapsOneLevelOnly() {
    let upstream = ManualPublisher<Int??, TestError>()
    let subscriber = RecordingSubscriber<Int?, TestError>()
    upstream.compactMap { $0 }.subscribe(subscriber)

    #expect(upstream.send(.none) == .max(1))
    #expect(upstream.send(.some(.none)) == .none)
    #expect(upstream.send(1) == .none)
    #expect(subscriber.values == [nil, 1])
  }

  @Test func fusesWithCompactMapAndMap() {
    let upstream = ManualPublisher<String, TestError>()
    var calls = 0
    let numbers = upstream.compactMap { Int($0) }
    let even: Publishers.CompactMap<ManualPublisher<String, TestError>, Int> = numbers.compactMap { number in
      calls += 1
      return number.isMultiple(of: 2) ? number : nil
    }
    let mapped: Publishers.CompactMap<ManualPublisher<String, TestError>, [Int]> = numbers.map { number in
      calls += 1
      return [number]
    }
    #expect(even.upstream === upstream)
    #expect(["a", "1", "2"].map { even.transform($0) } == [nil, nil, 2])
    #expect(mapped.upstream === upstream)
    #expect(["a", "1"].map { mapped.transform($0) } == [nil, [1]])
    #expect(calls == 3, "the second closure receives only values that the first keeps")
  }

  @Test func reflectsItself() {
    let upstream = ManualPublisher<Int, TestError>()
    upstream.compactMap { $0 as Int? }.subscribe(RecordingSubscriber())
    expectReflection(of: upstream.subscriber!, description: "CompactMap")
  }
}

@Suite struct TryCompactMapTests {

  @Test func filtersAndHasItsOwnSubscription() {
    expectFiltering(name: "TryCompactMap", throwing: true) { upstream, onCall in
      upstream.tryCompactMap { value in
        onCall()
        if value == 100 { throw TestError("thrown") }
        return value.isMultiple(of: 2) ? value : nil
      }
    }
  }

  @Test func unwrapsOneLevelOnly() {
    let upstream = ManualPublisher<Int??, TestError>()
    let subscriber = RecordingSubscriber<Int?, any Error>()
    upstream.tryCompactMap { $0 }.subscribe(subscriber)

    #expect(upstream.send(.none) == .max(1))
    #expect(upstream.send(.some(.none)) == .none)
    #expect(subscriber.values == [nil])
  }

  #if compiler(>=6.3)  // The capture list of an exit test.
    @Test(arguments: FilteringMisuse.allCases) func traps(on misuse: FilteringMisuse) async {
      _ = misuse.prepare { $0.tryCompactMap { $0 as Int? } }  // The preparation itself must not trap.
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [misuse] in
        misuse.prepare { $0.tryCompactMap { $0 as Int? } }()
      }.expectMisuse("TryCompactMap", misuse.mistake)
    }
  #endif

  @Test func fusesWithAThrowingCompactMap() throws {
    let upstream = ManualPublisher<String, TestError>()
    let fused: Publishers.TryCompactMap<ManualPublisher<String, TestError>, [Int]> =
      upstream
      .tryCompactMap { text in
        if text == "" { throw TestError("first") }
        return Int(text)
      }
      .compactMap { number in
        if number == 0 { throw TestError("second") }
        return number > 0 ? [number] : nil
      }
    #expect(fused.upstream === upstream)
    #expect(try ["a", "-1", "2"].map { try fused.transform($0) } == [nil, nil, [2]])
    #expect(throws: TestError("first")) { try fused.transform("") }
    #expect(throws: TestError("second")) { try fused.transform("0") }

    let subscriber = RecordingSubscriber<[Int], any Error>()
    fused.subscribe(subscriber)
    #expect(subscriber.events == [.subscription("TryCompactMap")])
  }

  @Test func reflectsItself() {
    let upstream = ManualPublisher<Int, TestError>()
    let subscriber = RecordingSubscriber<Int, any Error>()
    upstream.tryCompactMap { $0 as Int? }.subscribe(subscriber)
    expectReflection(of: upstream.subscriber!, description: "TryCompactMap", children: ["downstream"])
    #expect(reflectedChild("downstream", of: upstream.subscriber!) as AnyObject === subscriber)
  }
}
