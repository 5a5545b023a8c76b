@_spi(Companions) import CombineExtras
import CombineTesting
import TestSupport
import Testing

@Suite struct ReplaySubjectTests {

  typealias Downstream = RecordingSubscriber<Int, TestError>

  @Test func publishesTheLastValuesAndThenThoseThatFollow() {
    let subject = ReplaySubject<Int, TestError>(replaying: 2)
    for value in 1...3 { subject.send(value) }
    let downstream = Downstream(requesting: .unlimited)
    subject.subscribe(downstream)
    #expect(downstream.events == [.subscription("ReplaySubject"), .value(2), .value(3)])
    subject.send(4)
    #expect(downstream.values == [2, 3, 4])
  }

  @Test(arguments: [0, -1])
  func withoutACapacityItKeepsNothing(_ capacity: Int) {
    let subject = ReplaySubject<Int, TestError>(replaying: capacity)
    subject.send(1)
    let downstream = Downstream(requesting: .unlimited)
    subject.subscribe(downstream)
    subject.send(2)
    #expect(downstream.values == [2])
  }

  @Test func withoutALimitItKeepsEverything() {
    let subject = ReplaySubject<Int, TestError>()
    for value in 1...100 { subject.send(value) }
    let downstream = Downstream(requesting: .unlimited)
    subject.subscribe(downstream)
    #expect(downstream.values == Array(1...100))
  }

  @Test func publishesOnlyWhatIsRequested() {
    let subject = ReplaySubject<Int, TestError>(replaying: 4)
    for value in 1...4 { subject.send(value) }
    let downstream = Downstream(requesting: .max(1), returning: [.max(1)])
    subject.subscribe(downstream)
    #expect(downstream.values == [1, 2])
    subject.send(5)
    #expect(downstream.values == [1, 2])
    downstream.request(.max(2))
    #expect(downstream.values == [1, 2, 3, 4])
    downstream.request(.unlimited)
    #expect(downstream.values == [1, 2, 3, 4, 5])
  }

  @Test func afterTheCompletionNewSubscribersReceiveTheLastValuesAndTheCompletion() {
    let subject = ReplaySubject<Int, TestError>(replaying: 1)
    subject.send(1)
    subject.send(completion: .failure("wrong"))
    subject.send(2)
    subject.send(completion: .finished)
    for _ in 1...2 {
      let downstream = Downstream(requesting: .unlimited)
      subject.subscribe(downstream)
      #expect(downstream.events == [.subscription("ReplaySubject"), .value(1), .failure("wrong")])
    }
  }

