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
    let subscription = TestableSubscription(of: events.map(\.1), to: subscriber)
    subscription.schedule(at: events.map(\.0), on: scheduler.agenda)
    subscriber.receive(subscription: subscription)
  }
}

/// The delivery of a script to one subscriber.
private final class TestableSubscription<Downstream: Subscriber>: Subscription {

  private struct State {
    var downstream: Downstream?
    var tokens: [VirtualAgenda<VirtualTime>.Token] = []
    var demand = Subscribers.Demand.none

    /// The number of signals whose time has come. They are the first ones of the script, which is in order of time.
    var dueCount = 0
    var sentCount = 0
    var isSending = false

    /// Removes the signal to send next and returns it with the downstream.
    mutating func next(
      in script: [Signal<Downstream.Input, Downstream.Failure>]
    ) -> (Downstream, Signal<Downstream.Input, Downstream.Failure>)? {
      guard let downstream, dueCount > sentCount, demand > .none || script[sentCount].isCompletion else {
        isSending = false
        return nil
      }
      let signal = script[sentCount]
      sentCount += 1
      if signal.isCompletion { self.downstream = nil } else { demand -= 1 }
      return (downstream, signal)
    }
  }

  private let script: [Signal<Downstream.Input, Downstream.Failure>]

  /// Weak, because the agenda keeps the actions and the actions keep this object.
  private weak var agenda: VirtualAgenda<VirtualTime>?
  private let lock = Lock()

  @exclusivity(unchecked)  // Only with the lock held.
  private var state: State

  init(of script: [Signal<Downstream.Input, Downstream.Failure>], to downstream: Downstream) {
    self.script = script
    state = State(downstream: downstream)
  }

  func schedule(at times: [VirtualTime], on agenda: VirtualAgenda<VirtualTime>) {
    self.agenda = agenda
    let tokens = times.map { time in
      agenda.schedule(at: time) {
        self.lock.withLock { self.state.dueCount += 1 }
        self.send()
      }
    }
    lock.withLock { state.tokens = tokens }
  }

  func request(_ demand: Subscribers.Demand) {
    demand.assertNonZero(description)
    lock.withLock { state.demand += demand }
    send()
  }

  func cancel() {
    let (downstream, tokens) = lock.withLock {
      (exchange(&state.downstream, with: nil), exchange(&state.tokens, with: []))
    }
    for token in tokens { agenda?.cancel(token) }
    withExtendedLifetime(downstream) {}
  }

  /// Sends the signals that are due and for which there is demand.
  ///
  /// Only one call at a time sends. It also sends for nested and concurrent calls, which return immediately.
  private func send() {
    let isFirst = lock.withLock {
      defer { state.isSending = true }
      return !state.isSending
    }
    guard isFirst else { return }
    while let (downstream, signal) = lock.withLock({ state.next(in: script) }) {
      switch signal {
      case .subscription:
        break
      case .input(let value):
        let demand = downstream.receive(value)
        lock.withLock { state.demand += demand }
      case .completion(let completion):
        downstream.receive(completion: completion)
        cancel()
      }
    }
  }
}

extension TestableSubscription: CustomStringConvertible {
  var description: String { "TestablePublisher" }
}
