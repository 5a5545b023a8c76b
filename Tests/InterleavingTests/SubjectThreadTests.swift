import CombineCore
import Dispatch
import TestSupport
import Testing

/// Calls of several threads to the subjects, and to publishers made from them.
@Suite struct SubjectThreadTests {

  private typealias Passthrough = PassthroughSubject<Int, TestError>
  private typealias CurrentValue = CurrentValueSubject<Int, TestError>

  @Test(arguments: [.unlimited, .max(2)] as [Subscribers.Demand])
  func twoSends(demand: Subscribers.Demand) {
    expectNoFault("PassthroughSubject, two sends, \(demand)") {
      let subject = Passthrough()
      let (first, second) = (Witness<Int>(requesting: demand), Witness<Int>(requesting: demand))
      subject.subscribe(first)
      subject.subscribe(second)
      return ThreadedProgram(
        threads: [{ subject.send(1) }, { subject.send(2) }],
        faults: {
          [first, second].flatMap { witness in
            var verdict = Verdict(witness)
            verdict.require(witness.values, areOf: [[1], [2]])
            return verdict.faults
          }
        }
      )
    }
  }

  @Test func aSubscriberWaitsInVainForAThreadThatSendsToItsSubject() {
    expectAVainWait(for: PassthroughSubject<Int, Never>())
    expectAVainWait(for: CurrentValueSubject<Int, Never>(0))
  }

  /// A subscriber waits inside the value 1 for the thread that sends 2. These are threads of their own, in no given order.
  private func expectAVainWait(
    for subject: some Subject<Int, Never> & Sendable,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let (isInside, hasReturned) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let result = Guarded<DispatchTimeoutResult?>(nil)
    let values = Guarded<[Int]>([])
    let cancellable = subject.sink { value in
      values.withLock { $0.append(value) }
      guard value == 1 else { return }
      isInside.signal()
      let outcome = hasReturned.wait(timeout: .now() + .milliseconds(50))
      result.withLock { $0 = outcome }
    }
    onThreads(2) { thread in
      if thread == 0 { return subject.send(1) }
      isInside.wait()
      subject.send(2)
      hasReturned.signal()
    }
    #expect(result.withLock { $0 } == .timedOut, sourceLocation: sourceLocation)
    #expect(hasReturned.wait(timeout: .now()) == .success, sourceLocation: sourceLocation)
    #expect(values.withLock { $0 }.suffix(2) == [1, 2], sourceLocation: sourceLocation)
    cancellable.cancel()
  }

  /// A request inside a delivery is answered with the newest value: of a send that has ended, or of the send that delivers
  /// this value before its own. What is due then follows without demand.
  @Test func aSubscriberHasEachCurrentValueOnce() {
    expectNoFault("CurrentValueSubject, three sends and a request inside one", preemptions: 3) {
      let subject = CurrentValue(1)
      var request: (() -> Void)?
      let witness = Witness<Int>(requesting: .max(2)) { value in
        if value == 2 { request?() }
        return .none
      }
      request = { [unowned witness] in witness.request(.max(1)) }
      subject.subscribe(witness)
      return ThreadedProgram(
        threads: [{ subject.send(2) }, { subject.send(3) }, { subject.send(4) }],
        faults: {
          for _ in 0..<2 { witness.request(.max(1)) }
          var verdict = Verdict(witness)
          verdict.require(Set(witness.values).count == witness.values.count, "\(witness.values)")
          return verdict.faults
        }
      )
    }
  }

  @Test func aSendACompletionAndACancel() {
    expectNoFault("PassthroughSubject, a send, a completion and a cancel") {
      let subject = Passthrough()
      let witness = Witness<Int>()
      subject.subscribe(witness)
      return ThreadedProgram(
        threads: [{ subject.send(1) }, { subject.send(completion: .finished) }, { witness.cancel() }],
        faults: { Verdict(witness).faults }
      )
    }
  }

  @Test func twoCompletionsAndASubscriber() {
    expectNoFault("PassthroughSubject, two completions and a subscriber") {
      let subject = Passthrough()
      let witness = Witness<Int>()
      return ThreadedProgram(
        threads: [
          { subject.send(completion: .finished) }, { subject.send(completion: .failure("")) },
          { subject.subscribe(witness) },
        ],
        faults: {
          var verdict = Verdict(witness)
          verdict.require(witness.isCompleted, "the completion is missing")
          return verdict.faults
        }
      )
    }
  }

  @Test func aSubscriberThatLeavesDuringASend() {
    expectNoFault("PassthroughSubject, subscribers that come and go during a send") {
      let subject = Passthrough()
      let (old, new) = (Witness<Int>(), Witness<Int>())
      subject.subscribe(old)
      return ThreadedProgram(
        threads: [
          {
            subject.send(1); subject.send(2)
          }, { old.cancel() }, { subject.subscribe(new) },
        ],
        faults: {
          [old, new].flatMap { witness in
            var verdict = Verdict(witness)
            verdict.require(witness.values, areOf: [[1, 2]], completely: false)
            return verdict.faults
          }
        }
      )
    }
  }

