import Combine
import CombineTesting
import Foundation
import TestSupport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// Every trap of the specification, except those that cannot be reached and those of the standard library's arithmetic:
// the overflow of a stride, and a range expression out of bounds.

private typealias Upstream = ManualPublisher<Int, TestError>

private let zeroDemand = "API Violation: demand must not be zero"
private let valueBeyondDemand = "API Violation: received a value for which there was no demand"
private let failureOutOfTurn = "Unexpected state: received completion but do not have subscription"

extension Trap {

  static let all =
    demand + laterDemand + order + beyondDemand + reentrance + arguments + recordings + extras
    + channels + streams

  // MARK: Zero requests

  private static let demand: [Trap] = [
    zero("PassthroughSubject") { PassthroughSubject<Int, TestError>() },
    zero("CurrentValueSubject") { CurrentValueSubject<Int, TestError>(1) },
    zero("PublishedSubject") { Model().$number },
    zero("Just") { Just(1) },
    zero("TestablePublisher") { TestScheduler().createRelativeTestablePublisher(TestSequence<Int, TestError>()) },
    zero("Optional.Publisher") { Int?(1).publisher },
    zero("Result.Publisher") { Result<Int, TestError>.success(1).publisher },
    zero("Future") { Future<Int, TestError> { _ in } },
    zero("TryFilter") { Upstream().tryFilter { $0 > 1 } },
    zero("TryCompactMap") { Upstream().tryCompactMap { $0 as Int? } },
    zero("RemoveDuplicates") { Upstream().removeDuplicates() },
    zero("TryRemoveDuplicates") { Upstream().tryRemoveDuplicates { $0 == $1 } },
    zero("ReplaceEmpty") { Upstream().replaceEmpty(with: 1) },
    zero("ReplaceError") { Upstream().replaceError(with: 1) },
    zero("Reduce") { Upstream().reduce(0) { $0 + $1 } },
    zero("TryReduce") { Upstream().tryReduce(0) { $0 + $1 } },
    zero("Comparison") { Upstream().min() },
    zero("Comparison") { Upstream().max { $0 < $1 } },
    zero("TryComparison") { Upstream().tryMax { $0 < $1 } },
    zero("Count") { Upstream().count() },
    zero("Collect") { Upstream().collect() },
    zero("CollectByCount") { Upstream().collect(2) },
    zero("AllSatisfy") { Upstream().allSatisfy { $0 > 1 } },
    zero("TryAllSatisfy") { Upstream().tryAllSatisfy { $0 > 1 } },
    zero("Contains") { Upstream().contains(1) },
    zero("ContainsWhere") { Upstream().contains { $0 > 1 } },
    zero("TryContainsWhere") { Upstream().tryContains { $0 > 1 } },
    zero("First") { Upstream().first() },
    zero("TryFirst") { Upstream().first { $0 > 1 } },
    zero("TryFirstWhere") { Upstream().tryFirst { $0 > 1 } },
    zero("Last") { Upstream().last() },
    zero("LastWhere") { Upstream().last { $0 > 1 } },
    zero("TryLastWhere") { Upstream().tryLast { $0 > 1 } },
    zero("Drop") { Upstream().dropFirst() },
    zero("DropWhile") { Upstream().drop { $0 > 1 } },
    zero("TryDropWhile") { Upstream().tryDrop { $0 > 1 } },
    zero("PrefixWhile") { Upstream().prefix { $0 > 1 } },
    zero("TryPrefixWhile") { Upstream().tryPrefix { $0 > 1 } },
    zero("CombineLatest") { Upstream().combineLatest(Upstream()) },
    zero("CombineLatest") { Upstream().combineLatest(Upstream(), Upstream()) },
    zero("CombineLatest") { Upstream().combineLatest(Upstream(), Upstream(), Upstream()) },
    zero("Zip") { Upstream().zip(Upstream()) },
    zero("Zip") { Upstream().zip(Upstream(), Upstream()) },
    zero("Zip") { Upstream().zip(Upstream(), Upstream(), Upstream()) },
    zero("FlatMap") { Upstream().flatMap { _ in Upstream() } },
    zero("SwitchToLatest") { Upstream().map { _ in Upstream() }.switchToLatest() },
    zero("Catch") { Upstream().catch { _ in Upstream() } },
    zero("TryCatch") { Upstream().tryCatch { _ in Upstream() } },
    zero("DataTaskPublisher") { URLSession.shared.dataTaskPublisher(for: URL(string: "http://127.0.0.1")!) },
  ]

