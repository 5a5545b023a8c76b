import Synchronization

// What the operators share that continue with a second publisher when a first has ended: `append` and `prepend` when
// it has finished, `catch` and `tryCatch` when it has failed.

// MARK: State

/// The pure state of a succession: which of the two publishers it is connected to.
@usableFromInline
enum SuccessionState {

  /// The first has not sent its subscription.
  case waiting
  case first(any Subscription)

  /// The first has ended, the second has not sent its subscription.
  case between
  case second(any Subscription)
  case ended

  /// The state without its subscription.
  @usableFromInline
  enum Phase: UInt8 {
    case waiting, first, between, second, ended
  }

  var phase: Phase {
    switch self {
    case .waiting: .waiting
    case .first: .first
    case .between: .between
    case .second: .second
    case .ended: .ended
    }
  }

  /// Takes a subscription from the first publisher.
  ///
  /// - Returns: Whether it was the first one. If not, it is to be cancelled.
  mutating func acceptFirst(_ subscription: any Subscription) -> Bool {
    guard case .waiting = self else { return false }
    self = .first(subscription)
    return true
  }

  /// Takes a subscription from the second publisher.
  ///
  /// - Returns: Whether it was the first one, so that outstanding demand is requested. If not, it is to be cancelled.
  mutating func acceptSecond(_ subscription: any Subscription) -> Bool {
    guard case .between = self else { return false }
    self = .second(subscription)
    return true
  }

  /// Takes the completion of the first publisher that ends the whole.
  ///
  /// - Returns: The subscription, to be let go, if the downstream is to be told.
  mutating func endFirst() -> (any Subscription)? {
    guard case .first(let subscription) = self else { return nil }
    self = .ended
    return subscription
  }

  @usableFromInline
  enum Departure {

    /// Subscribe to the second publisher; the subscription of the first is to be let go.
    case left(any Subscription)

    /// All has ended.
    case ended

    /// The publisher broke the rules: it has sent no subscription, or has completed already.
    case outOfTurn
  }

  /// Takes the completion of the first publisher that the second follows.
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

  /// Takes the second publisher's completion.
  ///
  /// - Returns: The subscription, to be let go, if the downstream is to be told.
  mutating func endSecond() -> (any Subscription)? {
    guard case .second(let subscription) = self else { return nil }
    self = .ended
    return subscription
  }

  enum RequestAction {

    /// Add to the outstanding demand, and forward it to the first publisher if it is connected.
    case count(forwardingTo: (any Subscription)?)

    /// Forward to the second publisher, which keeps count itself.
    case forward(any Subscription)
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

  /// Ends a connection; does nothing unless connected.
  ///
  /// - Returns: The subscription to cancel, if any.
  mutating func disconnect() -> (any Subscription)? {
    endFirst() ?? endSecond()
  }

  /// Ends the state, connected or not.
  ///
  /// - Returns: The subscription to cancel, if any.
  mutating func end() -> (any Subscription)? {
    let subscription = disconnect()
    self = .ended
    return subscription
  }
}

// MARK: Conduit

/// The half of a succession that knows no types: what the downstream holds on to, and what both publishers send to.
@usableFromInline
class SuccessionConduit: Subscription {

  private final let lock = Lock()

  @exclusivity(unchecked)  // Only with the lock held.
  private final var state = SuccessionState.waiting

  /// The state without its subscription, so that an element can be checked against it by one load.
  @usableFromInline
  final let phaseWord = Atomic<UInt8>(SuccessionState.Phase.waiting.rawValue)

  /// What was requested and returned, less what the first publisher has sent: what the second is asked for.
  @usableFromInline
  final let demand = DemandCounter()

  @usableFromInline
  init() {}

  @inlinable
  final var phase: SuccessionState.Phase {
    SuccessionState.Phase(rawValue: phaseWord.load(ordering: .acquiring)).unsafelyUnwrapped
  }

  /// Runs one step of the state with the lock held. What the step gives up is returned, to be released after it.
  final func step<Result>(_ body: (inout SuccessionState) -> Result) -> Result {
    lock.withLock {
      let result = body(&state)
      phaseWord.store(state.phase.rawValue, ordering: .releasing)
      return result
    }
  }

