/// The pure state machine behind ``AsyncSubscriber``, a subscriber for whose elements tasks wait.
///
/// The phases are awaiting → subscribed → terminal. Each method is one event and returns the action to carry out, with no
/// lock held. The machine counts the waiting tasks, the kept elements and the failure, and the subscriber keeps them. So it
/// is generic over nothing, and a debug build looks up no type for an element.
@usableFromInline
struct AsyncSubscriberMachine {

  @usableFromInline
  enum Phase {

    /// No subscription has arrived.
    case awaiting

    /// A subscription has arrived.
    case subscribed

    /// The publisher has completed, or the subscriber was cancelled.
    case terminal
  }

  @usableFromInline
  var phase = Phase.awaiting

  /// What is to be requested from the subscription when it arrives.
  @usableFromInline
  var demand = Subscribers.Demand.none

  /// The number of tasks that wait for an element, the asker included. It is zero once the phase is terminal.
  @usableFromInline
  var waiterCount = 0

  /// The task that has requested an element before all that wait, and has not suspended.
  @usableFromInline
  enum Asker {
    case none, asking

    /// Its outcome is there, and it has not looked.
    case answered
  }

  @usableFromInline
  var asker = Asker.none

  /// The number of kept elements that were not requested. While there are any, no task waits.
  @usableFromInline
  var keptCount = 0

  /// Whether a failure that no task waited for is kept for the next call.
  @usableFromInline
  var hasFailure = false

  /// Whether a publisher of this package that sends unrequested elements has sent one.
  ///
  /// From then on the subscriber keeps any excess element, whichever publisher sends it. An unrequested element may
  /// have gone to a waiter whose request is still to come.
  @usableFromInline
  var hasMetUnrequested = false

  @inlinable
  init() {}

  // MARK: A task asks

  @usableFromInline
  enum NextAction {

    /// The task waits. No other action is due.
    case wait

    /// The task waits, and one element must be requested.
    case request

    /// The task resumes with the oldest kept element.
    case takeKept

    /// The task resumes with the kept failure.
    case fail

    /// No element will come. The task resumes with `nil`.
    case end
  }

  /// Handles a task that waits for the next element.
  @inlinable
  mutating func next() -> NextAction {
    if keptCount > 0 {
      keptCount -= 1
      return .takeKept
    }
    switch phase {
    case .awaiting:
      demand += 1
      waiterCount += 1
      return .wait
    case .subscribed:
      waiterCount += 1
      return .request
    case .terminal:
      guard hasFailure else { return .end }
      hasFailure = false
      return .fail
    }
  }

  /// Handles a task that asks for the next element before it suspends. It may if no other task waits.
  ///
  /// - Returns: The action as of ``next()``, where the task does not wait but looks for its outcome; `nil` if it may not.
  @inlinable
  mutating func ask() -> NextAction? {
    guard phase != .awaiting, waiterCount == 0, asker == .none else { return nil }
    let action = next()
    if action == .request { asker = .asking }
    return action
  }

  /// Handles the end of the asker's request.
  ///
  /// - Returns: Whether its outcome is there. If not, it must suspend.
  @inlinable
  mutating func look() -> Bool {
    guard asker == .answered else { return false }
    asker = .none
    return true
  }

  /// Handles the asker that suspends.
  ///
  /// - Returns: Whether it waits, as the first. If not, its outcome has come meanwhile.
  @inlinable
  mutating func suspend() -> Bool {
    let isWaiting = asker == .asking
    asker = .none
    return isWaiting
  }

  /// Notes that the asker has an outcome.
  ///
  /// - Returns: Whether there is an asker without one. The outcome is then not for a waiting task.
  @inlinable
  mutating func answer() -> Bool {
    guard asker == .asking else { return false }
    asker = .answered
    return true
  }

  // MARK: Upstream speaks

  @usableFromInline
  enum SubscriptionAction: Equatable {

    /// The demand to request from the subscription, unless it is zero.
    case request(Subscribers.Demand)

    /// The subscription is a second one and must be cancelled.
    case cancel
  }

  /// Handles a subscription that arrives.
  @inlinable
  mutating func accept() -> SubscriptionAction {
    guard phase == .awaiting else { return .cancel }
    phase = .subscribed
    return .request(demand)
  }

  @usableFromInline
  enum ValueAction {

    /// The asker has the element.
    case answer

    /// The task that has waited longest resumes with the element.
    case resume

    /// The element is dropped, and all waiting tasks resume with `nil`.
    case drop

    /// The element was not requested yet and is kept.
    case keep

    /// The element is an announcement that a kept one already stands for.
    case merge

    /// The element was not requested, which is a programming error.
    case trap
  }

  /// Handles an element that arrives.
  ///
  /// - Parameter unrequested: The mark of the delivery, if the element was not requested.
  @inlinable
  mutating func value(_ unrequested: UnrequestedDelivery? = nil) -> ValueAction {
    if unrequested != nil { hasMetUnrequested = true }
    guard phase == .subscribed else {
      waiterCount = 0
      return .drop
    }
    if waiterCount > 0 {
      waiterCount -= 1
      return answer() ? .answer : .resume
    }
    guard hasMetUnrequested else { return .trap }
    if unrequested == .announcement, keptCount > 0 { return .merge }
    keptCount += 1
    return .keep
  }

  // MARK: The end

  @usableFromInline
  enum CompletionAction {

    /// All waiting tasks resume with `nil`.
    case finish

    /// The asker, or else the task that has waited longest, has the failure. The others resume with `nil`.
    case fail

    /// The failure is kept.
    case keep

    /// The end has come before.
    case ignore
  }

  /// Handles a completion that arrives.
  @inlinable
  mutating func complete(isFailure: Bool) -> CompletionAction {
    guard phase != .terminal else { return .ignore }
    phase = .terminal
    let isAwaited = exchange(&waiterCount, with: 0) > 0
    guard isFailure else { return .finish }
    if isAwaited { return .fail }
    hasFailure = true
    return .keep
  }

  /// Handles a cancellation: kept elements and a kept failure are dropped, and all waiting tasks resume with `nil`.
  @inlinable
  mutating func cancel() {
    phase = .terminal
    waiterCount = 0
    keptCount = 0
    hasFailure = false
  }
}