  @Test(arguments: [.unlimited, .max(3)] as [Subscribers.Demand])
  func twoSendsOfACurrentValueSubject(demand: Subscribers.Demand) {
    expectNoFault("CurrentValueSubject, two sends, \(demand)", preemptions: 3) {
      let subject = CurrentValue(0)
      let witness = Witness<Int>(requesting: demand)
      subject.subscribe(witness)
      return ThreadedProgram(
        threads: [{ subject.send(1) }, { subject.send(2) }],
        faults: {
          var verdict = Verdict(witness)
          verdict.require(witness.values, areOf: [[0, 1], [2]], completely: false)
          verdict.require(witness.values.last == subject.value, "\(witness.values), and the value is \(subject.value)")
          return verdict.faults
        }
      )
    }
  }

  @Test(arguments: [.unlimited, .max(1), .max(2)] as [Subscribers.Demand])
  func aRequestAndASendOfACurrentValueSubject(demand: Subscribers.Demand) {
    expectNoFault("CurrentValueSubject, a send and a request of \(demand)", preemptions: 4) {
      let subject = CurrentValue(0)
      let witness = Witness<Int>(requesting: .none)
      subject.subscribe(witness)
      return ThreadedProgram(
        threads: [{ subject.send(1) }, { witness.request(demand) }],
        faults: {
          // A subscriber that has not received the current value receives it at the next request.
          if witness.values.last != subject.value, witness.demand == Subscribers.Demand.none {
            witness.request(.max(1))
          }
          var verdict = Verdict(witness)
          verdict.require(witness.values, areOf: [[0, 1]], completely: false)
          verdict.require(witness.values.last == 1, "\(witness.values), demand \(String(describing: witness.demand))")
          return verdict.faults
        }
      )
    }
  }

  /// A send with unlimited demand takes no lock, and may come between the steps of the request.
  @Test(arguments: [.unlimited, .max(3)] as [Subscribers.Demand])
  func aSubscriberOfACurrentValueSubjectComesDuringSends(demand: Subscribers.Demand) {
    expectNoFault("CurrentValueSubject, two sends and a subscriber with a demand of \(demand)", preemptions: 3) {
      let subject = CurrentValue(0)
      let witness = Witness<Int>(requesting: demand)
      return ThreadedProgram(
        threads: [
          {
            subject.send(1)
            subject.send(2)
          },
          { subject.subscribe(witness) },
        ],
        faults: {
          var verdict = Verdict(witness)
          verdict.require(witness.values, areOf: [[0, 1, 2]], completely: false)
          verdict.require(witness.values.last == 2, "\(witness.values)")
          return verdict.faults
        }
      )
    }
  }

  /// A send that delivers another thread's value first has its own value overtaken by the answer to a request inside.
  @Test func theLastValueIsTheCurrentOneAfterARequestInsideASend() {
    expectNoFault("CurrentValueSubject, three sends and a request for all inside one") {
      let subject = CurrentValue(0)
      var request: (() -> Void)?
      let witness = Witness<Int>(requesting: .max(2)) { value in
        if value == 1 { request?() }
        return .none
      }
      request = { [unowned witness] in witness.request(.unlimited) }
      subject.subscribe(witness)
      return ThreadedProgram(
        threads: [{ subject.send(1) }, { subject.send(2) }, { subject.send(3) }],
        faults: { witness.faultsAfterARequest(to: subject) }
      )
    }
  }

  /// A thread may request the value that it has sent for another subscriber while others are sending.
  @Test func aCurrentValueThatWasMissedDoesNotComeLater() {
    expectNoFault("CurrentValueSubject, three sends and a request after one") {
      let subject = CurrentValue(0)
      let witness = Witness<Int>(requesting: .max(2)) { $0 == 1 ? .max(1) : .none }
      let other = Witness<Int>(requesting: .none)
      subject.subscribe(witness)
      subject.subscribe(other)
      let (isMissed, wasMissed) = (Guarded(false), Guarded(false))
      return ThreadedProgram(
        threads: [
          { subject.send(1) },
          {
            subject.send(2)
            isMissed.withLock { $0 = !witness.values.contains(2) }
            other.request(.max(1))
          },
          {
            let isMissed = isMissed.withLock { $0 }
            subject.send(3)
            wasMissed.withLock { $0 = isMissed }
          },
        ],
        faults: {
          var verdict = Verdict(witness)
          verdict.require(!wasMissed.withLock { $0 } || !witness.values.contains(2), "\(witness.values)")
          return verdict.faults
        }
      )
    }
  }

