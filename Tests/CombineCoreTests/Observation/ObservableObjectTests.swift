import CombineCore
import Foundation
import TestSupport
import Testing

@Suite struct ObservableObjectTests {

  class Base {
    @Published var base = 0
  }

  class Model: Base, ObservableObject {
    @Published var flag = false
    var wrapped = Published(initialValue: "a")
    let constant = Published(initialValue: 1)
    var silent = 0
  }

  private final class Generic<Value>: Model {
    @Published var value: Value
    init(_ value: Value) { self.value = value }
  }

  private func signalCount(of object: some ObservableObject, during body: () -> Void) -> Int {
    var count = 0
    let cancellable = object.objectWillChange.sink { _ in count += 1 }
    body()
    cancellable.cancel()
    return count
  }

  @Test func announcesOncePerWriteBeforeTheChange() {
    let model = Model()
    var seen: [Bool] = []
    let cancellable = model.objectWillChange.sink { seen.append(model.flag) }
    model.flag = true
    model.flag.toggle()
    #expect(seen == [false, true])
    _ = cancellable
  }

  @Test func findsThePropertiesOfSuperclassesAndGenericClasses() {
    let model = Generic("x")
    #expect(signalCount(of: model) { model.value = "y" } == 1)
    #expect(signalCount(of: model) { model.flag.toggle() } == 1)
    #expect(signalCount(of: model) { model.base += 1 } == 1)
    #expect(signalCount(of: model) { model.silent += 1 } == 0)
  }

  @Test func findsStoredPropertiesOfTypePublishedToo() {
    let model = Model()
    let count = signalCount(of: model) {
      Published[_enclosingInstance: model, wrapped: \.silentText, storage: \.wrapped] = "b"
    }
    #expect(count == 1)
  }

  @Test func aCancelledSubscriberIsReleasedDuringADeliveryToAnotherOne() {
    final class Token {}
    let model = Model()
    var states: [Bool] = []
    let slow = model.objectWillChange.sink {
      weak var weakToken: Token?
      do {
        let token = Token()
        weakToken = token
        model.objectWillChange.map { withExtendedLifetime(token) {} }.sink {}.cancel()
      }
      states.append(weakToken == nil)
    }
    model.flag = true
    #expect(states == [true])
    slow.cancel()
  }

  private final class Job: Operation, ObservableObject, @unchecked Sendable {
    @Published var progress = 0
  }

  private final class Coder: JSONEncoder, ObservableObject, @unchecked Sendable {
    @Published var count = 0
  }

  @Test func findsThePropertiesOfClassesThatInheritFromFoundations() {
    let job = Job()
    #expect(signalCount(of: job) { job.progress += 1 } == 1)
    let coder = Coder()
    #expect(signalCount(of: coder) { coder.count += 1 } == 1)
  }

  private class Masked: Base, ObservableObject, CustomReflectable {
    @Published var flag = false
    var customMirror: Mirror { Mirror(self, children: ["nothing": 0], ancestorRepresentation: .suppressed) }
  }

  private final class MaskedGeneric<Value>: Masked {
    var silent = "a"
    @Published var value: Value
    init(_ value: Value) { self.value = value }
  }

  @Test func findsThePropertiesOfAnObjectWithACustomMirror() {
    let object = MaskedGeneric([1])
    #expect(signalCount(of: object) { object.value = [2] } == 1)
    #expect(signalCount(of: object) { object.flag.toggle() } == 1)
    #expect(signalCount(of: object) { object.base += 1 } == 1)
    #expect(signalCount(of: object) { object.silent = "b" } == 0)
    #expect(object.objectWillChange === object.objectWillChange)
  }

  @Test func allPropertiesShareOnePublisherOnEveryAccessPath() {
    let model = Generic(1)
    var (base, all) = (0, 0)
    let first = model.objectWillChange.sink { all += 1 }
    // The wrapper is read again, and replaced. The new wrapper announces changes after the next access to the
    // publisher.
    model.wrapped = Published(initialValue: "new")
    #expect(signalCount(of: model) { model.value = 2 } == 1)
    let second = (model as Base as? any ObservableObject).map { object in
      func sink(_ object: some ObservableObject) -> AnyCancellable { object.objectWillChange.sink { _ in base += 1 } }
      return sink(object)
    }
    model.base = 1
    Published[_enclosingInstance: model as Model, wrapped: \.silentText, storage: \.wrapped] = "c"
    #expect(base == 2)
    #expect(all == 3)
    _ = (first, second)
  }

