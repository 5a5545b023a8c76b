import CombineCore
import Dispatch
import Synchronization
import TestSupport
import Testing

@Suite struct AnyCancellableTests {

  private final class Log {
    var count = 0
  }

  @Test func runsItsClosureOnceAndReleasesIt() {
    let log = Log()
    weak var weakTracker: Log?
    let cancellable: AnyCancellable
    do {
      let tracker = Log()
      weakTracker = tracker
      cancellable = AnyCancellable {
        log.count += 1
        tracker.count += 1
      }
    }
    #expect(weakTracker != nil)
    cancellable.cancel()
    cancellable.cancel()
    #expect(log.count == 1)
    #expect(weakTracker == nil)
  }

  @Test func cancelsWhenReleased() {
    let log = Log()
    _ = AnyCancellable { log.count += 1 }
    #expect(log.count == 1)
    let cancelled = AnyCancellable { log.count += 1 }
    cancelled.cancel()
    _ = consume cancelled
    #expect(log.count == 2)
  }

  @Test func keepsItsCancellableUntilCancelled() {
    weak var weakSubscription: ManualSubscription?
    let cancellable: AnyCancellable
    do {
      let subscription = ManualSubscription()
      weakSubscription = subscription
      cancellable = AnyCancellable(subscription)
    }
    #expect(weakSubscription != nil)
    cancellable.cancel()
    #expect(weakSubscription == nil)
  }

  @Test func aChainCancelsOnce() {
    let subscription = ManualSubscription()
    let inner = AnyCancellable(subscription)
    let outer = AnyCancellable(inner)
    #expect(inner != outer)
    outer.cancel()
    #expect(subscription.history == [.cancelled])
    inner.cancel()
    #expect(subscription.history == [.cancelled])
  }

  @Test func runsOnceWhenCancelledFromItsOwnClosure() {
    let log = Log()
    var cancellable: AnyCancellable?
    cancellable = AnyCancellable {
      log.count += 1
      cancellable?.cancel()
    }
    cancellable?.cancel()
    #expect(log.count == 1)
  }

  @Test func runsOnceWhenCancelledByManyThreads() {
    for _ in 0..<200 {
      let counter = Counter()
      let cancellable = AnyCancellable { counter.count.wrappingAdd(1, ordering: .relaxed) }
      DispatchQueue.concurrentPerform(iterations: 4) { _ in cancellable.cancel() }
      #expect(counter.count.load(ordering: .relaxed) == 1)
    }
  }

  private final class Counter: Sendable {
    let count = Atomic<Int>(0)
  }

  @Test func isEqualToItselfOnly() {
    let one = AnyCancellable {}
    let other = AnyCancellable {}
    #expect(one == one)
    #expect(one != other)
    #expect(one.hashValue == ObjectIdentifier(one).hashValue)
  }

  /// A collection that logs its calls.
  private struct LoggingCollection: RangeReplaceableCollection {
    var log: [String] = []
    var elements: [AnyCancellable] = []
    var startIndex: Int { elements.startIndex }
    var endIndex: Int { elements.endIndex }
    func index(after i: Int) -> Int { i + 1 }
    subscript(position: Int) -> AnyCancellable { elements[position] }
    mutating func append(_ newElement: AnyCancellable) {
      log.append("append")
      elements.append(newElement)
    }
    mutating func replaceSubrange<C: Collection>(_ range: Range<Int>, with new: C) where C.Element == AnyCancellable {
      log.append("replaceSubrange")
      elements.replaceSubrange(range, with: new)
    }
  }

  @Test func storesItselfInACollectionByOneAppend() {
    var collection = LoggingCollection()
    let cancellable = AnyCancellable {}
    cancellable.store(in: &collection)
    cancellable.store(in: &collection)
    #expect(collection.log == ["append", "append"])
    #expect(collection.elements.allSatisfy { $0 === cancellable })
  }

  @Test func storesItselfInASetOnce() {
    var set = Set<AnyCancellable>()
    let cancellable = AnyCancellable {}
    cancellable.store(in: &set)
    cancellable.store(in: &set)
    #expect(set == [cancellable])
  }

  @Test func asACancellableItIsWrappedAgain() {
    var set = Set<AnyCancellable>()
    let cancellable = AnyCancellable {}
    cancellable.store(in: &set)
    (cancellable as any Cancellable).store(in: &set)
    #expect(set.count == 2)
    var array: [AnyCancellable] = []
    (cancellable as any Cancellable).store(in: &array)
    #expect(array.first !== cancellable)
  }
}
