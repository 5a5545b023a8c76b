import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import CombineCore
@testable import CombineThreads

/// The behaviour of both kinds of sequences. `AsyncThrowingPublisherTests` tests failures.
@MainActor
@Suite struct AsyncPublisherTests {

  private func iterate(over upstream: ManualPublisher<Int, Never> = ManualPublisher()) -> Iteration<Never> {
    Iteration(over: upstream, upstream.values.makeAsyncIterator()) { upstream.waiterCount }
  }

  private func iterateThrowing(
    over upstream: ManualPublisher<Int, TestError> = ManualPublisher()
  ) -> Iteration<TestError> {
    Iteration(over: upstream, upstream.values.makeAsyncIterator()) { upstream.waiterCount }
  }

  // MARK: Stack

  /// Runs on a thread of the pool, whose stack would overflow.
  @Test nonisolated func manySynchronousValuesTakeNoStack() async {
    var count = 0
    for await _ in Publishers.Sequence<Range<Int>, Never>(sequence: 0..<100_000).values { count += 1 }
    #expect(count == 100_000)
  }

  // MARK: Demand

  @Test func subscribesOnceForEachIteratorAndRequestsNothing() async throws {
    try await subscribes(iterate())
    try await subscribes(iterateThrowing())
    let upstream = ManualPublisher<Int, Never>()
    let sequence = AsyncPublisher(upstream)
    #expect(upstream.subscribeCount == 0)
    let iterators = [sequence.makeAsyncIterator(), sequence.makeAsyncIterator()]
    #expect(upstream.subscribeCount == 2)
    withExtendedLifetime(iterators) {}
  }

  private func subscribes<Failure>(_ iteration: Iteration<Failure>) async throws {
    #expect(iteration.upstream.subscribeCount == 1)
    #expect(iteration.history == [])
  }

  @Test func eachNextRequestsOneValue() async throws {
    try await requestsOne(iterate())
    try await requestsOne(iterateThrowing())
  }