  private final class Model {
    @Published var number = 1
  }

  static func zero<P: Publisher & SendableMetatype>(
    _ operation: String,
    after call: @escaping @Sendable (RecordingSubscriber<P.Output, P.Failure>) -> Void = { _ in },
    of publisher: @escaping @Sendable () -> P
  ) -> Trap {
    Trap(operation, zeroDemand) {
      let subscriber = RecordingSubscriber<P.Output, P.Failure>()
      publisher().subscribe(subscriber)
      call(subscriber)
      subscriber.request(.none)
    }
  }

  /// Requests for nothing after the end, or after another request.
  private static let laterDemand: [Trap] = [
    zero("PassthroughSubject", after: { $0.cancel() }) { PassthroughSubject<Int, TestError>() },
    zero("CurrentValueSubject", after: { $0.cancel() }) { CurrentValueSubject<Int, TestError>(1) },
    zero("PublishedSubject", after: { $0.cancel() }) { Model().$number },
    zero("CombineLatest", after: { $0.cancel() }) { Upstream().combineLatest(Upstream()) },
    zero("Zip", after: { $0.cancel() }) { Upstream().zip(Upstream()) },
    zero("FlatMap", after: { $0.cancel() }) { Upstream().flatMap { _ in Upstream() } },
    zero("SwitchToLatest", after: { $0.cancel() }) { Upstream().map { _ in Upstream() }.switchToLatest() },
    zero("Catch", after: { $0.cancel() }) { Upstream().catch { _ in Upstream() } },
    zero("TryCatch", after: { $0.cancel() }) { Upstream().tryCatch { _ in Upstream() } },
    zero("DataTaskPublisher", after: { $0.cancel() }) {
      URLSession.shared.dataTaskPublisher(for: URL(string: "http://127.0.0.1")!)
    },
    Trap("PassthroughSubject", zeroDemand) {
      let subject = PassthroughSubject<Int, TestError>()
      let subscriber = RecordingSubscriber<Int, TestError>()
      subject.subscribe(subscriber)
      subject.send(completion: .finished)
      subscriber.request(.none)
    },
    Trap("CurrentValueSubject", zeroDemand) {
      let subject = CurrentValueSubject<Int, TestError>(1)
      let subscriber = RecordingSubscriber<Int, TestError>()
      subject.subscribe(subscriber)
      subject.send(completion: .finished)
      subscriber.request(.none)
    },
    zeroDuringSubscription("Just", after: { $0.cancel() }) { Just(1) },
    zeroDuringSubscription("Just", after: { $0.request(.max(1)) }) { Just(1) },
    zeroDuringSubscription("Future", after: { $0.cancel() }) { Future<Int, TestError> { _ in } },
    zeroDuringSubscription("Future", after: { $0.request(.max(1)) }) { Future<Int, TestError> { $0(.success(1)) } },
    zeroDuringSubscription("Future") { Future<Int, TestError> { $0(.success(1)) } },
    zeroDuringSubscription("Future") { Future<Int, TestError> { $0(.failure("oops")) } },
  ]

  /// A request for nothing while the subscriber receives its subscription.
  private static func zeroDuringSubscription<P: Publisher & SendableMetatype>(
    _ operation: String,
    after call: @escaping @Sendable (any Subscription) -> Void = { _ in },
    of publisher: @escaping @Sendable () -> P
  ) -> Trap {
    Trap(operation, zeroDemand) {
      publisher().subscribe(
        RecordingSubscriber<P.Output, P.Failure>(onSubscription: {
          call($0)
          $0.request(.none)
        })
      )
    }
  }

  // MARK: Events out of order

