import TestSupport
import Testing

@testable import CombineCore

/// Tests of failures. `AsyncPublisherTests` tests the rest, for both kinds.
@MainActor
@Suite struct AsyncThrowingPublisherTests {

  private func iterate(
    over upstream: ManualPublisher<Int, TestError> = ManualPublisher()
  ) -> Iteration<TestError> {
    Iteration(over: upstream, upstream.values.makeAsyncIterator()) {
      (upstream.subscriber as! AsyncSubscriber<Int, TestError>).state.waiterCount
    }
  }

  @Test func theOldestWaitThrowsTheFailure() async throws {
    let iteration = iterate()
    let tasks = [await iteration.wait(), await iteration.wait(), await iteration.wait()]
    iteration.upstream.send(completion: .failure("oops"))
    await #expect(throws: TestError("oops")) { try await tasks[0].value }
    for task in tasks[1...] { #expect(try await task.value == nil) }
    #expect(try await iteration.next() == nil)
    #expect(!iteration.history.contains(.cancelled))
  }

  @Test func aFailureWithoutAWaitIsThrownByTheNextCall() async throws {
    let iteration = iterate()
    iteration.upstream.send(completion: .failure("oops"))
    iteration.upstream.send(completion: .failure("late"))
    iteration.upstream.send(completion: .finished)
    await #expect(throws: TestError("oops")) { try await iteration.next() }
    #expect(try await iteration.next() == nil)
    #expect(iteration.history == [])
  }

  @Test func aFailureBeforeTheSubscriptionCancelsIt() async throws {
    let iteration = iterate(over: ManualPublisher(subscription: nil))
    let task = await iteration.wait()
    iteration.upstream.send(completion: .failure("oops"))
    await #expect(throws: TestError("oops")) { try await task.value }
    let subscription = ManualSubscription()
    iteration.upstream.send(subscription: subscription)
    #expect(subscription.history == [.cancelled])
  }

  @Test func aCancelDropsAStoredFailure() async throws {
    let iteration = iterate()
    iteration.upstream.send(completion: .failure("oops"))
    #expect(try await iteration.nextWhenCancelled() == nil)
    #expect(try await iteration.next() == nil)
    #expect(iteration.history == [])
  }

  private final class CountedError: Error, Sendable {

    let onDeinit: @Sendable () -> Void

    init(_ onDeinit: @escaping @Sendable () -> Void) {
      self.onDeinit = onDeinit
    }

    deinit {
      onDeinit()
    }
  }

  @Test func aFailureIsNotKeptOnceThrown() async {
    let released = Guarded(0)
    let upstream = ManualPublisher<Int, CountedError>()
    var iterator = upstream.values.makeAsyncIterator()
    upstream.send(completion: .failure(CountedError { released.withLock { $0 += 1 } }))
    #expect(released.withLock { $0 } == 0)
    do {
      _ = try await iterator.next()
      Issue.record("nothing was thrown")
    } catch {}
    #expect(released.withLock { $0 } == 1)
  }

  @Test func aLoopThrowsAndIgnoresTheRest() async {
    var values: [Int] = []
    let subject = CurrentValueSubject<Int, TestError>(1)
    do {
      for try await value in subject.values {
        values.append(value)
        subject.send(completion: .failure("oops"))
      }
      Issue.record("nothing was thrown")
    } catch {
      #expect(error as? TestError == "oops")
    }
    #expect(values == [1])
  }

  @Test func aPublisherThatCannotFailHasASequenceThatCannotThrow() async throws {
    let sequence = Just(1).values
    #expect(type(of: sequence) == AsyncPublisher<Just<Int>>.self)
    let throwing: AsyncThrowingPublisher = Just(1).values
    for try await value in throwing { #expect(value == 1) }
    #expect(type(of: Fail<Int, TestError>(error: "oops").values) == AsyncThrowingPublisher<Fail<Int, TestError>>.self)
  }
}
