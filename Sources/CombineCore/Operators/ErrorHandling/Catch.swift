extension Publisher {

  /// Continues with another publisher when this one fails.
  ///
  /// ```swift
  /// let cancellable = Fail<Int, URLError>(error: URLError(.timedOut))
  ///   .catch { _ in Just(0) }
  ///   .sink { print($0) }  // prints 0
  /// ```
  ///
  /// Demand that was not used up before the failure is requested from the other publisher.
  ///
  /// - Parameter handler: Makes the publisher to continue with, of the error.
  /// - Returns: A publisher of the values of this one, and then of those of the other, with the other's failure.
  @inlinable
  public func `catch`<P: Publisher>(_ handler: @escaping (Failure) -> P) -> Publishers.Catch<Self, P>
  where Output == P.Output {
    Publishers.Catch(upstream: self, handler: handler)
  }

  /// Continues with another publisher when this one fails, or fails with an error that the closure throws.
  ///
  /// ```swift
  /// let cancellable = Fail<Int, URLError>(error: URLError(.timedOut))
  ///   .tryCatch { error in
  ///     guard error.code == .timedOut else { throw error }
  ///     return Just(0)
  ///   }
  ///   .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })  // prints 0, finished
  /// ```
  ///
  /// Demand that was not used up before the failure is requested from the other publisher.
  ///
  /// - Parameter handler: Makes the publisher to continue with, of the error, or throws.
  /// - Returns: A publisher of the values of this one, and then of those of the other; it fails with the other's
  ///   failure or with the error thrown.
  @inlinable
  public func tryCatch<P: Publisher>(_ handler: @escaping (Failure) throws -> P) -> Publishers.TryCatch<Self, P>
  where Output == P.Output {
    Publishers.TryCatch(upstream: self, handler: handler)
  }
}

extension Publishers {

  /// A publisher that continues with another one when its upstream fails.
  public struct Catch<Upstream: Publisher, NewPublisher: Publisher>: Publisher
  where Upstream.Output == NewPublisher.Output {

    /// The kind of values: those of both publishers.
    public typealias Output = Upstream.Output

    /// The kind of errors: that of the other publisher.
    public typealias Failure = NewPublisher.Failure

    /// The publisher that comes first.
    public let upstream: Upstream

    /// Makes the publisher to continue with, of the error.
    public let handler: (Upstream.Failure) -> NewPublisher

    /// Creates a publisher that continues with another one when the first fails.
    ///
    /// - Parameters:
    ///   - upstream: The publisher that comes first.
    ///   - handler: Makes the publisher to continue with, of the error.
    @inlinable
    public init(upstream: Upstream, handler: @escaping (Upstream.Failure) -> NewPublisher) {
      self.upstream = upstream
      self.handler = handler
    }

    /// Attaches a subscriber to the upstream, and on its failure to the other publisher.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let handler = handler
      let conduit = Conduits.Catch<Upstream.Failure, S>(description: "Catch", downstream: subscriber) {
        error,
        conduit in
        handler(error).subscribe(Conduits.CatchReplacement(conduit: conduit) { $0 })
      }
      upstream.subscribe(Conduits.CatchOriginal(conduit: conduit))
    }
  }

  /// A publisher that continues with another one when its upstream fails, or fails with an error that a closure throws.
  public struct TryCatch<Upstream: Publisher, NewPublisher: Publisher>: Publisher
  where Upstream.Output == NewPublisher.Output {

    /// The kind of values: those of both publishers.
    public typealias Output = Upstream.Output

    /// Any error: the other publisher's or one thrown.
    public typealias Failure = any Error

    /// The publisher that comes first.
    public let upstream: Upstream

    /// Makes the publisher to continue with, of the error, or throws.
    public let handler: (Upstream.Failure) throws -> NewPublisher

    /// Creates a publisher that continues with another one when the first fails.
    ///
    /// - Parameters:
    ///   - upstream: The publisher that comes first.
    ///   - handler: Makes the publisher to continue with, of the error, or throws.
    @inlinable
    public init(upstream: Upstream, handler: @escaping (Upstream.Failure) throws -> NewPublisher) {
      self.upstream = upstream
      self.handler = handler
    }

    /// Attaches a subscriber to the upstream, and on its failure to the other publisher.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      let handler = handler
      let conduit = Conduits.Catch<Upstream.Failure, S>(description: "TryCatch", downstream: subscriber) {
        error,
        conduit in
        try handler(error).subscribe(Conduits.CatchReplacement(conduit: conduit) { $0 })
      }
      upstream.subscribe(Conduits.CatchOriginal(conduit: conduit))
    }
  }
}