  private static let order: [Trap] =
    early("TryFilter") { $0.tryFilter { $0 > 1 } }
    + early("TryCompactMap") { $0.tryCompactMap { $0 as Int? } }
    + early("RemoveDuplicates") { $0.removeDuplicates() }
    + early("TryRemoveDuplicates") { $0.tryRemoveDuplicates { $0 == $1 } }
    + early("PrefixWhile") { $0.prefix { $0 > 1 } }
    + early("TryPrefixWhile") { $0.tryPrefix { $0 > 1 } }
    + [
      Trap("FlatMap", "API Violation: received an unexpected completion, inside the cancel of an inner publisher") {
        let (upstream, child) = (Upstream(), Upstream())
        upstream.flatMap { _ in child }.subscribe(RecordingSubscriber())
        upstream.send(1)
        child.subscription!.onCancel = { upstream.send(completion: .failure("again")) }
        upstream.send(completion: .failure("first"))
      },
      Trap("SwitchToLatest", "Unexpected completion of a publisher that has sent no subscription") {
        completeAwaitedChild(.finished)
      },
      Trap("SwitchToLatest", "Unexpected completion of a publisher that has sent no subscription") {
        completeAwaitedChild(.failure("child"))
      },
      Trap("Catch", failureOutOfTurn) {
        let upstream = Upstream(subscription: nil)
        upstream.catch { _ in Upstream() }.subscribe(RecordingSubscriber())
        upstream.send(completion: .failure("before the subscription"))
      },
      Trap("Catch", failureOutOfTurn) {
        let upstream = Upstream()
        upstream.catch { _ in Upstream() }.subscribe(RecordingSubscriber())
        upstream.send(completion: .failure("first"))
        upstream.send(completion: .failure("second"))
      },
      Trap("Catch", failureOutOfTurn) {
        let upstream = Upstream()
        upstream.catch { _ in Upstream(subscription: nil) }.subscribe(RecordingSubscriber())
        upstream.send(completion: .failure("first"))
        upstream.send(completion: .failure("while it is replaced"))
      },
      Trap("TryCatch", failureOutOfTurn) {
        let upstream = Upstream()
        upstream.tryCatch { _ in Upstream() }.subscribe(RecordingSubscriber())
        upstream.send(completion: .failure("first"))
        upstream.send(completion: .failure("second"))
      },
      Trap("TryCatch", failureOutOfTurn) {
        let upstream = Upstream()
        upstream.tryCatch { _ in
          upstream.send(completion: .failure("inside the handler"))
          return Upstream()
        }.subscribe(RecordingSubscriber())
        upstream.send(completion: .failure("first"))
      },
    ]

  /// The events that must not come before the subscription.
  private static func early<P: Publisher & SendableMetatype>(
    _ operation: String,
    _ apply: @escaping @Sendable (Upstream) -> P
  ) -> [Trap] {
    @Sendable func attached() -> Upstream {
      let upstream = Upstream(subscription: nil)
      apply(upstream).subscribe(RecordingSubscriber<P.Output, P.Failure>())
      return upstream
    }
    return [
      Trap(operation, "Invalid state: Received value before receiving subscription") { attached().send(1) },
      Trap(operation, "Invalid state: Received completion before receiving subscription") {
        attached().send(completion: .finished)
      },
      Trap(operation, "Invalid state: Received completion before receiving subscription") {
        attached().send(completion: .failure("early"))
      },
      Trap(operation, "Invalid state: Received request before sending subscription") {
        (attached().subscriber as! any Subscription).request(.max(1))
      },
    ]
  }

  private static func completeAwaitedChild(_ completion: Subscribers.Completion<TestError>) {
    let (upstream, child) = (ManualPublisher<Upstream, TestError>(), Upstream(subscription: nil))
    upstream.switchToLatest().subscribe(RecordingSubscriber())
    upstream.send(child)
    child.send(completion: completion)
  }

  // MARK: Values beyond demand