  @usableFromInline
  final func acceptFirst(_ subscription: any Subscription) -> Bool {
    let isFirst = step { $0.acceptFirst(subscription) }
    if !isFirst { subscription.cancel() }
    return isFirst
  }

  @usableFromInline
  final func acceptSecond(_ subscription: any Subscription) {
    let (isFirst, outstanding) = step { ($0.acceptSecond(subscription), demand.value) }
    if !isFirst {
      subscription.cancel()
    } else if outstanding > .none {
      subscription.request(outstanding)
    }
  }

  /// Takes the completion of the first publisher that ends the whole.
  ///
  /// - Returns: Whether the downstream is to be told.
  @usableFromInline
  final func endFirst() -> Bool {
    step { $0.endFirst() } != nil
  }

  /// Takes the second publisher's completion.
  ///
  /// - Returns: Whether the downstream is to be told.
  @usableFromInline
  final func endSecond() -> Bool {
    step { $0.endSecond() } != nil
  }

  /// Adds the demand that the downstream returned for a value of the first publisher.
  ///
  /// - Parameters:
  ///   - more: The demand returned.
  ///   - phase: The phase when the value arrived. If the second publisher has taken over while the downstream had the
  ///     value, the first will not serve this demand any more: the second is asked for it.
  @inlinable
  final func addReturned(_ more: Subscribers.Demand, since phase: SuccessionState.Phase) {
    if self.phase == phase { demand.add(more) } else { addLate(more, since: phase) }
  }

  @usableFromInline
  final func addLate(_ more: Subscribers.Demand, since phase: SuccessionState.Phase) {
    let successor = step { state -> (any Subscription)? in
      demand.add(more)
      guard phase == .first, case .second(let subscription) = state else { return nil }
      return subscription
    }
    successor?.request(more)
  }

  @usableFromInline
  func request(_ more: Subscribers.Demand) {
    let action = step { state in
      let action = state.request()
      // With the lock held: a subscription that arrives now is asked for this demand, or gets this very request.
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

  /// Cancels the publisher that is connected.
  @usableFromInline
  func cancel() {
    step { $0.disconnect() }?.cancel()
  }
}

// MARK: Sides

/// What an operator does with the events of its two publishers.
@usableFromInline
protocol SuccessionParent: SuccessionConduit, DescribedByName {

  associatedtype Downstream: Subscriber
  associatedtype FirstFailure: Error

  var downstream: Downstream { get }

  func receiveFirst(_ input: Downstream.Input) -> Subscribers.Demand

  func receiveFirst(completion: Subscribers.Completion<FirstFailure>)

  func receiveSecond(_ input: Downstream.Input) -> Subscribers.Demand
}

/// A subscriber given to one of the two publishers; it shows itself as the conduit that it feeds.
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

  /// The subscriber given to the publisher that comes first.
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
      if parent.acceptFirst(subscription) { parent.downstream.receive(subscription: parent) }
    }

    @inlinable
    func receive(_ input: Parent.Downstream.Input) -> Subscribers.Demand {
      parent.receiveFirst(input)
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Parent.FirstFailure>) {
      parent.receiveFirst(completion: completion)
    }
  }

  /// The subscriber given to the publisher that comes second.
  @usableFromInline
  struct SecondConstituent<Parent: SuccessionParent, Failure: Error>: SuccessionConstituent {

    @usableFromInline
    let parent: Parent

    @usableFromInline
    let mapFailure: (Failure) -> Parent.Downstream.Failure

    @inlinable
    init(of parent: Parent, mapFailure: @escaping (Failure) -> Parent.Downstream.Failure) {
      self.parent = parent
      self.mapFailure = mapFailure
    }

    @inlinable
    func receive(subscription: any Subscription) {
      parent.acceptSecond(subscription)
    }

    @inlinable
    func receive(_ input: Parent.Downstream.Input) -> Subscribers.Demand {
      parent.receiveSecond(input)
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      if parent.endSecond() { parent.downstream.receive(completion: completion.mapFailure(mapFailure)) }
    }
  }
}
