import CombineCore
import TestSupport
import Testing

/// An operator that ends makes a call before it completes its downstream.
///
/// The call cancels the upstream, or delivers a last value to the downstream. A downstream that cancels during that
/// call receives nothing more.
@Suite struct CancelDuringTheEndTests {

  private typealias Operator = (TestUpstream) -> AnyPublisher<String, any Error>

  private func erase<P: Publisher>(_ publisher: P) -> AnyPublisher<String, any Error> {
    publisher.map { "\($0)" }.mapError { $0 as any Error }.eraseToAnyPublisher()
  }

  /// The operators that end at a value and cancel the upstream.
  private var ending: [(name: String, apply: Operator)] {
    [
      ("tryMap", { erase($0.tryMap { _ in throw "x" as TestError }.map { (value: Int) in value }) }),
      ("tryScan", { erase($0.tryScan(0) { _, _ in throw "x" as TestError }) }),
      ("tryFilter", { erase($0.tryFilter { _ in throw "x" as TestError }) }),
      ("tryCompactMap", { erase($0.tryCompactMap { _ -> Int? in throw "x" as TestError }) }),
      ("encode", { erase($0.encode(encoder: Refusing())) }),
      ("decode", { erase($0.decode(type: Int.self, decoder: Refusing())) }),
      ("tryReduce", { erase($0.tryReduce(0) { _, _ in throw "x" as TestError }) }),
      ("tryDrop(while:)", { erase($0.tryDrop { _ in throw "x" as TestError }) }),
      ("tryPrefix(while:)", { erase($0.tryPrefix { _ in throw "x" as TestError }) }),
      ("prefix(while:)", { erase($0.prefix { _ in false }) }),
      ("prefix(0)", { erase($0.prefix(0)) }),
      ("first", { erase($0.first()) }),
      ("contains", { erase($0.contains(5)) }),
    ]
  }

  private struct Refusing: TopLevelEncoder, TopLevelDecoder {
    func encode<T: Encodable>(_ value: T) throws -> Int { throw "x" as TestError }
    func decode<T: Decodable>(_ type: T.Type, from input: Int) throws -> T { throw "x" as TestError }
  }

  @Test func cancelDuringTheUpstreamsCancelSuppressesTheCompletion() {
    for (name, apply) in ending {
      let subscriber = RecordingSubscriber<String, any Error>(requesting: .unlimited)
      let subscription = ManualSubscription(onCancel: { subscriber.cancel() })
      let upstream = TestUpstream(subscription: subscription)
      apply(upstream).subscribe(subscriber)
      subscriber.clear()
      upstream.send(5)
      #expect(subscriber.events == [], "\(name)")
      #expect(subscription.history.count { $0 == .cancelled } == 1, "\(name)")
    }
  }

  @Test func withoutACancelTheCompletionIsDelivered() {
    for (name, apply) in ending {
      let subscriber = RecordingSubscriber<String, any Error>(requesting: .unlimited)
      let upstream = TestUpstream()
      apply(upstream).subscribe(subscriber)
      upstream.send(5)
      #expect(subscriber.events.last.map { $0 == .finished || $0 == .failure("x") } == true, "\(name)")
    }
  }

  /// The operators that send a last value when the upstream completes, and then finish.
  private var sendingLast:
    [(name: String, value: String, completion: Subscribers.Completion<TestError>, apply: Operator)]
  {
    [
      ("reduce", "5", .finished, { erase($0.reduce(0, +)) }),
      ("count", "1", .finished, { erase($0.count()) }),
      ("last", "5", .finished, { erase($0.last()) }),
      ("collect(3)", "[5]", .finished, { erase($0.collect(3)) }),
      ("replaceEmpty", "7", .finished, { erase($0.filter { _ in false }.replaceEmpty(with: 7)) }),
      ("replaceError", "7", .failure("x"), { erase($0.filter { _ in false }.replaceError(with: 7)) }),
    ]
  }

  @Test func cancelDuringTheLastValueSuppressesTheFinish() {
    for (name, value, completion, apply) in sendingLast {
      let subscriber = RecordingSubscriber<String, any Error>(requesting: .unlimited)
      let upstream = TestUpstream()
      apply(upstream).subscribe(subscriber)
      subscriber.clear()
      subscriber.onValue = { [unowned subscriber] _ in
        subscriber.cancel()
        return .none
      }
      upstream.send(5)
      upstream.send(completion: completion)
      #expect(subscriber.events == [.value(value)], "\(name)")
    }
  }

  @Test func withoutACancelAFinishFollowsTheLastValue() {
    for (name, value, completion, apply) in sendingLast {
      let subscriber = RecordingSubscriber<String, any Error>(requesting: .unlimited)
      let upstream = TestUpstream()
      apply(upstream).subscribe(subscriber)
      subscriber.clear()
      upstream.send(5)
      upstream.send(completion: completion)
      #expect(subscriber.events == [.value(value), .finished], "\(name)")
    }
  }

  @Test func cancelDuringAResultThatWaitedForDemandSuppressesTheFinish() {
    let upstream = TestUpstream()
    let subscriber = RecordingSubscriber<Int, TestError>()
    subscriber.onValue = { [unowned subscriber] _ in
      subscriber.cancel()
      return .none
    }
    upstream.first().subscribe(subscriber)
    upstream.send(5)
    subscriber.request(.max(1))
    #expect(subscriber.events == [.subscription("First"), .value(5)])
  }

  // MARK: Operators with two publishers

  @Test func cancelDuringTheOtherPublishersCancelSuppressesTheCompletion() {
    let upstream = TestUpstream()
    let subscriber = RecordingSubscriber<Int, TestError>()
    let other = TestUpstream(subscription: ManualSubscription(onCancel: { subscriber.cancel() }))
    upstream.prefix(untilOutputFrom: other).subscribe(subscriber)
    subscriber.clear()
    upstream.send(completion: .finished)
    #expect(subscriber.events == [])
    #expect(other.history == [.requested(.max(1)), .cancelled])
  }

  @Test func cancelDuringTheUpstreamsCancelSuppressesTheFinishByTheOtherPublishersValue() {
    let subscriber = RecordingSubscriber<Int, TestError>()
    let upstream = TestUpstream(subscription: ManualSubscription(onCancel: { subscriber.cancel() }))
    let other = TestUpstream()
    upstream.prefix(untilOutputFrom: other).subscribe(subscriber)
    subscriber.clear()
    other.send(1)
    #expect(subscriber.events == [])
    #expect(upstream.history == [.cancelled])
  }

  @Test func cancelDuringTheUpstreamsCancelSuppressesTheOtherPublishersCompletion() {
    let subscriber = RecordingSubscriber<Int, TestError>()
    let upstream = TestUpstream(subscription: ManualSubscription(onCancel: { subscriber.cancel() }))
    let other = TestUpstream()
    upstream.drop(untilOutputFrom: other).subscribe(subscriber)
    subscriber.clear()
    other.send(completion: .finished)
    #expect(subscriber.events == [])
    #expect(upstream.history == [.cancelled])
  }
}
