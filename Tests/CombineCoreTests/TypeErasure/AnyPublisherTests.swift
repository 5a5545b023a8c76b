@testable import CombineCore
import TestSupport
import Testing

// One test at a time, because one of them watches all subscriptions of the process.
@Suite(.serialized) struct AnyPublisherTests {

  @Test func isOneReferenceToABoxThatErasingTwiceShares() {
    let once = ManualPublisher<Int, Never>().eraseToAnyPublisher()
    let twice = AnyPublisher(once.eraseToAnyPublisher())
    #expect(MemoryLayout<AnyPublisher<Int, Never>>.size == MemoryLayout<AnyObject>.size)
    let boxes = [once, twice].map { ObjectIdentifier(unsafeBitCast($0, to: AnyObject.self)) }
    #expect(boxes[0] == boxes[1])
  }

  @Test func passesTheSameSubscriberToTheBase() {
    let base = ManualPublisher<Int, Never>()
    let subscriber = RecordingSubscriber<Int, Never>()
    base.eraseToAnyPublisher().subscribe(subscriber)
    #expect(base.subscriber as? RecordingSubscriber<Int, Never> === subscriber)
    #expect(subscriber.subscription as? ManualSubscription === base.subscription)
  }

  /// A user's structure that would be costly to copy.
  private struct LargeSubscriber: Subscriber {

    let combineIdentifier = CombineIdentifier()
    let ballast: InlineArray<33, Int> = .init(repeating: 7)

    func receive(subscription: any Subscription) {}
    func receive(_ input: Int) -> Subscribers.Demand { .none }
    func receive(completion: Subscribers.Completion<Never>) {}
  }

  @Test func passesALargeSubscriberToTheBaseUnchanged() {
    let base = ManualPublisher<Int, Never>()
    let subscriber = LargeSubscriber()
    base.eraseToAnyPublisher().subscribe(subscriber)
    #expect((base.subscriber as? LargeSubscriber)?.combineIdentifier == subscriber.combineIdentifier)
  }

  @Test func aDeferredPublisherConfinesTheSubscriberIfWhatItMakesDoes() {
    // The compiler knows the answer for a type, and warns. So it is asked as an eraser asks.
    func confines(_ publisher: any Publisher.Type) -> Bool { publisher is any SubscriberConfining.Type }
    #expect(confines(Deferred<Just<Int>>.self))
    #expect(confines(Deferred<Deferred<Just<Int>>>.self))
    #expect(!confines(Deferred<ManualPublisher<Int, Never>>.self))
  }

  @Test func anErasedDeferredPublisherPassesTheSameSubscriberToAUsersPublisher() {
    let made = ManualPublisher<Int, Never>()
    let subscriber = RecordingSubscriber<Int, Never>()
    Deferred { made }.eraseToAnyPublisher().subscribe(subscriber)
    #expect(made.subscriber as? RecordingSubscriber<Int, Never> === subscriber)
  }

  @Test func anErasedDeferredPublisherOfThePackageDeliversThroughTheBox() {
    let subscriber = RecordingSubscriber<Int, Never>(requesting: .unlimited)
    Deferred { [1, 2].publisher.map { $0 * 10 } }.eraseToAnyPublisher().subscribe(subscriber)
    #expect(subscriber.events.dropFirst() == [.value(10), .value(20), .finished])
  }

  @Test func aPublisherOfThePackageReflectsTheSubscriberUnchanged() {
    let subscriber = RecordingSubscriber<Int, Never>()
    let base = ManualPublisher<Int, Never>()
    base.removeDuplicates().eraseToAnyPublisher().subscribe(subscriber)
    let downstream = Mirror(reflecting: subscriber.subscription!).descendant("downstream")
    #expect((downstream as? any Subscriber)?.combineIdentifier == subscriber.combineIdentifier)
    #expect(downstream.map { String(describing: $0) } == String(describing: subscriber))
    #expect(downstream.map { Mirror(reflecting: $0).subjectType == RecordingSubscriber<Int, Never>.self } == true)
  }

  @Test func watchedPublishersReceiveTheWatchedSubscriber() {
    /// It is called on the threads of other tests, too.
    final class Handler: _Introspection {
      let subscribers = Guarded<[CombineIdentifier]>([])
      func willReceive<P: Publisher, S: Subscriber>(publisher: P, subscriber: S)
      where P.Failure == S.Failure, P.Output == S.Input {
        subscribers.withLock { $0.append(subscriber.combineIdentifier) }
      }
    }
    let handler = Handler()
    let subscriber = RecordingSubscriber<Int, Never>()
    handler.enable()
    Just(1).eraseToAnyPublisher().subscribe(subscriber)
    handler.disable()
    let subscribers = handler.subscribers.withLock { $0 }
    #expect(subscribers.count { $0 == subscriber.combineIdentifier } == 1)
  }

  // MARK: Long chains

  @Test func aLongChainOfOperatorsForwardsEveryEvent() {
    let base = ManualPublisher<Int, TestError>()
    let row = (0..<100).reduce(base.eraseToAnyPublisher()) { row, _ in row.map { $0 + 1 }.eraseToAnyPublisher() }
    let subscriber = RecordingSubscriber<Int, TestError>(requesting: .max(2), returning: [.max(3)])
    row.subscribe(subscriber)
    #expect(base.send(1) == .max(3))
    base.send(completion: .failure("end"))
    #expect(subscriber.events == [.subscription("ManualSubscription"), .value(101), .failure("end")])
    #expect(base.history == [.requested(.max(2))])
  }

  /// For any number of operators, an operator's conduit keeps the next one only by reference.
  @Test func aLongChainOfOperatorsIsSmallAndReflectsItselfAsTheFirst() {
    for length in 1...30 {
      let base = ManualPublisher<Int, Never>()
      let row = (0..<length).reduce(base.eraseToAnyPublisher()) { row, _ in row.map { $0 }.eraseToAnyPublisher() }
      row.subscribe(RecordingSubscriber<Int, Never>())
      let first = base.subscriber!
      expectReflection(of: first, description: "Map")
      func size<S>(of: S) -> Int { MemoryLayout<S>.size }
      #expect(size(of: first) == 4 * MemoryLayout<Int>.size)
    }
  }

  @Test func reflectsItsNameOnly() {
    let erased = Just(1).eraseToAnyPublisher()
    #expect(erased.description == "AnyPublisher")
    #expect(erased.playgroundDescription as? String == "AnyPublisher")
    #expect(!((erased as Any) is any CustomReflectable))
    #expect(!((erased as Any) is any Equatable))
  }
}
