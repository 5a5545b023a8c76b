import CombineExtras
import CombineTesting
import TestSupport
import Testing

@Suite struct WithLatestTests {

  typealias Subject = PassthroughSubject<Int, TestError>
  typealias Downstream = RecordingSubscriber<Int, TestError>

  @Test func combinesWithTheLatestElement() {
    marbles(outputs: ["p": "3a", "q": "4a", "r": "5b"]) {
      "-1-2---3-4---5-|"
      "-----a-----b---"
      $0[0].withLatest(of: $0[1]) { $0 + $1 }
      "-------p-q---r-|"
    }
  }

  @Test func aColdUpstreamLosesNothing() {
    let other = Subject()
    let downstream = Downstream(requesting: .unlimited)
    Just(1).setFailureType(to: TestError.self).withLatest(of: other) { $0 * 100 + $1 }.subscribe(downstream)
    #expect(downstream.values == [])
    other.send(5)
    #expect(downstream.events.dropFirst() == [.value(105), .finished])
  }

  @Test func earlyElementsOfAHotUpstreamUseNoDemand() {
    let (upstream, other) = (Subject(), Subject())
    let downstream = Downstream(requesting: .max(1))
    upstream.withLatest(of: other).subscribe(downstream)
    upstream.send(1)
    other.send(7)
    upstream.send(2)
    upstream.send(3)
    #expect(downstream.values == [7])
  }

  @Test func afterAnOtherWithoutAnElementAllIsDroppedAndNeedsNoDemand() {
    let upstream = ManualPublisher<Int, TestError>()
    let downstream = Downstream(requesting: .max(1))
    upstream.withLatest(of: Empty<Int, TestError>()).subscribe(downstream)
    #expect((1...3).map { upstream.send($0) } == [.max(1), .max(1), .max(1)])
    upstream.send(completion: .finished)
    #expect(downstream.events.dropFirst() == [.finished])
  }

  @Test func oneSourceMeetsItself() {
    let source = Subject()
    let downstream = RecordingSubscriber<[Int], TestError>(requesting: .unlimited)
    source.withLatest(of: source) { [$0, $1] }.subscribe(downstream)
    for value in 1...3 { source.send(value) }
    #expect(downstream.values.allSatisfy { $0[0] == $0[1] })
    #expect(downstream.values.count >= 2)
  }

  @Test func oneSourceFromSeveralThreadsIsSafe() {
    let source = PassthroughSubject<Int, Never>()
    let log = SharedLog<Int>()
    let sink = source.withLatest(of: source) { $1 }.sink { log.append($0) }
    onThreads(4) { thread in
      for value in 0..<500 { source.send(thread * 1000 + value) }
    }
    // The source subscribes it while it sends the first values, which are early ones.
    #expect(log.values.count > 1900)
    sink.cancel()
  }

  @Test func withTheUpstreamFirstEarlyElementsAreDropped() {
    let (upstream, other) = (ManualPublisher<Int, TestError>(), Subject())
    let downstream = Downstream(requesting: .max(1))
    let publisher = ExtraPublishers.WithLatest(upstream: upstream, other: other, subscribesUpstreamFirst: true) {
      $0 + $1
    }
    publisher.subscribe(downstream)
    #expect(upstream.history == [.requested(.max(1))])
    #expect(upstream.send(1) == .max(1))
    other.send(100)
    #expect(upstream.send(2) == .none)
    #expect(downstream.values == [102])
  }

  @Test func withTheUpstreamFirstAColdUpstreamGivesOnlyItsEnd() {
    let downstream = Downstream(requesting: .unlimited)
    ExtraPublishers.WithLatest(
      upstream: Just(1).setFailureType(to: TestError.self),
      other: Subject(),
      subscribesUpstreamFirst: true
    ) { $0 + $1 }.subscribe(downstream)
    #expect(downstream.events.dropFirst() == [.finished])
  }

  @Test func releasesBothSourcesAfterACancel() {
    final class Owner {
      let upstream = PassthroughRelay<Int>()
      let other = PassthroughRelay<Int>()
      var cancellable: AnyCancellable?
    }
    weak var released: Owner?
    var values: [Int] = []
    do {
      let owner = Owner()
      released = owner
      owner.cancellable = owner.upstream.withLatest(of: owner.other).sink { values.append($0) }
      owner.other.accept(1)
      owner.upstream.accept(2)
    }
    #expect(released == nil)
    #expect(values == [1])
  }

  @Test func anElementAfterTheCompletionIsNotTransformed() {
    let (upstream, other) = (
      ManualPublisher<Int, TestError>(), CurrentValueSubject<Int, TestError>(1)
    )
    let downstream = RecordingSubscriber<Int, TestError>(requesting: .unlimited)
    var count = 0
    upstream.withLatest(of: other) { value, _ in
      count += 1
      return value
    }
    .subscribe(downstream)
    upstream.send(completion: .finished)
    #expect(upstream.send(1) == .none)
    #expect(count == 0)
  }

  @Test func withTheUpstreamFirstTheOtherIsSubscribedBeforeTheUpstreamIsAsked() {
    let upstream = ManualPublisher<Int, TestError>(subscription: nil)
    let downstream = Downstream(requesting: .max(1))
    ExtraPublishers.WithLatest(
      upstream: upstream,
      other: CurrentValueSubject<Int, TestError>(100),
      subscribesUpstreamFirst: true
    ) { $0 + $1 }.subscribe(downstream)
    let subscription = ManualSubscription()
    subscription.onRequest = { _ in upstream.send(1) }
    upstream.send(subscription: subscription)
    #expect(downstream.values == [101])
  }
}
