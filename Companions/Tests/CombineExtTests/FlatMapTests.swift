import CombineExt
import CombineTesting
import Testing

struct FlatMapTests {

  typealias Subject = PassthroughSubject<Int, TestError>

  private let upstream = Subject()
  private let inner = [Subject(), Subject(), Subject()]

  @Test func elementsAreDroppedWhileAnInnerPublisherRuns() {
    var transformed: [Int] = []
    let received = upstream.flatMapFirst { [inner] index -> Subject in
      transformed.append(index)
      return inner[index]
    }
    .received()
    upstream.send(0)
    inner[0].send(10)
    upstream.send(1)
    inner[1].send(20)
    inner[0].send(11)
    #expect(transformed == [0])
    inner[0].send(completion: .finished)
    upstream.send(2)
    inner[2].send(30)
    #expect(transformed == [0, 2])
    upstream.send(completion: .finished)
    #expect(!received.signals.contains(.completion(.finished)))
    inner[2].send(completion: .finished)
    #expect(received.signals == [.input(10), .input(11), .input(30), .completion(.finished)])
  }

  @Test func aFailureOfEitherSideFails() {
    let first = upstream.flatMapFirst { [inner] in inner[$0] }.received()
    upstream.send(0)
    inner[0].send(completion: .failure(.second))
    #expect(first.signals == [.completion(.failure(.second))])
    let second = upstream.flatMapFirst { [inner] in inner[$0] }.received()
    upstream.send(1)
    upstream.send(completion: .failure(.first))
    #expect(second.signals == [.completion(.failure(.first))])
  }

  @Test func theUpstreamsEndIsTheEndIfNoInnerPublisherRuns() {
    let received = upstream.flatMapFirst { [inner] in inner[$0] }.received()
    upstream.send(0)
    inner[0].send(completion: .finished)
    #expect(received.signals == [])
    upstream.send(completion: .finished)
    #expect(received.signals == [.completion(.finished)])
  }

  /// As in `flatMap`, a failure of an inner publisher leaves the upstream's subscription as it is.
  @Test func aFailureOfTheUpstreamCancelsTheInnerPublisher() {
    var log: [String] = []
    let publisher = upstream.handleEvents(receiveCancel: { log.append("upstream") })
      .flatMapFirst { [inner] in inner[$0].handleEvents(receiveCancel: { log.append("inner") }) }
    let first = publisher.received()
    upstream.send(0)
    inner[0].send(completion: .failure(.first))
    #expect(log == [])
    #expect(first.signals == [.completion(.failure(.first))])
    let second = publisher.received()
    upstream.send(1)
    upstream.send(completion: .failure(.second))
    #expect(log == ["inner"])
    #expect(second.signals == [.completion(.failure(.second))])
  }

  @Test func theUpstreamIsAskedForEverythingAndTheInnerPublisherForTheDemand() {
    var requests: [Subscribers.Demand] = []
    let received = upstream.handleEvents(receiveRequest: { requests.append($0) })
      .flatMapFirst { _ in (1...9).publisher.setFailureType(to: TestError.self) }
      .received(requesting: .max(2))
    #expect(requests == [.unlimited])
    upstream.send(0)
    #expect(received.values == [1, 2])
    received.request(.max(1))
    #expect(received.values == [1, 2, 3])
  }

  /// In the original one subscription blocks the other.
  @Test func eachSubscriptionRunsItsOwnInnerPublisher() {
    let publisher = upstream.flatMapFirst { [inner] in inner[$0] }
    let (first, second) = (publisher.received(), publisher.received())
    upstream.send(0)
    inner[0].send(1)
    #expect(first.values == [1])
    #expect(second.values == [1])
  }

  @Test func theLatestInnerPublisherReplacesTheOneBefore() {
    let publisher: Publishers.SwitchToLatest<Subject, Publishers.Map<Subject, Subject>> =
      upstream.flatMapLatest { [inner] in inner[$0] }
    let received = publisher.received()
    upstream.send(0)
    inner[0].send(10)
    upstream.send(1)
    inner[0].send(11)
    inner[1].send(20)
    upstream.send(completion: .finished)
    inner[1].send(completion: .finished)
    #expect(received.signals == [.input(10), .input(20), .completion(.finished)])
  }
}
