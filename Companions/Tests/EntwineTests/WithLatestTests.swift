import Entwine
import EntwineTest
import Testing

@Suite struct WithLatestTests {

  private let upstream = PassthroughSubject<Int, TestError>()
  private let other = PassthroughSubject<String, TestError>()

  @Test func elementsBeforeTheFirstOfTheOtherAreDroppedWithoutUsingDemand() {
    let received = upstream.withLatest(from: other) { "\($0)\($1)" }.received(requesting: .max(2))
    upstream.send(1)
    upstream.send(2)
    other.send("a")
    upstream.send(3)
    other.send("b")
    upstream.send(4)
    upstream.send(5)
    #expect(received.values == ["3a", "4b"])
  }

  @Test func withoutATransformTheLatestElementIsPublished() {
    let publisher:
      Publishers.WithLatestFrom<
        PassthroughSubject<Int, TestError>, PassthroughSubject<String, TestError>, String
      > = upstream.withLatest(from: other)
    let received = publisher.received()
    other.send("a")
    upstream.send(1)
    upstream.send(completion: .finished)
    #expect(received.signals == [.input("a"), .completion(.finished)])
  }

  @Test func subscribesToTheUpstreamFirst() {
    var log: [String] = []
    let received = Publishers.WithLatestFrom(
      upstream: upstream.handleEvents(receiveSubscription: { _ in log.append("upstream") }),
      other: other.handleEvents(receiveSubscription: { _ in log.append("other") }),
      transform: { $1 }
    )
    .received()
    #expect(log == ["upstream", "other"])
    withExtendedLifetime(received) {}
  }

  @Test(arguments: [Subscribers.Completion<TestError>.finished, .failure(.first)])
  func theEndOfTheOtherIsIgnored(_ end: Subscribers.Completion<TestError>) {
    let received = upstream.withLatest(from: other).received()
    other.send("a")
    other.send(completion: end)
    upstream.send(1)
    upstream.send(completion: .failure(.second))
    #expect(received.signals == [.input("a"), .completion(.failure(.second))])
  }

  @Test(arguments: [true, false])
  func aCancelReachesBothAndTheEndTheOther(_ cancels: Bool) {
    var log: [String] = []
    let received = upstream.handleEvents(receiveCancel: { log.append("upstream") })
      .withLatest(from: other.handleEvents(receiveCancel: { log.append("other") }))
      .received()
    if cancels { received.cancel() } else { upstream.send(completion: .finished) }
    #expect(log.sorted() == (cancels ? ["other", "upstream"] : ["other"]))
    #expect(received.signals == (cancels ? [] : [.completion(.finished)]))
  }

  @Test func aColdUpstreamWithAQuietOtherGivesOnlyItsEnd() {
    let received = Just(1).setFailureType(to: TestError.self).withLatest(from: other).received()
    #expect(received.signals == [.completion(.finished)])
  }

  @Test func anElementOfOneSourceMeetsItsPredecessor() {
    let received = upstream.withLatest(from: upstream) { [$0, $1] }.received()
    for value in 1...3 { upstream.send(value) }
    #expect(received.values == [[2, 1], [3, 2]])
  }
}
