import CombineThreads
import Synchronization

// The code shared by the operators that continue with a second publisher when the first completes. `append` and
// `prepend` do so when it finishes, `catch` and `tryCatch` when it fails.

// MARK: Machine

/// The pure state of a succession of two publishers: which of them is the current upstream.
@usableFromInline
enum SuccessionMachine: SteppedMachine {

  /// The first publisher has not sent its subscription.
  case waiting
  case first(SubscriptionObject)

  /// The first publisher has completed. The second has not sent its subscription.
  case between
  case second(SubscriptionObject)
  case ended

  /// The state without its subscription.
  @usableFromInline
  struct Phase: MachineMirror, Equatable {

    @usableFromInline
    let rawValue: Int

    @inlinable
    @_transparent
    init(rawValue: Int) { self.rawValue = rawValue }

    @inlinable
    @_transparent
    static var waiting: Phase { Phase(rawValue: 0) }

    @inlinable
    @_transparent
    static var first: Phase { Phase(rawValue: 1) }

    @inlinable
    @_transparent
    static var between: Phase { Phase(rawValue: 2) }

    @inlinable
    @_transparent
    static var second: Phase { Phase(rawValue: 3) }

    static var ended: Phase { Phase(rawValue: 4) }

    // Written out, because a debug build calls the one that the compiler makes.
    @inlinable
    @_transparent
    static func == (one: Phase, other: Phase) -> Bool { one.rawValue == other.rawValue }
  }

  @usableFromInline
  var mirror: Phase {
    switch self {
    case .waiting: .waiting
    case .first: .first
    case .between: .between
    case .second: .second
    case .ended: .ended
    }
  }

  /// Handles a subscription from the first publisher.
  ///
  /// - Returns: Whether it was the first one. If not, the caller must cancel it.
  mutating func acceptFirst(_ subscription: SubscriptionObject) -> Bool {
    guard case .waiting = self else { return false }
    self = .first(subscription)
    return true
  }

  /// Handles a subscription from the second publisher.
  ///
  /// - Returns: Whether it was the first one, so that the caller must request the outstanding demand. If not, the
  ///   caller must cancel it.
  mutating func acceptSecond(_ subscription: SubscriptionObject) -> Bool {
    guard case .between = self else { return false }
    self = .second(subscription)
    return true
  }

  /// Handles a completion of the first publisher that completes the conduit.
  ///
  /// - Returns: The subscription, which the caller must release, if the caller must notify the downstream. Else `nil`.
  mutating func endFirst() -> SubscriptionObject? {
    guard case .first(let subscription) = self else { return nil }
    self = .ended
    return subscription
  }

  @usableFromInline
  enum Departure {

    /// Subscribe to the second publisher, and release the subscription of the first.
    case left(SubscriptionObject)

    /// The conduit has ended.
    case ended

    /// The publisher has broken the rules: it has sent no subscription, or has completed before.
    case outOfTurn
  }

  /// Handles a completion of the first publisher that the second publisher follows.
  mutating func leaveFirst() -> Departure {
    switch self {
    case .first(let subscription):
      self = .between
      return .left(subscription)
    case .ended:
      return .ended
    case .waiting, .between, .second:
      return .outOfTurn
    }
  }

  /// Handles the completion of the second publisher.
  ///
  /// - Returns: The subscription, which the caller must release, if the caller must notify the downstream. Else `nil`.
  mutating func endSecond() -> SubscriptionObject? {
    guard case .second(let subscription) = self else { return nil }
    self = .ended
    return subscription
  }

  enum RequestAction {

    /// Add to the outstanding demand, and forward the request to the first publisher if it is the current upstream.
    case count(forwardingTo: SubscriptionObject?)

    /// Forward the request to the second publisher, which counts demand itself.
    case forward(SubscriptionObject)
    case ignore
    case trap
  }

  func request() -> RequestAction {
    switch self {
    case .waiting: .trap
    case .first(let subscription): .count(forwardingTo: subscription)
    case .between: .count(forwardingTo: nil)
    case .second(let subscription): .forward(subscription)
    case .ended: .ignore
    }
  }

  /// Ends the state if a publisher is the current upstream. Otherwise it does nothing.
  ///
  /// - Returns: The subscription to cancel, if any.
  mutating func disconnect() -> SubscriptionObject? {
    endFirst() ?? endSecond()
  }

