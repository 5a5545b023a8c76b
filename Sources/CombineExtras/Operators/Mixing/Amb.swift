import CombineThreads
import CombineCore

extension Publisher {

  /// Publishes the events of this publisher or of another one, whichever sends an event first.
  ///
  /// This publisher is subscribed to first, and the other one unless it has decided by then. Each is asked for one
  /// element. The first one to publish an element or to complete wins. The other one is then cancelled, before the
  /// event is passed on. An element that decides waits for demand.
  ///
  /// ```swift
  /// marbles {
  ///   "---a--b--|"
  ///   "--x--y-----|"
  ///   $0[0].amb($0[1])
  ///   "--x--y-----|"
  ///   "^-!"
  /// }
  /// ```
  ///
  /// - Parameter other: Another publisher of the same types.
  /// - Returns: A publisher of the events of the faster publisher.
  @inlinable
  public func amb<Other: Publisher>(_ other: Other) -> ExtraPublishers.Amb<Self, Other>
  where Other.Output == Output, Other.Failure == Failure {
    ExtraPublishers.Amb(first: self, second: other)
  }
}

extension Collection where Element: Publisher {

  /// Publishes the events of the publisher that sends an event first.
  ///
  /// ```swift
  /// marbles {
  ///   "---a--b--|"
  ///   "--x--y--|"
  ///   [$0[0], $0[1]].amb()
  ///   "--x--y--|"
  /// }
  /// ```
  ///
  /// - Returns: A publisher of the events of the fastest publisher. It finishes at once if the collection is empty.
  @inlinable
  public func amb() -> AnyPublisher<Element.Output, Element.Failure> {
    var publishers = map { $0.eraseToAnyPublisher() }
    // Neighbours in pairs, so that many publishers nest a few times only.
    while publishers.count > 1 {
      publishers = stride(from: 0, to: publishers.count, by: 2).map { index in
        let pair = publishers[index..<Swift.min(index + 2, publishers.count)]
        return pair.count == 1 ? pair[index] : pair[index].amb(pair[index + 1]).eraseToAnyPublisher()
      }
    }
    return publishers.first ?? Empty().eraseToAnyPublisher()
  }
}

extension ExtraPublishers {

  /// A publisher of the events of one of two publishers, whichever sends an event first.
  public struct Amb<First: Publisher, Second: Publisher>: Publisher
  where First.Output == Second.Output, First.Failure == Second.Failure {

    /// The kind of values this publisher publishes.
    public typealias Output = First.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = First.Failure

    @usableFromInline
    let first: First

    @usableFromInline
    let second: Second

    /// Creates a publisher of the events of one of two publishers.
    ///
    /// - Parameters:
    ///   - first: The publisher that is subscribed to first.
    ///   - second: The publisher that is subscribed to second, unless the first one has decided by then.
    @inlinable
    public init(first: First, second: Second) {
      self.first = first
      self.second = second
    }

    /// Subscribes to both publishers, and gives `subscriber` its subscription.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Second.Output, S.Failure == Second.Failure {
      let conduit = ExtraConduits.Amb(downstream: subscriber)
      first.subscribeConduit(Conduits.Constituent(of: conduit, key: 0))
      if !conduit.isDecided { second.subscribeConduit(Conduits.Constituent(of: conduit, key: 1)) }
      conduit.open()
    }
  }
}

extension ExtraPublishers.Amb: Sendable where First: Sendable, Second: Sendable {}

/// The pure state of an amb: two candidates, of which one wins.
@usableFromInline
struct AmbMachine {

  @usableFromInline
  var subscriptions: [(any Subscription)?] = [nil, nil]

  /// The candidate that has won.
  @usableFromInline
  var winner: Int?

  @usableFromInline
  var hasEnded = false

  /// The demand of the downstream that no candidate was asked for. Each was asked for one element that the downstream has
  /// perhaps not requested.
  @usableFromInline
  var demand = Subscribers.Demand.none

