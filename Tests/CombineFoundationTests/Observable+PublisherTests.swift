import CombineFoundation
import Dispatch
import Observation
import TestSupport
import Testing

@Observable private final class Person {

  var first = "A"
  var last = "B"
  var age = 0
  var friend: Person?
  var notes: [Int] = []

  @ObservationIgnored var secret = 0

  var name: String { first + last }

  @ObservationIgnored var onDeinit: () -> Void = {}

  /// A property whose getter changes a property that it depends on.
  var countedAge: Int {
    readCount += 1
    return age
  }

  var readCount = 0

  deinit {
    onDeinit()
  }
}

private final class Token {

  let onDeinit: () -> Void

  init(_ onDeinit: @escaping () -> Void) {
    self.onDeinit = onDeinit
  }

  deinit {
    onDeinit()
  }
}

@Observable private final class Holder {

  var token: Token?
}

/// An observable object that any thread may change.
private final class Counter: Observable, Sendable {

  private let registrar = ObservationRegistrar()
  private let storage = Guarded(0)

  var value: Int {
    get {
      registrar.access(self, keyPath: \.value)
      return storage.withLock { $0 }
    }
    set { change { $0 = newValue } }
  }

  func change(_ body: (inout Int) -> Void) {
    registrar.withMutation(of: self, keyPath: \.value) { storage.withLock { body(&$0) } }
  }
}

@Suite struct ObservablePublisherTests {

  private typealias Recorder = RecordingSubscriber<Int, Never>

  private static let subscribed = Event<Int>.subscription("KVOSubscription")

  private func observeAge(
    of person: Person,
    options: NSKeyValueObservingOptions = [.initial, .new],
    _ subscriber: Recorder = Recorder(requesting: .unlimited)
  ) -> Recorder {
    person.publisher(for: \.age, options: options).subscribe(subscriber)
    return subscriber
  }

  // MARK: Values

  @Test(
    arguments: [
      ([], [1, 2]),
      ([.new], [1, 2]),
      ([.old], [1, 2]),
      ([.initial], [0, 1, 2]),
      ([.initial, .new], [0, 1, 2]),
      ([.prior], [0, 1, 1, 2]),
      ([.initial, .prior], [0, 0, 1, 1, 2]),
    ] as [(NSKeyValueObservingOptions, [Int])]
  )
  func theOptionsDetermineThePublishedValues(options: NSKeyValueObservingOptions, expected: [Int]) {
    let person = Person()
    let subscriber = observeAge(of: person, options: options)
    person.age = 1
    person.age = 2
    #expect(subscriber.events == [Self.subscribed] + expected.map { .value($0) })
  }

  @Test func theDefaultIsTheInitialValueAndEachNewOne() {
    let person = Person()
    var ages: [Int] = []
    let cancellable = person.publisher(for: \.age).sink {
      ages.append($0)
      #expect(person.age == $0)  // The change has happened.
    }
    for age in 1...3 { person.age = age }
    #expect(ages == [0, 1, 2, 3])
    cancellable.cancel()
    person.age = 4
    #expect(ages.count == 4)
  }

  @Test func assigningAnEqualValueIsNoChange() {
    let person = Person()
    let subscriber = observeAge(of: person)
    person.age = 0
    person.age = 1
    person.age = 1
    #expect(subscriber.values == [0, 1])
  }

  @Test func otherPropertiesAreNotObserved() {
    let person = Person()
    let subscriber = observeAge(of: person)
    person.first = "X"
    person.secret = 1
    #expect(subscriber.values == [0])
  }

  @Test func aChangeInPlaceIsAChange() {
    let person = Person()
    var counts: [Int] = []
    let cancellable = person.publisher(for: \.notes.count).sink { counts.append($0) }
    person.notes.append(1)
    person.notes += [2, 3]
    person.notes.removeAll()
    #expect(counts == [0, 1, 3, 0])
    cancellable.cancel()
  }

  @Test func aComputedPropertyChangesWithItsDependencies() {
    let person = Person()
    var names: [String] = []
    let cancellable = person.publisher(for: \.name).sink { names.append($0) }
    person.first = "C"
    person.last = "D"
    person.age = 5
    #expect(names == ["AB", "CB", "CD"])
    cancellable.cancel()
  }

  @Test func aKeyPathIsObservedThroughReplacedObjects() {
    let person = Person()
    let old = Person()
    let new = Person()
    person.friend = old
    var ages: [Int?] = []
    let cancellable = person.publisher(for: \.friend?.age).sink { ages.append($0) }
    old.age = 1
    new.age = 7
    person.friend = new
    old.age = 2
    new.age = 8
    person.friend = nil
    new.age = 9
    #expect(ages == [0, 1, 7, 8, nil])
    cancellable.cancel()
  }

