import TestSupport
import Testing

@testable import CombineCore

@Suite struct UnrequestedDeliveryTests {

  @Test func theMarkBelongsToTheThreadAndLastsAsLongAsTheDelivery() {
    #expect(UnrequestedDelivery.current == nil)
    UnrequestedDelivery.value.mark {
      #expect(UnrequestedDelivery.current == .value)
      UnrequestedDelivery.announcement.mark { #expect(UnrequestedDelivery.current == .announcement) }
      #expect(UnrequestedDelivery.current == .value)
      onThreads(1) { _ in #expect(UnrequestedDelivery.current == nil) }
    }
    #expect(UnrequestedDelivery.current == nil)
  }

  @Test func aMemoryMarksWhatFollowsAMarkedValue() {
    let memory = UnrequestedDeliveryMark()
    memory.note()
    memory.mark { #expect(UnrequestedDelivery.current == nil) }
    UnrequestedDelivery.announcement.mark { memory.note() }
    memory.note()
    memory.mark { #expect(UnrequestedDelivery.current == .announcement) }
    #expect(UnrequestedDelivery.current == nil)
  }

  @Test(arguments: [
    (Subscribers.Demand.none, Subscribers.Demand.none), (.max(1), .none), (.max(3), .max(2)), (.unlimited, .unlimited),
  ])
  func anUnaskedValueIsCountedAgainstItsAnswer(answer: Subscribers.Demand, left: Subscribers.Demand) {
    #expect(answer.afterUnrequestedValue == left)
  }

  // MARK: What is marked

  /// The marks under which a publisher's values arrive.
  private func marks<P: Publisher<Int, Never>>(of publisher: P, drive: () -> Void) -> [UnrequestedDelivery?] {
    var marks: [UnrequestedDelivery?] = []
    let subscriber = RecordingSubscriber<Int, Never>(requesting: .max(1))
    subscriber.onValue = { _ in
      marks.append(.current)
      return .none
    }
    publisher.subscribe(subscriber)
    drive()
    subscriber.cancel()
    return marks
  }

  @Test func announcementsAreMarked() {
    let publisher = ObservableObjectPublisher()
    #expect(marks(of: publisher.map { 1 }) { publisher.send() } == [.announcement])
  }

  @Test func whatCollectByTimeSendsUnaskedIsMarked() {
    let subject = PassthroughSubject<Int, Never>()
    let scheduler = VirtualScheduler()
    let byCount = marks(of: subject.collect(.byTimeOrCount(scheduler, 10, 2)).map(\.count)) {
      for value in 1...2 {
        subject.send(value)
        scheduler.advance(by: 10)
      }
    }
    #expect(byCount == [.value, .value])
    let byTime = marks(of: subject.collect(.byTime(scheduler, 10)).map(\.count)) {
      for value in 1...2 {
        subject.send(value)
        scheduler.advance(by: 10)
      }
      subject.send(completion: .finished)
      scheduler.runDue()
    }
    #expect(byTime == [nil, .value])
  }

  @Test func replaceEmptyMarksUntilAllIsRequested() {
    let subject = PassthroughSubject<Int, Never>()
    #expect(marks(of: subject.replaceEmpty(with: 0)) { subject.send(1) } == [.value])
    let values = subject.replaceEmpty(with: 0).handleEvents(receiveOutput: { _ in
      #expect(UnrequestedDelivery.current == nil)
    })
    let cancellable = values.sink { _ in }
    subject.send(1)
    withExtendedLifetime(cancellable) {}
  }

  @Test func otherPublishersMarkNothing() {
    let subject = PassthroughSubject<Int, Never>()
    #expect(marks(of: subject) { subject.send(1) } == [nil])
    #expect(marks(of: subject.receive(on: ImmediateScheduler.shared)) { subject.send(1) } == [nil])
    #expect(marks(of: Just(1)) {} == [nil])
  }

  @Test func whatIsDeliveredLaterIsMarkedToo() {
    let publisher = ObservableObjectPublisher()
    let scheduler = VirtualScheduler()
    let drive = {
      publisher.send()
      scheduler.advance(by: 20)
    }
    let values = publisher.map { 1 }
    #expect(marks(of: values.receive(on: scheduler), drive: drive) == [.announcement])
    #expect(marks(of: values.delay(for: 10, scheduler: scheduler), drive: drive) == [.announcement])
    #expect(marks(of: values.timeout(100, scheduler: scheduler), drive: drive) == [.announcement])
  }

  @Test func aCountedRestIsMarked() {
    let subject = PassthroughSubject<Int, Never>()
    let counts = marks(of: subject.collect(2).map(\.count)) {
      subject.send(1)
      subject.send(completion: .finished)
    }
    #expect(counts == [.value])
  }

  // MARK: What an operator asks its successor for

  /// Two announcements. A filter drops the second one, for which there is no demand. Then the demand for a successor.
  private func demandOnSuccessor<P: Publisher<Int, Never>>(
    _ make: (AnyPublisher<Int, TestError>, ManualPublisher<Int, TestError>) -> P,
    end: Subscribers.Completion<TestError>
  ) -> [ManualSubscription.Call] {
    let successor = ManualPublisher<Int, TestError>()
    let first = ManualPublisher<Int, TestError>()
    let subscriber = RecordingSubscriber<Int, Never>(requesting: .max(1))
    make(first.eraseToAnyPublisher(), successor).filter { $0 == 1 }.subscribe(subscriber)
    UnrequestedDelivery.value.mark {
      first.send(1)
      first.send(2)
    }
    #expect(subscriber.values == [1])
    first.send(completion: end)
    return successor.history
  }

  @Test func aSuccessorIsNotAskedForWhatAFilterDroppedUnasked() {
    #expect(
      demandOnSuccessor({ $0.catch { [successor = $1] _ in successor }.assertNoFailure() }, end: .failure("")) == []
    )
    #expect(demandOnSuccessor({ $0.append($1).assertNoFailure() }, end: .finished) == [])
  }

  // MARK: A value that overtakes a request

  typealias Upstream = ManualPublisher<Int, TestError>

  /// An operator that goes on with something else after its first publisher.
  enum Replacer: CaseIterable {
    case append, `catch`, tryCatch, retry, switchToLatest, replaceError

    /// Returns the operator, and a closure that makes it leave the first publisher.
    func make(_ first: Upstream, _ second: Upstream) -> (AnyPublisher<Int, TestError>, leave: () -> Void) {
      let fail = { first.send(completion: .failure("")) }
      switch self {
      case .append: return (first.append(second).eraseToAnyPublisher(), { first.send(completion: .finished) })
      case .catch: return (first.catch { _ in second }.eraseToAnyPublisher(), fail)
      case .tryCatch: return (first.tryCatch { _ in second }.mapError { _ in "" }.eraseToAnyPublisher(), fail)
      case .retry:
        var publishers = [first, second]
        return (Deferred { publishers.removeFirst() }.retry(1).eraseToAnyPublisher(), fail)
      case .switchToLatest:
        let latest = CurrentValueSubject<Upstream, TestError>(first)
        return (latest.switchToLatest().eraseToAnyPublisher(), { latest.send(second) })
      case .replaceError:
        return (first.replaceError(with: 2).setFailureType(to: TestError.self).eraseToAnyPublisher(), fail)
      }
    }
  }

  /// A request has reached the `catch`, and not yet the operator in front of it, when a value comes without demand. The
  /// `catch` counts the value as requested. So what the operator sends for the request exceeds the demand there.
  @Test(arguments: Replacer.allCases) func aValueMayOvertakeARequest(_ replacer: Replacer) {
    let (first, second) = (Upstream(), Upstream())
    let (publisher, leave) = replacer.make(first, second)
    let subscriber = RecordingSubscriber<Int, Never>()
    publisher
      .handleEvents(receiveRequest: { _ in UnrequestedDelivery.value.mark { _ = first.send(1) } })
      .catch { _ in Empty() }
      .subscribe(subscriber)
    subscriber.request(.max(1))
    #expect(subscriber.values == [1])
    leave()
    if replacer != .replaceError {
      #expect(second.history == [.requested(.max(1))])
      second.send(2)
    }
    #expect(subscriber.values == [1, 2])
  }
}
