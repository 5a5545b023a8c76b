import Dispatch
import TestSupport
import Testing

@testable import CombineCore

/// The demand loop that a sequence and a record share, tested on both.
@Suite struct DeliveryLoopTests {

  enum Source: CaseIterable {
    case sequence, record

    func subscribe(_ elements: Range<Int>, _ subscriber: RecordingSubscriber<Int, Never>) {
      switch self {
      case .sequence: elements.publisher.subscribe(subscriber)
      case .record: Record(output: Array(elements), completion: .finished).subscribe(subscriber)
      }
    }

    func ended() -> String { self == .sequence ? "Sequence" : "Cancelled Events" }
  }

  private typealias Recorder = RecordingSubscriber<Int, Never>

  private func values(_ range: ClosedRange<Int>) -> [Event<Int>] { range.map { .value($0) } }

  @Test(arguments: Source.allCases)
  func deliversAsManyAsAreRequestedAndTheCompletionRightAfterTheLast(source: Source) {
    let subscriber = Recorder()
    source.subscribe(0..<10, subscriber)
    #expect(subscriber.events.count == 1)
    subscriber.clear()
    subscriber.request(.max(3))
    #expect(subscriber.events == values(0...2))
    subscriber.request(.max(5))
    #expect(subscriber.events == values(0...7))
    subscriber.request(.none)
    #expect(subscriber.events == values(0...7))
    #expect(String(describing: subscriber.subscription!) != source.ended())
    subscriber.request(.max(2))
    #expect(subscriber.events == values(0...9) + [.finished])
    #expect(String(describing: subscriber.subscription!) == source.ended())
    subscriber.request(.max(1))
    subscriber.cancel()
    #expect(subscriber.events.count == 11)
  }

  @Test(arguments: Source.allCases)
  func demandForOneMoreThanTheElementsCompletesToo(source: Source) {
    let subscriber = Recorder(requesting: .max(3))
    source.subscribe(1..<3, subscriber)
    #expect(subscriber.events.dropFirst() == [.value(1), .value(2), .finished])
  }

  @Test(arguments: Source.allCases)
  func addsTheDemandThatADeliveryReturns(source: Source) {
    let subscriber = Recorder(
      onSubscription: { $0.request(.max(1)) },
      onValue: { (1...3).contains($0) ? .max(2) : .none }
    )
    source.subscribe(0..<10, subscriber)
    #expect(subscriber.values == [0])
    subscriber.request(.max(1))
    #expect(subscriber.values == [0, 1, 2, 3, 4, 5, 6, 7])
  }

  @Test(arguments: Source.allCases)
  func addsTheDemandThatADeliveryReturnsUntilItReturnsNone(source: Source) {
    let subscriber = Recorder(
      onSubscription: { $0.request(.max(1)) },
      onValue: { $0 == 1 || $0 > 4 ? .none : .max(2) }
    )
    source.subscribe(1..<10, subscriber)
    #expect(subscriber.values == [1])
    subscriber.request(.max(1))
    #expect(subscriber.values == [1, 2, 3, 4, 5, 6, 7, 8])
  }

  @Test(arguments: Source.allCases)
  func unlimitedDemandReturnedByADeliveryStaysUnlimited(source: Source) {
    let subscriber = Recorder(requesting: .max(1), returning: [.unlimited])
    source.subscribe(0..<5, subscriber)
    #expect(subscriber.events.dropFirst() == values(0...4) + [.finished])
  }

  @Test(arguments: Source.allCases)
  func aCancelBetweenDeliveriesStopsThem(source: Source) {
    let subscriber = Recorder(onSubscription: {
      $0.request(.max(1))
      $0.cancel()
    })
    source.subscribe(0..<3, subscriber)
    subscriber.request(.max(1))
    subscriber.request(.unlimited)
    #expect(subscriber.events.dropFirst() == [.value(0)])
    #expect(String(describing: subscriber.subscription!) == source.ended())
  }

  @Test(arguments: Source.allCases)
  func aCancelBeforeAnyRequestStopsEverything(source: Source) {
    let subscriber = Recorder(onSubscription: {
      $0.cancel()
      $0.request(.unlimited)
    })
    source.subscribe(0..<3, subscriber)
    #expect(subscriber.events.count == 1)
  }

  @Test(arguments: Source.allCases, 0..<3)
  func aCancelDuringADeliveryStopsTheFollowingOnes(source: Source, last: Int) {
    let subscriber = Recorder(requesting: .unlimited)
    subscriber.onValue = { [unowned subscriber] value in
      if value == last { subscriber.cancel() }
      return .unlimited
    }
    source.subscribe(0..<3, subscriber)
    subscriber.request(.unlimited)
    // During the last element too: no completion follows a cancel.
    #expect(subscriber.events.dropFirst() == values(0...last)[...])
    #expect(String(describing: subscriber.subscription!) == source.ended())
  }