  /// The demand that the downstream returns may serve an older value than the one that has found it used up.
  @Test(arguments: [.unlimited, .max(1)] as [Subscribers.Demand])
  func aMissedCurrentValueComesWithTheNextRequest(returned: Subscribers.Demand) {
    expectNoFault("CurrentValueSubject, two sends and a request whose value returns \(returned)") {
      let subject = CurrentValue(0)
      let witness = Witness<Int>(requesting: .none) { $0 == 0 ? returned : .none }
      subject.subscribe(witness)
      return ThreadedProgram(
        threads: [{ witness.request(.max(1)) }, { subject.send(1) }, { subject.send(2) }],
        faults: { witness.faultsAfterARequest(to: subject) }
      )
    }
  }

  /// A request that finds the gate entered is left to the thread inside, which the cancel may reach first.
  @Test(arguments: [.none, .max(1)] as [Subscribers.Demand])
  func aRequestACancelAndASendOfACurrentValueSubject(demand: Subscribers.Demand) {
    expectNoFault("CurrentValueSubject, a send, a request and a cancel after a demand of \(demand)", preemptions: 3) {
      let subject = CurrentValue(0)
      let witness = Witness<Int>(requesting: demand)
      subject.subscribe(witness)
      return ThreadedProgram(
        threads: [{ subject.send(1) }, { witness.request(.max(1)) }, { witness.cancel() }],
        faults: {
          var verdict = Verdict(witness)
          verdict.require(witness.values, areOf: [[0, 1]], completely: false)
          return verdict.faults
        }
      )
    }
  }

  private final class Model: @unchecked Sendable {
    // Sendable: the property is a reference to an object that is shareable, and is never replaced.

    @Published var value = 0
  }

  @Test(arguments: [false, true])
  func writesOfAPublishedPropertyAndANewSubscriber(wasSubscribed: Bool) {
    expectNoFault("@Published, two writes and a subscriber, subscribed before: \(wasSubscribed)", preemptions: 2) {
      let model = Model()
      let (early, late) = (Witness<Int>(), Witness<Int>())
      if wasSubscribed { model.$value.setFailureType(to: TestError.self).subscribe(early) }
      return ThreadedProgram(
        threads: [
          { model.value = 1 }, { model.value = 2 },
          { model.$value.setFailureType(to: TestError.self).subscribe(late) },
        ],
        faults: {
          (wasSubscribed ? [early, late] : [late]).flatMap { witness in
            var verdict = Verdict(witness)
            verdict.require(witness.values, areOf: [[0, 1], [2]], completely: false)
            verdict.require(witness.values.last == model.value, "\(witness.values), and the value is \(model.value)")
            return verdict.faults
          }
        }
      )
    }
  }

  /// The first value may be one that a running send is about to deliver.
  @Test(arguments: [false, true], 1...2)
  func sendsOfACurrentValueSubjectAndANewSubscriber(wasSubscribed: Bool, sends: Int) {
    let name = "CurrentValueSubject, \(sends) sends and a subscriber, subscribed before: \(wasSubscribed)"
    expectNoFault(name, preemptions: 4 - sends) {
      let subject = CurrentValue(0)
      let (early, late) = (Witness<Int>(), Witness<Int>())
      if wasSubscribed { subject.subscribe(early) }
      return ThreadedProgram(
        threads: [{ subject.subscribe(late) }] + (1...sends).map { value in { subject.send(value) } },
        faults: {
          (wasSubscribed ? [early, late] : [late]).flatMap { witness in
            var verdict = Verdict(witness)
            let values = witness.values
            verdict.require(Set(values).count == values.count, "\(values)")
            verdict.require(values.last == subject.value, "\(values), and the value is \(subject.value)")
            witness.cancel()
            return verdict.faults
          }
        }
      )
    }
  }

  private final class ObservableModel: ObservableObject, @unchecked Sendable {
    // Sendable: the property is a reference to an object that is shareable, and is never replaced.

    @Published var value = 0
  }

  /// A subscriber that requests one value, and one more inside each.
  private final class Asking: Subscriber {
    private(set) var values: [Int] = []
    private(set) var subscription: (any Subscription)?

    func receive(subscription: any Subscription) {
      self.subscription = subscription
      subscription.request(.max(1))
    }

    func receive(_ value: Int) -> Subscribers.Demand {
      values.append(value)
      Interleavings.point("has \(value)")
      subscription?.request(.max(1))
      return .none
    }

    func receive(completion: Subscribers.Completion<TestError>) {}
  }

  /// A write passes a subscriber by whose subscription is being delivered, and stores its value after it has met the other one.
  @Test func aWriteAndTwoNewSubscribers() {
    expectNoFault("@Published, a write and two subscribers, one of whom asks inside its first value", preemptions: 3) {
      let model = ObservableModel()
      let (asking, other) = (Asking(), Witness<Int>())
      return ThreadedProgram(
        threads: [
          { model.$value.setFailureType(to: TestError.self).subscribe(asking) },
          { model.$value.setFailureType(to: TestError.self).subscribe(other) },
          { model.value = 1 },
        ],
        faults: {
          var verdict = Verdict(other)
          for values in [asking.values, other.values] {
            verdict.require(Set(values).count == values.count, "\(values)")
            verdict.require(values.last == model.value, "\(values), and the value is \(model.value)")
          }
          asking.subscription?.cancel()
          other.cancel()
          return verdict.faults
        }
      )
    }
  }

