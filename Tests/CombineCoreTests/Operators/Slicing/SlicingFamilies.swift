import CombineCore
import Synchronization
import TestSupport
import Testing

/// An upstream, another publisher, and a subscriber, joined by an operator that reacts to the other publisher.
final class UntilOutputFixture {

  typealias Other = ManualPublisher<String, TestError>

  let upstream: TestUpstream
  let other: Other
  let subscriber: RecordingSubscriber<Int, TestError>

  /// The cancelled subscriptions and the events of the downstream, in order.
  private(set) var log: [String] = []

  /// - Parameters:
  ///   - hasUpstream: Whether the upstream sends a subscription at once.
  ///   - hasOther: Whether the other publisher sends a subscription at once.
  ///   - requests: The demand that the downstream requests when it receives its subscription.
  ///   - returned: The demand that the downstream returns for each value.
  ///   - make: A closure that applies the operator.
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

  /// Returns the events since the last call.
  func takeLog() -> [String] {
    defer { log = [] }
    return log
  }
}

/// The same for many threads, with unlimited demand.
struct SharedUntilOutputFixture: Sendable {

  let upstream = SharedUpstream<Int>()
  let other = SharedUpstream<Int>()
  let downstream = ExclusiveSubscriber<Int>()

  init<P: Publisher<Int, TestError>>(_ make: (SharedUpstream<Int>, SharedUpstream<Int>) -> P) {
    make(upstream, other).subscribe(downstream)
  }
}

/// A subscription that adds up the requested demand, on any thread.
final class SummingSubscription: Subscription, Sendable {

  private let sum = Atomic<Int>(0)

  var total: Int { sum.load(ordering: .acquiring) }

  func request(_ demand: Subscribers.Demand) {
    sum.add(demand.max!, ordering: .acquiringAndReleasing)
  }

  func cancel() {}
}

/// Checks that an operator requests all demand once that it keeps until its upstream's subscription arrives.
///
/// The requests and the subscription arrive on different threads.
///
/// - Parameters:
///   - extra: The demand that the operator requests in addition.
///   - make: A closure that applies the operator.
func expectPendingDemandRequestedOnce<P: Publisher>(
  extra: Int,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ make: (TestUpstream) -> P
) {
  for _ in 0..<200 {
    let upstream = TestUpstream(subscription: nil)
    let subscriber = RecordingSubscriber<P.Output, P.Failure>()
    make(upstream).subscribe(subscriber)
    // Only one thread uses each of them.
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
