import CombineCore
import TestSupport
import Testing

@Suite struct ReduceTests {

  @Test func combinesTheResultSoFarWithEachValue() {
    let text = reduction(of: [1, 2, 3]) { $0.reduce("0") { "(\($0)+\($1))" } }
    #expect(text.events == [.value("(((0+1)+2)+3)"), .finished])
    #expect(
      arguments(for: [1, 2, 3]) { upstream, onCall in
        upstream.reduce(10) {
          onCall([$0, $1])
          return $0 + $1
        }
      } == [[10, 1], [11, 2], [13, 3]]
    )
  }

  @Test func aResultMayBeAnOptional() {
    let last = reduction(of: [1, 2]) { $0.reduce(Int?.none) { $1 == 2 ? nil : $1 } }
    #expect(last.events == [.value(nil), .finished])
    let none = reduction(of: []) { $0.reduce(Int?.none) { $1 } }
    #expect(none.events == [.value(nil), .finished])
  }

  @Test func holdsWhatItIsMadeOf() {
    let upstream = TestUpstream()
    let publisher: Publishers.Reduce<TestUpstream, String> = upstream.reduce("a") { $0 + String($1) }
    #expect(publisher.upstream === upstream)
    #expect(publisher.initial == "a")
    #expect(publisher.nextPartialResult("b", 1) == "b1")
    #expect(upstream.subscribeCount == 0)
    #expect(!(publisher is any Equatable))
    let copy = Publishers.Reduce(upstream: upstream, initial: 1, nextPartialResult: +)
    #expect(copy.nextPartialResult(1, 2) == 3)
  }
}

@Suite struct TryReduceTests {

  @Test func combinesUntilItThrows() {
    let publisher = { (upstream: TestUpstream) in
      upstream.tryReduce("0") { text, number in
        if number == 100 { throw TestError("thrown") }
        return text + String(number)
      }
    }
    #expect(reduction(of: [1, 2], publisher).events == [.value("012"), .finished])
    let thrown = reduction(of: [1, 100, 2], publisher)
    #expect(thrown.events == [.failure("thrown")])
    #expect(thrown.history == [.requested(.unlimited), .cancelled])
  }

  @Test func forwardsTheSameFailure() {
    let upstream = TestUpstream()
    var failure: TestError?
    let subscriber = RecordingSubscriber<Int, any Error>(onCompletion: { completion in
      if case .failure(let error) = completion { failure = error as? TestError }
    })
    upstream.tryReduce(0, +).subscribe(subscriber)
    upstream.send(completion: .failure("upstream"))
    #expect(failure == "upstream")
  }

  @Test func holdsWhatItIsMadeOf() throws {
    let upstream = TestUpstream()
    let publisher: Publishers.TryReduce<TestUpstream, Int> = upstream.tryReduce(1) { $0 - $1 }
    #expect(publisher.upstream === upstream)
    #expect(publisher.initial == 1)
    #expect(try publisher.nextPartialResult(1, 2) == -1)
    let copy = Publishers.TryReduce(upstream: upstream, initial: 1, nextPartialResult: +)
    #expect(try copy.nextPartialResult(1, 2) == 3)
  }
}