  @Test(arguments: Source.allCases)
  func requestsDuringADeliveryAreServedByTheLoopThatRuns(source: Source) {
    var depth = 0
    var deepest = 0
    let subscriber = Recorder(onSubscription: {
      $0.request(.none)
      $0.request(.max(1))
    })
    subscriber.onValue = { [unowned subscriber] _ in
      depth += 1
      deepest = max(deepest, depth)
      subscriber.request(.max(1))
      depth -= 1
      return .none
    }
    source.subscribe(1..<6, subscriber)
    #expect(subscriber.events.dropFirst() == values(1...5) + [.finished])
    #expect(deepest == 1)
  }

  @Test(arguments: Source.allCases)
  func addsRequestsDuringADeliveryToTheReturnedDemand(source: Source) {
    let subscriber = Recorder(requesting: .max(1))
    subscriber.onValue = { [unowned subscriber] value in
      if value > 0 { return .none }
      subscriber.request(.max(2))
      return .max(3)
    }
    source.subscribe(0..<10, subscriber)
    #expect(subscriber.values == [0, 1, 2, 3, 4, 5])
  }

  @Test(arguments: Source.allCases)
  func eachSubscriberStartsOverIndependently(source: Source) {
    let (first, second) = (Recorder(), Recorder())
    source.subscribe(0..<3, first)
    source.subscribe(0..<3, second)
    #expect(first.subscription!.combineIdentifier != second.subscription!.combineIdentifier)
    first.request(.max(2))
    #expect(first.values == [0, 1])
    #expect(second.values == [])
    first.cancel()
    second.request(.unlimited)
    #expect(first.values == [0, 1])
    #expect(second.events.dropFirst() == values(0...2) + [.finished])
  }

  @Test(arguments: Source.allCases)
  func sendsTheEmptySubscriptionAndTheCompletionIfThereIsNoElement(source: Source) {
    let subscriber = Recorder(onSubscription: { $0.cancel() })
    source.subscribe(0..<0, subscriber)
    #expect(subscriber.events == [.subscription("Empty"), .finished])
    #expect(subscriber.subscription!.combineIdentifier == Subscriptions.empty.combineIdentifier)
  }

  @Test(arguments: Source.allCases)
  func doesNotRetainTheSubscriberIfThereIsNoElement(source: Source) {
    var isReleased = false
    source.subscribe(0..<0, Recorder(onDeinit: { isReleased = true }))
    #expect(isReleased)
  }

  enum End: CaseIterable {
    case completion, cancel, cancelDuringDelivery
  }

  @Test(arguments: Source.allCases, End.allCases)
  func releasesTheSubscriberEvenIfTheSubscriptionIsKept(source: Source, end: End) {
    var isReleased = false
    var subscription: (any Subscription)?
    do {
      let subscriber = Recorder(onDeinit: { isReleased = true })
      if end == .cancelDuringDelivery {
        subscriber.onValue = { [unowned subscriber] _ in
          subscriber.cancel()
          return .none
        }
      }
      source.subscribe(0..<3, subscriber)
      subscription = subscriber.subscription
    }
    #expect(!isReleased)
    if end == .cancel { subscription?.cancel() } else { subscription?.request(.unlimited) }
    #expect(isReleased)
    withExtendedLifetime(subscription) {}
  }

  @Test(arguments: Source.allCases)
  func hasReleasedEverythingWhenTheCompletionArrives(source: Source) {
    var description: String?
    let subscriber = Recorder(requesting: .unlimited)
    subscriber.onCompletion = { [unowned subscriber] _ in
      description = String(describing: subscriber.subscription!)
    }
    source.subscribe(0..<2, subscriber)
    #expect(description == source.ended())
  }