// MARK: State

/// The pure state of a catch: which of the two publishers it is connected to.
@usableFromInline
enum CatchState {

  /// The original has not sent its subscription.
  case waiting
  case original(any Subscription)

  /// The original has failed, the replacement has not sent its subscription.
  case replacing
  case replacement(any Subscription)
  case ended

  /// Takes a subscription from the original.
  ///
  /// - Returns: Whether it was the first. If not, it is to be cancelled.
  mutating func acceptOriginal(_ subscription: any Subscription) -> Bool {
    guard case .waiting = self else { return false }
    self = .original(subscription)
    return true
  }

  /// Takes a subscription from the replacement.
  ///
  /// - Returns: Whether it was the first, so that outstanding demand is requested. If not, it is to be cancelled.
  mutating func acceptReplacement(_ subscription: any Subscription) -> Bool {
    guard case .replacing = self else { return false }
    self = .replacement(subscription)
    return true
  }

  /// Takes the original's `.finished`.
  ///
  /// - Returns: The subscription, to be let go, if the downstream is to be told.
  mutating func finishOriginal() -> (any Subscription)? {
    guard case .original(let subscription) = self else { return nil }
    self = .ended
    return subscription
  }

  @usableFromInline
  enum FailureAction {

    /// Call the handler; the subscription is to be let go.
    case replace(any Subscription)
    case ignore

    /// The original broke the rules: it has sent no subscription, or has failed already.
    case trap
  }

  /// Takes the original's failure.
  mutating func failOriginal() -> FailureAction {
    switch self {
    case .original(let subscription):
      self = .replacing
      return .replace(subscription)
    case .ended:
      return .ignore
    case .waiting, .replacing, .replacement:
      return .trap
    }
  }

  /// Takes the replacement's completion.
  ///
  /// - Returns: The subscription, to be let go, if the downstream is to be told.
  mutating func completeReplacement() -> (any Subscription)? {
    guard case .replacement(let subscription) = self else { return nil }
    self = .ended
    return subscription
  }

  /// Ends the state, as there will be no replacement.
  mutating func failReplacing() {
    self = .ended
  }

  enum RequestAction {

    /// Add to the outstanding demand, and forward it to the original if there is one still.
    case count(forwardingTo: (any Subscription)?)

    /// Forward to the replacement, which keeps count itself.
    case forward(any Subscription)
    case ignore
    case trap
  }

  func request() -> RequestAction {
    switch self {
    case .waiting: .trap
    case .original(let subscription): .count(forwardingTo: subscription)
    case .replacing: .count(forwardingTo: nil)
    case .replacement(let subscription): .forward(subscription)
    case .ended: .ignore
    }
  }

  /// Takes a cancel, which is lost between two publishers.
  ///
  /// - Returns: The subscription to cancel, if any.
  mutating func cancel() -> (any Subscription)? {
    finishOriginal() ?? completeReplacement()
  }
}

// MARK: Conduits

/// The half of a catch that knows no types.
@usableFromInline
class CatchConduit: Subscription {

  private final let lock = Lock()

  @exclusivity(unchecked)  // Only with the lock held.
  private final var state = CatchState.waiting

  /// What was requested and returned, less what the original has sent: what the replacement is asked for.
  @usableFromInline
  final let demand = DemandCounter()

  @usableFromInline
  final let description: String

  @usableFromInline
  init(description: String) {
    self.description = description
  }

  @usableFromInline
  final func acceptOriginal(_ subscription: any Subscription) -> Bool {
    let isFirst = lock.withLock { state.acceptOriginal(subscription) }
    if !isFirst { subscription.cancel() }
    return isFirst
  }

  @usableFromInline
  final func acceptReplacement(_ subscription: any Subscription) {
    let (isFirst, outstanding) = lock.withLock { (state.acceptReplacement(subscription), demand.value) }
    if !isFirst {
      subscription.cancel()
    } else if outstanding > .none {
      subscription.request(outstanding)
    }
  }

  /// Takes the original's `.finished`.
  ///
  /// - Returns: Whether the downstream is to be told.
  @usableFromInline
  final func finishOriginal() -> Bool {
    lock.withLock { state.finishOriginal() } != nil
  }

  /// Takes the original's failure.
  ///
  /// - Returns: Whether the handler is to be called.
  @usableFromInline
  final func failOriginal() -> Bool {
    switch lock.withLock({ state.failOriginal() }) {
    case .replace: true
    case .ignore: false
    case .trap: preconditionFailure("Unexpected state: received completion but do not have subscription")
    }
  }

