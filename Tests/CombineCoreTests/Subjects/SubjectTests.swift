import CombineCore
import Dispatch
import Synchronization
import TestSupport
import Testing

/// What both subjects have in common; a `CurrentValueSubject` starts with -1.
@Suite struct SubjectTests {

  enum Kind: String, CaseIterable {
    case passthrough = "PassthroughSubject"
    case currentValue = "CurrentValueSubject"

    func make() -> any Subject<Int, TestError> {
      switch self {
      case .passthrough: PassthroughSubject()
      case .currentValue: CurrentValueSubject(-1)
      }
    }
  }

  typealias Recorder = RecordingSubscriber<Int, TestError>

  // MARK: Demand

  struct DemandRow: Sendable {
    var initial: Subscribers.Demand?
    var returned: [Subscribers.Demand]
    var passthroughCount: Int
    var currentValueCount: Int
  }

  static let demandRows: [DemandRow] = {
    let columns: [[Subscribers.Demand]] = [
      [.none, .none, .none, .none, .none],
      Array(repeating: .max(1), count: 10),
      [.max(1), .none, .max(1), .none],
      [.none, .max(1), .max(2)],
      [.unlimited, .max(1)],
    ]
    func rows(_ initial: Subscribers.Demand?, _ counts: [(Int, Int)]) -> [DemandRow] {
      zip(columns, counts).map {
        DemandRow(initial: initial, returned: $0, passthroughCount: $1.0, currentValueCount: $1.1)
      }
    }
    return rows(nil, [(0, 0), (0, 0), (0, 0), (0, 0), (0, 0)])
      + rows(.max(1), [(1, 1), (11, 11), (2, 2), (1, 1), (20, 22)])
      + rows(.max(2), [(2, 2), (12, 12), (4, 4), (5, 5), (20, 22)])
      + rows(.max(10), [(10, 10), (20, 20), (12, 12), (13, 13), (20, 22)])
      + rows(.unlimited, [(20, 22), (20, 22), (20, 22), (20, 22), (20, 22)])
  }()

  @Test(arguments: demandRows)
  func deliversExactlyWhatWasAskedFor(row: DemandRow) {
    for kind in Kind.allCases {
      let subject = kind.make()
      var rest = row.returned[...]
      let subscriber = Recorder(
        onSubscription: { if let initial = row.initial { $0.request(initial) } },
        onValue: { _ in rest.popFirst() ?? .none }
      )
      subject.subscribe(subscriber)
      for value in 0..<20 { subject.send(value) }
      if kind == .currentValue { subject.send(19) }
      subject.send(completion: .finished)
      let expected = kind == .passthrough ? row.passthroughCount : row.currentValueCount
      #expect(subscriber.values.count == expected, "\(kind), \(row)")
      #expect(subscriber.events.last == .finished)
      #expect(subscriber.events.filter { $0 == .finished }.count == 1)
    }
  }

  // MARK: Completion and cancel

  @Test(arguments: Kind.allCases)
  func theFirstCompletionEndsIt(kind: Kind) {
    let subject = kind.make()
    let subscriber = Recorder(onCompletion: { _ in
      subject.send(3)
      subject.send(completion: .finished)
    })
    subject.subscribe(subscriber)
    subject.send(completion: .failure("first"))
    subject.send(completion: .finished)
    subject.send(4)
    #expect(subscriber.events == [.subscription(kind.rawValue), .failure("first")])
  }

  @Test(arguments: Kind.allCases)
  func subscribersAreToldInTheOrderInWhichTheySubscribed(kind: Kind) {
    let subject = kind.make()
    var order: [Int] = []
    let subscribers = (0..<40).map { index in
      let subscriber = Recorder(requesting: .unlimited)
      subject.subscribe(subscriber)
      subscriber.onValue = { _ in
        order.append(index)
        return .none
      }
      return subscriber
    }
    for index in stride(from: 0, to: 40, by: 3) { subscribers[index].cancel() }
    subject.send(1)
    #expect(order == (0..<40).filter { $0 % 3 != 0 })
  }