  @Test func isTheSameAtEachAccess() {
    let model = Model()
    #expect(model.objectWillChange === model.objectWillChange)
    let other = Model()
    #expect(model.objectWillChange !== other.objectWillChange)
  }

  @Test func announcesNothingBeforeTheFirstAccess() {
    let model = Model()
    model.flag = true
    #expect(signalCount(of: model) {} == 0)
  }

  private final class Own: ObservableObject {
    let objectWillChange = ObservableObjectPublisher()
    @Published var value = 0
  }

  @Test func aDeclaredPublisherIsNotDrivenByProperties() {
    let own = Own()
    #expect(signalCount(of: own) { own.value = 1 } == 0)
    #expect(signalCount(of: own) { own.objectWillChange.send() } == 1)
  }

  private final class Bare: ObservableObject {}

  @Test func aClassMadeObservableAfterwardsHasOnePublisher() {
    let object = MadeObservable()
    #expect(object.objectWillChange === object.objectWillChange)
    #expect(signalCount(of: object) { object.objectWillChange.send() } == 1)
    #expect(signalCount(of: object) { object.value += 1 } == 0)
  }

  @Test func theirPublishersAreFoundOnManyThreads() {
    let objects = (0..<50).map { _ in UncheckedBare(object: Bare()) }
    let found = Guarded<[Set<ObjectIdentifier>]>(Array(repeating: [], count: 50))
    // An unreferenced publisher need not be the same at the next access.
    let kept = Guarded<[ObservableObjectPublisher]>([])
    onThreads(4) { _ in
      for (index, bare) in objects.enumerated() {
        // Other objects come and go meanwhile.
        _ = Bare().objectWillChange
        let publisher = bare.object.objectWillChange
        kept.withLock { $0.append(publisher) }
        found.withLock { _ = $0[index].insert(ObjectIdentifier(publisher)) }
      }
    }
    let sets = found.withLock { $0 }
    #expect(sets.allSatisfy { $0.count == 1 })
    #expect(Set(sets.flatMap { $0 }).count == 50)
  }

  /// An object that threads use only for its publisher.
  private struct UncheckedBare: @unchecked Sendable {
    let object: Bare
  }

  @Test func anObjectWithoutPropertiesHasItsOwnPublisher() {
    let bare = Bare()
    let publisher = bare.objectWillChange
    #expect(bare.objectWillChange === publisher)
    // New objects at the same address must not be mistaken for old ones. An access forgets two old ones at most, among
    // those that live.
    let living = (0..<50).map { _ in Bare() }.map { ($0, $0.objectWillChange) }
    var previous: ObservableObjectPublisher?
    for _ in 0..<100 {
      let other = Bare()
      let current = other.objectWillChange
      #expect(current !== previous && current !== publisher)
      previous = current
    }
    #expect(bare.objectWillChange === publisher)
    withExtendedLifetime(living) {}
  }

  // MARK: Reading properties

  private final class Guarding: Base, ObservableObject {
    var other: AnyObject = NSNumber(value: 1)
    @Published var flag = false
    var text = "a"
  }

  @Test func noOtherStoredPropertyIsRead() {
    let object = Guarding()
    let publisher = withUnsafeMutablePointer(to: &object.other) { pointer in
      // A copy of this property would retain an object that does not exist, which ends the process.
      let storage = UnsafeMutableRawPointer(pointer)
      let reference = storage.load(as: UInt.self)
      storage.storeBytes(of: 16, as: UInt.self)
      defer { storage.storeBytes(of: reference, as: UInt.self) }
      return object.objectWillChange
    }
    #expect(object.objectWillChange === publisher)
    #expect(signalCount(of: object) { object.flag.toggle() } == 1)
  }

