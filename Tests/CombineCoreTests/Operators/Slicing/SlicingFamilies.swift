import CombineCore
import Synchronization
import TestSupport
import Testing

/// An upstream, another publisher, and a subscriber behind an operator that waits for the other publisher.
final class UntilOutputFixture {

  typealias Other = ManualPublisher<String, TestError>

  let upstream: TestUpstream
  let other: Other
  let subscriber: RecordingSubscriber<Int, TestError>

  /// Which subscriptions were cancelled, and what the downstream got, in order.
  private(set) var log: [String] = []

  /// - Parameters:
  ///   - hasUpstream: Whether the upstream sends a subscription at once.
  ///   - hasOther: Whether the other publisher sends a subscription at once.
  ///   - requests: What the downstream asks for when it gets its subscription.
  ///   - returned: What the downstream returns for each value.
  ///   - make: Applies the operator.
  init<P: Publisher<Int, TestError>>(
    hasUpstream: Bool = true,
    hasOther: Bool = true,
    requesting requests: [Subscribers.Demand] = [],
    returning returned: Subscribers.Demand = .none,
    _ make: (TestUpstream, Other) -> P
  ) {
    upstream = TestUpstream(subscription: hasUpstream ? ManualSubscription() : nil)
    other = Other(subscription: hasOther ? ManualSubscription() : nil)
    subscriber = RecordingSubscriber(
      onSubscription: { for demand in requests { $0.request(demand) } },
      onValue: { _ in returned }
    )
    upstream.onSubscribe = { [unowned self] in log.append("subscribe upstream") }
    other.onSubscribe = { [unowned self] in log.append("subscribe other") }
    upstream.subscription?.onCancel = { [unowned self] in log.append("cancel upstream") }
    other.subscription?.onCancel = { [unowned self] in log.append("cancel other") }
    subscriber.onCompletion = { [unowned self] in log.append("\(Event<Int>($0))") }
    make(upstream, other).subscribe(subscriber)
  }

  /// What has happened since the last time.
  func takeLog() -> [String] {
    defer { log = [] }
    return log
  }
}

/// The same for many threads, with demand without limit.
struct SharedUntilOutputFixture: Sendable {

  let upstream = SharedUpstream<Int>()
  let other = SharedUpstream<Int>()
  let downstream = ExclusiveSubscriber<Int>()

  init<P: Publisher<Int, TestError>>(_ make: (SharedUpstream<Int>, SharedUpstream<Int>) -> P) {
    make(upstream, other).subscribe(downstream)
  }
}

/// A subscription that adds up, on any thread, what it is asked for.
final class SummingSubscription: Subscription, Sendable {

  private let sum = Atomic<Int>(0)

  var total: Int { sum.load(ordering: .acquiring) }

  func request(_ demand: Subscribers.Demand) {
    sum.add(demand.max!, ordering: .acquiringAndReleasing)
  }

  func cancel() {}
}

/// Checks that an operator that keeps demand until its upstream's subscription arrives asks for all of it once, though
/// the requests and the subscription come on different threads.
///
/// - Parameters:
///   - extra: What the operator asks for of its own.
///   - make: Applies the operator.
func expectPendingDemandRequestedOnce<P: Publisher>(
  extra: Int,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ make: (TestUpstream) -> P
) {
  for _ in 0..<200 {
    let upstream = TestUpstream(subscription: nil)
    let subscriber = RecordingSubscriber<P.Output, P.Failure>()
    make(upstream).subscribe(subscriber)
    // Each is used by one thread only.
    nonisolated(unsafe) let conduit = upstream.subscriber!
    nonisolated(unsafe) let subscription = subscriber.subscription!
    let upstreamSubscription = SummingSubscription()
    onThreads(2) { thread in
      if thread == 0 {
        conduit.receive(subscription: upstreamSubscription)
      } else {
        for _ in 0..<20 { subscription.request(.max(1)) }
      }
    }
    #expect(upstreamSubscription.total == 20 + extra, sourceLocation: sourceLocation)
  }
}