  @Test(arguments: Source.allCases)
  func requestsFromManyThreadsDeliverEachElementOnceAndInOrder(source: Source) {
    for _ in 0..<50 {
      let probe = OverlapProbe()
      var values: [Int] = []
      let subscriber = Recorder(
        onValue: { value in
          probe.enter { values.append(value) }
          return .none
        },
        onCompletion: { _ in probe.complete() }
      )
      source.subscribe(0..<100, subscriber)
      let subscription = CrossingThreads(subscriber.subscription!)
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        for _ in 0..<25 { subscription.value.request(.max(1)) }
      }
      #expect(values == Array(0..<100))
      #expect(probe.completions == 1)
      #expect(!probe.hasOverlapped && !probe.hasReceivedAfterCompletion)
    }
  }

  @Test(arguments: Source.allCases)
  func reflectingWhileAnotherThreadDeliversIsSafe(source: Source) {
    for _ in 0..<50 {
      let subscriber = Recorder()
      source.subscribe(0..<100, subscriber)
      let active = String(describing: subscriber.subscription!)
      let subscription = CrossingThreads(subscriber.subscription!)
      let unexpected = ThreadCounter()
      DispatchQueue.concurrentPerform(iterations: 2) { index in
        for _ in 0..<100 {
          if index == 0 {
            subscription.value.request(.max(1))
          } else {
            let description = String(describing: subscription.value)
            if description != active, description != source.ended() { unexpected.add() }
            _ = Mirror(reflecting: subscription.value).children.count
          }
        }
      }
      #expect(unexpected.count == 0)
      #expect(subscriber.values.count == 100)
    }
  }

  @Test(arguments: Source.allCases)
  func aCancelFromAnotherThreadReleasesTheSubscriber(source: Source) {
    for _ in 0..<200 {
      let released = ThreadCounter()
      var subscription: CrossingThreads<any Subscription>!
      do {
        let subscriber = Recorder(onDeinit: { released.add() })
        source.subscribe(0..<20, subscriber)
        subscription = CrossingThreads(subscriber.subscription!)
      }
      DispatchQueue.concurrentPerform(iterations: 3) { [subscription] index in
        if index == 0 {
          subscription!.value.cancel()
        } else {
          for _ in 0..<10 { subscription!.value.request(.max(1)) }
        }
      }
      #expect(released.count == 1)
    }
  }
}

@Suite struct SequencePublisherTests {

  /// A sequence that counts its calls.
  private final class Counting: Sequence, IteratorProtocol, CustomStringConvertible {
    let count: Int
    var iteratorCount = 0
    var nextCount = 0
    var onNext: () -> Void = {}
    let onDeinit: () -> Void

    init(count: Int, onDeinit: @escaping () -> Void = {}) {
      self.count = count
      self.onDeinit = onDeinit
    }

    deinit { onDeinit() }

    func makeIterator() -> Counting {
      iteratorCount += 1
      return self
    }

    func next() -> Int? {
      nextCount += 1
      onNext()
      return nextCount > count ? nil : nextCount
    }

    var description: String { "Counting" }
  }

  @Test func doesNotCallTheSequenceBeforeASubscription() {
    let sequence = Counting(count: 2)
    let publisher = sequence.publisher
    #expect(sequence.iteratorCount == 0)
    let subscriber = RecordingSubscriber<Int, Never>(onSubscription: { _ in
      #expect(sequence.iteratorCount == 1)
      #expect(sequence.nextCount == 1)
    })
    publisher.subscribe(subscriber)
    #expect(subscriber.events == [.subscription("Counting")])
  }

  @Test func isOneElementAheadOfTheDownstream() {
    let sequence = Counting(count: 3)
    var counts: [Int] = []
    let subscriber = RecordingSubscriber<Int, Never>(
      onSubscription: { $0.request(.unlimited) },
      onValue: { _ in
        counts.append(sequence.nextCount)
        return .none
      }
    )
    sequence.publisher.subscribe(subscriber)
    #expect(counts == [2, 3, 4])
    #expect(sequence.nextCount == 4)
    #expect(sequence.iteratorCount == 1)
  }

  @Test func iteratesNoFurtherThanOneElementAheadOfTheDemand() {
    let sequence = Counting(count: 3)
    let subscriber = RecordingSubscriber<Int, Never>()
    sequence.publisher.subscribe(subscriber)
    let demands: [Subscribers.Demand] = [.none, .max(1), .none, .max(1), .max(1), .max(1)]
    let counts = demands.map { demand in
      subscriber.request(demand)
      return sequence.nextCount
    }
    #expect(counts == [1, 2, 2, 3, 4, 4])
  }

  @Test func makesAnIteratorOfACollectionAndCallsNothingElse() {
    let collection = LoggingCollection([1, 2])
    let subscriber = RecordingSubscriber<Int, Never>(requesting: .unlimited)
    collection.publisher.subscribe(subscriber)
    #expect(subscriber.values == [1, 2])
    #expect(collection.log.calls == ["makeIterator"])
  }

  @Test func iteratingAnEmptySequenceTakesOneCall() {
    let sequence = Counting(count: 0)
    let subscriber = RecordingSubscriber<Int, Never>()
    sequence.publisher.subscribe(subscriber)
    #expect(subscriber.events == [.subscription("Empty"), .finished])
    #expect(sequence.nextCount == 1)
  }

