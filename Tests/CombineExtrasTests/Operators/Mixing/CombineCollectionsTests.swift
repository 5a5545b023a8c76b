import CombineExtras
import TestSupport
import Testing

@Suite struct CombineCollectionsTests {

  @Test func arraysKeepTheOrderOfTheCollection() {
    let subjects = (0..<5).map { _ in PassthroughSubject<Int, Never>() }
    var latest: [[Int]] = []
    var pairs: [[Int]] = []
    var merged: [Int] = []
    let sinks = [
      subjects.combineLatest().sink { latest.append($0) },
      subjects.zip().sink { pairs.append($0) },
      subjects.merge().sink { merged.append($0) },
    ]
    for (index, subject) in subjects.enumerated().reversed() { subject.send(index) }
    subjects[2].send(20)
    #expect(latest == [[0, 1, 2, 3, 4], [0, 1, 20, 3, 4]])
    #expect(pairs == [[0, 1, 2, 3, 4]])
    #expect(merged == [4, 3, 2, 1, 0, 20])
    withExtendedLifetime(sinks) {}
  }

  @Test func anEmptyCollectionFinishesAtOnce() {
    let none: [Just<Int>] = []
    var completions = 0
    let sinks = [
      none.combineLatest().sink(receiveCompletion: { _ in completions += 1 }, receiveValue: { _ in }),
      none.zip().sink(receiveCompletion: { _ in completions += 1 }, receiveValue: { _ in }),
      none.merge().sink(receiveCompletion: { _ in completions += 1 }, receiveValue: { _ in }),
    ]
    #expect(completions == 3)
    withExtendedLifetime(sinks) {}
  }

  @Test func anEmptyCollectionFinishesWithoutDemand() {
    let none: [ManualPublisher<Int, TestError>] = []
    let arrays = (RecordingSubscriber<[Int], TestError>(), RecordingSubscriber<[Int], TestError>())
    let merged = RecordingSubscriber<Int, TestError>()
    none.combineLatest().subscribe(arrays.0)
    none.zip().subscribe(arrays.1)
    none.merge().subscribe(merged)
    #expect(arrays.0.events.dropFirst() == [.finished])
    #expect(arrays.1.events.dropFirst() == [.finished])
    #expect(merged.events.dropFirst() == [.finished])
  }

  @Test func oneElementGivesArraysOfOne() {
    var arrays: [[Int]] = []
    let sinks = [
      [Just(1)].combineLatest().sink { arrays.append($0) }, [Just(2)].zip().sink { arrays.append($0) },
    ]
    #expect(arrays == [[1], [2]])
    withExtendedLifetime(sinks) {}
  }

  @Test func oneElementGivesEachOfItsValuesAndItsEnd() {
    let upstream = PassthroughSubject<Int, TestError>()
    let arrays = [[upstream].combineLatest(), [upstream].zip()].map { publisher in
      let downstream = RecordingSubscriber<[Int], TestError>(requesting: .unlimited)
      publisher.subscribe(downstream)
      return downstream
    }
    let merged = RecordingSubscriber<Int, TestError>(requesting: .unlimited)
    [upstream].merge().subscribe(merged)
    upstream.send(1)
    upstream.send(2)
    upstream.send(completion: .failure("wrong"))
    for downstream in arrays {
      #expect(downstream.events.dropFirst() == [.value([1]), .value([2]), .failure("wrong")])
    }
    #expect(merged.events.dropFirst() == [.value(1), .value(2), .failure("wrong")])
  }

  @Test func manyPublishersDoNotRecurse() {
    var counts: [Int] = []
    var merged = 0
    let sinks = [
      (0...100_000).map { Just($0) }.combineLatest().sink { counts.append($0.count) },
      (0...100_000).map { Just($0) }.zip().sink { counts.append($0.count) },
      (0...100_000).map { Just($0) }.merge().sink { _ in merged += 1 },
    ]
    #expect(counts == [100_001, 100_001])
    #expect(merged == 100_001)
    withExtendedLifetime(sinks) {}
  }

  @Test func upstreamsAreCancelledInTheOrderOfTheCollection() {
    for operation in ["zip", "combineLatest"] {
      var cancelled: [Int] = []
      let upstreams = (0..<5).map { index in
        ManualPublisher<Int, TestError>(subscription: ManualSubscription(onCancel: { cancelled.append(index) }))
      }
      let downstream = RecordingSubscriber<[Int], TestError>(requesting: .max(1))
      (operation == "zip" ? upstreams.zip() : upstreams.combineLatest()).subscribe(downstream)
      upstreams[2].send(completion: .failure("wrong"))
      #expect(cancelled == (operation == "zip" ? [0, 1, 2, 3, 4] : [0, 1, 3, 4]))
      #expect(downstream.events.last == .failure("wrong"))
    }
  }
}
