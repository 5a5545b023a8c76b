import CombineTesting
import Dispatch
import OperatorLoadSupport
import TestSupport
import Testing

@testable import CombineCore

/// Every built-in publisher that sends without demand, before every built-in operator and consumer. None traps.
@Suite struct UnrequestedDeliveryTests {

  /// A publisher that sends without demand.
  enum Sender: CaseIterable {
    case objectWillChange, collectByTimeOrCount, restOfCollectByTime, replaceEmpty

    /// Returns the publisher, a closure that makes it send the values from 1 to 4, and one that ends it.
    func make() -> (publisher: AnyPublisher<Int, Never>, send: () -> Void, finish: () -> Void) {
      switch self {
      case .objectWillChange:
        let publisher = ObservableObjectPublisher()
        var value = 0
        let send = {
          for number in 1...4 {
            value = number
            publisher.send()
          }
        }
        return (publisher.map { value }.eraseToAnyPublisher(), send, {})
      case .replaceEmpty:
        let subject = PassthroughSubject<Int, Never>()
        let send = { for number in 1...4 { subject.send(number) } }
        return (subject.replaceEmpty(with: 0).eraseToAnyPublisher(), send, { subject.send(completion: .finished) })
      case .collectByTimeOrCount, .restOfCollectByTime:
        let subject = PassthroughSubject<Int, Never>()
        let scheduler = TestScheduler()
        let isRest = self == .restOfCollectByTime
        let strategy: Publishers.TimeGroupingStrategy<TestScheduler> =
          isRest ? .byTime(scheduler, 10) : .byTimeOrCount(scheduler, 10, 5)
        let send = {
          for number in 1...4 {
            subject.send(number)
            scheduler.advance(by: 10)
          }
        }
        let finish = {
          subject.send(5)
          subject.send(completion: .finished)
          scheduler.advance(by: 0)
        }
        return (subject.collect(strategy).map { $0[0] }.eraseToAnyPublisher(), send, finish)
      }
    }
  }

  /// The stage between a sender and an operator, and between that and a consumer.
  enum Between: CaseIterable {
    case nothing, map, erasure, receiveOn, receiveOnQueue

    static let queue = DispatchQueue(label: "Between")

    func put(behind publisher: AnyPublisher<Int, Never>) -> LoadedSubject {
      switch self {
      case .nothing: .other(publisher)
      case .map: .other(publisher.map { $0 }.eraseToAnyPublisher())
      case .erasure: .other(publisher.map { $0 }.eraseToAnyPublisher().eraseToAnyPublisher())
      case .receiveOn: .other(publisher.receive(on: ImmediateScheduler.shared).eraseToAnyPublisher())
      case .receiveOnQueue: .other(publisher.receive(on: Self.queue).eraseToAnyPublisher())
      }
    }
  }

  /// An operator that ends the process for an unrequested value, if a user's publisher sends it.
  enum Consumer: CaseIterable {
    case subscriber, replaceError, `catch`, tryCatch, retry, switchToLatest, dropUntilOutput, append

    func put(behind publisher: LoadedSubject) -> AnyPublisher<Int, Never> {
      let failing = publisher.setFailureType(to: TestError.self)
      return switch self {
      case .subscriber: publisher.eraseToAnyPublisher()
      case .replaceError: failing.replaceError(with: 0).eraseToAnyPublisher()
      case .catch: failing.catch { _ in Just(0) }.eraseToAnyPublisher()
      case .tryCatch: failing.tryCatch { _ in Just(0) }.assertNoFailure().eraseToAnyPublisher()
      case .retry: failing.retry(1).assertNoFailure().eraseToAnyPublisher()
      case .switchToLatest: Just(0).map { _ in publisher }.switchToLatest().eraseToAnyPublisher()
      case .dropUntilOutput:
        publisher.drop(untilOutputFrom: PassthroughSubject<Int, Never>()).eraseToAnyPublisher()
      case .append: publisher.append(Empty<Int, Never>()).eraseToAnyPublisher()
      }
    }
  }

  /// Requests one value at first, and nothing after it.
  private final class FrugalSubscriber: Subscriber, @unchecked Sendable {
    // Sendable: locks guard all state.
    private let subscription = Guarded<(any Subscription)?>(nil)
    private let received = Guarded<[Int]>([])

    var values: [Int] { received.withLock { $0 } }

    func request() { subscription.withLock { $0 }?.request(.max(1)) }

    func cancel() { subscription.withLock { exchange(&$0, with: nil) }?.cancel() }

    func receive(subscription: any Subscription) {
      self.subscription.withLock { $0 = subscription }
      subscription.request(.max(1))
    }

    func receive(_ input: Int) -> Subscribers.Demand {
      received.withLock { $0.append(input) }
      return .none
    }

    func receive(completion: Subscribers.Completion<Never>) {
      subscription.withLock { $0 = nil }
    }
  }

  private static func drain() {
    for _ in 0..<2 {
      Between.queue.sync {}
      OperatorLoad.drain()
      Between.queue.sync {}
    }
  }