  @Test func aSecondCompletionInsideTheFirstOneKeepsItFromNobody() {
    let subject = ReplaySubject<Int, TestError>()
    let downstreams = (0..<3).map { _ in Downstream(requesting: .unlimited) }
    downstreams[0].onCompletion = { _ in subject.send(completion: .failure("late")) }
    for downstream in downstreams { subject.subscribe(downstream) }
    subject.send(completion: .finished)
    for downstream in downstreams { #expect(downstream.events.dropFirst() == [.finished]) }
  }

  @Test func theCompletionWaitsForTheValuesBeforeIt() {
    let subject = ReplaySubject<Int, TestError>(replaying: 4)
    for value in 1...4 { subject.send(value) }
    let downstream = Downstream(requesting: .max(3))
    subject.subscribe(downstream)
    subject.send(completion: .finished)
    #expect(downstream.events == [.subscription("ReplaySubject"), .value(1), .value(2), .value(3)])
    downstream.request(.max(1))
    #expect(downstream.events.suffix(2) == [.value(4), .finished])
  }

  @Test func theCompletionOvertakesValuesIfSoConfigured() {
    let subject = ReplaySubject<Int, TestError>(overtakingAfter: 4)
    for value in 1...4 { subject.send(value) }
    let downstream = Downstream(requesting: .max(3))
    subject.subscribe(downstream)
    subject.send(completion: .finished)
    #expect(downstream.events == [.subscription("ReplaySubject"), .value(1), .value(2), .value(3), .finished])

    let late = Downstream()
    subject.subscribe(late)
    #expect(late.events == [.subscription("ReplaySubject")])
    late.request(.none)
    #expect(late.events == [.subscription("ReplaySubject"), .finished])
  }

  @Test func aCancelEndsOneSubscriptionOfASubscriberThatHasTwo() {
    let subject = ReplaySubject<Int, TestError>(replaying: 1)
    let downstream = Downstream(requesting: .unlimited)
    subject.subscribe(downstream)
    let first = downstream.subscription
    subject.subscribe(downstream)
    subject.send(1)
    #expect(downstream.values == [1, 1])
    first?.cancel()
    subject.send(2)
    #expect(downstream.values == [1, 1, 2])
    #expect(subject.subscriptionIdentifiers.count == 1)
  }

  @Test func aCancelDropsTheValuesThatWait() {
    let subject = ReplaySubject<Int, TestError>(replaying: 3)
    for value in 1...3 { subject.send(value) }
    let downstream = Downstream(requesting: .max(1))
    subject.subscribe(downstream)
    downstream.cancel()
    downstream.request(.unlimited)
    subject.send(completion: .finished)
    #expect(downstream.events == [.subscription("ReplaySubject"), .value(1)])
    #expect(subject.subscriptionIdentifiers.isEmpty)
  }

  @Test func aValueSentFromInsideADeliveryComesAfterIt() {
    let subject = ReplaySubject<Int, TestError>(replaying: 2)
    let first = Downstream(requesting: .unlimited)
    first.onValue = { value in
      if value < 3 { subject.send(value + 1) }
      return .none
    }
    let second = Downstream(requesting: .unlimited)
    subject.subscribe(first)
    subject.subscribe(second)
    subject.send(1)
    #expect(first.values == [1, 2, 3])
    #expect(second.values == [1, 2, 3])
  }

  @Test func asksAnUpstreamForEverything() {
    let upstream = ManualPublisher<Int, TestError>()
    let subject = ReplaySubject<Int, TestError>(replaying: 1)
    let cancellable = upstream.subscribe(subject)
    #expect(upstream.history == [.requested(.unlimited)])
    cancellable.cancel()
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
  }

  @Test func doesNotCompleteWhenItIsReleased() {
    let downstream = Downstream(requesting: .unlimited)
    weak var released: ReplaySubject<Int, TestError>?
    do {
      let subject = ReplaySubject<Int, TestError>(replaying: 1)
      released = subject
      subject.send(1)
      subject.subscribe(downstream)
    }
    #expect(released == nil)
    #expect(downstream.events == [.subscription("ReplaySubject"), .value(1)])
  }

  @Test func releasesItsSubscribersWithItself() {
    weak var released: Downstream?
    do {
      let subject = ReplaySubject<Int, TestError>(replaying: 1)
      let downstream = Downstream(requesting: .unlimited)
      released = downstream
      subject.subscribe(downstream)
      downstream.dropSubscription()
    }
    #expect(released == nil)
  }

  @Test func dropsValuesThatAreTooOld() {
    let scheduler = TestScheduler()
    let subject = ReplaySubject<Int, TestError>(replaying: 3, notOlderThan: 10, scheduler: scheduler)
    func replayed() -> [Int] {
      let downstream = Downstream(requesting: .unlimited)
      subject.subscribe(downstream)
      downstream.cancel()
      return downstream.values
    }
    subject.send(1)
    scheduler.advance(by: 6)
    subject.send(2)
    scheduler.advance(by: 4)
    #expect(replayed() == [1, 2])
    scheduler.advance(by: 1)
    #expect(replayed() == [2])
    for value in 3...5 { subject.send(value) }
    #expect(replayed() == [3, 4, 5])
    scheduler.advance(by: 11)
    #expect(replayed() == [])
  }

  @Test func aNewSubscriberMissesNothingWhileAnotherThreadSends() {
    for _ in 1...50 {
      let subject = ReplaySubject<Int, TestError>()
      let log = SharedLog<Int>()
      onThreads(2) { thread in
        if thread == 0 {
          for value in 1...100 { subject.send(value) }
        } else {
          let sink = subject.sink(receiveCompletion: { _ in }, receiveValue: { log.append($0) })
          log.wait(for: 100)
          withExtendedLifetime(sink) {}
        }
      }
      #expect(log.values == Array(1...100))
    }
  }

  @Test func allSubscribersReceiveTheValuesOfSeveralThreadsInOneOrder() {
    for _ in 1...20 {
      let subject = ReplaySubject<Int, TestError>()
      let logs = [SharedLog<Int>(), SharedLog<Int>()]
      let sinks = logs.map { log in
        subject.sink(receiveCompletion: { _ in }, receiveValue: { log.append($0) })
      }
      onThreads(2) { thread in
        for value in 0..<100 { subject.send(thread * 100 + value) }
      }
      let replayed = SharedLog<Int>()
      let last = subject.sink(receiveCompletion: { _ in }, receiveValue: { replayed.append($0) })
      #expect(logs[0].values.count == 200)
      #expect(logs[0].values == logs[1].values)
      #expect(logs[0].values == replayed.values)
      withExtendedLifetime((sinks, last)) {}
    }
  }

  @Test func keepsNoSubscriptionAfterItsCompletion() {
    for subject in [ReplaySubject<Int, TestError>(replaying: 1), ReplaySubject(overtakingAfter: 1)] {
      subject.send(1)
      let before = Downstream(requesting: .max(1))
      subject.subscribe(before)
      subject.send(completion: .finished)
      let after = Downstream(requesting: .max(1))
      subject.subscribe(after)
      #expect(subject.subscriptionIdentifiers.isEmpty)
      #expect(after.events.dropFirst() == [.value(1), .finished])
    }
  }

  @Test func aSubscriberThatAnotherOneCancelsReceivesNothing() {
    let subject = ReplaySubject<Int, TestError>(replaying: 1)
    let (first, second) = (
      RecordingSubscriber<Int, TestError>(requesting: .unlimited),
      RecordingSubscriber<Int, TestError>(requesting: .unlimited)
    )
    first.onValue = { _ in
      second.cancel()
      return .none
    }
    subject.subscribe(first)
    subject.subscribe(second)
    subject.send(1)
    subject.send(2)
    #expect(first.values == [1, 2])
    #expect(second.values == [])
  }

  @Test func aSubscriberThatAnotherOneCancelsIsReleased() {
    let subject = ReplaySubject<Int, TestError>(replaying: 1)
    var isReleased = false
    do {
      let first = RecordingSubscriber<Int, TestError>(requesting: .unlimited)
      let second = RecordingSubscriber<Int, TestError>(
        onSubscription: { $0.request(.unlimited) },
        onDeinit: { isReleased = true }
      )
      first.onValue = { [unowned second] _ in
        second.cancel()
        second.dropSubscription()
        return .none
      }
      subject.subscribe(first)
      subject.subscribe(second)
      subject.send(1)
    }
    withExtendedLifetime(subject) { #expect(isReleased) }
  }
}