  private func requestsOne<Failure>(_ iteration: Iteration<Failure>) async throws {
    let tasks = [await iteration.wait(), await iteration.wait(), await iteration.wait()]
    #expect(iteration.history == [.requested(.max(1)), .requested(.max(1)), .requested(.max(1))])
    for value in 1...3 { #expect(iteration.upstream.send(value) == .none) }
    for (task, value) in zip(tasks, 1...3) { #expect(try await task.value == value) }
    #expect(iteration.history.count == 3)
  }

  @Test func demandBeforeTheSubscriptionIsRequestedAtOnce() async throws {
    try await requestsLate(iterate(over: ManualPublisher(subscription: nil)))
    try await requestsLate(iterateThrowing(over: ManualPublisher(subscription: nil)))
  }

  private func requestsLate<Failure>(_ iteration: Iteration<Failure>) async throws {
    let tasks = [await iteration.wait(), await iteration.wait(), await iteration.wait()]
    let subscription = ManualSubscription()
    iteration.upstream.send(subscription: subscription)
    #expect(subscription.history == [.requested(.max(3))])
    for value in 1...3 { iteration.upstream.send(value) }
    for (task, value) in zip(tasks, 1...3) { #expect(try await task.value == value) }
  }

  @Test func valuesMayBeSentDuringTheRequest() async {
    let upstream = ManualPublisher<Int, Never>()
    var value = 0
    upstream.subscription?.onRequest = { _ in
      value += 1
      upstream.send(value)
      if value == 3 { upstream.send(completion: .finished) }
    }
    var values: [Int] = []
    for await value in upstream.values { values.append(value) }
    #expect(values == [1, 2, 3])
    #expect(upstream.history == [.requested(.max(1)), .requested(.max(1)), .requested(.max(1))])
  }

  @Test func aCompletionMayBeSentDuringTheRequest() async {
    let upstream = ManualPublisher<Int, Never>()
    upstream.subscription?.onRequest = { _ in upstream.send(completion: .finished) }
    var iterator = upstream.values.makeAsyncIterator()
    #expect(await iterator.next() == nil)
    #expect(await iterator.next() == nil)
    #expect(upstream.history == [.requested(.max(1))])
  }

  // MARK: Values that are not buffered

  @Test func aPassthroughSubjectDropsValuesWhileNoTaskWaits() async {
    let subject = PassthroughSubject<Int, Never>()
    var iterator = subject.values.makeAsyncIterator()
    subject.send(1)
    subject.send(completion: .finished)
    #expect(await iterator.next() == nil)
  }

  @Test func aCurrentValueSubjectPublishesItsLatestValue() async {
    let subject = CurrentValueSubject<Int, Never>(0)
    var values: [Int] = []
    for await value in subject.values {
      values.append(value)
      subject.send(value + 1)
      subject.send(value + 2)
      if values.count == 3 { subject.send(completion: .finished) }
    }
    #expect(values == [0, 2, 4])
  }

  @Test func aSequenceIsReadToItsEndByEachIterator() async {
    let sequence = [1, 2, 3].publisher.values
    for _ in 0..<2 {
      var values: [Int] = []
      for await value in sequence { values.append(value) }
      #expect(values == [1, 2, 3])
    }
  }

  // MARK: The end

  @Test func theCompletionEndsAllWaitsAndTheUpstreamIsNotCancelled() async throws {
    try await ends(iterate())
    try await ends(iterateThrowing())
  }

  private func ends<Failure>(_ iteration: Iteration<Failure>) async throws {
    let tasks = [await iteration.wait(), await iteration.wait()]
    iteration.upstream.send(completion: .finished)
    for task in tasks { #expect(try await task.value == nil) }
    #expect(try await iteration.next() == nil)
    iteration.upstream.send(completion: .finished)
    iteration.upstream.send(9)
    #expect(try await iteration.nextWhenCancelled() == nil)
    iteration.dropIterator()
    #expect(iteration.history == [.requested(.max(1)), .requested(.max(1))])

    let late = ManualSubscription()
    iteration.upstream.send(subscription: late)
    #expect(late.history == [.cancelled])
  }

  @Test func aSecondSubscriptionIsCancelled() async throws {
    let iteration = iterate()
    let second = ManualSubscription()
    iteration.upstream.send(subscription: second)
    #expect(second.history == [.cancelled])
    iteration.upstream.send(subscription: iteration.upstream.subscription!)
    #expect(iteration.history == [.cancelled])
  }

  @Test func aValueBeforeTheSubscriptionEndsTheWaitButNotTheDemand() async throws {
    try await isEarly(iterate(over: ManualPublisher(subscription: nil)))
    try await isEarly(iterateThrowing(over: ManualPublisher(subscription: nil)))
  }

  private func isEarly<Failure>(_ iteration: Iteration<Failure>) async throws {
    let tasks = [await iteration.wait(), await iteration.wait()]
    #expect(iteration.upstream.send(1) == .none)
    for task in tasks { #expect(try await task.value == nil) }
    let subscription = ManualSubscription()
    iteration.upstream.send(subscription: subscription)
    #expect(subscription.history == [.requested(.max(2))])
  }

  @Test func aCompletionBeforeTheSubscriptionCancelsIt() async throws {
    let iteration = iterate(over: ManualPublisher(subscription: nil))
    let task = await iteration.wait()
    iteration.upstream.send(completion: .finished)
    #expect(try await task.value == nil)
    let subscription = ManualSubscription()
    iteration.upstream.send(subscription: subscription)
    #expect(subscription.history == [.cancelled])
  }

  // MARK: Cancellation

  @Test func cancellingOneTaskEndsTheIterationForAll() async throws {
    try await cancels(iterate())
    try await cancels(iterateThrowing())
  }

  private func cancels<Failure>(_ iteration: Iteration<Failure>) async throws {
    let tasks = [await iteration.wait(), await iteration.wait(), await iteration.wait()]
    tasks[1].cancel()
    for task in tasks { #expect(try await task.value == nil) }
    let requests = [ManualSubscription.Call](repeating: .requested(.max(1)), count: 3)
    #expect(iteration.history == requests + [.cancelled])
    #expect(try await iteration.next() == nil)
    tasks[0].cancel()
    iteration.upstream.send(1)
    iteration.upstream.send(completion: .finished)
    iteration.dropIterator()
    #expect(iteration.history.count == 4)
  }

  @Test func aCancelledTaskRequestsNothing() async throws {
    try await isCancelledBefore(iterate())
    try await isCancelledBefore(iterateThrowing())
  }

  private func isCancelledBefore<Failure>(_ iteration: Iteration<Failure>) async throws {
    #expect(try await iteration.nextWhenCancelled() == nil)
    #expect(iteration.history == [.cancelled])
  }

  @Test func aTaskMayBeCancelledInARequestThatWouldNotReturn() async {
    let hasBegun = Atomic<Bool>(false)
    let task = Task.detached {
      let numbers = Publishers.Sequence<PartialRangeFrom<Int>, Never>(sequence: 1...)
      let none = Publishers.Filter(upstream: numbers) { _ in
        hasBegun.store(true, ordering: .relaxed)
        return false
      }
      for await _ in none.values {}
      return true
    }
    while !hasBegun.load(ordering: .relaxed) { await Task.yield() }
    task.cancel()
    #expect(await task.value)
  }

  enum Moment: CaseIterable { case beforeTheValue, afterTheValue, withoutAValue, beforeTheEnd }

  @Test(arguments: Moment.allCases)
  func aTaskMayBeCancelledWithinItsRequest(moment: Moment) async throws {
    let upstream = ManualPublisher<Int, TestError>()
    upstream.subscription?.onRequest = { _ in
      if moment == .afterTheValue { upstream.send(1) }
      withUnsafeCurrentTask { $0?.cancel() }
      if moment == .beforeTheValue { upstream.send(1) }
      if moment == .beforeTheEnd { upstream.send(completion: .failure(TestError())) }
    }
    let task = Task { @MainActor in
      var iterator = upstream.values.makeAsyncIterator()
      return [try await iterator.next(), try await iterator.next()]
    }
    #expect(try await task.value == [moment == .afterTheValue ? 1 : nil, nil])
    #expect(upstream.history == [.requested(.max(1)), .cancelled])
  }

  @Test func aCancelBeforeTheSubscriptionCancelsItOnArrival() async throws {
    let iteration = iterate(over: ManualPublisher(subscription: nil))
    let tasks = [await iteration.wait(), await iteration.wait()]
    tasks[0].cancel()
    for task in tasks { #expect(try await task.value == nil) }
    let subscription = ManualSubscription()
    iteration.upstream.send(subscription: subscription)
    #expect(subscription.history == [.cancelled])
  }

  @Test func theUpstreamIsCancelledBeforeTheWaitingTasksContinue() async throws {
    let iteration = iterate()
    let task = await iteration.wait()
    var values: [Int?] = []
    let observer = Task { values.append(try await task.value) }
    iteration.upstream.subscription?.onCancel = { values.append(0) }
    task.cancel()
    try await observer.value
    #expect(values == [0, nil])
  }

  // MARK: Leaving early

  @Test func leavingALoopCancelsTheUpstream() async throws {
    let upstream = ManualPublisher<Int, Never>()
    upstream.subscription?.onRequest = { _ in upstream.send(1) }
    for await _ in upstream.values { break }
    #expect(upstream.history == [.requested(.max(1)), .cancelled])

    let subject = CurrentValueSubject<Int, TestError>(1)
    var cancelCount = 0
    let watched = subject.handleEvents(receiveCancel: { cancelCount += 1 })
    for try await _ in watched.values { break }
    #expect(cancelCount == 1)
  }

  @Test func releasingTheLastCopyOfAnIteratorCancelsTheUpstream() async {
    let upstream = ManualPublisher<Int, Never>()
    var first: AsyncPublisher<ManualPublisher<Int, Never>>.Iterator? = upstream.values.makeAsyncIterator()
    var second = first
    first = nil
    #expect(upstream.history == [])
    second = nil
    #expect(upstream.history == [.cancelled])
    withExtendedLifetime((first, second)) {}
  }

  @Test func aWaitingTaskKeepsTheIterationAlive() async throws {
    let iteration = iterate()
    let task = await iteration.wait()
    iteration.dropIterator()
    #expect(iteration.history == [.requested(.max(1))])
    iteration.upstream.send(1)
    #expect(try await task.value == 1)
    #expect(iteration.history == [.requested(.max(1)), .cancelled])
  }

  @Test func theCompletionReleasesTheSubscription() async throws {
    var releaseCount = 0
    for isFinished in [true, false] {
      let upstream = ManualPublisher<Int, Never>(subscription: nil)
      let iteration = iterate(over: upstream)
      upstream.send(subscription: ManualSubscription(onDeinit: { releaseCount += 1 }))
      #expect(releaseCount == (isFinished ? 0 : 1))
      if isFinished { upstream.send(completion: .finished) } else { _ = try await iteration.nextWhenCancelled() }
      #expect(releaseCount == (isFinished ? 1 : 2))
    }
  }

  @Test func theSubscriberHasNoDescriptionOfItsOwn() {
    let upstream = ManualPublisher<Int, Never>()
    let iterator = upstream.values.makeAsyncIterator()
    let subscriber: Any = upstream.subscriber!
    #expect(!(subscriber is any CustomStringConvertible))
    #expect(subscriber is any Cancellable)
    withExtendedLifetime(iterator) {}
  }

  // MARK: Actors

  @Test func requestsOnTheActorOfTheLoop() async {
    var threads = 0
    let upstream = ManualPublisher<Int, Never>()
    upstream.subscription?.onRequest = { _ in
      MainActor.assertIsolated()
      threads += 1
      upstream.send(threads)
    }
    var iterator = upstream.values.makeAsyncIterator()
    #expect(await iterator.next() == 1)
    #expect(await iterator.next(isolation: #isolation) == 2)
    for await _ in upstream.values { break }
    #expect(threads == 3)
  }

  // MARK: Threads

  @Test func valuesFromAnotherThreadArriveInOrder() async {
    for _ in 0..<20 {
      let subject = CurrentValueSubject<Int, Never>(0)
      let consumer = Task.detached {
        var values: [Int] = []
        for await value in subject.values { values.append(value) }
        return values
      }
      let copy = Task.detached { await subject.values.first { $0 >= 100 } }
      await inBackground {
        for value in 1...200 { subject.send(value) }
      }
      _ = await copy.value
      subject.send(completion: .finished)
      let values = await consumer.value
      #expect(values == values.sorted())
      #expect(Set(values).count == values.count)
    }
  }

  @Test func aCancelRacesWithValuesAndWaitingTasks() async {
    for _ in 0..<200 {
      let subject = PassthroughSubject<Int, Never>()
      let iterator = subject.values.makeAsyncIterator()
      let tasks = (0..<4).map { _ in
        Task.detached {
          var copy = iterator
          while await copy.next() != nil {}
        }
      }
      async let sending: Void = inBackground { for value in 0..<20 { subject.send(value) } }
      tasks[0].cancel()
      for task in tasks { await task.value }
      await sending
    }
  }

  @Test func severalTasksShareTheValues() async {
    let count = 100
    let iterator = (0..<count).publisher.values.makeAsyncIterator()
    let seen = await withTaskGroup(of: [Int].self) { group in
      for _ in 0..<4 {
        group.addTask {
          var copy = iterator
          var values: [Int] = []
          while let value = await copy.next() { values.append(value) }
          return values
        }
      }
      var all: [Int] = []
      for await values in group { all += values }
      return all
    }
    #expect(seen.sorted() == Array(0..<count))
  }

  /// On the main actor no task runs while the elements are sent, so all are on their way at once.
  @MainActor @Test func elementsOnTheirWayToSeveralTasksHaveAPlaceEach() async {
    final class Element: Sendable {
      let number: Int
      init(_ number: Int) { self.number = number }
    }
    let subject = PassthroughSubject<Element, Never>()
    let sequence = AsyncSubscriber<Element, Never>()
    subject.subscribe(sequence)
    for round in 0..<3 {
      let tasks = (0..<3).map { _ in
        Task { @MainActor in await sequence.next(isolation: #isolation)?.number }
      }
      while sequence.lock.withLock({ sequence.state.waiterCount < 3 }) { await Task.yield() }
      weak var last: Element?
      for number in 0..<3 {
        let element = Element(3 * round + number)
        last = element
        subject.send(element)
      }
      var numbers: [Int?] = []
      for task in tasks { numbers.append(await task.value) }
      #expect(numbers == (0..<3).map { 3 * round + $0 })
      #expect(last == nil)
    }
  }

  @Test nonisolated func aTaskThatAsksDuringTheRequestOfAnotherComesAfterIt() async {
    let upstream = ConcurrentPublisher<Int, Never>()
    let sequence = AsyncSubscriber<Int, Never>()
    let requests = Atomic(0)
    @Sendable func waits(_ condition: (AsyncSubscriberMachine) -> Bool) -> Bool {
      sequence.lock.withLock { condition(sequence.state) }
    }
    upstream
      .handleEvents(receiveRequest: { _ in
        // The first request returns when the second task has asked, the second one at once.
        while waits({ $0.waiterCount < 2 }) { Platform.yieldThread() }
        requests.add(1, ordering: .acquiringAndReleasing)
      })
      .subscribe(sequence)
    let first = Task { @MainActor in await sequence.nextUnlessCancelled(isolation: #isolation) }
    while waits({ $0.waiterCount < 1 }) { await Task.yield() }
    let second = Task { await sequence.nextUnlessCancelled(isolation: nil) }
    // A task that is counted has perhaps not requested yet.
    while requests.load(ordering: .acquiring) < 2 || waits({ $0.asker != .none }) { await Task.yield() }
    upstream.send(1)
    upstream.send(2)
    #expect(await first.value == 1)
    #expect(await second.value == 2)
  }

  private nonisolated func inBackground(_ work: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        work()
        continuation.resume()
      }
    }
  }
}

extension ManualPublisher where Output == Int {

  /// The number of tasks that wait at the subscribed asynchronous iterator.
  fileprivate var waiterCount: Int {
    (subscriber as! AsyncSubscriber<Int, Failure>).state.waiterCount
  }
}
