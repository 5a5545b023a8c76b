import CombineCore
import Dispatch
import Foundation
import Synchronization
import TestSupport

/// A publisher for one subscriber that sends its values on demand, on the thread that runs it.
final class SteppingPublisher: Publisher, @unchecked Sendable {

  typealias Output = Int
  typealias Failure = TestError

  private let count: Int
  private let subscription = SteppingSubscription()
  private var send: (Int) -> Subscribers.Demand = { _ in .none }  // Set while subscribing, before the threads start.
  private var finish: () -> Void = {}

  init(count: Int) {
    self.count = count
  }

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == TestError {
    send = { subscriber.receive($0) }
    finish = { subscriber.receive(completion: .finished) }
    subscriber.receive(subscription: subscription)
  }

  /// Sends all values and finishes. Gives up, without a completion, if no demand comes for a minute.
  func run() {
    let deadline = DispatchTime.now() + .seconds(60)
    for value in 0..<count {
      while !subscription.take() {
        if subscription.isCancelled || DispatchTime.now() > deadline { return }
        sched_yield()
      }
      subscription.request(send(value))
    }
    finish()
  }
}

/// Counts demand in an atomic, because the thread sanitizer does not see into the standard library's mutex.
private final class SteppingSubscription: Subscription, Sendable {

  private let demand = Atomic<Int>(0)
  private let cancelled = Atomic<Bool>(false)

  var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

  /// Uses one element of the demand. Only one thread calls it.
  func take() -> Bool {
    guard demand.load(ordering: .acquiring) > 0 else { return false }
    demand.wrappingSubtract(1, ordering: .acquiringAndReleasing)
    return true
  }

  func request(_ more: Subscribers.Demand) {
    demand.wrappingAdd(more.max ?? 1_000_000, ordering: .acquiringAndReleasing)
  }

  func cancel() {
    cancelled.store(true, ordering: .releasing)
  }
}

/// A subscriber that requests one value at a time.
struct OneByOneSubscriber: Subscriber {

  typealias Input = Int
  typealias Failure = TestError

  let combineIdentifier = CombineIdentifier()
  let probe: OverlapProbe

  func receive(subscription: any Subscription) { subscription.request(.max(1)) }

  func receive(_ input: Int) -> Subscribers.Demand {
    probe.enter {}
    return .max(1)
  }

  func receive(completion: Subscribers.Completion<TestError>) { probe.complete() }
}
