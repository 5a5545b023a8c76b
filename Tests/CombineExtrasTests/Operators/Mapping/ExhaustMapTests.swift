import CombineExtras
import TestSupport
import Testing

@Suite struct ExhaustMapTests {

  typealias Downstream = RecordingSubscriber<Int, TestError>

  private let upstream = PassthroughSubject<Int, TestError>()

  @Test func anElementSentFromTheTransformStartsNoSecondInnerPublisher() {
    var transformed: [Int] = []
    let inner = PassthroughSubject<Int, TestError>()
    let downstream = Downstream(requesting: .unlimited)
    upstream.exhaustMap { [upstream] element -> PassthroughSubject<Int, TestError> in
      transformed.append(element)
      if element == 1 { upstream.send(2) }
      return inner
    }
    .subscribe(downstream)
    upstream.send(1)
    inner.send(10)
    #expect(transformed == [1])
    #expect(downstream.values == [10])
  }

  @Test func anInnerPublisherThatSubscribesLateRunsMeanwhile() {
    let inner = ManualPublisher<Int, TestError>(subscription: nil)
    let downstream = Downstream(requesting: .unlimited)
    upstream.exhaustMap { _ in inner }.subscribe(downstream)
    upstream.send(1)
    upstream.send(2)
    #expect(inner.subscribeCount == 1)
  }

  @Test(arguments: [nil, .max(5), .unlimited] as [Subscribers.Demand?])
  func theInnerPublisherIsAskedForOneElementOrForEverything(demand: Subscribers.Demand?) {
    let inner = ManualPublisher<Int, TestError>()
    let downstream = Downstream(onSubscription: { if let demand { $0.request(demand) } })
    upstream.exhaustMap { _ in inner }.subscribe(downstream)
    upstream.send(1)
    #expect(inner.history == [.requested(demand == .unlimited ? .unlimited : .max(1))])
    downstream.cancel()
  }

  @Test func aFailureOfTheInnerPublisherLeavesTheUpstreamAsItIs() {
    let upstream = ManualPublisher<Int, TestError>()
    let inner = ManualPublisher<Int, TestError>()
    let downstream = Downstream()
    upstream.exhaustMap { _ in inner }.subscribe(downstream)
    upstream.send(1)
    inner.send(7)
    inner.send(completion: .failure("x"))
    #expect(downstream.events.dropFirst() == [.failure("x")], "the element that waits for demand is lost")
    #expect(upstream.history == [.requested(.unlimited)])
  }

  @Test func anElementSentInTheInnerCompletionStartsTheNext() {
    let downstream = Downstream(requesting: .unlimited)
    var inners: [PassthroughSubject<Int, TestError>] = []
    upstream.exhaustMap { _ -> PassthroughSubject<Int, TestError> in
      inners.append(PassthroughSubject())
      return inners.last!
    }
    .subscribe(downstream)
    upstream.send(1)
    inners[0].send(completion: .finished)
    upstream.send(2)
    inners[1].send(20)
    #expect(downstream.values == [20])
  }

  @Test func aSecondFinishOfAnOldInnerPublisherDoesNotEndTheCurrentOne() {
    let inners = [ManualPublisher<Int, TestError>(), ManualPublisher<Int, TestError>()]
    var remaining = inners[...]
    upstream.exhaustMap { _ in remaining.removeFirst() }.subscribe(Downstream(requesting: .unlimited))
    upstream.send(1)
    inners[0].send(completion: .finished)
    upstream.send(2)
    inners[0].send(completion: .finished)
    upstream.send(3)
    #expect(remaining.isEmpty)
    #expect(inners[1].subscribeCount == 1)
  }
}