  @Test func aGetterThatChangesItsDependenciesIsReadOnceForEachChange() {
    let person = Person()
    var ages: [Int] = []
    let cancellable = person.publisher(for: \.countedAge).sink { ages.append($0) }
    person.age = 1
    person.age = 2
    #expect(ages == [0, 1, 2])
    cancellable.cancel()
  }

  @Test func aNestedChangeIsDeliveredNested() {
    let person = Person()
    var log: [String] = []
    let cancellable = person.publisher(for: \.age).sink { age in
      log.append("<\(age)")
      if age == 1 {
        person.age = 2
        person.age = 3
      }
      log.append("\(age)>")
    }
    person.age = 1
    #expect(log == ["<0", "0>", "<1", "<2", "2>", "<3", "3>", "1>"])
    cancellable.cancel()
  }

  @Test func subscribersAreIndependent() {
    let person = Person()
    let first = observeAge(of: person)
    person.age = 1
    let second = observeAge(of: person)
    person.age = 2
    first.cancel()
    person.age = 3
    #expect(first.values == [0, 1, 2])
    #expect(second.values == [1, 2, 3])
  }

  // MARK: Demand

  @Test func changesWithoutDemandAreDroppedExceptTheFirstValue() {
    let person = Person()
    let subscriber = observeAge(of: person, Recorder())
    person.age = 1
    person.age = 2
    #expect(subscriber.values == [])
    subscriber.request(.max(1))
    #expect(subscriber.values == [0])
    person.age = 3
    person.age = 4
    #expect(subscriber.values == [0])
    subscriber.request(.max(1))
    #expect(subscriber.values == [0])
    person.age = 5
    person.age = 6
    #expect(subscriber.values == [0, 5])
  }

  /// Combine's publisher credits one less than the request. This publisher credits all of it.
  @Test func aRequestIsCreditedInFull() {
    let person = Person()
    let subscriber = observeAge(of: person, options: [.new], Recorder())
    person.age = 4
    subscriber.request(.max(3))
    for age in 5...8 { person.age = age }
    #expect(subscriber.values == [5, 6, 7])
  }

  @Test func returnedDemandIsAddedAfterTheValue() {
    let person = Person()
    let subscriber = observeAge(of: person, Recorder(requesting: .max(1), returning: [.max(2), .none, .max(1)]))
    for age in 1...5 { person.age = age }
    #expect(subscriber.values == [0, 1, 2, 3])
  }

  @Test func aZeroRequestHasNoEffect() {
    let person = Person()
    let subscriber = observeAge(of: person, Recorder())
    subscriber.request(.none)
    #expect(subscriber.values == [])
    subscriber.request(.max(1))
    #expect(subscriber.values == [0])
  }

  // MARK: Cancellation and lifetime

  @Test func cancelEndsTheObservationWithoutACompletion() {
    let person = Person()
    let subscriber = observeAge(of: person, Recorder())
    subscriber.cancel()
    subscriber.cancel()
    subscriber.request(.unlimited)
    person.age = 1
    #expect(subscriber.events == [Self.subscribed])
  }

  @Test func nothingFollowsACancelDuringAValue() {
    let person = Person()
    var subscriber: Recorder!
    subscriber = Recorder(
      onSubscription: { $0.request(.unlimited) },
      onValue: { _ in
        subscriber.cancel()
        return .max(1)
      }
    )
    _ = observeAge(of: person, subscriber)
    person.age = 1
    #expect(subscriber.values == [0])
    subscriber.onValue = { _ in .none }
  }

  @Test func theSubscriptionDoesNotKeepTheObject() {
    var isReleased = false
    var person: Person? = Person()
    person!.onDeinit = { isReleased = true }
    let subscriber = observeAge(of: person!)
    person!.age = 1
    person = nil
    #expect(isReleased)
    #expect(subscriber.events == [Self.subscribed, .value(0), .value(1)])
    subscriber.cancel()
  }

  @Test func aPartOfAKeyPathThatOutlivesTheObjectIsNoLongerObserved() {
    let friend = Person()
    var person: Person? = Person()
    person!.friend = friend
    var ages: [Int?] = []
    let cancellable = person!.publisher(for: \.friend?.age).sink { ages.append($0) }
    person = nil
    friend.age = 1
    friend.age = 2
    #expect(ages == [0])
    cancellable.cancel()
  }

  @Test func theObjectDoesNotKeepTheSubscriber() {
    let person = Person()
    var releaseCount = 0
    do {
      let subscriber = Recorder(
        onSubscription: { $0.request(.unlimited) },
        onDeinit: { releaseCount += 1 }
      )
      _ = observeAge(of: person, subscriber)
      person.age = 1
      subscriber.cancel()
      subscriber.dropSubscription()
    }
    #expect(releaseCount == 1)
    do {
      let subscriber = Recorder(onDeinit: { releaseCount += 1 })
      _ = observeAge(of: person, subscriber)
      subscriber.dropSubscription()  // No cancel: the observation ends with its subscription.
    }
    #expect(releaseCount == 2)
    person.age = 2
  }