  @Test(arguments: Kind.allCases)
  func aSendInsideTheFirstCompletionReachesNobodyAndEachIsCompletedOnce(kind: Kind) {
    let subject = kind.make()
    let subscribers = (0..<2).map { _ in Recorder(requesting: .unlimited) }
    var eventsOfTheOther: [[Event<Int>]] = []
    for (index, subscriber) in subscribers.enumerated() {
      subject.subscribe(subscriber)
      subscriber.clear()
      subscriber.onCompletion = { [unowned other = subscribers[1 - index]] _ in
        subject.send(2)
        eventsOfTheOther.append(other.events)
      }
    }
    subject.send(1)
    subject.send(completion: .finished)
    #expect(eventsOfTheOther == [[.value(1)], [.value(1), .finished]], "whichever of the two is told first")
    #expect(subscribers.map(\.events) == [[.value(1), .finished], [.value(1), .finished]])
  }

  @Test(arguments: Kind.allCases)
  func aSubscriptionIsCompletedAfterItHasDroppedItsReferences(kind: Kind) {
    let subject = kind.make()
    var childrenInside: [String] = []
    let subscribers = (0..<2).map { _ in Recorder(requesting: .unlimited) }
    for subscriber in subscribers {
      subject.subscribe(subscriber)
      subscriber.onCompletion = { [unowned subscriber] _ in
        childrenInside += ["parent", "downstream", "subject"].map {
          String(describing: reflectedChild($0, of: subscriber.subscription!)!)
        }
      }
    }
    subject.send(completion: .finished)
    #expect(childrenInside == Array(repeating: "nil", count: 6))
  }

  @Test(arguments: Kind.allCases)
  func aSubscriberAfterTheEndGetsTheCompletionAtOnceAndIsNotRetained(kind: Kind) {
    let subject = kind.make()
    subject.send(completion: .failure("over"))
    subject.send(completion: .finished)
    var isReleased = false
    do {
      let subscriber = Recorder(onDeinit: { isReleased = true })
      subject.subscribe(subscriber)
      #expect(subscriber.events == [.subscription("Empty"), .failure("over")])
    }
    #expect(isReleased)
  }

  @Test(arguments: Kind.allCases)
  func afterCancelNothingArrivesAndFurtherCallsAreIgnored(kind: Kind) {
    let subject = kind.make()
    let subscriber = Recorder(requesting: .unlimited)
    subject.subscribe(subscriber)
    subscriber.clear()
    subscriber.cancel()
    subject.send(1)
    subscriber.request(.max(1))
    subscriber.cancel()
    subject.send(2)
    subject.send(completion: .finished)
    #expect(subscriber.events.isEmpty)
  }

  @Test(arguments: Kind.allCases)
  func aSubscriptionCancelledDuringASendGetsNothingOfIt(kind: Kind) {
    let subject = kind.make()
    var subscribers: [Recorder] = []
    for _ in 0..<2 {
      let subscriber = Recorder(requesting: .unlimited)
      subject.subscribe(subscriber)
      subscriber.clear()
      subscribers.append(subscriber)
    }
    for (index, subscriber) in subscribers.enumerated() {
      subscriber.onValue = { _ in
        subscribers[1 - index].cancel()
        return .none
      }
    }
    subject.send(1)
    subject.send(2)
    #expect(subscribers.map(\.events.count).sorted() == [0, 2], "the first to be told cancels the other")
  }

  // MARK: Re-entrancy

  @Test(arguments: Kind.allCases)
  func aSubscriptionMadeDuringASendDoesNotGetThatValueFromIt(kind: Kind) {
    let subject = kind.make()
    let late = Recorder(requesting: .unlimited)
    var isFirst = true
    let subscriber = Recorder(
      onSubscription: { $0.request(.unlimited) },
      onValue: { value in
        if value == 1, isFirst {
          isFirst = false
          subject.subscribe(late)
        }
        return .none
      }
    )
    subject.subscribe(subscriber)
    subject.send(1)
    subject.send(2)
    // The current value is the answer to its request, not a part of the send.
    #expect(late.values == (kind == .passthrough ? [2] : [1, 2]))
  }

  @Test(arguments: Kind.allCases)
  func subscribesRecursively(kind: Kind) {
    let subject = kind.make()
    let inner = Recorder(requesting: .unlimited)
    let outer = Recorder(onSubscription: {
      subject.subscribe(inner)
      $0.request(.unlimited)
    })
    subject.subscribe(outer)
    subject.send(5)
    #expect(inner.values.last == 5)
    #expect(outer.values.last == 5)
  }