  @Test func doesNotIterateAfterACancel() {
    let sequence = Counting(count: 5)
    let subscriber = RecordingSubscriber<Int, Never>(requesting: .unlimited)
    subscriber.onValue = { [unowned subscriber] _ in
      subscriber.cancel()
      return .none
    }
    sequence.publisher.subscribe(subscriber)
    #expect(sequence.nextCount == 2)
  }

  @Test func aCancelDuringTheIterationDropsTheUndeliveredElement() {
    let sequence = Counting(count: 5)
    let subscriber = RecordingSubscriber<Int, Never>()
    sequence.publisher.subscribe(subscriber)
    sequence.onNext = { [unowned subscriber, unowned sequence] in
      if sequence.nextCount == 3 { subscriber.cancel() }
    }
    subscriber.request(.unlimited)
    #expect(subscriber.values == [1])
  }

  // MARK: A sink, which receives everything inside the call that subscribes it

  /// The sink behind operators that forward the subscription, and behind one that does not.
  private enum Path: CaseIterable {
    case direct, transparent, opaque

    func sink(_ sequence: Counting, _ receiveCompletion: @escaping () -> Void, _ receiveValue: @escaping (Int) -> Void)
      -> Subscribers.Sink<Int, Never>
    {
      let sink = Subscribers.Sink<Int, Never>(
        receiveCompletion: { _ in receiveCompletion() },
        receiveValue: receiveValue
      )
      let publisher = Publishers.Sequence<Counting, Never>(sequence: sequence)
      switch self {
      case .direct: publisher.subscribe(sink)
      case .transparent:
        let mapped = Publishers.Map(upstream: publisher) { $0 }
        Publishers.Filter(upstream: mapped) { _ in true }.subscribe(sink)
      case .opaque: publisher.handleEvents().subscribe(sink)
      }
      return sink
    }
  }

  @Test(arguments: Path.allCases)
  private func aSinkReceivesAllElementsAndTheCompletion(path: Path) {
    var values: [Int] = []
    var completions = 0
    let sequence = Counting(count: 3)
    let sink = path.sink(sequence, { completions += 1 }, { values.append($0) })
    #expect(values == [1, 2, 3])
    #expect(completions == 1)
    #expect(sequence.nextCount == 4 && sequence.iteratorCount == 1)
    sink.cancel()
  }

  @Test func aSinkCancelledDuringAValueStopsAnEndlessSequence() {
    let sequence = Counting(count: .max)
    var values: [Int] = []
    var sink: Subscribers.Sink<Int, Never>!
    sink = Subscribers.Sink(
      receiveCompletion: { _ in },
      receiveValue: {
        values.append($0)
        if $0 == 3 { sink.cancel() }
      }
    )
    Publishers.Map(upstream: sequence.publisher) { $0 }.subscribe(sink)
    #expect(values == [1, 2, 3])
    #expect(sequence.nextCount == 4)
  }

  @Test func aSinkCancelledDuringTheIterationDoesNotReceiveTheUndeliveredElement() {
    let sequence = Counting(count: 5)
    var values: [Int] = []
    let sink = Subscribers.Sink<Int, Never>(receiveCompletion: { _ in }, receiveValue: { values.append($0) })
    sequence.onNext = { [unowned sequence] in
      if sequence.nextCount == 3 { sink.cancel() }
    }
    sequence.publisher.subscribe(sink)
    #expect(values == [1])
    #expect(sequence.nextCount == 3)
    sequence.onNext = {}
  }

  @Test(arguments: [true, false])
  func theSequenceIsReleasedWhenASinkReceivesTheCompletion(isCancelled: Bool) {
    var isReleased = false
    var wasReleasedAtCompletion = false
    let sink = Subscribers.Sink<Int, Never>(
      receiveCompletion: { _ in wasReleasedAtCompletion = isReleased },
      receiveValue: { _ in }
    )
    var counting: Counting? = Counting(count: 3, onDeinit: { isReleased = true })
    if isCancelled { counting!.onNext = { sink.cancel() } }
    // Only the iterator keeps it.
    AnySequence { IteratorOnly(counting.take()!) }.publisher.subscribe(sink)
    #expect(isReleased)
    #expect(wasReleasedAtCompletion == !isCancelled)
  }

  private struct IteratorOnly: IteratorProtocol {
    let base: Counting
    init(_ base: Counting) { self.base = base }
    func next() -> Int? { base.next() }
  }