  /// A write of a property without subscribers gets its number after the announcement.
  @Test func anAnnouncedWriteAndANewSubscriber() {
    expectNoFault("@Published with announcements, a write, a write inside one, and a subscriber", preemptions: 2) {
      let model = ObservableModel()
      let late = Witness<Int>()
      let announcements = model.objectWillChange.sink {}
      return ThreadedProgram(
        threads: [
          { model.value = 1 }, { model.value = 2 },
          { model.$value.setFailureType(to: TestError.self).subscribe(late) },
        ],
        faults: {
          var verdict = Verdict(late)
          verdict.require(late.values, areOf: [[0, 1], [2]], completely: false)
          verdict.require(late.values.last == model.value, "\(late.values), and the value is \(model.value)")
          announcements.cancel()
          return verdict.faults
        }
      )
    }
  }

  /// One subscriber comes from inside the announcement, and misses that write. Another thread adds one meanwhile.
  @Test func anAnnouncedWriteASubscriberFromWithinAndOneOfAnotherThread() {
    expectNoFault("@Published with announcements, a subscriber from within and another one", preemptions: 2) {
      let model = ObservableModel()
      let (inner, late) = (Witness<Int>(), Witness<Int>())
      let announcements = model.objectWillChange.prefix(1).sink {
        model.$value.setFailureType(to: TestError.self).subscribe(inner)
      }
      return ThreadedProgram(
        threads: [{ model.value = 1 }, { model.$value.setFailureType(to: TestError.self).subscribe(late) }],
        faults: {
          var verdict = Verdict(late)
          verdict.require(late.values == [0, 1] || late.values == [1], "late: \(late.values)")
          verdict.require(inner.values == [0], "from within: \(inner.values)")
          verdict.require(model.value == 1, "the value is \(model.value)")
          announcements.cancel()
          return verdict.faults
        }
      )
    }
  }

  @Test func aRequestAndTwoWritesOfAPublishedProperty() {
    expectNoFault("@Published, two writes and a request", preemptions: 2) {
      let model = Model()
      let witness = Witness<Int>(requesting: .none)
      model.$value.setFailureType(to: TestError.self).subscribe(witness)
      return ThreadedProgram(
        threads: [{ model.value = 1 }, { model.value = 2 }, { witness.request(.max(2)) }],
        faults: {
          if witness.values.last != model.value, witness.demand == Subscribers.Demand.none {
            witness.request(.max(1))
          }
          var verdict = Verdict(witness)
          verdict.require(witness.values, areOf: [[0, 1], [2]], completely: false)
          verdict.require(witness.values.last == model.value, "\(witness.values), and the value is \(model.value)")
          return verdict.faults
        }
      )
    }
  }

  @Test func twoRequestsAndASendOfACurrentValueSubject() {
    expectNoFault("CurrentValueSubject, a send and two requests") {
      let subject = CurrentValue(0)
      let witness = Witness<Int>(requesting: .none)
      subject.subscribe(witness)
      return ThreadedProgram(
        threads: [{ subject.send(1) }, { witness.request(.max(1)) }, { witness.request(.max(1)) }],
        faults: {
          var verdict = Verdict(witness)
          verdict.require(witness.values, areOf: [[0, 1]], completely: false)
          verdict.require(witness.values.last == 1, "\(witness.values), demand \(String(describing: witness.demand))")
          return verdict.faults
        }
      )
    }
  }

  @Test func aSubscriberOfACurrentValueSubjectThatEnds() {
    expectNoFault("CurrentValueSubject, a subscriber and a completion") {
      let subject = CurrentValue(0)
      let witness = Witness<Int>()
      return ThreadedProgram(
        threads: [
          { subject.subscribe(witness) },
          {
            subject.send(1); subject.send(completion: .finished)
          },
        ],
        faults: {
          var verdict = Verdict(witness)
          verdict.require(witness.values, areOf: [[0, 1]], completely: false)
          verdict.require(witness.isCompleted, "the completion is missing")
          return verdict.faults
        }
      )
    }
  }

  @Test func aSubjectRequestsFromItsUpstreamOnce() {
    expectNoFault("PassthroughSubject, an upstream and a first request") {
      let subject = Passthrough()
      let upstream = Feed<Int>("upstream", answersAtOnce: false)
      let witness = Witness<Int>(requesting: .none)
      subject.subscribe(witness)
      return ThreadedProgram(
        threads: [{ subject.send(subscription: upstream.subscription) }, { witness.request(.max(1)) }],
        faults: {
          var verdict = Verdict(witness)
          verdict.require(upstream.requests == [.unlimited], "it received requests of \(upstream.requests)")
          return verdict.faults
        }
      )
    }
  }
}

@Suite struct SharingThreadTests {