  @Test(arguments: Kind.allCases)
  func nestedSendsAreDeliveredNested(kind: Kind) {
    let subject = kind.make()
    var log: [String] = []
    let subscriber = Recorder(
      onSubscription: { $0.request(.unlimited) },
      onValue: { value in
        log.append("in \(value)")
        if (1..<4).contains(value) { subject.send(value + 1) }
        log.append("out \(value)")
        return .none
      }
    )
    subject.subscribe(subscriber)
    log = []
    subject.send(1)
    #expect(log == ["in 1", "in 2", "in 3", "in 4", "out 4", "out 3", "out 2", "out 1"])
  }

  @Test(arguments: Kind.allCases)
  func aNestedSendReachesTheOthersBeforeTheSendThatItIsIn(kind: Kind) {
    let subject = kind.make()
    var hasSent = false
    let subscribers = (0..<2).map { _ in
      Recorder(
        onSubscription: { $0.request(.unlimited) },
        onValue: { value in
          if value == 1, !hasSent {
            hasSent = true
            subject.send(2)
          }
          return .none
        }
      )
    }
    for subscriber in subscribers {
      subject.subscribe(subscriber)
      subscriber.clear()
    }
    subject.send(1)
    #expect(Set(subscribers.map(\.values)) == [[1, 2], [2, 1]], "whichever of the two is told first")
    subject.send(3)
    #expect(subscribers.map(\.values.last) == [3, 3])
  }

  // MARK: The subscription comes first

  @Test(arguments: Kind.allCases)
  func aCompletionOfAnotherThreadWaitsForTheSubscriptionToBeHandedOver(kind: Kind) {
    let subject = Shared(kind.make())
    let subscriber = Recorder()
    var eventsInside: [Event<Int>] = []
    subscriber.onSubscription = { _ in
      onThreads(1) { _ in subject.value.send(completion: .failure("end")) }
      eventsInside = subscriber.events
    }
    subject.value.subscribe(subscriber)
    #expect(eventsInside == [.subscription(kind.rawValue)])
    #expect(subscriber.events == [.subscription(kind.rawValue), .failure("end")])
  }

  @Test(arguments: Kind.allCases)
  func whoHasRequestedHasTheSubscriptionAndIsToldOfACompletionAtOnce(kind: Kind) {
    let subject = Shared(kind.make())
    let subscriber = Recorder()
    var eventInside: Event<Int>?
    subscriber.onSubscription = {
      $0.request(.max(1))
      onThreads(1) { _ in subject.value.send(completion: .finished) }
      eventInside = subscriber.events.last
    }
    subject.value.subscribe(subscriber)
    #expect(eventInside == .finished)
    #expect(subscriber.events.filter { $0 == .finished }.count == 1)
  }

  @Test(arguments: Kind.allCases, [true, false])
  func theSameThreadMayEndTheSubjectWhileItGetsTheSubscription(kind: Kind, cancels: Bool) {
    let subject = kind.make()
    let subscriber = Recorder(onSubscription: {
      if cancels { $0.cancel() }
      subject.send(completion: .finished)
    })
    subject.subscribe(subscriber)
    #expect(subscriber.events == [.subscription(kind.rawValue)] + (cancels ? [] : [.finished]))
  }

  @Test(arguments: Kind.allCases)
  func aCancelDuringTheHandoverWithholdsACompletionThatCameFirst(kind: Kind) {
    let subject = Shared(kind.make())
    let subscriber = Recorder(onSubscription: {
      onThreads(1) { _ in subject.value.send(completion: .finished) }
      $0.cancel()
    })
    subject.value.subscribe(subscriber)
    #expect(subscriber.events == [.subscription(kind.rawValue)])
  }

  @Test(arguments: Kind.allCases)
  func subscribingWhileAnotherThreadCompletesIsNeverWithoutACompletion(kind: Kind) {
    for _ in 0..<1000 {
      let subject = Shared(kind.make())
      let probe = OverlapProbe()
      onThreads(2) { index in
        if index == 0 {
          subject.value.send(completion: .finished)
        } else {
          // An operator that traps on a completion without a subscription.
          func attach(_ publisher: some Publisher<Int, TestError>) {
            publisher.tryFilter { _ in true }.mapError { _ in TestError() }
              .subscribe(ProbeSubscriber(probe: probe, demand: .unlimited))
          }
          attach(subject.value)
        }
      }
      #expect(probe.completions == 1)
    }
  }

  // MARK: Several subscriptions

