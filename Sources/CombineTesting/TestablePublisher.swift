import CombineCore

/// A publisher that sends given signals at given times of a ``TestScheduler``.
///
/// Create one with ``TestScheduler/createRelativeTestablePublisher(_:)`` or
/// ``TestScheduler/createAbsoluteTestablePublisher(_:)``.
///
/// The publisher sends a value at its time if there is demand. Otherwise the value and all signals after it wait for
/// demand.
///
/// The publisher ignores a subscription in the script, because each subscriber receives its subscription when it
/// subscribes. It also ignores signals after a completion.
///
/// ```swift
/// let scheduler = TestScheduler()
/// let publisher: TestablePublisher<String, Never> = scheduler.createRelativeTestablePublisher([
///   (100, .input("A")), (200, .completion(.finished)),
/// ])
/// let subscriber = scheduler.start { publisher }
/// print(subscriber.recordedOutput == [(200, .subscription), (300, .input("A")), (400, .completion(.finished))])
/// // prints true
/// ```
public struct TestablePublisher<Output, Failure: Error>: Publisher {

  /// The instant from which the times of the script count.
  enum Origin {
    case subscription
    case zero
  }

  /// The values and completions to send, in order of time.
  private let script: [TestSequence<Output, Failure>.Element]
  private let origin: Origin
  private let scheduler: TestScheduler

  init(_ sequence: TestSequence<Output, Failure>, from origin: Origin, scheduler: TestScheduler) {
    // The sort is stable: signals for the same time keep their order.
    script = sequence.enumerated()
      .sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }
      .compactMap { if case .subscription = $0.element.1 { nil } else { $0.element } }
    self.origin = origin
    self.scheduler = scheduler
  }

  /// Subscribes `subscriber`, and schedules the signals that it will receive.
  ///
  /// - Parameter subscriber: The subscriber.
  public func receive<Downstream: Subscriber<Output, Failure>>(subscriber: Downstream) {
    let now = scheduler.now
    let events =
      switch origin {
      case .subscription: script.map { (now.advanced(by: VirtualTime(0).distance(to: $0)), $1) }
      case .zero: script.filter { time, _ in time >= now }
      }
    let subscription = ScriptedSubscription(of: events, to: subscriber, on: scheduler.agenda, completion: .waits)
    subscriber.receive(subscription: subscription)
  }
}
