import CombineExtras
import CombineTesting
import TestSupport
import Testing

@Suite struct FinallyTests {

  private typealias Downstream = RecordingSubscriber<Int, TestError>

  private static func log(
    _ events: Guarded<[String]>,
    of upstream: ManualPublisher<Int, TestError>
  ) -> Downstream {
    let downstream = Downstream(requesting: .unlimited)
    downstream.onCompletion = { _ in events.withLock { $0.append("completion") } }
    upstream.subscription?.onCancel = { events.withLock { $0.append("cancel") } }
    upstream.finally { events.withLock { $0.append("finally") } }.subscribe(downstream)
    return downstream
  }

  @Test func runsAfterTheCompletion() {
    let events = Guarded<[String]>([])
    let upstream = ManualPublisher<Int, TestError>()
    let downstream = Self.log(events, of: upstream)
    upstream.send(1)
    #expect(events.withLock { $0 } == [])
    upstream.send(completion: .finished)
    downstream.cancel()
    #expect(events.withLock { $0 } == ["completion", "finally"])
  }

  @Test func runsAfterAFailure() {
    let events = Guarded<[String]>([])
    let upstream = ManualPublisher<Int, TestError>()
    withExtendedLifetime(Self.log(events, of: upstream)) {
      upstream.send(completion: .failure("wrong"))
      #expect(events.withLock { $0 } == ["completion", "finally"])
    }
  }

  @Test func runsOnceAfterACancel() {
    let events = Guarded<[String]>([])
    let upstream = ManualPublisher<Int, TestError>()
    let downstream = Self.log(events, of: upstream)
    downstream.cancel()
    downstream.cancel()
    upstream.send(completion: .finished)
    #expect(events.withLock { $0 } == ["cancel", "finally"])
  }

  @Test func runsWhenASubscriptionWithoutAnEndIsReleased() {
    let events = Guarded<[String]>([])
    let upstream = ManualPublisher<Int, TestError>()
    let downstream = Self.log(events, of: upstream)
    downstream.dropSubscription()
    #expect(events.withLock { $0 } == [])
    upstream.dropSubscriber()
    #expect(events.withLock { $0 } == ["finally"])
  }

  @Test func runsOnceIfTheCompletionCancels() {
    let events = Guarded<[String]>([])
    let upstream = ManualPublisher<Int, TestError>()
    let downstream = Self.log(events, of: upstream)
    downstream.onCompletion = { [unowned downstream] _ in downstream.cancel() }
    upstream.send(completion: .finished)
    #expect(events.withLock { $0 } == ["finally"])
  }

  @Test func runsForEachSubscription() {
    let count = Guarded(0)
    let publisher = [1, 2].publisher.finally { count.withLock { $0 += 1 } }
    for _ in 1...2 { _ = publisher.sink { _ in } }
    #expect(count.withLock { $0 } == 2)
  }

  @Test func aCancelDuringTheSubscriptionRunsItAndDoesNotSubscribe() {
    let count = Guarded(0)
    let upstream = ManualPublisher<Int, TestError>()
    let downstream = Downstream(onSubscription: { $0.cancel() })
    upstream.finally { count.withLock { $0 += 1 } }.subscribe(downstream)
    #expect(count.withLock { $0 } == 1)
    #expect(upstream.subscribeCount == 0)
  }

  @Test func aCompletionBeforeTheSubscriptionIsPassedOn() {
    let upstream = ManualPublisher<Int, TestError>(subscription: nil)
    let downstream = RecordingSubscriber<Int, TestError>()
    var count = 0
    upstream.finally { count += 1 }.subscribe(downstream)
    upstream.send(completion: .finished)
    upstream.send(completion: .failure("late"))
    #expect(downstream.events.dropFirst() == [.finished])
    #expect(count == 1)
  }
}