  @Test(arguments: Kind.allCases)
  func oneSubscriberMaySubscribeManyTimes(kind: Kind) {
    let subject = kind.make()
    var subscriptions: [any Subscription] = []
    let subscriber = Recorder(onSubscription: {
      subscriptions.append($0)
      $0.request(.unlimited)
    })
    for _ in 0..<11 { subject.subscribe(subscriber) }
    #expect(Set(subscriptions.map(\.combineIdentifier)).count == 11)
    subscriber.clear()
    subject.send(1)
    #expect(subscriber.events.count == 11)
    for index in stride(from: 0, to: 11, by: 2) { subscriptions[index].cancel() }
    subscriber.clear()
    subject.send(2)
    #expect(subscriber.events.count == 5)
  }

  @Test func manySubscriptionsMayBeCancelledInAnyOrder() {
    var generator = SystemRandomNumberGenerator()
    let subject = PassthroughSubject<Int, Never>()
    var count = 0
    var cancellables = (0..<5000).map { _ in subject.sink { _ in count += 1 } }
    cancellables.shuffle(using: &generator)
    subject.send(0)
    #expect(count == 5000)
    while !cancellables.isEmpty {
      cancellables.removeLast(min(997, cancellables.count))
      count = 0
      subject.send(0)
      #expect(count == cancellables.count)
    }
  }

  // MARK: Retention

  @Test(arguments: Kind.allCases, [true, false])
  func aSubscriptionKeepsSubjectAndSubscriberAliveUntilItEndsThoughItIsHeld(kind: Kind, byCancel: Bool) {
    weak var weakSubject: (any Subject<Int, TestError>)?
    weak var weakSubscriber: Recorder?
    var subscription: (any Subscription)?
    do {
      let subject = kind.make()
      let subscriber = Recorder(onSubscription: { subscription = $0 })
      subject.subscribe(subscriber)
      subscriber.dropSubscription()
      (weakSubject, weakSubscriber) = (subject, subscriber)
    }
    #expect(weakSubject != nil && weakSubscriber != nil)
    if byCancel { subscription?.cancel() } else { weakSubject?.send(completion: .finished) }
    #expect(weakSubject == nil && weakSubscriber == nil)
    #expect(subscription != nil)
  }

  @Test(arguments: Kind.allCases, [true, false])
  func theEndFreesEverythingThoughTheSubscriptionIsHeld(kind: Kind, finishes: Bool) {
    weak var weakSubscriber: Recorder?
    weak var weakSubscription: AnyObject?
    let subject = kind.make()
    do {
      let subscriber = Recorder(requesting: .unlimited)
      subject.subscribe(subscriber)
      weakSubscriber = subscriber
      weakSubscription = subscriber.subscription as AnyObject
    }
    #expect(weakSubscriber != nil && weakSubscription != nil)
    subject.send(completion: finishes ? .finished : .failure("end"))
    #expect(weakSubscriber == nil && weakSubscription == nil)
  }

  @Test(arguments: Kind.allCases)
  func aSubscriberCancelledInItsOwnCallbackIsFreedAfterTheSend(kind: Kind) {
    weak var weakSubscriber: Recorder?
    let subject = kind.make()
    do {
      let subscriber = Recorder(onSubscription: { $0.request(.unlimited) })
      subject.subscribe(subscriber)
      subscriber.onValue = { [unowned subscriber] _ in
        subscriber.cancel()
        return .none
      }
      weakSubscriber = subscriber
    }
    #expect(weakSubscriber != nil)
    subject.send(1)
    #expect(weakSubscriber == nil)
  }

  @Test(arguments: Kind.allCases)
  func upstreamSubscriptionsAreCancelledInOrderWhenItDies(kind: Kind) {
    var log: [String] = []
    do {
      let subject = kind.make()
      let one = ManualSubscription(onCancel: { log.append("one") })
      let two = ManualSubscription(onCancel: { log.append("two") })
      subject.send(subscription: one)
      subject.send(subscription: two)
      subject.send(subscription: one)
      subject.send(completion: .finished)
      #expect(log.isEmpty)
    }
    #expect(log == ["one", "two", "one"])
  }

  // MARK: Reflection

