import CombineCore
import Dispatch
import Synchronization
import TestSupport
import Testing

@Suite struct SinkTests {

  private final class Token {}

  private typealias Sink = Subscribers.Sink<Int, TestError>

  /// A sink with a log of its closures' calls, and weak references to the objects that they capture.
  private final class Fixture {
    var events: [Event<Int>] = []
    weak var valueToken: Token?
    weak var completionToken: Token?
    private(set) var sink: Sink!

    init(onValue: @escaping () -> Void = {}) {
      let (valueToken, completionToken) = (Token(), Token())
      (self.valueToken, self.completionToken) = (valueToken, completionToken)
      sink = Sink(
        receiveCompletion: { [unowned self] in
          withExtendedLifetime(completionToken) {}
          switch $0 {
          case .finished: events.append(.finished)
          case .failure(let error): events.append(.failure(error))
          }
        },
        receiveValue: { [unowned self] in
          withExtendedLifetime(valueToken) {}
          events.append(.value($0))
          onValue()
        }
      )
    }

    var hasReleasedClosures: Bool { valueToken == nil && completionToken == nil }
  }

  @Test func cancellingReleasesTheCompletionClosureFirst() {
    final class Captured {
      let onDeinit: () -> Void
      init(_ onDeinit: @escaping () -> Void) { self.onDeinit = onDeinit }
      deinit { onDeinit() }
    }
    var log: [String] = []
    let sink: Subscribers.Sink<Int, Never>
    do {
      let (completion, value) = (Captured { log.append("completion") }, Captured { log.append("value") })
      sink = Subscribers.Sink(
        receiveCompletion: { _ in withExtendedLifetime(completion) {} },
        receiveValue: { _ in withExtendedLifetime(value) {} }
      )
    }
    sink.receive(subscription: ManualSubscription())
    sink.cancel()
    #expect(log == ["completion", "value"])
  }

  @Test func cancelsASubscriptionThatIsNotAnObject() {
    struct Plain: Subscription {
      let combineIdentifier = CombineIdentifier()
      let log: ManualSubscription
      func request(_ demand: Subscribers.Demand) { log.request(demand) }
      func cancel() { log.cancel() }
    }
    let log = ManualSubscription()
    let (first, second) = (Plain(log: log), Plain(log: ManualSubscription()))
    let sink = Subscribers.Sink<Int, Never>(receiveCompletion: { _ in }, receiveValue: { _ in })
    sink.receive(subscription: first)
    sink.receive(subscription: second)
    #expect(second.log.history == [.cancelled])
    sink.cancel()
    #expect(log.history == [.requested(.unlimited), .cancelled])
  }

  @Test func requestsUnlimitedDemandOnceAndKeepsTheFirstSubscription() {
    let fixture = Fixture()
    let (first, second) = (ManualSubscription(), ManualSubscription())
    fixture.sink.receive(subscription: first)
    fixture.sink.receive(subscription: second)
    #expect(first.history == [.requested(.unlimited)])
    #expect(second.history == [.cancelled])
    fixture.sink.receive(subscription: first)
    #expect(first.history == [.requested(.unlimited), .cancelled])
    fixture.sink.cancel()
    #expect(first.history == [.requested(.unlimited), .cancelled, .cancelled])
  }

  @Test func receivesValuesWithoutASubscription() {
    let fixture = Fixture()
    #expect(fixture.sink.receive(1) == .none)
    #expect(fixture.events == [.value(1)])
  }

  @Test(arguments: [true, false], [true, false])
  func aCompletionEndsItOnceWithOrWithoutASubscription(hasSubscription: Bool, finishes: Bool) {
    let fixture = Fixture()
    let subscription = ManualSubscription()
    if hasSubscription { fixture.sink.receive(subscription: subscription) }
    let end: Event<Int> = finishes ? .finished : .failure("failure")
    fixture.sink.receive(completion: finishes ? .finished : .failure(TestError()))
    fixture.sink.receive(completion: .finished)
    #expect(fixture.sink.receive(1) == .none)
    #expect(fixture.events == [end])
    #expect(fixture.hasReleasedClosures)
    #expect(!subscription.history.contains(.cancelled))

    let late = ManualSubscription()
    fixture.sink.receive(subscription: late)
    #expect(late.history == [.cancelled])
  }

