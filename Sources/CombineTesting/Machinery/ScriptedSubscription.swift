import CombineThreads
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

  /// Weak, because the agenda keeps the actions and the actions keep this object.
  private weak var agenda: VirtualAgenda<Time>?
  private let lock = Lock()

  // These three: only with the lock held.
  @exclusivity(unchecked)
  private var downstream: Downstream?

  @exclusivity(unchecked)
  private var tokens: [VirtualAgenda<Time>.Token] = []

  @exclusivity(unchecked)
  private var queue: Deliverer<Downstream.Input, Downstream.Failure>

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
    self.agenda = agenda
    self.downstream = downstream
    queue = Deliverer(.afterValues)
    queue.didOpen()
    let tokens = script.map { time, signal in
      agenda.schedule(at: time) { self.send(signal, completionRule) }
    }
    lock.withLock { self.tokens = tokens }
  }

  /// Called when the time of a signal has come.
  private func send(_ signal: Signal<Downstream.Input, Downstream.Failure>, _ completionRule: CompletionRule) {
    switch signal {
    case .subscription:
      break
    case .input(let value):
      deliver(lock.withLock { queue.send(value) })
    case .completion(let completion):
      let (delivery, dropped) = lock.withLock {
        completionRule == .overtakes ? queue.replaceAll(by: completion) : (queue.send(completion: completion), [])
      }
      withExtendedLifetime(dropped) { deliver(delivery) }
    }
  }

  /// Sends the values that wait for demand.
  public func request(_ demand: Subscribers.Demand) {
    demand.assertNonZero(description)
    deliver(lock.withLock { queue.request(demand).delivery })
  }

  /// Removes the script from the agenda.
  public func cancel() {
    let (released, tokens) = lock.withLock {
      ((exchange(&downstream, with: nil), queue.cancel().values), exchange(&self.tokens, with: []))
    }
    for token in tokens { agenda?.cancel(token) }
    withExtendedLifetime(released) {}
  }

  private func deliver(_ first: Deliverer<Downstream.Input, Downstream.Failure>.Delivery) {
    var delivery = first
    while case .value(let value) = delivery {
      let more = lock.withLock { downstream }?.receive(value) ?? .none
      delivery = lock.withLock {
        _ = queue.add(more)
        return queue.next()
      }
    }
    guard case .completion(let completion) = delivery else { return }
    lock.withLock { exchange(&downstream, with: nil) }?.receive(completion: completion)
    cancel()
  }
}

extension ScriptedSubscription: CustomStringConvertible {

  /// The name of the publisher.
  public var description: String { "TestablePublisher" }
}
