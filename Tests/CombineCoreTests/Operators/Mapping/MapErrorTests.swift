import CombineCore
import TestSupport
import Testing

@Suite struct MapErrorTests {

  private struct Wrapped: Error, Equatable, CustomStringConvertible {
    let error: TestError
    var description: String { error.description }
  }

  @Test func isTransparent() {
    expectTransparent(failure: TestError()) { $0.mapError { Wrapped(error: $0) } }
  }

  @Test func transformsEachFailureAndNothingElse() {
    let upstream = ManualPublisher<Int, TestError>()
    var mapped: [TestError] = []
    var completions: [Subscribers.Completion<Wrapped>] = []
    let subscriber = RecordingSubscriber<Int, Wrapped>(
      requesting: .max(1),
      returning: [.max(3)]
    )
    subscriber.onCompletion = { completions.append($0) }
    upstream.mapError { error in
      mapped.append(error)
      return Wrapped(error: error)
    }.subscribe(subscriber)

    #expect(upstream.send(1) == .max(3))
    upstream.send(completion: .finished)
    #expect(mapped == [])
    upstream.send(completion: .failure("one"))
    upstream.send(completion: .failure("two"))

    #expect(mapped == ["one", "two"])
    #expect(
      completions == [.finished, .failure(Wrapped(error: "one")), .failure(Wrapped(error: "two"))]
    )
    #expect(subscriber.values == [1])
    #expect(upstream.history == [.requested(.max(1))])
  }

  @Test func hasTwoInitializers() {
    let upstream = ManualPublisher<Int, TestError>()
    let labelled = Publishers.MapError(upstream: upstream, transform: { Wrapped(error: $0) })
    let unlabelled = Publishers.MapError(upstream: upstream, { Wrapped(error: $0) })
    #expect(labelled.upstream === upstream)
    #expect(unlabelled.upstream === upstream)
    #expect(labelled.transform("a") == Wrapped(error: "a"))
    #expect(unlabelled.transform("a") == Wrapped(error: "a"))
  }

  @Test func reflectsItself() {
    let upstream = ManualPublisher<Int, TestError>()
    upstream.mapError { $0 }.subscribe(RecordingSubscriber())
    expectReflection(of: upstream.subscriber!, description: "MapError")
  }
}
