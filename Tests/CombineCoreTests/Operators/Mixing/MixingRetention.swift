import CombineCore
import TestSupport
import Testing

/// Checks that an operator keeps its subscriber while the subscriber keeps its subscription, in every ending.
///
/// The operator releases its subscriber if that drops its subscription on the completion.
func expectRetention<P: Publisher<Int, TestError>>(
  sourceLocation: SourceLocation = #_sourceLocation,
  _ make: (MixingFixture.Upstream, MixingFixture.Upstream) -> P
) {
  for ending in MixingEnding.allCases {
    for drops in [false, true] {
      var isReleased = false
      weak var leaked: RecordingSubscriber<Int, TestError>?
      do {
        let a = MixingFixture.Upstream()
        let b = MixingFixture.Upstream()
        let subscriber = RecordingSubscriber<Int, TestError>(onDeinit: { isReleased = true })
        subscriber.dropsSubscriptionOnCompletion = drops
        make(a, b).subscribe(subscriber)
        leaked = subscriber
        subscriber.request(.unlimited)
        switch ending {
        case .finished:
          a.send(completion: .finished)
          if b.subscriber != nil { b.send(completion: .finished) }
          #expect(subscriber.events.last == .finished, sourceLocation: sourceLocation)
        case .failure:
          a.send(completion: .failure("x"))
          #expect(subscriber.events.last == .failure("x"), sourceLocation: sourceLocation)
        case .cancelled:
          subscriber.cancel()
          if drops { subscriber.dropSubscription() }
        }
        // An upstream that has ended does this. An upstream that the operator holds would keep the subscriber alive.
        a.dropSubscriber()
        b.dropSubscriber()
      }
      #expect(isReleased == drops, "\(ending)", sourceLocation: sourceLocation)
      leaked?.dropSubscription()
    }
  }
}

private enum MixingEnding: CaseIterable { case finished, failure, cancelled }
