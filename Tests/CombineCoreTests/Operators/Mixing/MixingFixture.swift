import CombineCore
import TestSupport
import Testing

/// Upstreams driven by hand, an operator that joins them, and a subscriber; what each sees is noted in one log.
final class MixingFixture {

  typealias Upstream = ManualPublisher<Int, TestError>

  let upstreams: [Upstream]
  let subscriber: RecordingSubscriber<Int, TestError>

  /// What happened since the last ``take()``: `a request max(1)`, `b cancel`, `value 3`, `finished`.
  private(set) var log: [String] = []

  var onValue: (Int) -> Subscribers.Demand = { _ in .none }
  var onCompletion: () -> Void = {}

  /// - Parameters:
  ///   - count: The number of upstreams.
  ///   - hasSubscriptions: Whether they send a subscription when subscribed to.
  ///   - requesting: What the subscriber requests when it gets its subscription, if anything.
  ///   - make: Applies the operator.
  init<P: Publisher<Int, TestError>>(
    count: Int = 2,
    hasSubscriptions: Bool = true,
    requesting demand: Subscribers.Demand? = nil,
    _ make: ([Upstream]) -> P
  ) {
    upstreams = (0..<count).map { _ in Upstream(subscription: hasSubscriptions ? ManualSubscription() : nil) }
    subscriber = RecordingSubscriber()
    subscriber.onSubscription = { [unowned self] in
      note("subscription \($0)")
      if let demand { $0.request(demand) }
    }
    subscriber.onValue = { [unowned self] in
      note("value \($0)")
      return onValue($0)
    }
    subscriber.onCompletion = { [unowned self] in
      switch $0 {
      case .finished: note("finished")
      case .failure(let error): note("failure \(error)")
      }
      onCompletion()
    }
    for (name, upstream) in zip(["a", "b", "c", "d", "e", "f", "g", "h"], upstreams) {
      if let subscription = upstream.subscription { watch(subscription, name) }
    }
    make(upstreams).subscribe(subscriber)
  }

  var a: Upstream { upstreams[0] }
  var b: Upstream { upstreams[1] }
  var c: Upstream { upstreams[2] }

  func note(_ entry: String) {
    log.append(entry)
  }

  /// Notes in the log what is asked of a subscription.
  func watch(_ subscription: ManualSubscription, _ name: String) {
    subscription.onRequest = { [unowned self] in note("\(name) request \($0)") }
    subscription.onCancel = { [unowned self] in note("\(name) cancel") }
  }

  /// A new subscription that is watched.
  func subscription(_ name: String) -> ManualSubscription {
    let subscription = ManualSubscription()
    watch(subscription, name)
    return subscription
  }

  /// The log since the last time.
  func take() -> [String] {
    defer { log = [] }
    return log
  }

  func request(_ demand: Subscribers.Demand) { subscriber.request(demand) }

  func cancel() { subscriber.cancel() }
}

/// Checks that an operator keeps its subscriber while that keeps its subscription, whatever ends, and lets it go after a
/// completion on which the subscriber drops that.
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
        // As an upstream does that has ended; one that the operator holds would keep it alive.
        a.dropSubscriber()
        b.dropSubscriber()
      }
      #expect(isReleased == drops, "\(ending)", sourceLocation: sourceLocation)
      leaked?.dropSubscription()
    }
  }
}

private enum MixingEnding: CaseIterable { case finished, failure, cancelled }
