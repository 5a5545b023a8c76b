import CombineThreads
import CombineCore

extension Publisher where Output: Sendable {

  /// Delivers elements and the completion on an actor.
  ///
  /// Elements arrive in order. Each event is delivered by a task on the actor, never inside the upstream's call, even if
  /// that is made on the actor. If many events wait, the actor can do other work after every 64 of them. The subscription
  /// and requests pass immediately, so demand passes to the upstream unchanged.
  ///
  /// A cancellation that is made on the actor is exact: nothing is delivered after it, although events may have been
  /// sent before. A cancellation on another thread may meet a delivery that has begun.
  ///
  /// The closures of a subscriber behind this operator run on the actor, but their types do not say so. To call isolated
  /// code directly, use `sink(on:receiveValue:)`.
  ///
  /// ```swift
  /// @MainActor final class Model {
  ///   var name = ""
  ///   var cancellables: Set<AnyCancellable> = []
  ///
  ///   func show(_ names: some Publisher<String, Never>) {
  ///     names
  ///       .receive(on: MainActor.shared)
  ///       .assign(to: \.name, on: self)
  ///       .store(in: &cancellables)
  ///   }
  /// }
  /// ```
  ///
  /// - Parameter actor: The actor on which the downstream is called. It is kept until the subscription ends.
  /// - Returns: A publisher of the same elements.
  @inlinable
  public func receive<Isolation: Actor>(on actor: Isolation) -> ExtraPublishers.ReceiveOnActor<Self, Isolation> {
    ExtraPublishers.ReceiveOnActor(upstream: self, actor: actor)
  }
}

extension ExtraPublishers {

  /// A publisher that delivers its upstream's elements on an actor.
  public struct ReceiveOnActor<Upstream: Publisher, Isolation: Actor>: Publisher where Upstream.Output: Sendable {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are delivered.
    public let upstream: Upstream

    /// The actor on which the downstream is called.
    public let actor: Isolation

    /// Creates a publisher that delivers another publisher's elements on an actor.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are delivered.
    ///   - actor: The actor on which the downstream is called.
    @inlinable
    public init(upstream: Upstream, actor: Isolation) {
      self.upstream = upstream
      self.actor = actor
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribeConduit(ExtraConduits.ReceiveOnActor(downstream: subscriber, actor: actor))
    }
  }
}

extension ExtraPublishers.ReceiveOnActor: Sendable where Upstream: Sendable {}

// MARK: Conduit

extension ExtraConduits {

  @usableFromInline
  final class ReceiveOnActor<Downstream: Subscriber, Isolation: Actor>: Subscriber, Subscription
  where Downstream.Input: Sendable {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let downstream: Downstream
    @usableFromInline
    let actor: Isolation
    @usableFromInline
    let unrequested = UnrequestedDeliveryMark()
    @usableFromInline
    let lock = Lock()

    @exclusivity(unchecked)  // These two: only with the lock held.
    @usableFromInline
    var upstream = UpstreamState.awaiting

    @exclusivity(unchecked)
    @usableFromInline
    var queue = Deliverer<Input, Failure>(.afterValues)

    @inlinable
    init(downstream: Downstream, actor: Isolation) {
      self.downstream = downstream
      self.actor = actor
      // All that the upstream sends is delivered: what was requested, and what a publisher sends without demand.
      queue.demand = .unlimited
    }

    @inlinable
    func receive(subscription: any Subscription) {
      guard lock.withLock({ upstream.accept(subscription) }) else { return subscription.cancel() }
      downstream.receive(subscription: self)
      startIfNeeded { queue.didOpen() }
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      unrequested.note()
      startIfNeeded { queue.enqueue(input) }
      return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      startIfNeeded { queue.enqueue(completion: completion) }
    }

    @inlinable
    func request(_ demand: Subscribers.Demand) {
      lock.withLock { upstream.subscription }?.request(demand)
    }

    @inlinable
    func cancel() {
      let (subscription, dropped) = lock.withLock { (upstream.terminate(), queue.cancel().values) }
      withExtendedLifetime(dropped) { subscription?.cancel() }
    }

    @inlinable
    func startIfNeeded(_ step: () -> Void) {
      let isFirst = lock.withLock {
        step()
        return queue.claim()
      }
      if isFirst { TaskWork { await self.run() }.start() }
    }

    @inlinable
    func run() async {
      await drain(on: actor)
    }

    /// Delivers the events that wait, 64 in a row. After them, the actor can do other work: a long backlog must not keep
    /// the main actor from its user.
    @inlinable
    func drain(on actor: isolated Isolation) async {
      while deliver(64) { await Task.yield() }
    }

    /// Delivers the next events.
    ///
    /// - Parameter most: The number of events that are delivered at most.
    /// - Returns: Whether more may wait.
    @inlinable
    func deliver(_ most: Int) -> Bool {
      for _ in 0..<most {
        switch lock.withLock({ queue.next() }) {
        case .value(let value):
          let more = unrequested.mark { downstream.receive(value) }
          if more > .none { request(more) }
        case .completion(let completion):
          let subscription = lock.withLock { upstream.terminate() }
          withExtendedLifetime(subscription) { downstream.receive(completion: completion) }
          return false
        case .nothing, .queued, .release:
          return false
        }
      }
      return true
    }
  }
}

// The lock guards the state. The downstream receives its subscription before the first task starts, and everything else
// from one task at a time, on the actor.
extension ExtraConduits.ReceiveOnActor: @unchecked Sendable {}

extension ExtraConduits.ReceiveOnActor: CustomStringConvertible {
  @usableFromInline
  var description: String { "ReceiveOnActor" }
}