  @Test func shareStaysConnectedWhileItHasASubscriber() {
    expectNoFault("share, one subscriber cancels and one subscribes") {
      let upstream = Feed<Int>("upstream")
      let shared = upstream.share()
      let (old, new) = (Witness<Int>(), Witness<Int>())
      shared.subscribe(old)
      return ThreadedProgram(
        threads: [{ old.cancel() }, { shared.subscribe(new) }],
        faults: {
          let (subscribed, cancelled) = (upstream.subscribeCount, upstream.cancelCount)
          new.cancel()
          var verdict = Verdict(new)
          verdict.require(subscribed == cancelled + 1, "subscribed \(subscribed) times, cancelled \(cancelled) times")
          verdict.require(upstream.cancelCount == subscribed, "it stays connected without a subscriber")
          return verdict.faults + old.faults
        }
      )
    }
  }

  @Test func shareConnectsASubscriberThatIsSubscribed() {
    expectNoFault("share, one subscriber cancels and one subscribes, and the upstream sends at once") {
      var count = 0
      let upstream = Deferred { () -> AnyPublisher<Int, TestError> in
        count += 1
        return count == 1
          ? Empty(completeImmediately: false).eraseToAnyPublisher()
          : Just(7).setFailureType(to: TestError.self).eraseToAnyPublisher()
      }
      let shared = upstream.share()
      let (old, new) = (Witness<Int>(), Witness<Int>())
      shared.subscribe(old)
      return ThreadedProgram(
        threads: [{ old.cancel() }, { shared.subscribe(new) }],
        faults: {
          var verdict = Verdict(new)
          verdict.require(new.values == (count == 1 ? [] : [7]), "\(new.values) after \(count) connections")
          verdict.require(count <= 2, "\(count) connections")
          return verdict.faults
        }
      )
    }
  }

  @Test func shareConnectsOnceForTwoRacingSubscribers() {
    expectNoFault("share, two subscribers subscribe") {
      let upstream = Feed<Int>("upstream")
      let shared = upstream.share()
      let witnesses = [Witness<Int>(), Witness<Int>()]
      return ThreadedProgram(
        threads: witnesses.map { witness in { shared.subscribe(witness) } },
        faults: {
          let subscribed = upstream.subscribeCount
          upstream.send(1)
          for witness in witnesses { witness.cancel() }
          var verdict = Verdict(witnesses[0])
          verdict.require(subscribed == 1, "subscribed \(subscribed) times")
          verdict.require(upstream.cancelCount == 1, "cancelled \(upstream.cancelCount) times")
          verdict.require(witnesses.allSatisfy { $0.values == [1] }, "\(witnesses.map(\.values))")
          return verdict.faults + witnesses[1].faults
        }
      )
    }
  }

  @Test func shareDisconnectsIfTheFirstSubscriberCancelsWhileConnecting() {
    expectNoFault("share, one subscribes, one subscribes and cancels") {
      let upstream = Feed<Int>("upstream")
      let shared = upstream.share()
      let witnesses = [Witness<Int>(), Witness<Int>()]
      return ThreadedProgram(
        threads: [
          { shared.subscribe(witnesses[0]) },
          {
            shared.subscribe(witnesses[1]); witnesses[1].cancel()
          },
        ],
        faults: {
          let open = upstream.subscribeCount - upstream.cancelCount
          witnesses[0].cancel()
          var verdict = Verdict(witnesses[0])
          verdict.require(open == 1, "\(open) connections are open for one subscriber")
          verdict.require(upstream.subscribeCount == upstream.cancelCount, "it stays connected without a subscriber")
          return verdict.faults + witnesses[1].faults
        }
      )
    }
  }

  @Test func multicastEndsOnce() {
    expectNoFault("multicast, a value, a finish and a cancel") {
      let upstream = Feed<Int>("upstream")
      let multicast = upstream.multicast(subject: PassthroughSubject<Int, TestError>())
      let (first, second) = (Witness<Int>(requesting: .max(1)) { _ in .max(1) }, Witness<Int>())
      multicast.subscribe(first)
      multicast.subscribe(second)
      let connection = multicast.connect()
      return ThreadedProgram(
        threads: [{ upstream.send(1, finishing: true) }, { first.cancel() }, { connection.cancel() }],
        faults: {
          var verdict = Verdict(second)
          verdict.require(upstream.cancelCount <= 1, "cancelled \(upstream.cancelCount) times")
          return verdict.faults + first.faults
        }
      )
    }
  }
}

@Suite struct SourceThreadTests {

  @Test func aPromiseReachesASubscriberThatRequests() {
    for isFailure in [true, false] {
      expectNoFault("Future, a promise (\(isFailure ? "failure" : "value")), a request, a subscriber") {
        var promise: Future<Int, TestError>.Promise?
        let future = Future<Int, TestError> { promise = $0 }
        let (early, late) = (Witness<Int>(requesting: .none), Witness<Int>())
        future.subscribe(early)
        return ThreadedProgram(
          threads: [
            { promise?(isFailure ? .failure("") : .success(1)) },
            { early.request(.max(1)) },
            { future.subscribe(late) },
          ],
          faults: {
            [early, late].flatMap { witness in
              var verdict = Verdict(witness)
              verdict.requireEnd(of: witness, after: isFailure ? [] : [1])
              return verdict.faults
            }
          }
        )
      }
    }
  }

