import CombineCore

/// A publisher that sends given signals at given times of a ``TestScheduler``.
///
/// ``TestScheduler/createRelativeTestablePublisher(_:)`` and ``TestScheduler/createAbsoluteTestablePublisher(_:)`` make
/// one.
///
/// A value is sent at its time if it has been asked for. If not, it and all that comes after it wait until it is. A
/// subscription in the script says nothing: a subscriber is sent its subscription when it subscribes. Nor does what
/// comes after a completion.
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

  /// What the times of the script count from.
  enum Origin {
    case subscription
    case zero
  }

  /// What happens, in the order of time.
  private let script: [TestSequence<Output, Failure>.Element]
  private let origin: Origin
  private let scheduler: TestScheduler

  init(_ sequence: TestSequence<Output, Failure>, from origin: Origin, scheduler: TestScheduler) {
    // Those of one time keep their order.
    script = sequence.enumerated()
      .sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }
      .compactMap { if case .subscription = $0.element.1 { nil } else { $0.element } }
    self.origin = origin
    self.scheduler = scheduler
  }

  /// Attaches a subscriber, and schedules what it is to be sent.
  ///
  /// - Parameter subscriber: The subscriber.
  public func receive<Downstream: Subscriber<Output, Failure>>(subscriber: Downstream) {
    let now = scheduler.now
    let events =
      switch origin {
      case .subscription: script.map { (now.advanced(by: VirtualTime(0).distance(to: $0)), $1) }
      case .zero: script.filter { time, _ in time >= now }
      }
    let performance = Performance(of: events.map(\.1), to: subscriber)
    performance.schedule(at: events.map(\.0), on: scheduler.agenda)
    subscriber.receive(subscription: performance)
  }
}

/// A script on its way to one subscriber.
private final class Performance<Downstream: Subscriber>: Subscription {

  private struct State {
    var downstream: Downstream?
    var tickets: [VirtualAgenda<VirtualTime>.Ticket] = []
    var demand = Subscribers.Demand.none

    /// How many signals have had their time; the first of the script, as their times are in its order.
    var unansweredCount = 0
    var sentCount = 0
    var isSending = false

    /// Takes out what is to be sent now.
    mutating func next(
      in script: [Signal<Downstream.Input, Downstream.Failure>]
    ) -> (Downstream, Signal<Downstream.Input, Downstream.Failure>)? {
      guard let downstream, unansweredCount > sentCount, demand > .none || script[sentCount].isCompletion else {
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

  /// Not kept: it keeps the actions, which keep this.
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
    let tickets = times.map { time in
      agenda.schedule(at: time) {
        self.lock.withLock { self.state.unansweredCount += 1 }
        self.send()
      }
    }
    lock.withLock { state.tickets = tickets }
  }

  func request(_ demand: Subscribers.Demand) {
    demand.assertNonZero(description)
    lock.withLock { state.demand += demand }
    send()
  }

  func cancel() {
    let (downstream, tickets) = lock.withLock {
      (exchange(&state.downstream, with: nil), exchange(&state.tickets, with: []))
    }
    for ticket in tickets { agenda?.cancel(ticket) }
    withExtendedLifetime(downstream) {}
  }

  /// Sends what is due and asked for. One call at a time does, for those too that come while it is at it.
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

extension Performance: CustomStringConvertible {
  var description: String { "TestablePublisher" }
}
