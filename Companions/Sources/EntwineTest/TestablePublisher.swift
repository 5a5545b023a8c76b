import CombineFoundation
@_spi(Companions) import CombineTesting

/// A publisher that sends given signals at given times of a `TestScheduler`.
///
/// A value waits for demand. A completion does not, and drops the values that wait.
public struct TestablePublisher<Output, Failure: Error>: Publisher {

  private let sequence: TestSequence<Output, Failure>
  private let isRelative: Bool
  private let scheduler: TestScheduler

  init(_ sequence: TestSequence<Output, Failure>, isRelative: Bool, scheduler: TestScheduler) {
    self.sequence = sequence
    self.isRelative = isRelative
    self.scheduler = scheduler
  }

  /// Schedules the signals, and sends `subscriber` its subscription.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let now = scheduler.now
    let script = sequence.filter { _, signal in
      guard case .subscription = signal else { return true }
      assertionFailure("TestablePublisher: the sequence has a subscription. Remove it.")
      return false
    }
    .map { time, signal in (isRelative ? now + time : time, signal) }
    .filter { time, _ in time >= now }
    .enumerated()
    .sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }
    .map(\.element)
    let delivery = ScriptedSubscription(of: script, to: subscriber, on: scheduler.agenda, completion: .overtakes)
    subscriber.receive(subscription: TestablePublisherSubscription(delivery))
  }
}

/// A subscription that is cancelled when it is released.
private final class TestablePublisherSubscription: Subscription, CustomStringConvertible {

  private let delivery: any Subscription

  init(_ delivery: any Subscription) {
    self.delivery = delivery
  }

  func request(_ demand: Subscribers.Demand) {
    delivery.request(demand)
  }

  func cancel() {
    delivery.cancel()
  }

  var description: String { "TestablePublisher" }

  deinit {
    delivery.cancel()
  }
}