  @Test func twoPromisesAndACancel() {
    expectNoFault("Future, two promises and a cancel") {
      var promise: Future<Int, TestError>.Promise?
      let future = Future<Int, TestError> { promise = $0 }
      let (staying, leaving) = (Witness<Int>(), Witness<Int>())
      future.subscribe(staying)
      future.subscribe(leaving)
      return ThreadedProgram(
        threads: [{ promise?(.success(1)) }, { promise?(.failure("")) }, { leaving.cancel() }],
        faults: {
          var verdict = Verdict(staying)
          verdict.require(staying.values == [1] || staying.completion == .failure(""), "\(staying.values)")
          verdict.require(staying.isCompleted, "the completion is missing")
          return verdict.faults + leaving.faults
        }
      )
    }
  }

  @Test func requestsOfASequenceAndACancel() {
    expectNoFault("Sequence, requests") {
      let witness = Witness<Int>(requesting: .none)
      [1, 2, 3].publisher.setFailureType(to: TestError.self).subscribe(witness)
      return ThreadedProgram(
        threads: [{ witness.request(.max(1)) }, { witness.request(.max(2)) }],
        faults: {
          var verdict = Verdict(witness)
          verdict.requireEnd(of: witness, after: [1, 2, 3])
          return verdict.faults
        }
      )
    }
    expectNoFault("Sequence, requests and a cancel") {
      let witness = Witness<Int>(requesting: .none)
      [1, 2, 3].publisher.setFailureType(to: TestError.self).subscribe(witness)
      return ThreadedProgram(
        threads: [{ witness.request(.max(1)) }, { witness.request(.max(2)) }, { witness.cancel() }],
        faults: { Verdict(witness).faults }
      )
    }
  }
}

@Suite struct SubscriberThreadTests {

  private typealias Sink = Subscribers.Sink<Int, TestError>

  @Test func aSinkIsSilentAfterItsEndAndReleasesItsClosures() {
    expectSilenceAfterTheEnd(
      "Sink, a value, a finish and a cancel",
      sent: [[], ["1"], ["completion"], ["1", "completion"]]
    ) { sink in
      let upstream = Feed<Int>("upstream")
      upstream.subscribe(sink)
      return { upstream.send(1, finishing: true) }
    }
  }

  @Test func aSinkWithoutASubscriptionIsSilentAfterItsEndAndReleasesItsClosures() {
    expectSilenceAfterTheEnd("Sink, one value and a cancel", sent: [[], ["1"], ["1", "completion"]]) { sink in
      { Result<Int, TestError>.Publisher(1).subscribe(sink) }
    }
  }

  @Test func aSinkOfASequenceIsSilentAfterItsEndAndReleasesItsClosures() {
    let sent: Set = [[], ["1"], ["1", "2"], ["1", "2", "completion"]]
    expectSilenceAfterTheEnd("Sink, two elements and a cancel", sent: sent) { sink in
      { Publishers.Sequence<[Int], TestError>(sequence: [1, 2]).subscribe(sink) }
    }
  }

  @Test func aSinkOfASubjectIsSilentAfterItsEndAndReleasesItsClosures() {
    let sent: Set = [[], ["1"], ["completion"], ["1", "completion"]]
    expectSilenceAfterTheEnd("PassthroughSubject to a sink, a value, a finish and a cancel", sent: sent) { sink in
      let subject = PassthroughSubject<Int, TestError>()
      subject.subscribe(sink)
      return {
        subject.send(1); subject.send(completion: .finished)
      }
    }
  }

  @Test func aSinkOfACurrentValueSubjectIsSilentAfterItsEndAndReleasesItsClosures() {
    let sent: Set = [["0"], ["0", "1"], ["0", "completion"], ["0", "1", "completion"]]
    expectSilenceAfterTheEnd("CurrentValueSubject to a sink, a value, a finish and a cancel", sent: sent) { sink in
      let subject = CurrentValueSubject<Int, TestError>(0)
      subject.subscribe(sink)
      return {
        subject.send(1); subject.send(completion: .finished)
      }
    }
    // A cancel before the subscription has no effect.
    let sentToSubscriber: Set = [[], ["0"], ["0", "1"], ["0", "1", "completion"]]
    expectSilenceAfterTheEnd("CurrentValueSubject, a sink comes and is cancelled", sent: sentToSubscriber) { sink in
      let subject = CurrentValueSubject<Int, TestError>(0)
      return {
        subject.subscribe(sink); subject.send(1); subject.send(completion: .finished)
      }
    }
  }

