import CombineCore
import Dispatch
import Synchronization
import TestSupport
import Testing

/// The behaviour that the publishers of one value share, tested on each of the three.
@Suite struct SingleValueTests {

  enum Source: String, CaseIterable {
    case just = "Just"
    case optional = "Optional"
    case result = "Once"

    func subscribe(_ subscriber: RecordingSubscriber<Int, Never>) {
      switch self {
      case .just: Just(42).subscribe(subscriber)
      case .optional: Optional(42).publisher.subscribe(subscriber)
      case .result: Result<Int, Never>.success(42).publisher.subscribe(subscriber)
      }
    }

    var subscription: Event<Int> { .subscription(rawValue) }
  }

  @Test(arguments: Source.allCases)
  func deliversAtTheFirstRequestOnly(source: Source) {
    let subscriber = RecordingSubscriber<Int, Never>()
    source.subscribe(subscriber)
    #expect(subscriber.events == [source.subscription])
    subscriber.request(.max(100))
    #expect(subscriber.events == [source.subscription, .value(42), .finished])
    subscriber.request(.max(1))
    subscriber.request(.unlimited)
    subscriber.cancel()
    #expect(subscriber.events == [source.subscription, .value(42), .finished])
  }

  @Test(arguments: Source.allCases, [Subscribers.Demand.max(1), .unlimited])
  func deliversDuringTheRequest(source: Source, demand: Subscribers.Demand) {
    var eventsInside: [Event<Int>] = []
    let subscriber = RecordingSubscriber<Int, Never>()
    subscriber.onSubscription = { [unowned subscriber] in
      $0.request(demand)
      eventsInside = subscriber.events
    }
    source.subscribe(subscriber)
    #expect(eventsInside == [source.subscription, .value(42), .finished])
    #expect(subscriber.events == eventsInside)
  }

  @Test(arguments: Source.allCases)
  func aCancelBeforeTheRequestStopsEverything(source: Source) {
    let subscriber = RecordingSubscriber<Int, Never>(onSubscription: {
      $0.cancel()
      $0.request(.max(1))
      $0.cancel()
    })
    source.subscribe(subscriber)
    subscriber.request(.unlimited)
    #expect(subscriber.events == [source.subscription])
  }

  @Test(arguments: Source.allCases)
  func aCancelAfterTheRequestIsTooLate(source: Source) {
    let subscriber = RecordingSubscriber<Int, Never>(onSubscription: {
      $0.request(.max(1))
      $0.cancel()
    })
    source.subscribe(subscriber)
    #expect(subscriber.events == [source.subscription, .value(42), .finished])
  }

  @Test(arguments: Source.allCases)
  func requestsAndReturnedDemandDuringTheDeliveryHaveNoEffect(source: Source) {
    let subscriber = RecordingSubscriber<Int, Never>(requesting: .max(1))
    subscriber.onValue = { [unowned subscriber] _ in
      subscriber.request(.unlimited)
      return .unlimited
    }
    subscriber.onCompletion = { [unowned subscriber] _ in subscriber.request(.max(1)) }
    source.subscribe(subscriber)
    #expect(subscriber.events == [source.subscription, .value(42), .finished])
  }

  @Test(arguments: Source.allCases)
  func aCancelDuringTheDeliveryOfTheValueDoesNotStopTheCompletion(source: Source) {
    let subscriber = RecordingSubscriber<Int, Never>(requesting: .max(1))
    subscriber.onValue = { [unowned subscriber] _ in
      subscriber.cancel()
      return .none
    }
    source.subscribe(subscriber)
    #expect(subscriber.events == [source.subscription, .value(42), .finished])
  }

  @Test(arguments: Source.allCases)
  func eachSubscriberStartsOver(source: Source) {
    let (first, second) = (RecordingSubscriber<Int, Never>(), RecordingSubscriber<Int, Never>())
    source.subscribe(first)
    source.subscribe(second)
    first.request(.max(1))
    #expect(second.events == [source.subscription])
    second.request(.max(1))
    #expect(first.events == [source.subscription, .value(42), .finished])
    #expect(second.events == first.events)
    #expect(first.subscription!.combineIdentifier != second.subscription!.combineIdentifier)
  }

  @Test(arguments: Source.allCases)
  func aSinkReceivesItBeforeTheOperatorReturns(source: Source) {
    var events: [Event<Int>] = []
    let (completes, receives) = ({ (_: Any) in events.append(.finished) }, { events.append(.value($0)) })
    let cancellable =
      switch source {
      case .just: Just(42).sink(receiveCompletion: completes, receiveValue: receives)
      case .optional: Optional(42).publisher.sink(receiveCompletion: completes, receiveValue: receives)
      case .result: Result<Int, Never>.Publisher(42).sink(receiveCompletion: completes, receiveValue: receives)
      }
    #expect(events == [.value(42), .finished])
    cancellable.cancel()
    #expect(events.count == 2)
  }