  private static let beyondDemand = [
    Trap("ReplaceError", valueBeyondDemand) { sendTwo { $0.replaceError(with: 1) } },
    Trap("DropUntilOutput", valueBeyondDemand) { sendTwo { $0.drop(untilOutputFrom: Upstream()) } },
    Trap("Catch", valueBeyondDemand) { sendTwo { $0.catch { _ in Upstream() } } },
    Trap("TryCatch", valueBeyondDemand) { sendTwo { $0.tryCatch { _ in Upstream() } } },
    Trap("Retry", valueBeyondDemand) { sendTwo { $0.retry(1) } },
    Trap("TryCatch", valueBeyondDemand) {
      let upstream = Upstream()
      upstream.tryCatch { _ in Upstream() }.subscribe(RecordingSubscriber())
      upstream.send(1)
    },
    Trap("Catch", valueBeyondDemand) {
      // After the end too, if the demand was finite.
      let upstream = Upstream()
      upstream.catch { _ in Upstream() }.subscribe(RecordingSubscriber())
      upstream.send(completion: .finished)
      upstream.send(1)
    },
    Trap("Retry", valueBeyondDemand) {
      let upstream = Upstream(subscription: nil)
      upstream.retry(1).subscribe(RecordingSubscriber())
      upstream.send(1)
    },
    Trap("SwitchToLatest", valueBeyondDemand) {
      let (upstream, child) = (ManualPublisher<Upstream, TestError>(), Upstream())
      upstream.switchToLatest().subscribe(RecordingSubscriber(requesting: .max(1)))
      upstream.send(child)
      child.send(1)
      child.send(2)
    },
    Trap("Publisher.values", "Received an output without requesting demand") {
      let upstream = ManualPublisher<Int, Never>()
      let iterator = upstream.values.makeAsyncIterator()
      withExtendedLifetime(iterator) { _ = upstream.send(1) }
    },
    Trap("Publisher.values", "Received an output without requesting demand") {
      let upstream = Upstream()
      let iterator = upstream.values.makeAsyncIterator()
      withExtendedLifetime(iterator) { _ = upstream.send(1) }
    },
  ]

  private static func sendTwo<P: Publisher>(_ apply: (Upstream) -> P) {
    let upstream = Upstream()
    apply(upstream).subscribe(RecordingSubscriber<P.Output, P.Failure>(requesting: .max(1)))
    upstream.send(1)
    upstream.send(2)
  }

  // MARK: Reentrancy

  private static let reentrance = [
    Trap("Buffer", insideCustomError) { overflow { upstream, _ in upstream.send(9) } },
    Trap("Buffer", insideCustomError) { overflow { upstream, _ in upstream.send(completion: .finished) } },
    Trap("Buffer", insideCustomError) { overflow { _, subscriber in subscriber.request(.max(1)) } },
    Trap("Buffer", insideCustomError) { overflow { _, subscriber in subscriber.cancel() } },
    Trap("SubscribeOn", "a request was run inside another request on the same thread") {
      let upstream = Upstream()
      let subscriber = RecordingSubscriber<Int, TestError>()
      upstream.subscription!.onRequest = { _ in
        if upstream.history.count < 3 { subscriber.request(.max(1)) }
      }
      upstream.subscribe(on: ImmediateScheduler.shared).subscribe(subscriber)
      subscriber.request(.max(1))
    },
    Trap("Multicast", "createSubject uses the publisher that it makes the subject for") {
      var multicast: Publishers.Multicast<Upstream, PassthroughSubject<Int, TestError>>?
      multicast = Upstream().multicast {
        _ = multicast?.connect()
        return PassthroughSubject()
      }
      _ = multicast?.connect()
    },
  ]

  private static let insideCustomError = "the closure of customError must not call the buffer that calls it"

  private static func overflow(_ reenter: @escaping (Upstream, RecordingSubscriber<Int, TestError>) -> Void) {
    let upstream = Upstream()
    let subscriber = RecordingSubscriber<Int, TestError>()
    let whenFull = Publishers.BufferingStrategy<TestError>.customError {
      reenter(upstream, subscriber)
      return "full"
    }
    upstream.buffer(size: 1, prefetch: .byRequest, whenFull: whenFull).subscribe(subscriber)
    upstream.send(1)
    upstream.send(2)
  }

  // MARK: Arguments