  /// Ends the state, whether or not a publisher is the current upstream.
  ///
  /// - Returns: The subscription to cancel, if any.
  mutating func end() -> SubscriptionObject? {
    let subscription = disconnect()
    self = .ended
    return subscription
  }
}

// MARK: Conduit

/// The part of a succession that is not generic. It is the downstream's subscription, to which both publishers send.
///
/// Elements pass its gate. The first publisher may end inside one of its deliveries, and the second one send on another
/// thread before that delivery has ended.
@usableFromInline
class SuccessionConduit: GatedConduit<SuccessionMachine> {

  /// The demand requested and returned so far, less the elements of the first publisher.
  ///
  /// It is requested from the second publisher.
  @usableFromInline
  final let demand = DemandCounter()

  /// Set with a value of the first publisher beyond the demand, for the values of the second one.
  @usableFromInline
  final let unrequested = UnrequestedDeliveryMark()

  @usableFromInline
  init() {
    super.init(.waiting)
  }

  @inlinable
  final var phase: SuccessionMachine.Phase {
    SuccessionMachine.Phase(rawValue: mirrorWord.load(ordering: .acquiring))
  }

  @usableFromInline
  final func acceptFirst(_ subscription: SubscriptionObject) -> Bool {
    let isFirst = step { $0.acceptFirst(subscription) }
    if !isFirst { subscription.cancel() }
    return isFirst
  }

  @usableFromInline
  final func acceptSecond(_ subscription: SubscriptionObject) {
    let (isFirst, outstanding) = step { ($0.acceptSecond(subscription), demand.value) }
    if !isFirst {
      subscription.cancel()
    } else if outstanding > .none {
      subscription.request(outstanding)
    }
  }

  /// Connects to the first publisher, which sends everything now. The downstream would request unlimited demand.
  @usableFromInline
  final func acceptAllOfFirst(_ subscription: SubscriptionObject) {
    if acceptFirst(subscription) { demand.beginUnlimited() }
  }

  /// Connects to the second publisher, which sends everything now. The demand is unlimited.
  ///
  /// - Returns: Whether it is to be sent. If not, the downstream has cancelled meanwhile.
  @usableFromInline
  final func acceptAllOfSecond(_ subscription: SubscriptionObject) -> Bool {
    let isFirst = step { $0.acceptSecond(subscription) }
    if !isFirst { subscription.cancel() }
    return isFirst
  }

  /// Handles a completion of the first publisher that completes the conduit.
  ///
  /// - Returns: Whether the caller must notify the downstream.
  @usableFromInline
  final func endFirst() -> Bool {
    step { $0.endFirst() } != nil
  }

  /// Handles the completion of the second publisher.
  ///
  /// - Returns: Whether the caller must notify the downstream.
  @usableFromInline
  final func endSecond() -> Bool {
    step { $0.endSecond() } != nil
  }

  /// Adds the demand that the downstream returned for an element of the first publisher.
  ///
  /// - Parameters:
  ///   - more: The returned demand.
  ///   - phase: The phase in which the element arrived. The second publisher may have become the upstream while the
  ///     downstream received the element. The demand is then requested from the second publisher, because the first one
  ///     can no longer serve it.
  @inlinable
  final func addReturned(_ more: Subscribers.Demand, since phase: SuccessionMachine.Phase) {
    if self.phase == phase { demand.add(more) } else { addLate(more, since: phase) }
  }

  @usableFromInline
  final func addLate(_ more: Subscribers.Demand, since phase: SuccessionMachine.Phase) {
    let successor = step { state -> SubscriptionObject? in
      demand.add(more)
      guard phase == .first, case .second(let subscription) = state else { return nil }
      return subscription
    }
    successor?.request(more)
  }

  @usableFromInline
  override func request(_ more: Subscribers.Demand) {
    let action = step { state in
      let action = state.request()
      // The lock is held, so a subscription that arrives now is either requested for this demand or receives this
      // request.
      if case .count = action { demand.add(more) }
      return action
    }
    switch action {
    case .count(let subscription): subscription?.request(more)
    case .forward(let subscription): subscription.request(more)
    case .ignore: break
    case .trap: Misuse.trap(String(describing: self), .requestWithoutSubscription)
    }
  }