  @Test func anotherThreadMayChangeAnUnrelatedPropertyUnderItsOwnLock() {
    struct Shared: @unchecked Sendable {
      let object = Guarding()
      let lock = Guarded(0)  // Not of `Void`: the thread sanitizer takes an empty value for the memory that follows it.
    }
    let shared = Shared()
    let first = shared.object.objectWillChange
    let differences = Guarded(0)
    onThreads(3) { thread in
      for number in 0..<5000 {
        if thread == 0 {
          if shared.object.objectWillChange !== first { differences.withLock { $0 += 1 } }
        } else {
          shared.lock.withLock { _ in
            shared.object.other = NSNumber(value: number)
            shared.object.text = "a string that is too long to be stored in place, \(number)"
          }
        }
      }
    }
    #expect(differences.withLock { $0 } == 0)
  }

  private class WithoutProperties: ObservableObject {
    var silent = 0
  }

  private final class Late: WithoutProperties {
    @Published var value = 0
  }

  private final class LaterStill<Value>: Base2<Value>, ObservableObject {
    var silent = ""
  }

  private class Base2<Value> {
    var before: Value
    @Published var value: Value
    init(_ value: Value) { (before, self.value) = (value, value) }
  }

  @Test func findsThePropertiesWhereverTheyAreInTheHierarchy() {
    let late = Late()
    #expect(signalCount(of: late) { late.value += 1 } == 1)
    #expect(signalCount(of: late as WithoutProperties) { late.value += 1 } == 1)
    let strings = LaterStill("a")
    #expect(signalCount(of: strings) { strings.value = "b" } == 1)
    let triples = LaterStill((1, "a", 2.5))
    #expect(signalCount(of: triples) { triples.value = (2, "b", 3.5) } == 1)
    #expect(signalCount(of: triples) { triples.silent = "b" } == 0)
  }

  private struct Wrapped<Value> {}

  /// Makes objects of as many classes on a thread.
  private static func countSignals<Value>(_ type: Value.Type, depth: Int) -> Int {
    let object = LaterStill<Value?>(nil)
    var count = 0
    let cancellable = object.objectWillChange.sink { count += 1 }
    object.value = nil
    cancellable.cancel()
    return count + (depth == 0 ? 0 : countSignals(Wrapped<Value>.self, depth: depth - 1))
  }

  @Test func manyClassesAreDistinguishedOnManyThreads() {
    let counts = Guarded<[Int]>([])
    onThreads(4) { thread in
      let count = thread % 2 == 0 ? Self.countSignals(Int.self, depth: 99) : Self.countSignals(String.self, depth: 99)
      counts.withLock { $0.append(count) }
    }
    #expect(counts.withLock { $0 } == [100, 100, 100, 100])
  }

  // MARK: Releasing

  @Test func thePublisherIsReleasedWithTheObject() {
    weak var weakPublisher: ObservableObjectPublisher?
    weak var weakDownstream: AnyObject?
    let subscriber = RecordingSubscriber<Void, Never>(requesting: .unlimited)
    do {
      let model = Model()
      weakPublisher = model.objectWillChange
      model.objectWillChange.subscribe(subscriber)
      let token = CallsOnDeinit {}
      weakDownstream = token
      // The sink is never cancelled, and the test keeps its subscription.
      let sink = Subscribers.Sink<Void, Never>(receiveCompletion: { _ in }) { withExtendedLifetime(token) {} }
      model.objectWillChange.subscribe(sink)
      model.flag = true
      #expect(subscriber.values.count == 1)
      #expect(weakPublisher != nil)
    }
    #expect(weakPublisher == nil)
    #expect(weakDownstream == nil)
    withExtendedLifetime(subscriber) {}
  }

