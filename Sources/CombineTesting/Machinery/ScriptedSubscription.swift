import CombineCore

/// The delivery of a script to one subscriber of a testable publisher.
///
/// It is public for the modules of the package `Companions`, whose publishers are made of it.
@_spi(Companions) public final class ScriptedSubscription<Time: Strideable, Downstream: Subscriber>: Subscription {

  /// A time and the signal that is sent at that time.
  public typealias Event = (Time, Signal<Downstream.Input, Downstream.Failure>)

  /// What happens when the time of a completion comes while values wait for demand.
  public enum CompletionRule {

    /// The completion is sent after the values.
    case waits

    /// The values are dropped, and the completion is sent.
    case overtakes
  }

  private struct State {
    var downstream: Downstream?
    var tokens: [VirtualAgenda<Time>.Token] = []
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
  private weak var agenda: VirtualAgenda<Time>?
  private let completionRule: CompletionRule
  private let lock = Lock()

  @exclusivity(unchecked)  // Only with the lock held.
  private var state: State

  /// Schedules a script.
  ///
  /// - Parameters:
  ///   - script: The values and completions to send, in the order of their times.
  ///   - downstream: The subscriber that receives them. It does not receive the subscription here.
  ///   - agenda: The agenda on which they are scheduled. It keeps this object until all are sent, or until the cancel.
  ///   - completionRule: What happens when the time of a completion comes while values wait for demand.
  public init(
    of script: [Event],
    to downstream: Downstream,
    on agenda: VirtualAgenda<Time>,
    completion completionRule: CompletionRule
  ) {
    self.script = script.map(\.1)
    self.agenda = agenda
    self.completionRule = completionRule
    state = State(downstream: downstream)
    let tokens = script.map { time, _ in agenda.schedule(at: time) { self.sendNextDueSignal() } }
    lock.withLock { state.tokens = tokens }
  }

  /// Called when the time of a signal has come.
  private func sendNextDueSignal() {
    lock.withLock {
      state.dueCount += 1
      let signal = script[state.dueCount - 1]
      if completionRule == .overtakes, signal.isCompletion { state.sentCount = state.dueCount - 1 }
    }
    send()
  }

  /// Sends the values that wait for demand.
  public func request(_ demand: Subscribers.Demand) {
    demand.assertNonZero(description)
    lock.withLock { state.demand += demand }
    send()
  }

  /// Removes the script from the agenda.
  public func cancel() {
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

extension ScriptedSubscription: CustomStringConvertible {

  /// The name of the publisher.
  public var description: String { "TestablePublisher" }
}