  /// Ends the conduit because the downstream has cancelled, and then cancels the current upstream.
  ///
  /// - Parameter end: A closure that ends the machine, with the lock held, and returns the upstream.
  @usableFromInline
  final func cancel(_ end: (inout SuccessionMachine) -> SubscriptionObject?) {
    cancelUpstreams { machine in end(&machine).map { [$0] } ?? [] }
  }
}

// MARK: Sides

/// The reactions of an operator to the events of its two publishers.
@usableFromInline
protocol SuccessionParent: SuccessionConduit, DescribedByName {

  associatedtype Downstream: Subscriber
  associatedtype FirstFailure: Error

  var downstream: Downstream { get }

  func receiveFirst(_ input: Downstream.Input) -> Subscribers.Demand

  func receiveFirst(completion: Subscribers.Completion<FirstFailure>)

  func receiveSecond(_ input: Downstream.Input) -> Subscribers.Demand
}

/// A subscriber to one of the two publishers. It takes on the identity and description of the conduit that it feeds.
@usableFromInline
protocol SuccessionConstituent: Subscriber, DescribedByName {

  associatedtype Parent: SuccessionParent

  var parent: Parent { get }
}

extension SuccessionConstituent {

  @usableFromInline
  var combineIdentifier: CombineIdentifier { parent.combineIdentifier }

  @usableFromInline
  var description: String { parent.description }

  @usableFromInline
  var reflectedChildren: KeyValuePairs<String, Any> { parent.reflectedChildren }
}

extension Conduits {

  /// The subscriber to the first publisher.
  @usableFromInline
  struct FirstConstituent<Parent: SuccessionParent>: SuccessionConstituent {

    @usableFromInline
    let parent: Parent

    @inlinable
    init(of parent: Parent) {
      self.parent = parent
    }

    @inlinable
    func receive(subscription: any Subscription) {
      if parent.acceptFirst(subscription._object) { parent.downstream.receive(subscription: parent) }
    }

    @inlinable
    func receive(_ input: Parent.Downstream.Input) -> Subscribers.Demand {
      parent.receiveFirst(input)
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Parent.FirstFailure>) {
      parent.receiveFirst(completion: completion)
    }

    @inlinable
    @inline(never)  // As in a ``TransparentConduit``.
    func _receiveAll(until subscription: () -> SubscriptionObject?, _ send: () -> Void) -> Bool {
      guard parent.phase == .waiting else { return false }
      // As in a ``RequestPassingConduit``.
      let unretained = Unmanaged.passUnretained(parent)
      return parent.downstream._receiveAll(
        until: {
          unretained._withUnsafeGuaranteedRef {
            if let subscription = subscription() {
              $0.acceptAllOfFirst(subscription)
            } else {
              $0.acceptAllOfFirst(EmptySubscription.shared)
            }
            return $0
          }
        },
        send
      )
    }
  }

  /// The subscriber to the second publisher.
  @usableFromInline
  struct SecondConstituent<Parent: SuccessionParent, Failure: Error>: SuccessionConstituent {

    @usableFromInline
    let parent: Parent

    /// A closure that passes a completion to the downstream. It maps a failure where that is needed. Otherwise a debug build
    /// would look up both types of completions here.
    @usableFromInline
    let complete: (Parent.Downstream, Subscribers.Completion<Failure>) -> Void

    @inlinable
    init(of parent: Parent, complete: @escaping (Parent.Downstream, Subscribers.Completion<Failure>) -> Void) {
      self.parent = parent
      self.complete = complete
    }

    @inlinable
    func receive(subscription: any Subscription) {
      parent.acceptSecond(subscription._object)
    }

    @inlinable
    func receive(_ input: Parent.Downstream.Input) -> Subscribers.Demand {
      parent.receiveSecond(input)
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      if parent.endSecond() { parent.complete { [downstream = parent.downstream] in complete(downstream, completion) } }
    }

    @inlinable
    @inline(never)  // As in a ``TransparentConduit``.
    func _receiveAll(until subscription: () -> SubscriptionObject?, _ send: () -> Void) -> Bool {
      guard parent.phase == .between, parent.demand.isUnlimited else { return false }
      if parent.acceptAllOfSecond(subscription() ?? EmptySubscription.shared) { send() }
      return true
    }
  }
}