  private static let arguments = [
    Trap("Subscribers.Demand.max(_:)", "a demand cannot be negative") { _ = Subscribers.Demand.max(-1) },
    Trap("Subscribers.Demand.+", "a demand cannot be negative") { _ = Subscribers.Demand.max(1) + -2 },
    Trap("Subscribers.Demand.-", "a demand cannot be negative") { _ = Subscribers.Demand.max(1) - 2 },
    Trap("Subscribers.Demand.-", "a demand cannot be negative") { _ = Subscribers.Demand.max(1) - .max(2) },
    Trap("Subscribers.Demand.*", "a demand cannot be negative") { _ = Subscribers.Demand.max(1) * -1 },
    Trap("dropFirst(_:)", "count must not be negative") { _ = Just(1).dropFirst(-1) },
    Trap("dropFirst(_:)", "count must not be negative") { _ = Int?(1).publisher.dropFirst(-1) },
    Trap("dropFirst(_:)", "count must not be negative") { _ = [1].publisher.dropFirst(-1) },
    Trap("Drop", "count must not be negative") { Upstream().dropFirst(-1).subscribe(RecordingSubscriber()) },
    Trap("CollectByCount", "count must not be negative") {
      Upstream().collect(-1).subscribe(RecordingSubscriber(requesting: .max(1)))
    },
    Trap("prefix(_:)", "maxLength must not be negative") { _ = Just(1).prefix(-1) },
    Trap("prefix(_:)", "maxLength must not be negative") { _ = Int?(1).publisher.prefix(-1) },
    Trap("prefix(_:)", "maxLength must not be negative") { _ = [1].publisher.prefix(-1) },
    Trap("prefix(_:)", "maxLength must not be negative") { _ = Upstream().prefix(-1) },
    Trap("output(at:)", "index must not be negative") { _ = Just(1).output(at: -1) },
    Trap("output(at:)", "index must not be negative") { _ = Int?(1).publisher.output(at: -1) },
    Trap("output(at:)", "index must not be negative") { _ = Upstream().output(at: -1) },
    Trap("output(at:)", "index must be less than Int.max") { _ = Upstream().output(at: .max) },
    Trap("output(in:)", "lowerBound must not be negative") { _ = Int?(1).publisher.output(in: -1..<4) },
    Trap("output(in:)", "upperBound must be less than Int.max - 1") { _ = Int?(1).publisher.output(in: 0...) },
    Trap("Output", "lowerBound must not be negative") { _ = Upstream().output(in: -1..<4) },
    Trap("Output", "upperBound must not be negative") {
      // A checked range would not allow this.
      _ = Upstream().output(in: unsafeBitCast((0, -1), to: Range<Int>.self))
    },
    Trap("Buffer", "size must not be negative") {
      Upstream().buffer(size: -1, prefetch: .keepFull, whenFull: .dropNewest).subscribe(RecordingSubscriber())
    },
    Trap("DispatchQueue.SchedulerTimeType.Stride.seconds(_:)", "the number of seconds must be a number") {
      _ = DispatchQueue.SchedulerTimeType.Stride.seconds(.nan)
    },
    Trap("VirtualTimeInterval.seconds(_:)", "the number of seconds must be a number") {
      _ = VirtualTimeInterval.seconds(.nan)
    },
    // The client gives its message.
    Trap("the invariant", "broken") {
      Fail<Int, TestError>(error: "broken").assertNoFailure("the invariant").subscribe(RecordingSubscriber())
    },
  ]

  // MARK: Recordings

  private static let recordings = [
    Trap("Record.Recording", "a value cannot be recorded after the completion") {
      var recording = Record<Int, TestError>.Recording(output: [1])
      recording.receive(2)
    },
    Trap("Record.Recording", "a value cannot be recorded after the completion") {
      var recording = Record<Int, TestError>.Recording()
      recording.receive(completion: .finished)
      recording.receive(2)
    },
    Trap("Record.Recording", "a value cannot be recorded after the completion") {
      let data = Data(#"{"output":[1],"completion":{"success":true}}"#.utf8)
      guard var recording = try? JSONDecoder().decode(Record<Int, TestError>.Recording.self, from: data) else { return }
      recording.receive(2)
    },
    Trap("Record.Recording", "a second completion cannot be recorded") {
      var recording = Record<Int, TestError>.Recording(output: [1])
      recording.receive(completion: .finished)
    },
    Trap("Record.Recording", "a second completion cannot be recorded") {
      var recording = Record<Int, TestError>.Recording()
      recording.receive(completion: .finished)
      recording.receive(completion: .finished)
    },
  ]
}
