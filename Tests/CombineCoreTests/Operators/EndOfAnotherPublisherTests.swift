import Dispatch
import Foundation
import TestSupport
import Testing

@testable import CombineCore
@testable import CombineThreads

/// A publisher that ends the stream of another one does not wait for a value of that: row `threads.trigger`.
@Suite struct EndOfAnotherPublisherTests {

  private typealias Subject = PassthroughSubject<Int, TestError>

  /// Makes an operator whose first subject sends values, and the end that the second one brings.
  enum Case: String, CaseIterable, CustomTestStringConvertible {
    case prefixUntilOutput, merge, zip, combineLatest, flatMap, innerOfFlatMap, switchToLatest,
      outerFinishOfSwitchToLatest

    var testDescription: String { rawValue }

    /// Whether the second subject sends a value before the first one does.
    var needsOther: Bool { ![.prefixUntilOutput, .merge, .innerOfFlatMap].contains(self) }

    /// - Returns: The operator, and a closure that ends it, to be called while a value of the first subject is delivered.
    func make(
      _ values: PassthroughSubject<Int, TestError>,
      _ other: PassthroughSubject<Int, TestError>
    ) -> (AnyPublisher<Int, TestError>, end: @Sendable () -> Void) {
      let fail = { @Sendable in other.send(completion: .failure("other")) }
      switch self {
      case .prefixUntilOutput: return (values.prefix(untilOutputFrom: other).eraseToAnyPublisher(), { other.send(1) })
      case .merge: return (values.merge(with: other).eraseToAnyPublisher(), fail)
      case .zip: return (values.zip(other) { $0 + $1 }.eraseToAnyPublisher(), fail)
      case .combineLatest: return (values.combineLatest(other) { $0 + $1 }.eraseToAnyPublisher(), fail)
      case .flatMap: return (other.flatMap { _ in values }.eraseToAnyPublisher(), fail)
      case .innerOfFlatMap:
        return (
          [values, other].publisher.setFailureType(to: TestError.self).flatMap { $0 }.eraseToAnyPublisher(), fail
        )
      case .switchToLatest: return (other.map { _ in values }.switchToLatest().eraseToAnyPublisher(), fail)
      case .outerFinishOfSwitchToLatest:
        // The inner publisher has finished inside its last delivery.
        return (
          other.map { _ in values.prefix(1).handleEvents(receiveCompletion: { _ in }) }.switchToLatest()
            .eraseToAnyPublisher(),
          { other.send(completion: .finished) }
        )
      }
    }
  }

