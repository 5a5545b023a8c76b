import CombineExt
import CombineTesting
import Testing

struct WithLatestFromTests {

  typealias Subject<Value> = PassthroughSubject<Value, TestError>

  private let upstream = Subject<Int>()
  private let other = Subject<String>()
  private let other1 = Subject<Bool>()
  private let other2 = Subject<Character>()

  @Test func publishesTheLatestElementOfAnother() {
    let publisher: Publishers.WithLatestFrom<Subject<Int>, Subject<String>, String> = upstream.withLatestFrom(other)
    let received = publisher.received()
    upstream.send(1)
    other.send("a")
    upstream.send(2)
    upstream.send(3)
    other.send("b")
    upstream.send(4)
    upstream.send(completion: .finished)
    #expect(received.signals == [.input("a"), .input("a"), .input("b"), .completion(.finished)])
  }

  @Test func combinesWithTheLatestElementOfAnother() {
    let received = upstream.withLatestFrom(other) { "\($0)\($1)" }.received()
    other.send("a")
    upstream.send(1)
    upstream.send(completion: .failure(.first))
    #expect(received.signals == [.input("1a"), .completion(.failure(.first))])
  }

  @Test func combinesWithTheLatestElementsOfTwoOthers() {
    let combined = upstream.withLatestFrom(other, other1) { "\($0)\($1.0)\($1.1)" }.received()
    let latest = upstream.withLatestFrom(other, other1).map { "\($0.0)\($0.1)" }.received()
    other.send("a")
    upstream.send(1)
    other1.send(true)
    upstream.send(2)
    other.send("b")
    upstream.send(3)
    #expect(combined.values == ["2atrue", "3btrue"])
    #expect(latest.values == ["atrue", "btrue"])
  }

  @Test func combinesWithTheLatestElementsOfThreeOthers() {
    let combined = upstream.withLatestFrom(other, other1, other2) { "\($0)\($1.0)\($1.1)\($1.2)" }.received()
    let latest = upstream.withLatestFrom(other, other1, other2).map { "\($0.0)\($0.1)\($0.2)" }.received()
    other.send("a")
    other1.send(true)
    upstream.send(1)
    other2.send("x")
    upstream.send(2)
    other1.send(false)
    upstream.send(3)
    #expect(combined.values == ["2atruex", "3afalsex"])
    #expect(latest.values == ["atruex", "afalsex"])
  }

  @Test func subscribesToTheOtherFirstAndToTheUpstreamAfterItsFirstElement() {
    var log: [String] = []
    let received = upstream.handleEvents(receiveSubscription: { _ in log.append("upstream") })
      .withLatestFrom(other.handleEvents(receiveSubscription: { _ in log.append("other") }))
      .received()
    #expect(log == ["other"])
    other.send("a")
    other.send("b")
    #expect(log == ["other", "upstream"])
    withExtendedLifetime(received) {}
  }

  @Test func aColdUpstreamLosesNothing() {
    let other = PassthroughSubject<String, Never>()
    let received = Just("1").withLatestFrom(other) { $0 + $1 }.received()
    #expect(received.signals == [])
    other.send("foo")
    #expect(received.signals == [.input("1foo"), .completion(.finished)])
  }

  @Test func earlyElementsOfAHotUpstreamUseNoDemand() {
    let received = upstream.withLatestFrom(other).received(requesting: .max(2))
    upstream.send(1)
    upstream.send(2)
    other.send("a")
    for value in 3...5 { upstream.send(value) }
    #expect(received.values == ["a", "a"])
  }

  @Test(arguments: [Subscribers.Completion<TestError>.finished, .failure(.first)])
  func theEndOfTheOthersIsIgnored(_ end: Subscribers.Completion<TestError>) {
    let one = upstream.withLatestFrom(other).received()
    let two = upstream.withLatestFrom(other, other1).map { "\($0.0)\($0.1)" }.received()
    other.send("a")
    other1.send(true)
    other.send(completion: end)
    other1.send(completion: end)
    upstream.send(1)
    upstream.send(completion: .finished)
    #expect(one.signals == [.input("a"), .completion(.finished)])
    #expect(two.signals == [.input("atrue"), .completion(.finished)])
  }

  @Test func theEndCancelsAllOthers() {
    var cancels: [String] = []
    let received = upstream.withLatestFrom(
      other.handleEvents(receiveCancel: { cancels.append("other") }),
      other1.handleEvents(receiveCancel: { cancels.append("other1") })
    )
    .map(\.0).received()
    other.send("a")
    other1.send(true)
    upstream.send(completion: .finished)
    #expect(cancels.sorted() == ["other", "other1"])
    #expect(received.signals == [.completion(.finished)])
  }

  /// The original's stream hangs.
  @Test func anOtherThatEndsWithoutAnElementLeavesTheEndOfTheUpstream() {
    let received = upstream.withLatestFrom(other).received()
    other.send(completion: .finished)
    upstream.send(1)
    upstream.send(completion: .finished)
    #expect(received.signals == [.completion(.finished)])
  }

  @Test func theDeathOfTheOwnerIsACancelAndNoCompletion() {
    final class Owner {
      let upstream = PassthroughRelay<Int>()
      let other = PassthroughRelay<String>()
      var cancellable: AnyCancellable?
    }
    var log: [String] = []
    weak var upstream: PassthroughRelay<Int>?
    weak var other: PassthroughRelay<String>?
    weak var released: Owner?
    do {
      let owner = Owner()
      (upstream, other, released) = (owner.upstream, owner.other, owner)
      owner.cancellable = owner.upstream.withLatestFrom(owner.other)
        .handleEvents(receiveCompletion: { _ in log.append("completed") }, receiveCancel: { log.append("cancelled") })
        .sink { log.append($0) }
      owner.other.accept("a")
      owner.upstream.accept(1)
      // The owner's members are released in the order of their declaration, the cancellable last.
    }
    #expect(log == ["a", "cancelled"])
    #expect(released == nil)
    #expect(upstream == nil)
    #expect(other == nil)
  }

  @Test func theUpstreamIsRetainedUntilTheCancel() {
    let other = PassthroughRelay<String>()
    weak var retained: PassthroughRelay<Int>?
    let received: TestableSubscriber<String, Never>
    do {
      let upstream = PassthroughRelay<Int>()
      retained = upstream
      received = upstream.withLatestFrom(other).received()
    }
    other.accept("a")
    retained?.accept(1)
    #expect(received.signals == [.input("a")])
    received.cancel()
    #expect(retained == nil)
    #expect(received.signals == [.input("a")])
  }

  @Test(arguments: [Subscribers.Completion<TestError>.finished, .failure(.first)])
  func theUpstreamIsReleasedAfterItsEnd(_ end: Subscribers.Completion<TestError>) {
    weak var retained: Subject<Int>?
    let received: TestableSubscriber<String, TestError>
    do {
      let upstream = Subject<Int>()
      retained = upstream
      received = upstream.withLatestFrom(other).received()
    }
    other.send("a")
    #expect(retained != nil)
    retained?.send(completion: end)
    #expect(retained == nil)
    #expect(received.signals == [.completion(end)])
  }

  @Test func theSubscriptionDescribesItself() {
    #expect(
      upstream.withLatestFrom(other).subscriptionDescription() == "WithLatestFrom.Subscription<String, TestError>"
    )
  }
}