  @Test func aPublisherThatTheObjectCannotStoreIsReleasedWhenUnreferenced() {
    let bare = Bare()
    weak var weakPublisher: ObservableObjectPublisher?
    do {
      let publisher = bare.objectWillChange
      weakPublisher = publisher
      #expect(bare.objectWillChange === publisher)
    }
    // A lookup of another test, on another thread, may hold it for a moment.
    #expect(holdsEventually { weakPublisher == nil })
    var count = 0
    let cancellable = bare.objectWillChange.sink { count += 1 }
    weakPublisher = bare.objectWillChange
    bare.objectWillChange.send()
    #expect(count == 1)
    #expect(weakPublisher != nil)
    cancellable.cancel()
    #expect(holdsEventually { weakPublisher == nil })
  }

  @Test func aPublisherThatTheObjectCannotStoreIsReleasedAfterItsObject() {
    weak var weakPublisher: ObservableObjectPublisher?
    var isReleased = false
    let held: AnyCancellable
    do {
      let bare = Bare()
      let token = CallsOnDeinit { isReleased = true }
      held = bare.objectWillChange.sink { withExtendedLifetime(token) {} }
      weakPublisher = bare.objectWillChange
    }
    // Each lookup checks the entries of such objects in turn. Other tests have such objects as well.
    for _ in 0..<10_000 where weakPublisher != nil { _ = Bare().objectWillChange }
    #expect(holdsEventually { weakPublisher == nil })
    // The client keeps the sink.
    #expect(!isReleased)
    held.cancel()
    #expect(isReleased)
  }

  @Test func aReferencedPublisherOutlivesItsObject() {
    let publisher = Bare().objectWillChange
    var count = 0
    let cancellable = publisher.sink { count += 1 }
    for _ in 0..<1000 { _ = Bare().objectWillChange }
    publisher.send()
    #expect(count == 1)
    cancellable.cancel()
  }

  @Test func manyObjectsLeaveNothing() {
    // A living object is beside them.
    let bare = Bare()
    var count = 0
    let cancellable = bare.objectWillChange.sink { count += 1 }
    let alive = Guarded(0)
    for _ in 0..<2000 {
      alive.withLock { $0 += 1 }
      let token = CallsOnDeinit { alive.withLock { $0 -= 1 } }
      // Nothing cancels the sink, and only the publisher keeps it.
      let sink = Subscribers.Sink<Void, Never>(receiveCompletion: { _ in }) { withExtendedLifetime(token) {} }
      Bare().objectWillChange.subscribe(sink)
    }
    #expect(alive.withLock { $0 } < 200)
    bare.objectWillChange.send()
    #expect(count == 1)
    cancellable.cancel()
  }

  @Test func thePublisherAnnouncesBeforeTheSubscribersOfTheProperty() {
    let model = Model()
    var log: [String] = []
    let one = model.objectWillChange.sink { log.append("will change") }
    let two = model.$flag.sink { log.append("\($0)") }
    model.flag = true
    #expect(log == ["false", "will change", "true"])
    _ = (one, two)
  }

  @Test func aSubscriptionDuringTheAnnouncementReceivesTheOldValueOnly() {
    let model = Model()
    let late = RecordingSubscriber<Bool, Never>(requesting: .unlimited)
    let first = model.$flag.sink { _ in }
    let cancellable = model.objectWillChange.sink { model.$flag.subscribe(late) }
    model.flag = true
    #expect(late.values == [false])
    _ = (first, cancellable)
  }

  @Test func aSubscriptionDuringTheAnnouncementOfAPropertyWithoutSubscribersReceivesTheOldValueOnly() {
    let model = Model()
    let late = RecordingSubscriber<Bool, Never>(requesting: .unlimited)
    let cancellable = model.objectWillChange.prefix(1).sink { model.$flag.subscribe(late) }
    model.flag = true
    #expect(late.values == [false])
    #expect(model.flag)
    model.flag = false
    #expect(late.values == [false, false])
    _ = cancellable
  }

  /// The writes are nested as deep as the numbers count. The innermost announcement subscribes.
  @Test func aSubscriptionDuringNestedAnnouncementsMissesAllOfTheirValues() {
    let model = Counter()
    let late = RecordingSubscriber<Int, Never>(requesting: .unlimited)
    var depth = 0
    let cancellable = model.objectWillChange.sink {
      depth += 1
      if depth < 3 { model.count = depth * 10 } else if depth == 3 { model.$count.subscribe(late) }
    }
    model.count = 1
    #expect(late.values == [0])
    #expect(model.count == 1)
    model.count = 2
    #expect(late.values == [0, 2])
    _ = cancellable
  }

