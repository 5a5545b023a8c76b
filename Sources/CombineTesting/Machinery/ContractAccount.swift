import CombineThreads
import CombineCore

/// An account of the signals and the demand between a publisher and one subscriber.
///
/// It fails the test if the publisher breaks the contract.
final class ContractAccount: @unchecked Sendable {

  enum Event: String {
    case subscription = "a subscription"
    case value = "a value"
    case completion = "a completion"
  }

  private let publisher: String
  private let callSite: CallSite
  private let lock = Lock()

  // Sendable: accessed only with the lock held.
  @exclusivity(unchecked)
  private var state = ContractState()

  /// - Parameters:
  ///   - publisher: The name of the checked publisher, for the message.
  ///   - callSite: The place at which a failure is reported.
  init(of publisher: String, callSite: CallSite) {
    self.publisher = publisher
    self.callSite = callSite
  }

  /// Records a signal of the publisher, before the downstream receives it.
  func enter(_ event: Event) {
    let (thread, isUnrequested) = (Platform.currentThread, UnrequestedDelivery.isCurrent)
    guard let mistake = lock.withLock({ state.enter(event, on: thread, isUnrequested: isUnrequested) }) else { return }
    TestFailure.record("\(publisher) sent \(mistake)", at: callSite)
  }

  /// Records a request of the subscriber, before the upstream receives it.
  func add(_ demand: Subscribers.Demand) {
    lock.withLock { state.add(demand) }
  }

  /// Records a cancellation by the subscriber.
  ///
  /// - Parameter cancel: A closure that cancels the upstream subscription.
  func cancel(_ cancel: () -> Void) {
    let thread = Platform.currentThread
    lock.withLock { state.willCancel(on: thread) }
    cancel()
    lock.withLock { state.didCancel() }
  }
}

/// The pure state of an account.
struct ContractState {

  private enum Phase {
    case unsubscribed
    case subscribed

    /// The call to cancel has not returned on this thread. Signals from other threads may have been in progress.
    case cancelling(UInt)
    case cancelled
    case completed
  }

  private var phase = Phase.unsubscribed
  private var hasSubscription = false
  private var demanded = Subscribers.Demand.none
  private var sentCount = 0

  /// - Parameters:
  ///   - event: The kind of signal that the publisher sends.
  ///   - thread: The calling thread.
  ///   - isUnrequested: Whether one of Combine's own publishers sends a value that needs no demand.
  /// - Returns: A description of the mistake, if the signal breaks the contract.
  mutating func enter(_ event: ContractAccount.Event, on thread: UInt, isUnrequested: Bool = false) -> String? {
    // A value that needs no demand still uses up demand if there is some.
    let isBeyondDemand = demanded <= sentCount
    defer { if event != .value || !isUnrequested || !isBeyondDemand { note(event) } }
    switch phase {
    case .completed:
      return "\(event.rawValue) after its completion"
    case .cancelled:
      // Before its subscription is sent, a publisher cannot know of the cancellation.
      return "\(event.rawValue) after it was cancelled"
    case .cancelling(thread):
      return "\(event.rawValue) after it was cancelled, while it was being cancelled"
    case .unsubscribed where event != .subscription:
      return "\(event.rawValue) before its subscription"
    case .unsubscribed, .subscribed, .cancelling:
      break
    }
    switch event {
    case .subscription where hasSubscription:
      return "a second subscription"
    case .value where isBeyondDemand && !isUnrequested:
      return "a value that nobody asked for: it is number \(sentCount + 1), and \(demanded.count) were asked for"
    default:
      return nil
    }
  }

  private mutating func note(_ event: ContractAccount.Event) {
    switch event {
    case .subscription:
      hasSubscription = true
      if case .unsubscribed = phase { phase = .subscribed }
    case .value:
      sentCount += 1
    case .completion:
      phase = .completed
    }
  }

  mutating func add(_ demand: Subscribers.Demand) {
    demanded += demand
  }

  mutating func willCancel(on thread: UInt) {
    if case .subscribed = phase { phase = .cancelling(thread) }
  }

  mutating func didCancel() {
    if case .cancelling = phase { phase = .cancelled }
  }
}

extension Subscribers.Demand {

  /// The number of elements, as text for a message.
  fileprivate var count: String { max.map { "\($0)" } ?? "all" }
}