  /// Whether the one element that each candidate was asked for in advance still stands against the downstream's demand.
  @usableFromInline
  var isAdvanced = true

  @inlinable
  init() {}

  /// Takes a subscription.
  ///
  /// - Returns: Whether it is kept. The caller cancels any other one.
  @inlinable
  mutating func accept(_ subscription: any Subscription, at index: Int) -> Bool {
    guard !hasEnded, winner ?? index == index, subscriptions[index] == nil else { return false }
    subscriptions[index] = subscription
    return true
  }

  /// Takes an event of a candidate.
  ///
  /// - Returns: Whether the event is passed on. If it decides, the loser to cancel, and the demand for the winner.
  @inlinable
  mutating func decide(for index: Int) -> (isPassed: Bool, loser: (any Subscription)?, demand: Subscribers.Demand) {
    guard !hasEnded else { return (false, nil, .none) }
    if let winner { return (winner == index, nil, .none) }
    winner = index
    let loser = exchange(&subscriptions[1 - index], with: nil)
    return (true, loser, takeDemand())
  }

  /// Takes new demand of the downstream.
  ///
  /// - Returns: The winner, and the demand for it.
  @inlinable
  mutating func request(_ more: Subscribers.Demand) -> (subscription: (any Subscription)?, demand: Subscribers.Demand) {
    guard !hasEnded else { return (nil, .none) }
    demand += more
    guard let winner else { return (nil, .none) }
    return (subscriptions[winner], takeDemand())
  }

  /// The demand to ask the winner for: what was not asked for in advance.
  @inlinable
  mutating func takeDemand() -> Subscribers.Demand {
    guard demand > .none else { return .none }
    let taken = exchange(&demand, with: .none)
    return exchange(&isAdvanced, with: false) ? taken - 1 : taken
  }

  /// Ends the state.
  ///
  /// - Returns: The subscriptions, to be cancelled or released.
  @inlinable
  mutating func end() -> [any Subscription] {
    hasEnded = true
    return exchange(&subscriptions, with: [nil, nil]).compactMap { $0 }
  }
}

extension ExtraConduits {

  @usableFromInline
  final class Amb<Downstream: Subscriber>: QueuedConduit<Downstream>, ConstituentParent, DescribedByName {

    @exclusivity(unchecked)  // Only with the lock held.
    @usableFromInline
    var machine = AmbMachine()

    @inlinable
    init(downstream: Downstream) {
      super.init(downstream: downstream)
    }

    @usableFromInline
    var isDecided: Bool { lock.withLock { machine.winner != nil } }

    @inlinable
    override func receive(demand: Subscribers.Demand) {
      let (subscription, demand) = lock.withLock { machine.request(demand) }
      if demand > .none { subscription?.request(demand) }
    }

    @inlinable
    override func didEnd() {
      for subscription in lock.withLock({ machine.end() }) { subscription.cancel() }
    }

    @inlinable
    func receive(subscription: any Subscription, at index: Int) {
      guard lock.withLock({ machine.accept(subscription, at: index) }) else { return subscription.cancel() }
      subscription.request(.max(1))
    }

    @inlinable
    func receive(_ input: Downstream.Input, at index: Int) -> Subscribers.Demand {
      let (isPassed, loser, demand) = lock.withLock { machine.decide(for: index) }
      guard isPassed else { return .none }
      loser?.cancel()
      let more = pass(input)
      guard more > .none else { return demand }
      return demand + lock.withLock { machine.request(more) }.demand
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Downstream.Failure>, at index: Int) {
      let (isPassed, loser, _) = lock.withLock { machine.decide(for: index) }
      guard isPassed else { return }
      loser?.cancel()
      // The winner has completed, so it is not cancelled.
      let released = lock.withLock { machine.end() }
      withExtendedLifetime(released) { send(completion: completion) }
    }

    @usableFromInline
    var description: String { "Amb" }
  }
}