  @Test func aSinkBehindASchedulerIsSilentAfterItsEndAndReleasesItsClosures() {
    let sent: Set = [[], ["1"], ["completion"], ["1", "completion"]]
    expectSilenceAfterTheEnd("receive(on:) to a sink, a value, a finish and a cancel", sent: sent) { sink in
      let (upstream, scheduler) = (Feed<Int>("upstream"), StepScheduler())
      upstream.receive(on: scheduler).subscribe(sink)
      upstream.send(1)
      upstream.complete(.finished)
      return {
        scheduler.run(); scheduler.run()
      }
    }
  }

  // A sink serializes its values itself, in place of the operators below.

  @Test func aSinkOfASubjectReceivesOneEventAtATime() {
    expectOneAtATime("PassthroughSubject to a sink, two sends and a finish") { sink in
      let subject = PassthroughSubject<Int, TestError>()
      subject.subscribe(sink)
      return [{ subject.send(1) }, { subject.send(2) }, { subject.send(completion: .finished) }]
    }
  }

  @Test func aSinkOfACurrentValueSubjectReceivesOneEventAtATime() {
    expectOneAtATime("CurrentValueSubject to a sink, two sends and a finish") { sink in
      let subject = CurrentValueSubject<Int, TestError>(0)
      subject.subscribe(sink)
      return [{ subject.send(1) }, { subject.send(2) }, { subject.send(completion: .finished) }]
    }
    expectOneAtATime("CurrentValueSubject, a sink comes, a send and a finish") { sink in
      let subject = CurrentValueSubject<Int, TestError>(0)
      return [{ subject.subscribe(sink) }, { subject.send(1) }, { subject.send(completion: .finished) }]
    }
  }

  @Test(arguments: [false, true])
  func aSinkOfACurrentValueSubjectReceivesTheFinalValueLast(isThereBefore: Bool) {
    expectNoFault("CurrentValueSubject, two sends, a sink \(isThereBefore ? "is there" : "comes")") {
      let subject = CurrentValueSubject<Int, TestError>(0)
      var values: [Int] = []
      let sink = Sink(receiveCompletion: { _ in }, receiveValue: { values.append($0) })
      var threads = [{ subject.send(1) }, { subject.send(2) }]
      if isThereBefore {
        subject.subscribe(sink)
      } else {
        threads.append { subject.subscribe(sink) }
      }
      return ThreadedProgram(
        threads: threads,
        faults: {
          let isRight = values.last == subject.value && Set(values).count == values.count
          return isRight ? [] : ["\(values), and the value is \(subject.value)"]
        }
      )
    }
  }

  @Test func aSinkOfACurrentValueSubjectReceivesItsOwnSends() {
    expectNoFault("CurrentValueSubject, a sink that sends, and a send") {
      let subject = CurrentValueSubject<Int, TestError>(0)
      var values: [Int] = []
      let sink = Sink(
        receiveCompletion: { _ in },
        receiveValue: {
          values.append($0)
          if $0 == 1 { subject.send(10) }
        }
      )
      return ThreadedProgram(
        threads: [{ subject.subscribe(sink) }, { subject.send(1) }],
        faults: {
          values.suffix(2) == [1, 10] && subject.value == 10 ? [] : ["\(values), and the value is \(subject.value)"]
        }
      )
    }
  }

  // A nested send overtakes the outer one at the other subscribers, to which another thread may be delivering both.
  @Test(arguments: [.unlimited, .max(7)] as [Subscribers.Demand], [[1: 2], [1: 2, 3: 4]])
  func nestedSendsOfACurrentValueSubjectReachEachSubscriberOnce(demand: Subscribers.Demand, answers: [Int: Int]) {
    expectNoFault("CurrentValueSubject, two sends, nested \(answers), \(demand)") {
      let subject = CurrentValueSubject<Int, TestError>(0)
      let witnesses = [true, false, true].map { isSender in
        Witness<Int>(requesting: demand) {
          if isSender, let answer = answers[$0], subject.value == $0 { subject.send(answer) }
          return .none
        }
      }
      for witness in witnesses { subject.subscribe(witness) }
      return ThreadedProgram(
        threads: [{ subject.send(1) }, { subject.send(3) }],
        faults: {
          witnesses.flatMap { witness in
            var verdict = Verdict(witness)
            let sent = Set(witnesses.flatMap(\.values))
            verdict.require(witness.values.sorted() == sent.sorted(), "\(witness.values) of \(sent)")
            return verdict.faults
          }
        }
      )
    }
  }

  @Test func aSinkOfAMergeReceivesOneEventAtATime() {
    for completion in [Subscribers.Completion<TestError>.finished, .failure("x")] {
      expectOneAtATime("Merge to a sink, two values and \(completion)") { sink in
        let (first, second, third) = (Feed<Int>("first"), Feed<Int>("second"), Feed<Int>("third"))
        Publishers.Merge3(first, second, third).subscribe(sink)
        return [{ first.send(1) }, { second.send(2) }, { third.complete(completion) }]
      }
    }
  }