  @Test func aCompletionReleasesTheSubscription() {
    let fixture = Fixture()
    weak var weakSubscription: ManualSubscription?
    do {
      let subscription = ManualSubscription()
      weakSubscription = subscription
      fixture.sink.receive(subscription: subscription)
    }
    #expect(weakSubscription != nil)
    fixture.sink.receive(completion: .finished)
    #expect(weakSubscription == nil)
  }

  @Test func cancellingCancelsUpstreamOnceBeforeItReleasesTheClosures() {
    let fixture = Fixture()
    let subscription = ManualSubscription()
    fixture.sink.receive(subscription: subscription)
    subscription.onCancel = { #expect(!fixture.hasReleasedClosures) }
    fixture.sink.cancel()
    #expect(fixture.hasReleasedClosures)
    fixture.sink.cancel()
    fixture.sink.receive(completion: .finished)
    _ = fixture.sink.receive(1)
    #expect(subscription.history == [.requested(.unlimited), .cancelled])
    #expect(fixture.events.isEmpty)
  }

  @Test func cancellingBeforeASubscriptionHasNoEffect() {
    let fixture = Fixture()
    fixture.sink.cancel()
    #expect(!fixture.hasReleasedClosures)
    let subscription = ManualSubscription()
    fixture.sink.receive(subscription: subscription)
    _ = fixture.sink.receive(1)
    #expect(subscription.history == [.requested(.unlimited)])
    #expect(fixture.events == [.value(1)])
  }

  @Test func theResultOfSinkRemembersACancelBeforeTheSubscription() {
    let upstream = ManualPublisher<Int, Never>(subscription: nil)
    weak var weakToken: Token?
    var values: [Int] = []
    let cancellable: AnyCancellable
    do {
      let token = Token()
      weakToken = token
      cancellable = upstream.sink { value in withExtendedLifetime(token) { values.append(value) } }
    }
    cancellable.cancel()
    #expect(weakToken == nil)
    let subscription = ManualSubscription()
    upstream.send(subscription: subscription)
    upstream.send(1)
    #expect(subscription.history == [.cancelled])
    #expect(values == [])
  }

  @Test func cancellingDuringTheValueClosureReleasesTheClosuresAfterIt() {
    var sink: Sink!
    var wasAlive = false
    weak var weakToken: Token?
    do {
      let token = Token()
      weakToken = token
      sink = Sink(
        receiveCompletion: { _ in },
        receiveValue: { _ in
          sink.cancel()
          wasAlive = weakToken != nil
          withExtendedLifetime(token) {}
        }
      )
    }
    sink.receive(subscription: ManualSubscription())
    _ = sink.receive(1)
    #expect(wasAlive)
    #expect(weakToken == nil)
  }

  @Test func cancellingDuringTheValueClosureReleasesTheCompletionClosureAtOnce() {
    var fixture: Fixture!
    fixture = Fixture(onValue: {
      fixture.sink.cancel()
      #expect(fixture.completionToken == nil)
      #expect(fixture.valueToken != nil)
    })
    let subscription = ManualSubscription()
    fixture.sink.receive(subscription: subscription)
    _ = fixture.sink.receive(1)
    #expect(subscription.history == [.requested(.unlimited), .cancelled])
    #expect(fixture.hasReleasedClosures)
  }

  @Test func completingDuringTheValueClosureReleasesTheClosuresAfterIt() {
    var fixture: Fixture!
    fixture = Fixture(onValue: { fixture.sink.receive(completion: .finished) })
    _ = fixture.sink.receive(1)
    #expect(fixture.events == [.value(1), .finished])
    #expect(fixture.hasReleasedClosures)
  }

  @Test func aCompletionCausedByReleasingTheValueClosureIsIgnored() {
    var completions = 0
    var sink: Sink!
    do {
      let trigger = CallsOnDeinit { sink.receive(completion: .failure("nested")) }
      sink = Sink(
        receiveCompletion: { completion in
          completions += 1
          #expect(completion == .finished)
          sink.receive(completion: .failure("from the closure"))
        },
        receiveValue: { _ in withExtendedLifetime(trigger) {} }
      )
    }
    sink.receive(completion: .finished)
    #expect(completions == 1)
  }

  @Test(arguments: [true, false])
  func aCompletionCausedByReleasingTheClosuresOnCancelIsNotDelivered(byTheValueClosure: Bool) {
    // It sends whether it is cancelled or not.
    let upstream = ManualPublisher<Int, Never>()
    var completions = 0
    var sends = 0
    let cancellable: AnyCancellable
    do {
      let trigger = CallsOnDeinit {
        sends += 1
        upstream.send(completion: .finished)
      }
      let captured = byTheValueClosure ? trigger : nil
      let capturedByTheOther = byTheValueClosure ? nil : trigger
      cancellable = upstream.sink(
        receiveCompletion: { _ in withExtendedLifetime(capturedByTheOther) { completions += 1 } },
        receiveValue: { _ in withExtendedLifetime(captured) {} }
      )
    }
    cancellable.cancel()
    #expect(sends == 1)
    #expect(completions == 0)
  }

  @Test func aReleasedSinkDoesNotCancel() {
    let upstream = ManualPublisher<Int, TestError>()
    weak var weakSink: Sink?
    do {
      let sink = Sink(receiveCompletion: { _ in }, receiveValue: { _ in })
      weakSink = sink
      upstream.subscribe(sink)
    }
    #expect(weakSink != nil)
    upstream.dropSubscriber()
    #expect(weakSink == nil)
    #expect(upstream.history == [.requested(.unlimited)])
  }

  @Test func reflectsItsClosuresUntilItEnds() {
    let fixture = Fixture()
    fixture.sink.receiveValue(1)
    fixture.sink.receiveCompletion(.finished)
    #expect(fixture.events == [.value(1), .finished])
    fixture.sink.receive(completion: .failure("end"))
    fixture.sink.receiveValue(2)
    fixture.sink.receiveCompletion(.finished)
    #expect(fixture.events == [.value(1), .finished, .failure("end")])
  }

  @Test(arguments: End.allCases)
  func objectsReleasedByTheClosuresFindEmptyClosuresInTheirPlace(end: End) {
    var sink: Sink!
    var log: [String] = []
    do {
      let trigger = CallsOnDeinit {
        log.append("released")
        sink.receiveValue(1)
        sink.receiveCompletion(.finished)
        #expect(sink.receive(2) == .none)
        sink.cancel()
      }
      sink = Sink(
        receiveCompletion: { _ in log.append("completion") },
        receiveValue: { _ in
          log.append("value")
          withExtendedLifetime(trigger) {}
        }
      )
    }
    let subscription = ManualSubscription()
    sink.receive(subscription: subscription)
    switch end {
    case .cancel: sink.cancel()
    case .completion: sink.receive(completion: .finished)
    }
    #expect(log == (end == .cancel ? ["released"] : ["released", "completion"]))
    #expect(subscription.history == [.requested(.unlimited)] + (end == .cancel ? [.cancelled] : []))
  }

  @Test func theOperatorsDeliverBeforeTheyReturnAndStopWhenDropped() {
    var values: [Int] = []
    var completion: Subscribers.Completion<Never>?
    let cancellable = [1, 2].publisher.sink(receiveCompletion: { completion = $0 }, receiveValue: { values.append($0) })
    #expect(values == [1, 2])
    #expect(completion == .finished)
    _ = cancellable

    let subject = PassthroughSubject<Int, Never>()
    _ = subject.sink { values.append($0) }
    subject.send(3)
    #expect(values == [1, 2])
  }

  @Test func reflectsItself() {
    expectReflection(of: Fixture().sink!, description: "Sink")
  }

  // MARK: Values that arrive during the request

  enum End: CaseIterable {
    case cancel, completion
  }

  @Test(arguments: End.allCases)
  func endingDuringAValueOfTheRequestReleasesTheClosuresAfterIt(end: End) {
    var fixture: Fixture!
    var wereAliveInside = false
    fixture = Fixture(onValue: {
      switch end {
      case .cancel: fixture.sink.cancel()
      case .completion: fixture.sink.receive(completion: .finished)
      }
      wereAliveInside = fixture.valueToken != nil
    })
    let subscription = ManualSubscription()
    subscription.onRequest = { _ in
      _ = fixture.sink.receive(1)
      #expect(fixture.hasReleasedClosures, "released before the request returns")
      _ = fixture.sink.receive(2)
    }
    fixture.sink.receive(subscription: subscription)
    #expect(wereAliveInside)
    #expect(fixture.events == (end == .cancel ? [.value(1)] : [.value(1), .finished]))
    #expect(subscription.history == [.requested(.unlimited)] + (end == .cancel ? [.cancelled] : []))
  }

  @Test func valuesNestedInAValueOfTheRequestAreDeliveredNested() {
    var fixture: Fixture!
    var depth = 0
    fixture = Fixture(onValue: {
      depth += 1
      if depth == 1 { _ = fixture.sink.receive(2) }
      if depth == 2 { fixture.sink.receive(completion: .finished) }
      #expect(fixture.valueToken != nil)
    })
    let subscription = ManualSubscription()
    subscription.onRequest = { _ in _ = fixture.sink.receive(1) }
    fixture.sink.receive(subscription: subscription)
    #expect(fixture.events == [.value(1), .value(2), .finished])
    #expect(fixture.hasReleasedClosures)
  }

  @Test(arguments: End.allCases)
  func aValueNestedInTheValueThatEndsTheSinkIsDropped(end: End) {
    var fixture: Fixture!
    var depth = 0
    fixture = Fixture(onValue: {
      depth += 1
      guard depth == 1 else { return }
      switch end {
      case .cancel: fixture.sink.cancel()
      case .completion: fixture.sink.receive(completion: .finished)
      }
      _ = fixture.sink.receive(2)
    })
    let subscription = ManualSubscription()
    subscription.onRequest = { _ in _ = fixture.sink.receive(1) }
    fixture.sink.receive(subscription: subscription)
    #expect(fixture.events == (end == .cancel ? [.value(1)] : [.value(1), .finished]))
  }

  @Test func completingDuringTheRequestReleasesTheValueClosureBeforeTheCompletionIsHandled() {
    weak var weakToken: Token?
    var wasReleased = false
    var sink: Sink!
    do {
      let token = Token()
      weakToken = token
      sink = Sink(
        receiveCompletion: { _ in wasReleased = weakToken == nil },
        receiveValue: { _ in withExtendedLifetime(token) {} }
      )
    }
    let subscription = ManualSubscription()
    subscription.onRequest = { _ in
      _ = sink.receive(1)
      sink.receive(completion: .finished)
    }
    sink.receive(subscription: subscription)
    #expect(wasReleased)
  }

  // MARK: Values without a subscription

  @Test func keepsTheSubscriptionThatCanStopTheSendingAndRequestsNothing() {
    var fixture: Fixture!
    fixture = Fixture(onValue: { fixture.sink.cancel() })
    let subscription = ManualSubscription()
    let isSent = fixture.sink._receiveAll(until: { subscription }) {
      _ = fixture.sink.receive(1)
      #expect(subscription.history == [.cancelled])
      _ = fixture.sink.receive(2)
    }
    #expect(isSent)
    #expect(fixture.events == [.value(1)])
    #expect(fixture.hasReleasedClosures)
    #expect(subscription.history == [.cancelled])
  }

  @Test func aCancelAfterEverythingButTheCompletionReachesTheSubscription() {
    let fixture = Fixture()
    let subscription = ManualSubscription()
    _ = fixture.sink._receiveAll(until: { subscription }) { _ = fixture.sink.receive(1) }
    #expect(subscription.history == [])
    fixture.sink.cancel()
    #expect(subscription.history == [.cancelled])
  }

  @Test func theCompletionReleasesThatSubscription() {
    let fixture = Fixture()
    weak var weakSubscription: ManualSubscription?
    _ = fixture.sink._receiveAll {
      let subscription = ManualSubscription()
      weakSubscription = subscription
      return subscription
    } _: {
      #expect(weakSubscription != nil)
      fixture.sink.receive(completion: .finished)
      #expect(weakSubscription == nil)
    }
  }

  @Test func needsNoSubscriptionIfItHasOneAlready() {
    let fixture = Fixture()
    fixture.sink.receive(subscription: ManualSubscription())
    var isAsked = false
    let isSent = fixture.sink._receiveAll {
      isAsked = true
      return nil
    } _: {
      isAsked = true
    }
    #expect(!isSent && !isAsked)
  }

  @Test func receivesEverythingWithoutASubscription() {
    let fixture = Fixture()
    let isSent = fixture.sink._receiveAll(until: { nil }) {
      _ = fixture.sink.receive(1)
      fixture.sink.receive(completion: .failure("failure"))
    }
    #expect(isSent)
    #expect(fixture.events == [.value(1), .failure("failure")])
    #expect(fixture.hasReleasedClosures)
  }

  @Test func receivesWithoutASubscriptionOnlyBeforeTheFirst() {
    for connect in [
      { $0.receive(subscription: ManualSubscription()) },
      { _ = $0._receiveAll(until: { nil }) {} },
      { $0.receive(completion: .finished) },
    ] as [(Sink) -> Void] {
      let fixture = Fixture()
      connect(fixture.sink)
      var isSent = false
      #expect(!fixture.sink._receiveAll(until: { nil }) { isSent = true })
      #expect(!isSent)
    }
  }

  @Test func cancelsASubscriptionThatArrivesWhileItReceivesWithoutOne() {
    var fixture: Fixture!
    let (inside, later) = (ManualSubscription(), ManualSubscription())
    fixture = Fixture(onValue: { fixture.sink.receive(subscription: inside) })
    _ = fixture.sink._receiveAll(until: { nil }) { _ = fixture.sink.receive(1) }
    fixture.sink.receive(subscription: later)
    #expect([inside.history, later.history] == [[.cancelled], [.cancelled]])
    #expect(!fixture.hasReleasedClosures)
    fixture.sink.cancel()
    #expect(fixture.hasReleasedClosures)
  }

  @Test func aCancelDuringAValueWithoutASubscriptionIsTheEnd() {
    var fixture: Fixture!
    fixture = Fixture(onValue: {
      fixture.sink.cancel()
      #expect(fixture.valueToken != nil)
      #expect(fixture.completionToken == nil)
    })
    _ = fixture.sink._receiveAll(until: { nil }) {
      _ = fixture.sink.receive(1)
      #expect(fixture.hasReleasedClosures)
      fixture.sink.receive(completion: .finished)
    }
    #expect(fixture.events == [.value(1)])
  }

  // MARK: Threads

  @Test(arguments: [true, false])
  func aCancelFromAnotherThreadDuringTheRequestReleasesTheClosuresAtItsEnd(hasSubscription: Bool) {
    let fixture = Fixture()
    let subscription = ManualSubscription()
    let send = {
      let sink = fixture.sink!
      let done = DispatchSemaphore(value: 0)
      DispatchQueue.global().async {
        sink.cancel()
        done.signal()
      }
      done.wait()
      _ = sink.receive(1)
    }
    subscription.onRequest = { _ in send() }
    if hasSubscription {
      fixture.sink.receive(subscription: subscription)
    } else {
      _ = fixture.sink._receiveAll(until: { nil }, send)
    }
    #expect(fixture.events.isEmpty)
    #expect(fixture.hasReleasedClosures)
    #expect(subscription.history == (hasSubscription ? [.requested(.unlimited), .cancelled] : []))
  }

  private final class Delivering: Subscription {
    var deliver: () -> Void
    init(_ deliver: @escaping () -> Void) { self.deliver = deliver }
    func request(_ demand: Subscribers.Demand) { deliver() }
    func cancel() {}
  }

  @Test func endingFromAnotherThreadWhileARequestDeliversIsSafe() {
    for round in 0..<200 {
      let values = Counter()
      let completions = Counter()
      let released = Counter()
      do {
        let token = CallsOnDeinit { released.add() }
        let sink = Subscribers.Sink<Int, Never>(
          receiveCompletion: { _ in completions.add() },
          receiveValue: { _ in
            withExtendedLifetime(token) {}
            values.add()
          }
        )
        let subscription = CrossingThreads(
          Delivering { for value in 0..<50 { _ = sink.receive(value) } }
        )
        DispatchQueue.concurrentPerform(iterations: 3) { index in
          switch index {
          case 0 where round % 4 < 2: sink.receive(subscription: subscription.value)
          case 0: _ = sink._receiveAll(until: { nil }, subscription.value.deliver)
          case 1: for value in 0..<20 { _ = sink.receive(value) }
          default: if round % 2 == 0 { sink.cancel() } else { sink.receive(completion: .finished) }
          }
        }
        let count = values.count
        _ = sink.receive(1)
        // A cancel before the subscription has no effect.
        if round % 2 == 1 {
          #expect(values.count == count)
          #expect(completions.count == 1)
        } else {
          sink.cancel()
          #expect(completions.count == 0)
        }
        subscription.value.deliver = {}
      }
      #expect(released.count == 1)
    }
  }

  /// A client's publisher need not serialize its values.
  @Test func callsItsClosureOnOneThreadAtATime() {
    let (isInside, isOverlapped) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let order = Guarded<[Int]>([])
    let sink = Subscribers.Sink<Int, Never>(
      receiveCompletion: { _ in },
      receiveValue: { value in
        order.withLock { $0.append(value) }
        if value == 1 {
          isInside.signal()
          #expect(isOverlapped.wait(timeout: .now() + .milliseconds(20)) == .timedOut)
        } else {
          isOverlapped.signal()
        }
      }
    )
    sink.receive(subscription: ManualSubscription())
    onThreads(2) { thread in
      if thread == 1 { isInside.wait() }
      _ = sink.receive(thread + 1)
    }
    #expect(order.withLock { $0 } == [1, 2])
  }

  @Test func valuesFromManyThreadsAllArriveAndACancelEndsThemSafely() {
    for _ in 0..<50 {
      let counter = Counter()
      let sink = Subscribers.Sink<Int, Never>(
        receiveCompletion: { _ in },
        receiveValue: { _ in counter.add() }
      )
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        for value in 0..<50 { _ = sink.receive(value) }
      }
      #expect(counter.count == 200)
      sink.receive(subscription: Subscriptions.empty)
      DispatchQueue.concurrentPerform(iterations: 3) { index in
        if index == 0 {
          sink.cancel()
        } else {
          for value in 0..<50 { _ = sink.receive(value) }
        }
      }
      let final = counter.count
      _ = sink.receive(1)
      #expect(counter.count == final)
    }
  }

