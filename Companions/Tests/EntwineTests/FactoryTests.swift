import Entwine
import EntwineTest
import Testing

@Suite struct FactoryTests {

  /// A factory whose dispatcher and clean-up the test sees.
  private final class Fixture {
    var dispatcher: Dispatcher<Int, TestError>?
    var calls = 0
    var cleanUps = 0

    func publisher() -> Publishers.Factory<Int, TestError> {
      Publishers.Factory { dispatcher in
        self.calls += 1
        self.dispatcher = dispatcher
        return AnyCancellable { self.cleanUps += 1 }
      }
    }
  }

  private let fixture = Fixture()

  @Test func theClosureRunsOnceWithTheFirstRequest() {
    let received = fixture.publisher().received(requesting: .none)
    #expect(fixture.calls == 0)
    received.request(.none)
    #expect(fixture.calls == 1)
    fixture.dispatcher?.forward(1)
    #expect(received.values == [])
    received.request(.max(1))
    #expect(fixture.calls == 1)
    #expect(received.values == [1])
  }

  @Test func aCancelBeforeTheFirstRequestPreventsTheClosure() {
    let received = fixture.publisher().received(requesting: .none)
    let subscription = received.subscription
    received.cancel()
    subscription?.request(.unlimited)
    #expect(fixture.calls == 0)
  }

  @Test func theCompletionWaitsForTheValuesBeforeIt() {
    let received = fixture.publisher().received(requesting: .max(1))
    for value in 1...2 { fixture.dispatcher?.forward(value) }
    fixture.dispatcher?.forward(completion: .failure(.first))
    #expect(received.signals == [.input(1)])
    received.request(.max(1))
    #expect(received.signals == [.input(1), .input(2), .completion(.failure(.first))])
    #expect(fixture.cleanUps == 1)
  }

  @Test func anImmediateCompletionDropsTheValuesBeforeIt() {
    let received = fixture.publisher().received(requesting: .max(1))
    for value in 1...3 { fixture.dispatcher?.forward(value) }
    fixture.dispatcher?.forwardImmediately(completion: .finished)
    #expect(received.signals == [.input(1), .completion(.finished)])
    received.request(.unlimited)
    #expect(received.signals.count == 2)
  }

  /// The original stops the process in a debug build.
  @Test func whatFollowsACompletionIsIgnored() {
    let received = fixture.publisher().received(requesting: .max(1))
    for value in 1...2 { fixture.dispatcher?.forward(value) }
    fixture.dispatcher?.forward(completion: .finished)
    fixture.dispatcher?.forward(3)
    fixture.dispatcher?.forward(completion: .failure(.first))
    fixture.dispatcher?.forwardImmediately(completion: .failure(.first))
    received.request(.unlimited)
    #expect(received.signals == [.input(1), .input(2), .completion(.finished)])
  }

  /// In the original a dispatcher that is kept goes on sending.
  @Test func aCancelCleansUpAndSilencesTheDispatcher() {
    let received = fixture.publisher().received()
    fixture.dispatcher?.forward(1)
    received.cancel()
    #expect(fixture.cleanUps == 1)
    fixture.dispatcher?.forward(2)
    fixture.dispatcher?.forward(completion: .finished)
    #expect(received.signals == [.input(1)])
  }

  /// In the original this cancel is lost.
  @Test func aCancelInsideTheClosureCleansUpAfterIt() {
    var log: [String] = []
    let received = Received<Int, TestError>()
    received.onValue = { [unowned received] _ in received.cancel() }
    Publishers.Factory<Int, TestError> { dispatcher in
      for value in 1...2 { dispatcher.forward(value) }
      log.append("returns")
      return AnyCancellable { log.append("clean-up") }
    }
    .subscribe(received)
    #expect(received.signals == [.input(1)])
    #expect(log == ["returns", "clean-up"])
  }

  @Test func eachSubscriptionHasItsOwnDispatcher() {
    let publisher = fixture.publisher()
    let first = publisher.received()
    let dispatcher = fixture.dispatcher
    let second = publisher.received()
    dispatcher?.forward(1)
    #expect(fixture.calls == 2)
    #expect(first.values == [1])
    #expect(second.values == [])
  }
}