  @Test func aSinkOfAFlatMapReceivesOneEventAtATime() {
    for completion in [Subscribers.Completion<TestError>.finished, .failure("x")] {
      expectOneAtATime("FlatMap to a sink, two values and \(completion)") { sink in
        let upstream = Feed<Int>("upstream")
        let children = [Feed<Int>("first"), Feed<Int>("second"), Feed<Int>("third")]
        upstream.flatMap { children[$0] }.subscribe(sink)
        for index in children.indices { upstream.send(index) }
        return [{ children[0].send(1) }, { children[1].send(2) }, { children[2].complete(completion) }]
      }
    }
  }

  @Test func aSinkOfAFlatMapReceivesSynchronousValuesBetweenTheOthers() {
    expectOneAtATime("FlatMap to a sink, a synchronous inner publisher, a value and a failure") { sink in
      let (upstream, child) = (Feed<Int>("upstream"), Feed<Int>("child"))
      upstream.flatMap { number in
        number == 0 ? Either.feed(child) : .sequence(.init(sequence: [1, 2]))
      }.subscribe(sink)
      upstream.send(0)
      return [{ upstream.send(1) }, { child.send(3) }, { child.complete(.failure("x")) }]
    }
  }

  @Test func aSinkBehindAConcurrentSchedulerReceivesOneEventAtATime() {
    for completion in [Subscribers.Completion<TestError>.finished, .failure("x")] {
      expectOneAtATime("receive(on:) to a sink, two values and \(completion)") { sink in
        let (upstream, scheduler) = (Feed<Int>("upstream"), StepScheduler())
        upstream.receive(on: scheduler).subscribe(sink)
        upstream.send(1)
        upstream.send(2)
        upstream.complete(completion)
        return [{ scheduler.run() }, { scheduler.run() }, { scheduler.run() }]
      }
    }
  }

  @Test func aSchedulerMayDeliverDuringASinksRequest() {
    expectOneAtATime("a sequence, receive(on:) and a sink that is being subscribed") { sink in
      let scheduler = StepScheduler()
      let sequence = Publishers.Sequence<[Int], TestError>(sequence: [1, 2])
      return [
        { sequence.receive(on: scheduler).subscribe(sink) },
        {
          scheduler.run(); scheduler.run(); scheduler.run()
        },
      ]
    }
  }

  private enum Either: Publisher {
    case feed(Feed<Int>)
    case sequence(Publishers.Sequence<[Int], TestError>)

    typealias Output = Int
    typealias Failure = TestError

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == TestError {
      switch self {
      case .feed(let feed): feed.subscribe(subscriber)
      case .sequence(let sequence): sequence.subscribe(subscriber)
      }
    }
  }

  /// Runs threads that send to a sink, and checks that it receives one event at a time, and none after the end.
  private func expectOneAtATime(_ name: String, _ threads: @escaping (Sink) -> [() -> Void]) {
    expectNoFault(name) {
      var isInside = false
      var isCompleted = false
      var faults: [String] = []
      func enter(_ event: String) {
        if isInside { faults.append("\(event) inside another event") }
        if isCompleted { faults.append("\(event) after the completion") }
        isInside = true
        Interleavings.point("sink receives \(event)")
        isInside = false
      }
      let sink = Sink(
        receiveCompletion: { _ in
          enter("completion")
          isCompleted = true
        },
        receiveValue: { enter("\($0)") }
      )
      return ThreadedProgram(threads: threads(sink), faults: { faults })
    }
  }

  /// Cancels a sink on one thread while another thread sends to it.
  private func expectSilenceAfterTheEnd(_ name: String, sent: Set<[String]>, by sender: @escaping (Sink) -> () -> Void)
  {
    final class Captured {}
    expectNoFault(name, preemptions: 3) {
      var log: [String] = []
      weak var captured: Captured?
      let sink: Sink
      do {
        let object = Captured()
        captured = object
        sink = Sink(
          receiveCompletion: { _ in
            Interleavings.point("sink completes")
            withExtendedLifetime(object) { log.append("completion") }
          },
          receiveValue: { value in
            Interleavings.point("sink receives \(value)")
            withExtendedLifetime(object) { log.append("\(value)") }
            Interleavings.point("sink has received \(value)")
          }
        )
      }
      return ThreadedProgram(
        threads: [sender(sink), { sink.cancel() }],
        faults: {
          var faults: [String] = []
          if captured != nil { faults.append("the closures are still there") }
          if !sent.contains(log) { faults.append("\(log)") }
          return faults
        }
      )
    }
  }

  @Test func anAnyCancellableCancelsOnce() {
    expectNoFault("AnyCancellable, two cancels") {
      var count = 0
      let cancellable = AnyCancellable {
        Interleavings.point("is cancelled")
        count += 1
      }
      return ThreadedProgram(
        threads: [{ cancellable.cancel() }, { cancellable.cancel() }],
        faults: { count == 1 ? [] : ["cancelled \(count) times"] }
      )
    }
  }
}