  /// Passes the subscription on, and hands each event to another thread, for which it waits.
  private struct OnAnotherThread<Downstream: Subscriber>: Subscriber {
    let downstream: Downstream
    let combineIdentifier = CombineIdentifier()

    func receive(subscription: any Subscription) { downstream.receive(subscription: subscription) }

    func receive(_ input: Downstream.Input) -> Subscribers.Demand {
      onAnotherThread { downstream.receive(input) }
    }

    func receive(completion: Subscribers.Completion<Downstream.Failure>) {
      onAnotherThread { downstream.receive(completion: completion) }
    }

    private func onAnotherThread<Result>(_ body: () -> Result) -> Result {
      let result = Guarded<Result?>(nil)
      withoutActuallyEscaping(body) { body in
        let body = CrossingThreads(body)
        onThreads(1) { _ in
          let value = body.value()
          result.withLock { $0 = value }
        }
      }
      return result.withLock { $0.unsafelyUnwrapped }
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func aThreadThatAnOperatorWaitsForDoesNotWaitForTheGateOfTheSubscription() {
    let subject = PassthroughSubject<Int, Never>()
    let sum = Guarded(0)
    let completions = Counter()
    let released = Counter()
    do {
      let token = CallsOnDeinit { released.add() }
      let sink = Subscribers.Sink<Int, Never>(
        receiveCompletion: { _ in completions.add() },
        receiveValue: { value in withExtendedLifetime(token) { sum.withLock { $0 += value } } }
      )
      subject.subscribe(OnAnotherThread(downstream: sink))
    }
    subject.send(1)
    subject.send(2)
    #expect(sum.withLock { $0 } == 3)
    #expect(released.count == 0)
    subject.send(completion: .finished)
    #expect(completions.count == 1)
    #expect(released.count == 1)
  }

  private final class Counter: Sendable {
    private let value = Atomic<Int>(0)
    var count: Int { value.load(ordering: .relaxed) }
    func add() { value.wrappingAdd(1, ordering: .relaxed) }
  }
}
