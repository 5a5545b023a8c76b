import TestSupport
import Testing

@testable import CombineCore

/// What becomes of an element whose publisher waits for that.
struct DeliveryReceiptTests {

  /// An element that notes what it is told.
  private final class Element: DeferrableElement {

    private let results = Guarded<[Bool]>([])

    var told: [Bool] { results.withLock { $0 } }

    func complete(isHandled: Bool) { results.withLock { $0.append(isHandled) } }
  }

  /// A publisher that goes on after a cancel, as another thread does that has not heard of it yet.
  private final class Upstream: Publisher, Subscription {

    typealias Output = Int
    typealias Failure = Never

    private let receipt = DeliveryReceipt()
    private var subscriber: AnySubscriber<Int, Never>?

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
      self.subscriber = AnySubscriber(subscriber)
      subscriber.receive(subscription: self)
    }

    func request(_ demand: Subscribers.Demand) {}
    func cancel() {}

    func send(_ element: Element = Element()) -> DeliveryReceipt.Outcome {
      receipt.offer(element) { subscriber?.receive(1) }.1
    }
  }

  @Test func aSinkHandlesAnElementAndRefusesItAfterItsEnd() {
    let upstream = Upstream()
    let sink = upstream.sink { _ in }
    #expect(upstream.send() == .handled)
    sink.cancel()
    #expect(upstream.send() == .refused)
  }

  @Test func anElementThatASinkTakesWhileItCancelsItselfIsHandled() {
    let upstream = Upstream()
    var sink: AnyCancellable?
    sink = upstream.sink { _ in sink?.cancel() }
    #expect(upstream.send() == .handled)
    #expect(upstream.send() == .refused)
  }

  @Test func operatorsRefuseWhatTheyDropAfterACancel() {
    let chains: [(String, (Upstream) -> AnyPublisher<Int, any Error>)] = [
      ("filter", { $0.filter { _ in true }.setFailureType(to: (any Error).self).eraseToAnyPublisher() }),
      ("tryFilter", { $0.tryFilter { _ in true }.eraseToAnyPublisher() }),
      ("replaceError", { $0.replaceError(with: 0).setFailureType(to: (any Error).self).eraseToAnyPublisher() }),
      ("replaceEmpty", { $0.replaceEmpty(with: 0).setFailureType(to: (any Error).self).eraseToAnyPublisher() }),
      (
        "prefix(untilOutputFrom:)",
        {
          $0.prefix(untilOutputFrom: PassthroughSubject<Int, Never>()).setFailureType(to: (any Error).self)
            .eraseToAnyPublisher()
        }
      ),
      (
        "merge",
        { $0.merge(with: PassthroughSubject<Int, Never>()).setFailureType(to: (any Error).self).eraseToAnyPublisher() }
      ),
    ]
    for (name, chain) in chains {
      let upstream = Upstream()
      let sink = chain(upstream).sink(receiveCompletion: { _ in }, receiveValue: { _ in })
      #expect(upstream.send() == .handled, "\(name)")
      sink.cancel()
      #expect(upstream.send() == .refused, "\(name)")
    }
  }

  @Test func aFilterHandlesWhatItDropsByItsPredicate() {
    let upstream = Upstream()
    let sink = upstream.filter { _ in false }.sink { _ in }
    #expect(upstream.send() == .handled)
    sink.cancel()
  }

  /// On the main actor, as is its task: what is counted has requested.
  @MainActor @Test func aSequenceHandlesAnElementWhenTheNextOneIsAskedFor() async {
    let upstream = Upstream()
    let elements = [Element(), Element()]
    let sequence = AsyncSubscriber<Int, Never>()
    upstream.map { $0 }.subscribe(sequence)
    for (index, element) in elements.enumerated() {
      let next = Task { await sequence.nextUnlessCancelled(isolation: #isolation) }
      while sequence.lock.withLock({ sequence.state.waiterCount == 0 }) { await Task.yield() }
      #expect(elements.prefix(index).allSatisfy { $0.told == [true] })
      #expect(upstream.send(element) == .deferred)
      #expect(await next.value == 1)
      #expect(element.told.isEmpty)
    }
    sequence.cancel()
    #expect(elements.map(\.told) == [[true], [false]])
  }

  /// On the main actor, as is its task: what is counted has requested.
  @MainActor @Test func aSubjectThatAClosureSendsToDefersNothing() async {
    let upstream = Upstream()
    let subject = PassthroughSubject<Int, Never>()
    let sequence = AsyncSubscriber<Int, Never>()
    subject.subscribe(sequence)
    let sink = upstream.sink { subject.send($0) }
    let next = Task { await sequence.nextUnlessCancelled(isolation: #isolation) }
    while sequence.lock.withLock({ sequence.state.waiterCount == 0 }) { await Task.yield() }
    #expect(upstream.send() == .handled)
    #expect(await next.value == 1)
    sink.cancel()
  }
}