  @Test func aSinkBehindOperatorsReceivesTheEventsOfAnyOtherSubscriber() {
    func expectTheSame(_ publisher: some Publisher<Int, TestError>, _ expected: Int?) {
      var events: [Event<Int>] = []
      let sink = Subscribers.Sink<Int, TestError>(
        receiveCompletion: { _ in events.append(.finished) },
        receiveValue: { events.append(.value($0)) }
      )
      publisher.receive(subscriber: sink)
      #expect(events == (expected.map { [.value($0)] } ?? []) + [.finished])
      let subscriber = RecordingSubscriber<Int, TestError>(requesting: .unlimited)
      publisher.receive(subscriber: subscriber)
      #expect(Array(subscriber.events.dropFirst()) == events)
    }
    func impossible<Value>(_ never: Never) -> Value {}
    let just = Just(1)
    let one = Publishers.SetFailureType<Just<Int>, TestError>(upstream: just)
    expectTheSame(one, 1)
    expectTheSame(Publishers.Map(upstream: one) { $0 + 1 }, 2)
    expectTheSame(one.map(\.nonzeroBitCount), 1)
    expectTheSame(Publishers.MapError(upstream: just, transform: impossible), 1)
    expectTheSame(Publishers.Scan(upstream: one, initialResult: 2, nextPartialResult: +), 3)
    expectTheSame(Publishers.Filter(upstream: one) { $0 > 0 }, 1)
    expectTheSame(Publishers.Filter(upstream: one) { $0 < 0 }, nil)
    expectTheSame(Publishers.CompactMap(upstream: one) { $0 < 0 ? $0 : nil }, nil)
    expectTheSame(Publishers.Map(upstream: Publishers.IgnoreOutput(upstream: one), transform: impossible), nil)
    expectTheSame(one.breakpoint(), 1)
    expectTheSame(one.assertNoFailure().setFailureType(to: TestError.self), 1)
  }

  @Test(arguments: Source.allCases, [true, false])
  func releasesTheSubscriberOnCompletionAndOnCancel(source: Source, completes: Bool) {
    var isReleased = false
    var subscription: (any Subscription)?
    do {
      let subscriber = RecordingSubscriber<Int, Never>(onDeinit: { isReleased = true })
      source.subscribe(subscriber)
      subscription = subscriber.subscription
    }
    #expect(!isReleased, "the subscription and the subscriber hold each other")
    if completes { subscription?.request(.max(1)) } else { subscription?.cancel() }
    #expect(isReleased, "while the subscription is still kept")
    withExtendedLifetime(subscription) {}
  }

  @Test(arguments: Source.allCases)
  func reflectsItself(source: Source) {
    for action in [{ _ in }, { $0.request(.max(1)) }, { $0.cancel() }] as [(any Subscription) -> Void] {
      let subscriber = RecordingSubscriber<Int, Never>()
      source.subscribe(subscriber)
      action(subscriber.subscription!)
      expectReflection(of: subscriber.subscription!, description: source.rawValue, children: [nil])
      #expect(Mirror(reflecting: subscriber.subscription!).children.first?.value as? Int == 42)
      var text = ""
      dump(subscriber.subscription!, to: &text)
      #expect(text == "▿ \(source.rawValue) #0\n  - 42\n")
    }
  }

  @Test(arguments: Source.allCases)
  func requestsAndCancelsFromManyThreadsDeliverAtMostOnce(source: Source) {
    for round in 0..<500 {
      let values = ThreadCounter()
      let completions = ThreadCounter()
      let subscriber = RecordingSubscriber<Int, Never>(
        onValue: { _ in
          values.add()
          return .none
        },
        onCompletion: { _ in completions.add() }
      )
      source.subscribe(subscriber)
      let subscription = CrossingThreads(subscriber.subscription!)
      DispatchQueue.concurrentPerform(iterations: 3) { index in
        if index == 2, round % 2 == 0 { subscription.value.cancel() } else { subscription.value.request(.max(1)) }
      }
      #expect(values.count == completions.count)
      #expect(values.count <= 1)
      if round % 2 == 1 { #expect(values.count == 1) }
    }
  }
}

/// Counts, on any thread.
final class ThreadCounter: Sendable {
  private let value = Atomic<Int>(0)
  var count: Int { value.load(ordering: .acquiring) }
  func add() { value.wrappingAdd(1, ordering: .acquiringAndReleasing) }
}

/// Passes a value to other threads. The test ensures that this is safe, or tests whether it is.
struct CrossingThreads<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
