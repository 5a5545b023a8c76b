import CombineCore
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

  @Test func findsPlainPropertiesOfTheTypeToo() {
    let model = Model()
    let count = signalCount(of: model) {
      Published[_enclosingInstance: model, wrapped: \.silentText, storage: \.wrapped] = "b"
    }
    #expect(count == 1)
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

  @Test func anObjectWithoutPropertiesHasOnePublisherThatIsItsOwn() {
    let bare = Bare()
    let publisher = bare.objectWillChange
    #expect(bare.objectWillChange === publisher)
    // Objects that come and go at the same address must not be mistaken for one another.
    var previous: ObservableObjectPublisher?
    for _ in 0..<100 {
      let other = Bare()
      let current = other.objectWillChange
      #expect(current !== previous && current !== publisher)
      previous = current
    }
    #expect(bare.objectWillChange === publisher)
  }

  @Test func thePublisherTellsBeforeTheSubscribersOfTheProperty() {
    let model = Model()
    var log: [String] = []
    let one = model.objectWillChange.sink { log.append("will change") }
    let two = model.$flag.sink { log.append("\($0)") }
    model.flag = true
    #expect(log == ["false", "will change", "true"])
    _ = (one, two)
  }

  @Test func aSubscriptionMadeDuringTheAnnouncementGetsTheOldValueOnly() {
    let model = Model()
    let late = RecordingSubscriber<Bool, Never>(requesting: .unlimited)
    let first = model.$flag.sink { _ in }
    let cancellable = model.objectWillChange.sink { model.$flag.subscribe(late) }
    model.flag = true
    #expect(late.values == [false])
    _ = (first, cancellable)
  }
}

extension ObservableObjectTests.Model {
  fileprivate var silentText: String {
    get { "" }
    set {}
  }
}

@Suite struct ObservableObjectPublisherTests {

  private typealias Recorder = RecordingSubscriber<Void, Never>

  @Test func anyRequestOpensItForGood() {
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

  @Test func aRequestForNothingOpensItToo() {
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

  @Test func keepsItsSubscriptionsAndIsNotKeptByThem() {
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
}
