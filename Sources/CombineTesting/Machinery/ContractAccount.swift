import CombineCore

/// Keeps account of what passes between a publisher and one subscriber, and makes the test fail when the publisher
/// breaks the contract.
final class ContractAccount: @unchecked Sendable {

  enum Event: String {
    case subscription = "a subscription"
    case value = "a value"
    case completion = "a completion"
  }

  private let publisher: String
  private let callSite: CallSite
  private let lock = Lock()

  // Sendable: only touched with the lock held.
  @exclusivity(unchecked)
  private var state = ContractState()

  /// - Parameters:
  ///   - publisher: Whose contract it is, for the message.
  ///   - callSite: Where a failure is shown.
  init(of publisher: String, callSite: CallSite) {
    self.publisher = publisher
    self.callSite = callSite
  }

  /// Enters what the publisher sends, before it is passed on.
  func enter(_ event: Event) {
    let (thread, isUnrequested) = (Platform.currentThread, UnrequestedDelivery.isCurrent)
    guard let mistake = lock.withLock({ state.enter(event, on: thread, isUnrequested: isUnrequested) }) else { return }
    TestFailure.record("\(publisher) sent \(mistake)", at: callSite)
  }

  /// Enters what the subscriber asks for, before it is passed on.
  func add(_ demand: Subscribers.Demand) {
    lock.withLock { state.add(demand) }
  }

  /// Enters that the subscriber cancels.
  ///
  /// - Parameter cancel: Passes it on.
  func cancel(_ cancel: () -> Void) {
    let thread = Platform.currentThread
    lock.withLock { state.willCancel(on: thread) }
    cancel()
    lock.withLock { state.didCancel() }
  }
}

/// What has passed between a publisher and one subscriber.
struct ContractState {

  private enum Phase {
    case unsubscribed
    case subscribed

    /// On a thread, the call to cancel has not returned. What other threads send may have been under way.
    case cancelling(UInt)
    case cancelled
    case completed
  }

  private var phase = Phase.unsubscribed
  private var hasSubscription = false
  private var demanded = Subscribers.Demand.none
  private var sentCount = 0

  /// - Parameters:
  ///   - event: What the publisher sends.
  ///   - thread: The calling thread.
  ///   - isUnrequested: Whether one of Combine's own publishers sends a value that needs no demand.
  /// - Returns: What the publisher has done, if that breaks the contract.
  mutating func enter(_ event: ContractAccount.Event, on thread: UInt, isUnrequested: Bool = false) -> String? {
    // Such a value uses up demand where there is some.
    let isBeyondDemand = demanded <= sentCount
    defer { if event != .value || !isUnrequested || !isBeyondDemand { note(event) } }
    switch phase {
    case .completed:
      return "\(event.rawValue) after its completion"
    case .cancelled:
      // A publisher cannot know of the cancellation before it has sent its subscription.
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

  /// The number, in words for a message.
  fileprivate var count: String { max.map { "\($0)" } ?? "all" }
}