  /// Ends the state, as the handler has thrown.
  @usableFromInline
  final func failReplacing() {
    lock.withLock { state.failReplacing() }
  }

  /// Takes the replacement's completion.
  ///
  /// - Returns: Whether the downstream is to be told.
  @usableFromInline
  final func completeReplacement() -> Bool {
    lock.withLock { state.completeReplacement() } != nil
  }

  @usableFromInline
  final func request(_ more: Subscribers.Demand) {
    more.assertNonZero()
    let action = lock.withLock {
      let action = state.request()
      // With the lock held: a subscription that arrives now is asked for this demand, or gets this very request.
      if case .count = action { demand.add(more) }
      return action
    }
    switch action {
    case .count(let subscription): subscription?.request(more)
    case .forward(let subscription): subscription.request(more)
    case .ignore: break
    case .trap: preconditionFailure("Unexpected state: request before subscription sent")
    }
  }

  @usableFromInline
  final func cancel() {
    lock.withLock { state.cancel() }?.cancel()
  }
}

extension Conduits {

  /// What the downstream of a catch holds on to, and what both of its publishers send to.
  @usableFromInline
  final class Catch<OriginalFailure: Error, Downstream: Subscriber>: CatchConduit, DescribedByName {

    @usableFromInline
    let downstream: Downstream

    /// Calls the handler and subscribes to what it returns.
    @usableFromInline
    let replace: (OriginalFailure, Catch<OriginalFailure, Downstream>) throws(Downstream.Failure) -> Void

    @inlinable
    init(
      description: String,
      downstream: Downstream,
      replace: @escaping (OriginalFailure, Catch<OriginalFailure, Downstream>) throws(Downstream.Failure) -> Void
    ) {
      self.downstream = downstream
      self.replace = replace
      super.init(description: description)
    }

    /// A value of the original, delivered in every state.
    @inlinable
    func receiveOriginal(_ input: Downstream.Input) -> Subscribers.Demand {
      precondition(demand.take(), "Catch: a value arrived for which there was no demand")
      let more = downstream.receive(input)
      demand.add(more)
      return more
    }

    @inlinable
    func receiveOriginal(completion: Subscribers.Completion<OriginalFailure>) {
      switch completion {
      case .finished:
        if finishOriginal() { downstream.receive(completion: .finished) }
      case .failure(let error):
        guard failOriginal() else { return }
        do {
          try replace(error, self)
        } catch {
          failReplacing()
          downstream.receive(completion: .failure(error))
        }
      }
    }

    @usableFromInline
    var reflectedChildren: KeyValuePairs<String, Any> { ["downstream": downstream, "demand": demand.value] }
  }

  /// The subscriber given to the publisher that comes first.
  @usableFromInline
  struct CatchOriginal<Failure: Error, Downstream: Subscriber>: CatchSide {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    let conduit: Catch<Failure, Downstream>

    @inlinable
    init(conduit: Catch<Failure, Downstream>) {
      self.conduit = conduit
    }

    @inlinable
    func receive(subscription: any Subscription) {
      if conduit.acceptOriginal(subscription) { conduit.downstream.receive(subscription: conduit) }
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      conduit.receiveOriginal(input)
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      conduit.receiveOriginal(completion: completion)
    }
  }

  /// The subscriber given to the publisher to continue with.
  @usableFromInline
  struct CatchReplacement<OriginalFailure: Error, Failure: Error, Downstream: Subscriber>: CatchSide {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    let conduit: Catch<OriginalFailure, Downstream>

    @usableFromInline
    let mapFailure: (Failure) -> Downstream.Failure

    @inlinable
    init(conduit: Catch<OriginalFailure, Downstream>, mapFailure: @escaping (Failure) -> Downstream.Failure) {
      self.conduit = conduit
      self.mapFailure = mapFailure
    }

    @inlinable
    func receive(subscription: any Subscription) {
      conduit.acceptReplacement(subscription)
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      conduit.downstream.receive(input)
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      if conduit.completeReplacement() { conduit.downstream.receive(completion: completion.mapFailure(mapFailure)) }
    }
  }
}

/// A subscriber given to one of the two publishers of a catch; it shows itself as the conduit that it feeds.
@usableFromInline
protocol CatchSide: Subscriber, DescribedByName {

  associatedtype Conduit: CatchConduit, DescribedByName

  var conduit: Conduit { get }
}

extension CatchSide {

  @usableFromInline
  var combineIdentifier: CombineIdentifier { conduit.combineIdentifier }

  @usableFromInline
  var description: String { conduit.description }

  @usableFromInline
  var reflectedChildren: KeyValuePairs<String, Any> { conduit.reflectedChildren }
}