  @Test(arguments: OperatorLoad.all) func noOperatorTraps(_ load: OperatorLoad) async {
    func drain() async {
      Self.drain()
      guard load.startsTasks else { return }
      // A task starts another one, on an actor.
      for _ in 0..<4 {
        await Task {}.value
        Self.drain()
      }
    }
    for sender in Sender.allCases {
      for between in Between.allCases {
        for consumer in Consumer.allCases {
          let (publisher, send, finish) = sender.make()
          let subscriber = FrugalSubscriber()
          let operated = load.apply(between.put(behind: publisher))
          consumer.put(behind: between.put(behind: operated)).subscribe(subscriber)
          await drain()
          send()
          await drain()
          subscriber.request()
          await drain()
          send()
          finish()
          await drain()
          subscriber.cancel()
          await drain()
        }
      }
    }
  }

  @Test(arguments: Consumer.allCases) func forwardingOperatorsForwardUnrequestedValues(_ consumer: Consumer) {
    for sender in Sender.allCases where consumer != .dropUntilOutput {
      for between in Between.allCases {
        let (publisher, send, finish) = sender.make()
        let subscriber = FrugalSubscriber()
        consumer.put(behind: between.put(behind: publisher)).subscribe(subscriber)
        send()
        finish()
        Self.drain()
        let expected =
          switch sender {
          case .objectWillChange, .replaceEmpty: [1, 2, 3, 4]
          case .collectByTimeOrCount: [1, 2, 3, 4, 5]
          case .restOfCollectByTime: [1, 2]
          }
        #expect(subscriber.values == expected, "\(sender), \(between)")
        subscriber.cancel()
      }
    }
  }

  // MARK: Asynchronous sequences

  /// Waits in a task until it has requested a value, sends that, and only then reads further.
  @MainActor
  private func read(_ publisher: AnyPublisher<Int, Never>, send: () -> Void, count: Int) async -> [Int] {
    let iteration = AsyncIteration<Int, Never>(publisher)
    let first = Task { await iteration.next(isolation: MainActor.shared) }
    while iteration.subscriber.lock.withLock({ iteration.subscriber.state.waiterCount }) == 0 { await Task.yield() }
    Self.drain()
    send()
    Self.drain()
    var values = [await first.value].compactMap { $0 }
    while values.count < count, let value = await iteration.next(isolation: MainActor.shared) { values.append(value) }
    return values
  }

  @MainActor
  @Test(arguments: Consumer.allCases) func asynchronousSequencesKeepUnrequestedValues(_ consumer: Consumer) async {
    for sender in Sender.allCases where consumer != .dropUntilOutput {
      for between in Between.allCases {
        let (publisher, send, finish) = sender.make()
        let sendAll = {
          send()
          finish()
        }
        let behind = consumer.put(behind: between.put(behind: publisher))
        let expected =
          switch sender {
          case .objectWillChange, .replaceEmpty: [1, 2, 3, 4]
          case .collectByTimeOrCount: [1, 2, 3, 4, 5]
          case .restOfCollectByTime: [1, 2]
          }
        let values = await read(behind, send: sendAll, count: expected.count)
        #expect(values == expected, "\(sender), \(between)")
      }
    }
  }

  @MainActor
  @Test func announcementsWithoutAWaitAreMergedIntoOne() async {
    let object = ObservableObjectPublisher()
    for publisher in [
      object.eraseToAnyPublisher(), object.receive(on: ImmediateScheduler.shared).eraseToAnyPublisher(),
    ] {
      let iteration = AsyncIteration<Void, Never>(publisher)
      let first = Task { await iteration.next(isolation: MainActor.shared) }
      while iteration.subscriber.lock.withLock({ iteration.subscriber.state.waiterCount }) == 0 { await Task.yield() }
      for _ in 1...4 { object.send() }
      #expect(await first.value != nil)
      #expect(iteration.subscriber.state.keptCount == 1)
      #expect(await iteration.next(isolation: MainActor.shared) != nil)
      #expect(iteration.subscriber.state.keptCount == 0)
    }
  }

  // MARK: A user's publisher

  @Test func aUsersPublisherStillTraps() async {
    await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let upstream = ManualPublisher<Int, TestError>()
      let subscriber = RecordingSubscriber<Int, Never>(requesting: .max(1))
      upstream.receive(on: ImmediateScheduler.shared).catch { _ in Just(0) }.subscribe(subscriber)
      let object = ObservableObjectPublisher()
      let announcements = object.map { 1 }.sink { _ in }
      object.send()
      for value in 1...2 { upstream.send(value) }
      withExtendedLifetime(announcements) {}
    }.expectMisuse("Catch", .valueBeyondDemand)
  }

  @Test func aUsersPublisherStillTrapsBeforeASequence() async {
    await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let upstream = ManualPublisher<Int, Never>()
      let iterator = upstream.receive(on: ImmediateScheduler.shared).values.makeAsyncIterator()
      withExtendedLifetime(iterator) { _ = upstream.send(1) }
    }.expectMisuse("Publisher.values", .outputWithoutDemand)
  }
}
