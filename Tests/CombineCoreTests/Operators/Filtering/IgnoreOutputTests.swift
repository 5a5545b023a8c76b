import CombineCore
import TestSupport
import Testing

@Suite struct IgnoreOutputTests {

  @Test func isTransparentButForValues() {
    expectTransparent(failure: TestError(), dropsValues: true) { $0.ignoreOutput().map { never -> Int in } }
  }

  @Test func requestsAllValuesOnceTheDownstreamHasTheSubscription() {
    let upstream = TestUpstream()
    let subscriber = RecordingSubscriber<Never, TestError>(onSubscription: { subscription in
      #expect(upstream.history == [])
      subscription.request(.max(42))
    })
    upstream.ignoreOutput().subscribe(subscriber)
    #expect(upstream.history == [.requested(.max(42)), .requested(.unlimited)])

    #expect([1, 2].map { upstream.send($0) } == [.none, .none])
    upstream.send(completion: .failure("x"))
    #expect(subscriber.events.count == 2)
    #expect(upstream.history.count == 2)
  }

  @Test func requestsFromFurtherSubscriptionsTooEvenAfterACancel() {
    let upstream = TestUpstream()
    let subscriber = RecordingSubscriber<Never, TestError>()
    upstream.ignoreOutput().subscribe(subscriber)
    subscriber.cancel()
    let second = ManualSubscription()
    upstream.send(subscription: second)
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
    #expect(second.history == [.requested(.unlimited)])
  }

  @Test func requestsEvenIfTheDownstreamCancelsAtOnce() {
    let upstream = TestUpstream()
    upstream.ignoreOutput().subscribe(RecordingSubscriber(onSubscription: { $0.cancel() }))
    #expect(upstream.history == [.cancelled, .requested(.unlimited)])
  }

  @Test func publishesNoValuesAndFailsWithItsUpstream() {
    func resolved<T>(_ value: T) -> T.Type { T.self }
    let upstream = TestUpstream()
    let publisher = upstream.ignoreOutput()
    #expect(resolved(publisher) == Publishers.IgnoreOutput<TestUpstream>.self)
    #expect(publisher.upstream === upstream)
    #expect(Publishers.IgnoreOutput(upstream: upstream).upstream === upstream)
    #expect(Publishers.IgnoreOutput<TestUpstream>.Output.self == Never.self)
    #expect(Publishers.IgnoreOutput<TestUpstream>.Failure.self == TestError.self)
  }

  @Test func isEqualWithAnEqualUpstream() {
    let fail = Fail<Int, TestError>(error: "x")
    #expect(fail.ignoreOutput() == fail.ignoreOutput())
    #expect(fail.ignoreOutput() != Fail<Int, TestError>(error: "y").ignoreOutput())
    #expect(!(TestUpstream().ignoreOutput() is any Equatable))
  }

  @Test func reflectsItself() {
    let upstream = TestUpstream()
    upstream.ignoreOutput().subscribe(RecordingSubscriber())
    expectReflection(of: upstream.subscriber!, description: "IgnoreOutput")
  }
}