  @Test func aNestedWriteReachesASubscriberThatCameDuringTheAnnouncement() {
    let model = Counter()
    let late = RecordingSubscriber<Int, Never>(requesting: .unlimited)
    let cancellable = model.objectWillChange.prefix(1).sink {
      model.$count.subscribe(late)
      model.count = 7
    }
    model.count = 1
    #expect(late.values == [0, 7])
    #expect(model.count == 1)
    _ = cancellable
  }

  @Test func aWriteOfAnotherPropertyDuringTheAnnouncementIsAnOrdinaryWrite() {
    final class Two: ObservableObject {
      @Published var first = 0
      @Published var second = 0
    }
    let model = Two()
    let late = RecordingSubscriber<Int, Never>(requesting: .unlimited)
    let cancellable = model.objectWillChange.prefix(1).sink {
      model.second = 5
      model.$second.subscribe(late)
    }
    model.first = 1
    #expect(late.values == [5])
    #expect((model.first, model.second) == (1, 5))
    _ = cancellable
  }

  @Test func aSubscriberThatAnotherThreadAddsDuringTheAnnouncementReceivesTheNewValueAfterTheOldOne() {
    let model = Counter()
    // The announcement waits for the other thread.
    nonisolated(unsafe) let late = RecordingSubscriber<Int, Never>(requesting: .unlimited)
    let cancellable = model.objectWillChange.prefix(1).sink {
      let isDone = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        model.$count.subscribe(late)
        isDone.signal()
      }
      isDone.wait()
    }
    model.count = 1
    #expect(late.values == [0, 1])
    _ = cancellable
  }
}

private final class Counter: ObservableObject, @unchecked Sendable {
  // Sendable: a thread that subscribes to the property is waited for.

  @Published var count = 0
}

private final class MadeObservable {
  var value = 0
}

extension MadeObservable: ObservableObject {}

extension ObservableObjectTests.Model {
  fileprivate var silentText: String {
    get { "" }
    set {}
  }
}

@Suite struct ObservableObjectPublisherTests {

  private typealias Recorder = RecordingSubscriber<Void, Never>

  @Test func anyRequestMakesItsDemandUnlimited() {
    let publisher = ObservableObjectPublisher()
    let subscriber = Recorder(onValue: { _ in .max(1) })
    publisher.subscribe(subscriber)
    publisher.send()
    #expect(subscriber.values.count == 0)
    subscriber.request(.max(1))
    for _ in 0..<3 { publisher.send() }
    #expect(subscriber.values.count == 3)
    subscriber.request(.max(3))
    #expect(subscriber.values.count == 3)
    for _ in 0..<4 { publisher.send() }
    #expect(subscriber.values.count == 7)

    let second = Recorder(requesting: .unlimited)
    publisher.subscribe(second)
    #expect(second.values.count == 0)
    publisher.send()
    #expect(subscriber.values.count == 8 && second.values.count == 1)
    subscriber.cancel()
    subscriber.cancel()
    subscriber.request(.max(1))
    publisher.send()
    #expect(subscriber.values.count == 8 && second.values.count == 2)
  }

  @Test func neverCompletes() {
    final class Model: ObservableObject { @Published var value = 0 }
    final class Plain: ObservableObject {}
    weak var weakPublisher: ObservableObjectPublisher?
    weak var weakModel: Model?
    let subscribers = (0..<3).map { _ in Recorder(requesting: .unlimited) }
    do {
      let (publisher, model, plain) = (ObservableObjectPublisher(), Model(), Plain())
      (weakPublisher, weakModel) = (publisher, model)
      publisher.subscribe(subscribers[0])
      publisher.send()
      model.objectWillChange.subscribe(subscribers[1])
      model.value = 1
      plain.objectWillChange.subscribe(subscribers[2])
      plain.objectWillChange.send()
    }
    #expect(weakPublisher == nil && weakModel == nil)
    for subscriber in subscribers { subscriber.cancel() }
    // The subscription and the announcement.
    #expect(subscribers.map(\.events.count) == [2, 2, 2])
  }