  @Test func aSinkReceivesTheFailureOfARecordAfterItsOutput() {
    var events: [Event<Int>] = []
    let record = Record<Int, TestError>(output: [1, 2], completion: .failure("failure"))
    let cancellable = record.sink(
      receiveCompletion: { events.append($0 == .finished ? .finished : .failure("failure")) },
      receiveValue: { events.append(.value($0)) }
    )
    #expect(events == [.value(1), .value(2), .failure("failure")])
    cancellable.cancel()
  }

  @Test func cancellingASinkFromAnotherThreadDuringItsValuesIsSafe() {
    for round in 0..<200 {
      let released = ThreadCounter()
      let probe = OverlapProbe()
      let sink = sink(probe, CallsOnDeinit { released.add() })
      let crossing = CrossingThreads(sink)
      DispatchQueue.concurrentPerform(iterations: 2) { index in
        if index == 0 {
          (0..<200).publisher.subscribe(crossing.value)
        } else {
          for _ in 0..<round { crossing.value.cancel() }
        }
      }
      sink.cancel()
      #expect(released.count == 1)
      #expect(!probe.hasOverlapped && !probe.hasReceivedAfterCompletion)
    }
  }

  private func sink(_ probe: OverlapProbe, _ token: CallsOnDeinit) -> Subscribers.Sink<Int, Never> {
    Subscribers.Sink(
      receiveCompletion: { _ in probe.complete() },
      receiveValue: { _ in withExtendedLifetime(token) { probe.enter {} } }
    )
  }

  /// The sequence and its iterator are one object here.
  @Test(arguments: DeliveryLoopTests.End.allCases)
  func releasesTheSequenceBeforeTheCompletionAndOnCancel(end: DeliveryLoopTests.End) {
    var isReleased = false
    var wasReleasedAtCompletion = false
    let subscriber = RecordingSubscriber<Int, Never>(onCompletion: { _ in wasReleasedAtCompletion = isReleased })
    if end == .cancelDuringDelivery {
      subscriber.onValue = { [unowned subscriber] _ in
        subscriber.cancel()
        return .none
      }
    }
    Counting(count: 3, onDeinit: { isReleased = true }).publisher.subscribe(subscriber)
    #expect(!isReleased)
    if end == .cancel { subscriber.cancel() } else { subscriber.request(.unlimited) }
    #expect(isReleased)
    #expect(wasReleasedAtCompletion == (end == .completion))
  }

  @Test func reflectsItself() {
    let subscriber = RecordingSubscriber<Int, Never>()
    (1...5).publisher.subscribe(subscriber)
    let subscription = subscriber.subscription!
    expectReflection(of: subscription, description: "1...5", children: ["sequence"])
    #expect(reflectedChild("sequence", of: subscription) as? ClosedRange<Int> == 1...5)
    subscriber.request(.max(2))
    #expect(reflectedChild("sequence", of: subscription) as? ClosedRange<Int> == 1...5)
    subscriber.request(.max(3))
    expectReflection(of: subscription, description: "Sequence", children: ["sequence"])
    #expect(reflectedChild("sequence", of: subscription) as? [Int] == [])
    #expect("\(type(of: reflectedChild("sequence", of: subscription)!))" == "Array<Int>")
    var text = ""
    dump(subscription, to: &text)
    #expect(text == "▿ Sequence #0\n  - sequence: 0 elements\n")
  }

  @Test func dumpsTheStoredPropertiesOfTheSequence() {
    let subscriber = RecordingSubscriber<Int, Never>()
    Counting(count: 2).publisher.subscribe(subscriber)
    var text = ""
    dump(subscriber.subscription!, to: &text)
    #expect(text.hasPrefix("▿ Counting #0\n  ▿ sequence: Counting #1\n    - count: 2\n    - iteratorCount: 1\n"))
  }

  @Test func holdsItsSequenceAndIsEqualWhenThatIs() {
    #expect([1, 2].publisher.sequence == [1, 2])
    #expect([1, 2].publisher == Publishers.Sequence(sequence: [1, 2]))
    #expect([1, 2].publisher != [2, 1].publisher)
    let fallible = Publishers.Sequence<[Int], TestError>(sequence: [1])
    let subscriber = RecordingSubscriber<Int, TestError>(requesting: .unlimited)
    fallible.subscribe(subscriber)
    #expect(subscriber.events == [.subscription("[1]"), .value(1), .finished])
  }

  @Test func isSendableWhenTheSequenceIs() {
    let publisher: any Sendable & Publisher = [1, 2].publisher
    #expect(publisher is Publishers.Sequence<[Int], Never>)
  }
}