  @Test(arguments: Kind.allCases, [true, false])
  func theSubscriptionReflectsItselfBeforeAndAfterTheEnd(kind: Kind, byCancel: Bool) throws {
    let subject = kind.make()
    let subscriber = Recorder()
    subject.subscribe(subscriber)
    let subscription = try #require(subscriber.subscription)
    let children = ["parent", "downstream", "demand", "subject"]
    expectReflection(of: subscription, description: kind.rawValue, children: children)
    // Converted outside of the macro, in which Swift 6.2 fails an assertion for `any Subject<…>`.
    let object = subject as AnyObject
    #expect(reflectedChild("parent", of: subscription) as AnyObject === object)
    #expect(reflectedChild("subject", of: subscription) as AnyObject === object)
    #expect(reflectedChild("downstream", of: subscription) as AnyObject === subscriber)
    #expect(String(describing: reflectedChild("demand", of: subscription)!) == "max(0)")

    subscriber.request(.max(12))
    subject.send(1)
    let left = kind == .passthrough ? "max(11)" : "max(10)"
    #expect(String(describing: reflectedChild("demand", of: subscription)!) == left)

    if byCancel { subscriber.cancel() } else { subject.send(completion: .finished) }
    subscriber.request(.max(5))
    subscriber.cancel()
    for child in ["parent", "downstream", "subject"] {
      #expect(String(describing: reflectedChild(child, of: subscription)!) == "nil")
    }
    #expect(String(describing: reflectedChild("demand", of: subscription)!) == left)
    expectReflection(of: subscription, description: kind.rawValue, children: children)
  }

  // MARK: Threads

  @Test(arguments: Kind.allCases)
  func concurrentSendsHonourDemandAndNeverOverlap(kind: Kind) {
    for _ in 0..<20 {
      let subject = Shared(kind.make())
      let probe = OverlapProbe()
      subject.value.subscribe(ProbeSubscriber(probe: probe, demand: .max(10)))
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        for value in 0..<25 { subject.value.send(value) }
      }
      #expect(probe.count == 10)
      #expect(!probe.hasOverlapped)
    }
  }

  @Test(arguments: Kind.allCases)
  func subscribingSendingAndCancellingFromManyThreadsIsSafe(kind: Kind) {
    for _ in 0..<10 {
      let subject = Shared(kind.make())
      let steady = OverlapProbe()
      subject.value.subscribe(ProbeSubscriber(probe: steady, demand: .unlimited))
      DispatchQueue.concurrentPerform(iterations: 4) { index in
        for round in 0..<200 {
          if index < 2 {
            subject.value.send(round)
          } else {
            let probe = OverlapProbe()
            let cancellable = subject.value.sink(receiveCompletion: { _ in }, receiveValue: { _ in probe.enter {} })
            subject.value.send(round)
            cancellable.cancel()
            let count = probe.count
            subject.value.send(round)
            #expect(probe.count >= count && !probe.hasOverlapped)
          }
        }
      }
      #expect(!steady.hasOverlapped)
      // A current value may be superseded before it is offered; a passed-on one never is.
      if kind == .passthrough { #expect(steady.count == 2 * 200 + 2 * 200 * 2) }
    }
  }

  @Test(arguments: Kind.allCases)
  func completingWhileSendingDeliversOneCompletionLast(kind: Kind) {
    for _ in 0..<100 {
      let subject = Shared(kind.make())
      let probe = OverlapProbe()
      subject.value.subscribe(ProbeSubscriber(probe: probe, demand: .unlimited))
      DispatchQueue.concurrentPerform(iterations: 3) { index in
        if index == 0 {
          subject.value.send(completion: .finished)
        } else {
          for value in 0..<20 { subject.value.send(value) }
        }
      }
      #expect(probe.completions == 1)
      #expect(!probe.hasOverlapped && !probe.hasReceivedAfterCompletion)
    }
  }
}

/// Carries a subject to other threads: subjects are made for that, `any Subject` cannot say so.
private struct Shared: @unchecked Sendable {
  let value: any Subject<Int, TestError>
  init(_ value: any Subject<Int, TestError>) { self.value = value }
}

/// A subscriber without recursion whose values and completion are counted by a probe.
struct ProbeSubscriber: Subscriber {
  typealias Input = Int
  typealias Failure = TestError

  let combineIdentifier = CombineIdentifier()
  let probe: OverlapProbe
  let demand: Subscribers.Demand

  func receive(subscription: any Subscription) { subscription.request(demand) }

  func receive(_ input: Int) -> Subscribers.Demand {
    probe.enter {}
    return .none
  }

  func receive(completion: Subscribers.Completion<TestError>) { probe.complete() }
}
