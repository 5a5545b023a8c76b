import CombineCore
import Dispatch
import TestSupport
import Testing

@Suite struct CurrentValueSubjectTests {

  private typealias Recorder = RecordingSubscriber<Int, TestError>

  @Test func storesBeforeItDelivers() {
    let subject = CurrentValueSubject<Int, TestError>(0)
    var seen: [Int] = []
    let subscriber = Recorder(
      onSubscription: { $0.request(.unlimited) },
      onValue: { _ in
        seen.append(subject.value)
        return .none
      }
    )
    subject.subscribe(subscriber)
    subject.send(1)
    subject.value = 2
    #expect(seen == [0, 1, 2])
    #expect(subscriber.values == [0, 1, 2])
  }

  @Test func sendsEqualValuesToo() {
    let subject = CurrentValueSubject<Int, TestError>(1)
    let subscriber = Recorder(requesting: .unlimited)
    subject.subscribe(subscriber)
    subject.send(1)
    subject.value += 0
    #expect(subscriber.values == [1, 1, 1])
  }

  @Test func afterTheEndSendChangesNothingAndSettingTheValueIsSilent() {
    let subject = CurrentValueSubject<Int, TestError>(1)
    let subscriber = Recorder(requesting: .unlimited)
    subject.subscribe(subscriber)
    subject.send(completion: .finished)
    subject.send(2)
    #expect(subject.value == 1)
    subject.value = 3
    #expect(subject.value == 3)
    #expect(subscriber.events == [.subscription("CurrentValueSubject"), .value(1), .finished])
  }

  @Test func asksEveryUpstreamForEverythingAtOnce() {
    let subject = CurrentValueSubject<Int, TestError>(1)
    let upstream = ManualSubscription()
    subject.send(subscription: upstream)
    subject.send(subscription: upstream)
    #expect(upstream.history == [.requested(.unlimited), .requested(.unlimited)])
  }

  @Test func answersTheFirstRequestWithTheLatestValueOnce() {
    let subject = CurrentValueSubject<Int, TestError>(-1)
    let subscriber = Recorder()
    subject.subscribe(subscriber)
    #expect(subscriber.events == [.subscription("CurrentValueSubject")])
    subject.send(7)
    subscriber.request(.max(2))
    subscriber.request(.max(3))
    subscriber.request(.max(1))
    #expect(subscriber.values == [7])
    for value in 0..<10 { subject.send(value) }
    #expect(subscriber.values == [7, 0, 1, 2, 3, 4])
    subscriber.request(.max(1))
    #expect(subscriber.values.last == 9, "the value current at the request, as one was missed")
  }

  @Test func aCompletionDiscardsAPendingValue() {
    let subject = CurrentValueSubject<Int, TestError>(-1)
    let subscriber = Recorder()
    subject.subscribe(subscriber)
    subject.send(1)
    subject.send(completion: .finished)
    subscriber.request(.max(1))
    #expect(subscriber.events == [.subscription("CurrentValueSubject"), .finished])
  }

  @Test func deliversInsideTheRequest() {
    let subject = CurrentValueSubject<Int, TestError>(5)
    var log: [String] = []
    let subscriber = Recorder(
      onSubscription: {
        $0.request(.unlimited)
        log.append("requested")
      },
      onValue: {
        log.append("\($0)")
        return .none
      }
    )
    subject.subscribe(subscriber)
    #expect(log == ["5", "requested"])
  }

  @Test func aRequestInsideASendIsAnsweredAndTheSendReachesItsSubscriberToo() {
    let subject = CurrentValueSubject<Int, TestError>(0)
    let second = Recorder()
    let first = Recorder(
      onSubscription: { $0.request(.unlimited) },
      onValue: { value in
        if value == 1 { second.request(.max(2)) }
        return .none
      }
    )
    subject.subscribe(first)
    subject.subscribe(second)
    subject.send(1)
    #expect(second.values == [1, 1])
    subject.send(2)
    #expect(second.values == [1, 1])
  }

  @Test func aFirstRequestInsideASendDuringTheSubscriptionBringsTheValueOnce() {
    let subject = CurrentValueSubject<Int, TestError>(0)
    let second = Recorder(onSubscription: { _ in subject.send(1) })
    let first = Recorder(
      onSubscription: { $0.request(.unlimited) },
      onValue: { value in
        if value == 1 { second.request(.max(2)) }
        return .none
      }
    )
    subject.subscribe(first)
    subject.subscribe(second)
    #expect(second.values == [1])
    second.request(.max(1))
    #expect(second.values == [1])
    subject.send(2)
    #expect(second.values == [1, 2])
  }

  @Test func aRequestAfterTheOlderOfTwoNestedSendsWasMissedIsAnswered() {
    let subject = CurrentValueSubject<Int, TestError>(0)
    let first = Recorder(
      onSubscription: { $0.request(.unlimited) },
      onValue: { value in
        if value == 1 { subject.send(2) }
        return .none
      }
    )
    let second = Recorder(requesting: .max(2))
    subject.subscribe(first)
    subject.subscribe(second)
    subject.send(1)
    #expect(second.values == [0, 2])
    second.request(.max(1))
    #expect(second.values == [0, 2, 2])
  }

  /// As in Combine: the outer send comes to each subscriber, though that has a newer value by then.
  @Test func aRequestBehindANestedSendIsAnsweredAndTheOuterValueFollows() {
    let subject = CurrentValueSubject<Int, TestError>(0)
    let second = Recorder()
    let first = Recorder(
      onSubscription: { $0.request(.unlimited) },
      onValue: { value in
        if value == 1 {
          subject.send(2)
          second.request(.max(2))
        }
        return .none
      }
    )
    subject.subscribe(first)
    subject.subscribe(second)
    subject.send(1)
    #expect(second.values == [2, 1])
    second.request(.max(1))
    subject.send(3)
    #expect(second.values == [2, 1, 3])
  }

  @Test func theLastValueSentIsTheLastReceivedWhateverRaces() {
    for _ in 0..<300 {
      let subject = CurrentValueSubject<Int, Never>(0)
      let last = Latest()
      DispatchQueue.concurrentPerform(iterations: 3) { index in
        if index == 0 {
          last.cancellable = subject.sink { last.value = $0 }
        } else {
          for _ in 0..<5 { subject.send(index) }
        }
      }
      #expect(last.value == subject.value)
    }
  }

  /// Written by the subject's calls, one at a time; read when the threads are done.
  private final class Latest: @unchecked Sendable {
    var value = -1
    var cancellable: AnyCancellable?
  }

  @Test func aRequestInsideTheCompletionOfAnotherIsAnsweredBeforeOnesOwn() {
    let subject = CurrentValueSubject<Int, TestError>(7)
    let subscribers = (0..<2).map { _ in RecordingSubscriber<Int, TestError>() }
    for (index, subscriber) in subscribers.enumerated() {
      subscriber.onCompletion = { _ in subscribers[1 - index].request(.max(1)) }
      subject.subscribe(subscriber)
      subscriber.clear()
    }
    subject.send(completion: .finished)
    let events = subscribers.map(\.events).sorted { $0.count < $1.count }
    #expect(events == [[.finished], [.value(7), .finished]], "whichever of the two is told first")
  }
}