  @Test func aZeroRequestMakesItsDemandUnlimitedToo() {
    let publisher = ObservableObjectPublisher()
    let subscriber = Recorder(requesting: .none)
    publisher.subscribe(subscriber)
    publisher.send()
    #expect(subscriber.values.count == 1)
  }

  @Test func reflectsItsSubscription() throws {
    let subscriber = Recorder()
    let publisher = ObservableObjectPublisher()
    publisher.subscribe(subscriber)
    let subscription = try #require(subscriber.subscription)
    expectReflection(of: subscription, description: "ObservableObjectPublisher", children: ["downstream"])
    #expect(reflectedChild("downstream", of: subscription) as? Recorder === subscriber)
  }

  @Test func keepsItsSubscriptionsWhichDoNotKeepIt() {
    weak var weakSubscription: AnyObject?
    weak var weakPublisher: ObservableObjectPublisher?
    let subscriber = Recorder(requesting: .unlimited)
    do {
      let publisher = ObservableObjectPublisher()
      weakPublisher = publisher
      publisher.subscribe(subscriber)
      weakSubscription = subscriber.subscription as AnyObject
      subscriber.dropSubscription()
      #expect(weakSubscription != nil)
    }
    #expect(weakPublisher == nil)
    #expect(weakSubscription == nil)
  }

  @Test func aDownstreamIsReleasedWhenItIsCancelled() {
    let publisher = ObservableObjectPublisher()
    var isReleased = false
    var subscription: (any Subscription)?
    do {
      let subscriber = Recorder(onSubscription: { $0.request(.unlimited) }, onDeinit: { isReleased = true })
      publisher.subscribe(subscriber)
      subscription = subscriber.subscription
      subscriber.dropSubscription()
    }
    publisher.send()
    #expect(!isReleased)
    subscription?.cancel()
    #expect(isReleased)
    publisher.send()
    withExtendedLifetime(subscription) {}
  }

  @Test func aSinkBehindOperatorsAndErasuresReceivesAnnouncements() {
    let publisher = ObservableObjectPublisher()
    var log: [String] = []
    let cancellables = [
      publisher.sink { log.append("plain") },
      publisher.map { "mapped" }.sink { log.append($0) },
      publisher.eraseToAnyPublisher().sink { log.append("erased") },
    ]
    publisher.send()
    #expect(log.sorted() == ["erased", "mapped", "plain"])
    for cancellable in cancellables { cancellable.cancel() }
    publisher.send()
    #expect(log.count == 3)
  }

  @Test func announcementsOfManyThreadsArriveOneAtATimeAndNested() {
    let publisher = ObservableObjectPublisher()
    let probe = OverlapProbe()
    let cancellable = publisher.sink { probe.enter {} }
    onThreads(4) { _ in for _ in 0..<500 { publisher.send() } }
    #expect(probe.count == 2000)
    #expect(!probe.hasOverlapped)
    cancellable.cancel()
    var depth = 0
    let nested = publisher.sink {
      depth += 1
      if depth < 3 { publisher.send() }
    }
    publisher.send()
    #expect(depth == 3)
    nested.cancel()
    publisher.send()
    #expect(depth == 3)
  }

  @Test func aSubscriberThatComesOrGoesDuringASignalDoesNotReceiveIt() {
    let publisher = ObservableObjectPublisher()
    let late = Recorder(requesting: .unlimited)
    var subscribers: [Recorder] = []
    for index in 0..<2 {
      subscribers.append(
        Recorder(
          onSubscription: { $0.request(.unlimited) },
          onValue: { _ in
            subscribers[1 - index].cancel()
            if late.subscription == nil { publisher.subscribe(late) }
            return .none
          }
        )
      )
    }
    for subscriber in subscribers { publisher.subscribe(subscriber) }
    publisher.send()
    #expect(subscribers.map(\.values.count).sorted() == [0, 1])
    #expect(late.values.isEmpty)
    publisher.send()
    #expect(late.values.count == 1)
  }
}
