@_spi(Companions) import CombineExtras
import TestSupport
import Testing

@Suite struct CreateTests {

  typealias Downstream = RecordingSubscriber<String, TestError>
  typealias Source = ExtraPublishers.Create<String, TestError>

  /// A publisher whose handle and clean-up the test sees.
  private final class Fixture {
    var handle: Source.Subscriber?
    var cleanUps = 0
    var calls = 0

    func publisher() -> Source {
      Source(factory: { handle in
        self.calls += 1
        self.handle = handle
        return AnyCancellable { self.cleanUps += 1 }
      })
    }
  }

  @Test func callsTheClosureOnceForEachSubscription() {
    let fixture = Fixture()
    let publisher = fixture.publisher()
    #expect(fixture.calls == 0)
    for count in 1...2 {
      let downstream = Downstream()
      publisher.subscribe(downstream)
      #expect(fixture.calls == count)
      downstream.cancel()
    }
    #expect(fixture.cleanUps == 2)
  }

  @Test func theCompletionOvertakesValuesBeyondTheDemand() {
    let fixture = Fixture()
    let downstream = Downstream(requesting: .max(2))
    fixture.publisher().subscribe(downstream)
    for value in ["a", "b", "c", "d"] { fixture.handle?.send(value) }
    #expect(downstream.values == ["a", "b"])
    fixture.handle?.send(completion: .finished)
    #expect(downstream.events.last == .finished)
    #expect(downstream.values == ["a", "b"])
    #expect(fixture.cleanUps == 1)
  }

  @Test func valuesSentByTheClosureWaitForTheSubscription() {
    let publisher = AnyPublisher<String, TestError> { handle in
      handle.send("a")
      handle.send("b")
      handle.send(completion: .failure("wrong"))
      return AnyCancellable {}
    }
    let downstream = Downstream(requesting: .unlimited)
    publisher.subscribe(downstream)
    #expect(downstream.events.dropFirst() == [.value("a"), .value("b"), .failure("wrong")])
  }

  @Test func withoutDemandACompletionWaitsForTheFirstRequestIfThereAreValues() {
    let fixture = Fixture()
    let downstream = Downstream()
    fixture.publisher().subscribe(downstream)
    fixture.handle?.send("a")
    fixture.handle?.send(completion: .finished)
    #expect(downstream.events.count == 1)
    downstream.request(.none)
    #expect(downstream.events.last == .finished)
    #expect(downstream.values == [])
  }

  @Test func aCompletionWithoutValuesNeedsNoDemand() {
    let downstream = Downstream()
    Source(factory: { handle in
      handle.send(completion: .finished)
      return AnyCancellable {}
    }).subscribe(downstream)
    #expect(downstream.events.last == .finished)
  }

  @Test func cleansUpOnceAtACancelAndIgnoresWhatIsSentLater() {
    let fixture = Fixture()
    let downstream = Downstream(requesting: .unlimited)
    fixture.publisher().subscribe(downstream)
    downstream.cancel()
    fixture.handle?.send("a")
    fixture.handle?.send(completion: .finished)
    downstream.cancel()
    #expect(fixture.cleanUps == 1)
    #expect(downstream.events.count == 1)
  }

  @Test func cleansUpWhenTheSubscriptionIsReleased() {
    let fixture = Fixture()
    do {
      let downstream = Downstream(requesting: .unlimited)
      fixture.publisher().subscribe(downstream)
      downstream.dropSubscription()
    }
    #expect(fixture.cleanUps == 1)
  }

  @Test func cleansUpAfterTheClosureIfTheEndCameInside() {
    var log: [String] = []
    let downstream = Downstream(requesting: .unlimited)
    downstream.onCompletion = { _ in log.append("completed") }
    Source(factory: { handle in
      handle.send(completion: .finished)
      log.append("returns")
      return AnyCancellable { log.append("clean-up") }
    }).subscribe(downstream)
    #expect(log == ["returns", "completed", "clean-up"])
  }

  @Test func describesItsSubscription() {
    let downstream = Downstream()
    Fixture().publisher().subscribe(downstream)
    #expect(downstream.events == [.subscription("Create.Subscription<String, TestError>")])
  }

  @Test func aLazySourceStartsWithTheFirstRequest() {
    var handle: Source.Subscriber?
    let downstream = Downstream()
    Source(startingWithRequest: {
      handle = $0
      return AnyCancellable {}
    }).subscribe(downstream)
    #expect(handle == nil)
    downstream.request(.none)
    #expect(handle != nil)
    handle?.send("a")
    handle?.send(completion: .finished)
    #expect(downstream.events.count == 1)
    downstream.request(.max(1))
    #expect(downstream.events.suffix(2) == [.value("a"), .finished])
  }

  @Test func aLazySourceNeverStartsAfterACancel() {
    var isStarted = false
    let downstream = Downstream()
    Source(startingWithRequest: { _ in
      isStarted = true
      return AnyCancellable {}
    }).subscribe(downstream)
    downstream.cancel()
    downstream.request(.unlimited)
    #expect(!isStarted)
  }

  @Test func anImmediateCompletionDropsWhatWaits() {
    var handle: Source.Subscriber?
    let downstream = Downstream(requesting: .max(1))
    Source(startingWithRequest: {
      handle = $0
      return AnyCancellable {}
    }).subscribe(downstream)
    for value in ["a", "b", "c"] { handle?.send(value) }
    handle?.sendImmediately(completion: .finished)
    downstream.request(.unlimited)
    #expect(downstream.events.dropFirst() == [.value("a"), .finished])
  }
}