  @Test func cancelReleasesTheFirstValue() {
    var isReleased = false
    let holder = Holder()
    holder.token = Token { isReleased = true }
    let subscriber = RecordingSubscriber<Token?, Never>()
    holder.publisher(for: \.token).subscribe(subscriber)
    holder.token = nil
    #expect(!isReleased)
    subscriber.cancel()
    #expect(isReleased)
  }

  // MARK: The publisher

  @Test func equalityComparesObjectKeyPathAndOptions() {
    let person = Person()
    let publisher = person.publisher(for: \.age)
    #expect(publisher == Publishers.ObservedProperty(object: person, keyPath: \.age, options: [.new, .initial]))
    #expect(publisher != person.publisher(for: \.readCount))
    #expect(publisher != person.publisher(for: \.age, options: [.new]))
    #expect(publisher != Person().publisher(for: \.age))
  }

  @Test func didChangePublishesNothingElse() {
    let person = Person()
    var count = 0
    let cancellable = person.publisher(for: \.age, options: []).didChange().sink { count += 1 }
    person.age = 1
    person.age = 2
    #expect(count == 2)
    cancellable.cancel()
  }

  @Test func reflection() {
    let person = Person()
    let subscriber = observeAge(of: person, Recorder(requesting: .max(3)))
    let subscription = subscriber.subscription!
    expectReflection(of: subscription, description: "KVOSubscription", children: ["observation", "demand"])
    #expect(reflectedChild("demand", of: subscription) as? Subscribers.Demand == .max(2))
    #expect(reflectedChild("observation", of: subscription) as? KeyPath<Person, Int> == \.age)
    subscriber.cancel()
    #expect(reflectedChild("observation", of: subscription) as? KeyPath<Person, Int> == nil)
  }

  @Test func theOptionsHaveFoundationsRawValues() {
    let options: [NSKeyValueObservingOptions] = [.new, .old, .initial, .prior]
    #expect(options.map(\.rawValue) == [1, 2, 4, 8])
  }

  // MARK: Schedulers and threads

  @Test func everyChangeIsDeliveredOnTheGivenScheduler() {
    let scheduler = VirtualScheduler()
    let person = Person()
    var ages: [Int] = []
    let cancellable = person.publisher(for: \.age, on: scheduler).sink { ages.append($0) }
    for age in 1...3 { person.age = age }
    #expect(ages == [])
    scheduler.advance(by: 0)
    #expect(ages == [0, 1, 2, 3])
    person.age = 4
    cancellable.cancel()
    scheduler.advance(by: 0)
    #expect(ages.count == 4)
  }

  @Test func changesOnAQueueAreDeliveredOnIt() {
    let counter = Counter()
    let queue = DispatchQueue(label: "changes")
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    let log = SharedLog<String>()
    let cancellable = counter.publisher(for: \.value).sink {
      log.append("\($0) \(DispatchQueue.getSpecific(key: key) == true)")
    }
    queue.sync { counter.value = 1 }
    #expect(log.values == ["0 false", "1 true"])
    cancellable.cancel()
  }

  @Test func theLatestValueIsNeverLost() {
    for _ in 0..<50 {
      let counter = Counter()
      let seen = SharedLog<Int>()
      let cancellable = counter.publisher(for: \.value).sink { seen.append($0) }
      onThreads(4) { _ in
        for _ in 0..<50 { counter.change { $0 += 1 } }
      }
      #expect(seen.values.last == 200)
      #expect(seen.values == seen.values.sorted())
      cancellable.cancel()
      counter.value = 0
      #expect(seen.values.last == 200)
    }
  }

  @Test func aCancelReleasesAChangeThatWaitsForTheSubscriber() {
    let counter = Counter()
    let counts = deliveriesOfAThreadInsideAndOneThatWaits(to: counter.publisher(for: \.value, options: [])) {
      counter.change { $0 += 1 }
    }
    #expect(counts == (delivered: 1, returned: 1))
  }

  @Test func subscribingAndCancellingRaceWithChanges() {
    let counter = Counter()
    onThreads(4) { index in
      for round in 0..<100 {
        if index == 0 {
          counter.change { $0 += 1 }
        } else {
          var last = 0
          let cancellable = counter.publisher(for: \.value, options: round % 2 == 0 ? [.initial] : [.prior]).sink {
            last = max(last, $0)
          }
          cancellable.cancel()
        }
      }
    }
    let after = SharedLog<Int>()
    let cancellable = counter.publisher(for: \.value).sink { after.append($0) }
    counter.value = -1
    #expect(after.values == [100, -1])
    cancellable.cancel()
  }
}
