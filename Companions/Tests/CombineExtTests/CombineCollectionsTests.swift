import CombineExt
import Testing

@Suite struct CombineCollectionsTests {

  @Test func theReceiverComesFirst() {
    var arrays: [[Int]] = []
    let sinks = [
      Just(1).combineLatest(with: [Just(2), Just(3)]).sink { arrays.append($0) },
      Just(1).combineLatest(with: Just(2), Just(3)).sink { arrays.append($0) },
      Just(1).zip(with: [Just(2), Just(3)]).sink { arrays.append($0) },
      Just(1).zip(with: Just(2), Just(3)).sink { arrays.append($0) },
    ]
    #expect(arrays == Array(repeating: [1, 2, 3], count: 4))
    withExtendedLifetime(sinks) {}
  }

  @Test func batchesFollowOneAnother() {
    var arrays: [[Int]] = []
    var completion: Subscribers.Completion<Never>?
    let sink = (1...5).map { Just($0) }.flatMapBatches(of: 2)
      .sink(receiveCompletion: { completion = $0 }, receiveValue: { arrays.append($0) })
    #expect(arrays == [[1, 2], [3, 4], [5]])
    #expect(completion == .finished)
    sink.cancel()
  }

  @Test func aBatchThatNeverFinishesBlocksTheRest() {
    let subjects = (0..<4).map { _ in CurrentValueSubject<Int, Never>(0) }
    var arrays: [[Int]] = []
    let sink = subjects.flatMapBatches(of: 2).sink { arrays.append($0) }
    #expect(arrays == [[0, 0]])
    subjects[0].send(completion: .finished)
    #expect(arrays == [[0, 0], [0, 0]])
    sink.cancel()
  }

  @Test func twoValuesGiveTwoArraysPerBatch() {
    var arrays: [[Int]] = []
    let sink = [[1, 2], [3, 4], [5, 6]].map(\.publisher).flatMapBatches(of: 2).sink { arrays.append($0) }
    #expect(arrays == [[1, 3], [2, 4], [5], [6]])
    sink.cancel()
  }

  @Test func aSizeThatIsNotPositiveEndsTheProcess() async {
    await #expect(processExitsWith: .failure) {
      _ = [Just(1)].flatMapBatches(of: 0)
    }
  }

  @Test func aFailureOfABatchFailsAll() {
    struct Wrong: Error {}
    let subjects = (0..<4).map { _ in PassthroughSubject<Int, any Error>() }
    var arrays: [[Int]] = []
    var hasFailed = false
    let sink = subjects.flatMapBatches(of: 2)
      .sink(receiveCompletion: { hasFailed = $0.isFailure }, receiveValue: { arrays.append($0) })
    subjects[0].send(1)
    subjects[1].send(2)
    subjects[0].send(completion: .failure(Wrong()))
    #expect(arrays == [[1, 2]])
    #expect(hasFailed)
    sink.cancel()
  }

  @Test func anEmptyCollectionOfBatchesFinishesAtOnce() {
    let none: [Just<Int>] = []
    var hasFinished = false
    let sink = none.flatMapBatches(of: 2).sink(receiveCompletion: { _ in hasFinished = true }, receiveValue: { _ in })
    #expect(hasFinished)
    sink.cancel()
  }
}

extension Subscribers.Completion {

  fileprivate var isFailure: Bool {
    if case .failure = self { true } else { false }
  }
}