  @Test(arguments: Case.allCases) func doesNotWaitForAValue(_ item: Case) {
    let (values, other) = (Subject(), Subject())
    let (publisher, end) = item.make(values, other)
    let (isInside, mayLeave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let events = SharedLog<String>()
    let cancellable = publisher.sink(
      receiveCompletion: { _ in events.append("end") },
      receiveValue: { _ in
        isInside.signal()
        mayLeave.wait()
        events.append("value")
      }
    )
    if item.needsOther { other.send(0) }
    let sent = SharedLog<Void>()
    Thread.detachNewThread {
      values.send(1)
      sent.signal()
    }
    isInside.wait()
    // If it waits for the value, which waits for this thread, it never returns.
    let ended = SharedLog<Void>()
    Thread.detachNewThread {
      end()
      ended.signal()
    }
    #expect(ended.wait(for: 1, seconds: 20).count == 1, "the end waits for a value")
    #expect(events.values == [])
    mayLeave.signal()
    sent.wait(for: 1)
    if item == .outerFinishOfSwitchToLatest {
      // The inner publisher finishes when its value was delivered, on the thread that delivers it.
      #expect(events.wait(for: 2) == ["value", "end"])
    } else {
      #expect(events.values == ["value", "end"])
    }
    cancellable.cancel()
  }

  // MARK: A cancel

  /// Operators behind a subject that pass its completion on: row `threads.completion-and-cancel`.
  static let passing: [(String, @Sendable (AnyPublisher<Int, TestError>) -> AnyPublisher<Int, TestError>)] = [
    ("no operator", { $0 }),
    ("map", { $0.map { $0 + 0 }.eraseToAnyPublisher() }),
    ("scan", { $0.scan(0) { $1 }.eraseToAnyPublisher() }),
    ("handleEvents", { $0.handleEvents(receiveOutput: { _ in }).eraseToAnyPublisher() }),
    ("share", { $0.share().eraseToAnyPublisher() }),
    ("append", { $0.append(Empty<Int, TestError>(completeImmediately: true)).eraseToAnyPublisher() }),
    ("catch", { $0.catch { Fail<Int, TestError>(error: $0) }.eraseToAnyPublisher() }),
    ("retry", { $0.retry(0).eraseToAnyPublisher() }),
    ("merge", { $0.merge(with: Empty()).eraseToAnyPublisher() }),
  ]

  @Test(arguments: 0..<9, [true, false])
  func aCancelInsideADeliveryStopsACompletionThatWaits(_ index: Int, hasCurrentValue: Bool) {
    let passthrough = Subject()
    let current = CurrentValueSubject<Int, TestError>(0)
    let subject: any TestedSubject = hasCurrentValue ? current : passthrough
    let publisher = Self.passing[index].1(subject.erased)
    let completions = Guarded(0)
    let isCompleting = SharedLog<Void>()
    let hasCompleted = SharedLog<Void>()
    nonisolated(unsafe) var subscription: (any Subscription)?
    let subscriber = AnySubscriber<Int, TestError>(
      receiveSubscription: {
        subscription = $0
        $0.request(.unlimited)
      },
      receiveValue: { value in
        guard value == 1 else { return .none }
        Thread.detachNewThread {
          isCompleting.signal()
          subject.complete()
          hasCompleted.signal()
        }
        isCompleting.wait(for: 1)
        // A late subscriber has the completion at once, when the subject has completed.
        while subject.waitingCount == 0 {}
        subscription?.cancel()
        return .none
      },
      receiveCompletion: { _ in completions.withLock { $0 += 1 } }
    )
    publisher.subscribe(subscriber)
    subject.pass(1)
    #expect(hasCompleted.wait(for: 1).count == 1)
    #expect(completions.withLock { $0 } == 0, "\(Self.passing[index].0)")
    subscription = nil
  }

  @Test func handleEventsReportsACompletionOrACancel() {
    for _ in 0..<(LongRuns.areEnabled ? 20_000 : 2000) {
      let subject = Subject()
      let ends = Guarded(0)
      let cancellable =
        subject
        .handleEvents(
          receiveCompletion: { _ in ends.withLock { $0 += 1 } },
          receiveCancel: { ends.withLock { $0 += 1 } }
        )
        .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
      onThreads(2) { $0 == 0 ? cancellable.cancel() : subject.send(completion: .finished) }
      #expect(ends.withLock { $0 } == 1)
    }
  }

  // MARK: Receipts

  /// An element that is acknowledged.
  private final class Message: DeferrableElement {
    func complete(isHandled: Bool) {}
  }

  @Test func aReceiptOfADeliveredCombinationIsNotRefused() {
    // Each value of the first subject is offered with a receipt, while another thread delivers combinations, too.
    let (first, second) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
    let received = Guarded(Set<Int>())
    let cancellable = first.combineLatest(second).sink { values in received.withLock { _ = $0.insert(values.0) } }
    second.send(0)
    let refused = Guarded([Int]())
    nonisolated(unsafe) let receipt = DeliveryReceipt()  // One thread uses it.
    let count = LongRuns.areEnabled ? 200_000 : 20_000
    onThreads(2) { thread in
      for number in 1...count {
        if thread == 1 {
          second.send(number)
        } else {
          let (_, outcome) = receipt.offer(Message()) { first.send(number) }
          if outcome == .refused { refused.withLock { $0.append(number) } }
        }
      }
    }
    #expect(refused.withLock { $0 } == [])
    #expect(received.withLock { $0.count } == count)
    cancellable.cancel()
  }
}

/// What both subjects of the tests are asked for.
private protocol TestedSubject: Sendable {
  var erased: AnyPublisher<Int, TestError> { get }
  var waitingCount: Int { get }
  func pass(_ value: Int)
  func complete()
}

extension Subject where Self: Sendable, Output == Int, Failure == TestError {

  fileprivate var erased: AnyPublisher<Int, TestError> { eraseToAnyPublisher() }

  fileprivate func pass(_ value: Int) { send(value) }

  fileprivate func complete() { send(completion: .finished) }
}

extension PassthroughSubject: TestedSubject where Output == Int, Failure == TestError {
  fileprivate var waitingCount: Int { core.waitingCount }
}
extension CurrentValueSubject: TestedSubject where Output == Int, Failure == TestError {
  fileprivate var waitingCount: Int { core.waitingCount }
}

extension SubscriberTable {
  /// The number of threads that wait for their turn.
  fileprivate var waitingCount: Int { lock.withLock { turn.waitingCount } }
}
