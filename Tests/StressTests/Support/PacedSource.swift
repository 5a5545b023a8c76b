import CombineCore
import Foundation
import Synchronization
import TestSupport

/// A publisher for one subscriber that sends its items on demand, on the thread that runs it.
///
/// It is as serial and as obedient as a publisher must be, so an operator must not lose any of its values.
final class PacedSource: Publisher, CustomStringConvertible, CustomReflectable, @unchecked Sendable {
  // Sendable: everything mutable is atomic or guarded.

  typealias Output = Item
  typealias Failure = TestError

  let index: Int
  private let tally: Tally
  private let subscriber = Guarded<(any Subscriber<Item, TestError>)?>(nil)
  private let isAttached = Atomic<Bool>(false)
  private let demand = Atomic<Int>(0)
  private let cancelCount = Atomic<Int>(0)
  private let sentCount = Atomic<Int>(0)

  init(index: Int, _ round: Round) {
    self.index = index
    tally = round.tally
    round.involve("source \(index)", self)
  }

  /// The number of times that its subscription was cancelled.
  var cancellations: Int { cancelCount.load(ordering: .acquiring) }

  /// The number of values that it has sent.
  var sent: Int { sentCount.load(ordering: .acquiring) }

  func receive<S: Subscriber>(subscriber: S) where S.Input == Item, S.Failure == TestError {
    self.subscriber.withLock { $0 = subscriber }
    subscriber.receive(subscription: PacedSubscription(source: self))
    isAttached.store(true, ordering: .releasing)
  }

  /// Sends items, up to a number or a cancel, and waits for demand. Then it sends the completion.
  ///
  /// - Parameter gaveUp: A closure that returns whether to stop waiting.
  func run(
    _ worker: Worker,
    count: Int = Load.steps,
    completion: Subscribers.Completion<TestError> = .finished,
    unless gaveUp: () -> Bool = { false }
  ) {
    defer { subscriber.withLock { $0 = nil } }
    guard wait(worker, "waits to be subscribed to", until: { isAttached.load(ordering: .acquiring) }, unless: gaveUp)
    else { return }
    guard let subscriber = subscriber.withLock({ $0 }) else { return }
    for number in 0..<count {
      guard wait(worker, "waits for demand for item", number, until: { take() }, unless: gaveUp) else { return }
      worker.note("sends item", number)
      sentCount.wrappingAdd(1, ordering: .relaxed)
      add(subscriber.receive(Item(source: index, number: number, tally)))
    }
    worker.note("completes")
    if cancellations == 0 { subscriber.receive(completion: completion) }
  }

  private func wait(
    _ worker: Worker,
    _ what: StaticString,
    _ number: Int = 0,
    until condition: () -> Bool,
    unless gaveUp: () -> Bool
  ) -> Bool {
    worker.note(what, number)
    while !condition() {
      if cancellations > 0 || gaveUp() { return false }
      sched_yield()
    }
    return cancellations == 0
  }

  private func take() -> Bool {
    guard demand.load(ordering: .acquiring) > 0 else { return false }
    demand.wrappingSubtract(1, ordering: .acquiringAndReleasing)
    return true
  }

  fileprivate func add(_ more: Subscribers.Demand) {
    demand.wrappingAdd(more.max ?? 1 << 40, ordering: .acquiringAndReleasing)
  }

  fileprivate func cancel() {
    cancelCount.wrappingAdd(1, ordering: .acquiringAndReleasing)
  }

  var description: String { "PacedSource \(index)" }

  var customMirror: Mirror {
    Mirror(
      self,
      children: ["demand": demand.load(ordering: .relaxed), "sent": sent, "cancellations": cancellations]
    )
  }
}

/// A separate type, so that the subscriber that the source keeps does not keep the source alive.
private final class PacedSubscription: Subscription, CustomStringConvertible {

  private let source: PacedSource

  init(source: PacedSource) {
    self.source = source
  }

  func request(_ more: Subscribers.Demand) { source.add(more) }
  func cancel() { source.cancel() }

  var description: String { "subscription of source \(source.index)" }
}
