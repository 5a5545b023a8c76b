import CombineCore
import TestSupport
import Testing

/// Nested calls to an operator that mixes upstreams, made during its own calls. The random scripts of the conformance
/// package found these cases.
@Suite struct MixingReentranceTests {

  private typealias Upstream = MixingFixture.Upstream

  /// Fails `a`, and cancels during the resulting cancel of `b`.
  private func expectNoFailureAfterACancelFromWithin<P: Publisher<Int, TestError>>(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ make: ([Upstream]) -> P
  ) {
    let fixture = MixingFixture(requesting: .max(1), make)
    _ = fixture.take()
    fixture.b.subscription!.onCancel = { [unowned fixture] in
      fixture.note("b cancel")
      fixture.cancel()
    }
    fixture.a.send(completion: .failure("x"))
    let log = fixture.take()
    #expect(log.contains("b cancel"), sourceLocation: sourceLocation)
    #expect(!log.contains("failure x"), sourceLocation: sourceLocation)
  }

  @Test func cancelDuringAnUpstreamsCancelSuppressesTheFailure() {
    expectNoFailureAfterACancelFromWithin { Publishers.Merge($0[0], $0[1]) }
    expectNoFailureAfterACancelFromWithin { Publishers.CombineLatest($0[0], $0[1]).map { $0 + $1 } }
    expectNoFailureAfterACancelFromWithin { Publishers.Zip($0[0], $0[1]).map { $0 + $1 } }
  }

  @Test func cancelDuringAnUpstreamsCancelSuppressesTheFinishOfAZip() {
    let fixture = MixingFixture { Publishers.Zip($0[0], $0[1]).map { $0 + $1 } }
    _ = fixture.take()
    fixture.b.subscription!.onCancel = { [unowned fixture] in fixture.cancel() }
    fixture.a.send(completion: .finished)
    #expect(fixture.take() == [])
  }

  @Test func cancelDuringAnInnerCancelSuppressesTheFailureOfTheOuterPublisher() {
    let child = Upstream()
    let outer = ManualPublisher<Upstream, TestError>()
    let subscriber = RecordingSubscriber<Int, TestError>()
    outer.switchToLatest().subscribe(subscriber)
    outer.send(child)
    child.subscription!.onCancel = { subscriber.cancel() }
    outer.send(completion: .failure("x"))
    #expect(child.subscription!.history == [.cancelled])
    #expect(!subscriber.events.contains(.failure("x")))
  }

  @Test func cancelDuringTheOuterCancelSuppressesTheFailureOfAnInnerPublisher() {
    let child = Upstream()
    let outer = ManualPublisher<Upstream, TestError>()
    let subscriber = RecordingSubscriber<Int, TestError>()
    outer.switchToLatest().subscribe(subscriber)
    outer.send(child)
    outer.subscription!.onCancel = { subscriber.cancel() }
    child.send(completion: .failure("x"))
    #expect(outer.subscription!.history == [.requested(.unlimited), .cancelled])
    #expect(!subscriber.events.contains(.failure("x")))
  }

  @Test func mergeIgnoresARequestDuringItsCompletion() {
    let fixture = MixingFixture(requesting: .max(1)) { Publishers.Merge($0[0], $0[1]) }
    fixture.onCompletion = { [unowned fixture] in fixture.request(.max(1)) }
    fixture.a.send(completion: .failure("x"))
    _ = fixture.take()
    #expect(fixture.a.send(1) == .max(1), "the demand requested before")
    #expect(fixture.a.send(2) == .none)
    #expect(fixture.take() == ["value 1"])
  }

  @Test func mergeRequestsOneMoreForABufferedValueEvenIfThatReturnsUnlimitedDemand() {
    let fixture = MixingFixture { Publishers.Merge($0[0], $0[1]) }
    fixture.b.send(1)
    _ = fixture.take()
    fixture.onValue = { _ in .unlimited }
    fixture.request(.max(1))
    #expect(fixture.take() == ["value 1", "b request max(1)", "a request unlimited", "b request unlimited"])
  }

  @Test func combineLatestCancelsNothingWhenAnUpstreamWithoutAValueFinishes() {
    let fixture = MixingFixture { Publishers.CombineLatest($0[0], $0[1]).map { $0 + $1 } }
    _ = fixture.take()
    fixture.a.send(completion: .finished)
    fixture.a.send(completion: .finished)
    #expect(fixture.take() == ["finished"])
    fixture.cancel()
    #expect(fixture.take() == ["b cancel"], "a cancel still reaches it")
  }
}
