import CombineExtras
import CombineTesting
import TestSupport
import Testing

@Suite struct AmbTests {

  typealias Upstream = ManualPublisher<Int, TestError>
  typealias Downstream = RecordingSubscriber<Int, TestError>

  @Test func theFirstToPublishWins() {
    marbles {
      "--1----2--|"
      "----x--y----#"
      $0[0].amb($0[1])
      "--1----2--|"
      "^"
      "^-!"
    }
  }

  @Test func theSecondIsNotSubscribedToIfTheFirstDecidesAtOnce() {
    let second = Upstream()
    let downstream = Downstream(requesting: .unlimited)
    Just(1).setFailureType(to: TestError.self).amb(second).subscribe(downstream)
    #expect(second.subscribeCount == 0)
    #expect(downstream.events.dropFirst() == [.value(1), .finished])
  }

  @Test func anyNumberOfPublishersTakesPart() {
    let subjects = (0..<4).map { _ in PassthroughSubject<Int, TestError>() }
    let downstream = Downstream(requesting: .unlimited)
    subjects.amb().subscribe(downstream)
    subjects[2].send(2)
    subjects[1].send(1)
    #expect(downstream.values == [2])
  }

  @Test func anEmptyCollectionFinishesAndOneElementIsPassedThrough() {
    let none = Downstream()
    [PassthroughSubject<Int, TestError>]().amb().subscribe(none)
    #expect(none.events.last == .finished)
    let one = Downstream(requesting: .unlimited)
    [Just(1).setFailureType(to: TestError.self)].amb().subscribe(one)
    #expect(one.events.dropFirst() == [.value(1), .finished])
  }

  @Test func aCollectionIsSubscribedToInItsOrder() {
    let upstreams = (0..<5).map { _ in Upstream() }
    var order: [Int] = []
    for (index, upstream) in upstreams.enumerated() { upstream.onSubscribe = { order.append(index) } }
    upstreams.amb().subscribe(Downstream())
    #expect(order == [0, 1, 2, 3, 4])
  }

  @Test func manyPublishersDoNotRecurse() {
    let silent = Empty<Int, TestError>(completeImmediately: false).eraseToAnyPublisher()
    let publishers = Array(repeating: silent, count: 100_000) + [Fail(error: "x").eraseToAnyPublisher()]
    let downstream = Downstream(requesting: .unlimited)
    publishers.amb().subscribe(downstream)
    #expect(downstream.events.dropFirst() == [.failure("x")])
  }
}
