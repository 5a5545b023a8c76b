import CombineThreads

extension Publisher {

  /// Continues with another publisher if this one fails.
  ///
  /// ```swift
  /// marbles { inputs in
  ///   "a--b--#"
  ///   "--x--y|"
  ///   inputs[0].catch { _ in inputs.cold(1) }
  ///   "a--b----x--y|"
  ///   "^"
  ///   "------^"
  /// }
  /// ```
  ///
  /// ```swift
  /// let cancellable = Fail<Int, URLError>(error: URLError(.timedOut))
  ///   .catch { _ in Just(0) }
  ///   .sink { print($0) }  // prints 0
  /// ```
  ///
  /// When this publisher fails, the operator requests its outstanding demand from the other publisher.
  ///
  /// - Parameter handler: A closure that receives the error and returns the publisher to continue with.
  /// - Returns: A publisher of the elements of this publisher and then of the other. It fails if the other fails.
  @inlinable
  public func `catch`<P: Publisher>(_ handler: @escaping (Failure) -> P) -> Publishers.Catch<Self, P>
  where Output == P.Output {
    Publishers.Catch(upstream: self, handler: handler)
  }

  /// Continues with another publisher if this one fails, or fails with an error that the closure throws.
  ///
  /// ```swift
  /// struct Refused: Error {}
  /// marbles(failure: Refused()) {
  ///   "a--b--#"
  ///   $0[0].tryCatch { _ -> Just<String> in throw Refused() }
  ///   "a--b--#"
  /// }
  /// ```
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
  /// When this publisher fails, the operator requests its outstanding demand from the other publisher.
  ///
  /// - Parameter handler: A closure that receives the error and returns the publisher to continue with, or throws.
  /// - Returns: A publisher of the elements of this publisher and then of the other. It fails if the other fails or the
  ///   closure throws.
  @inlinable
  public func tryCatch<P: Publisher>(_ handler: @escaping (Failure) throws -> P) -> Publishers.TryCatch<Self, P>
  where Output == P.Output {
    Publishers.TryCatch(upstream: self, handler: handler)
  }
}

extension Publishers {

  /// A publisher that continues with another one if its upstream fails.
  public struct Catch<Upstream: Publisher, NewPublisher: Publisher>: Publisher
  where Upstream.Output == NewPublisher.Output {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = NewPublisher.Failure

    /// The publisher whose elements are published first.
    public let upstream: Upstream

    /// A closure that receives the error and returns the publisher to continue with.
    public let handler: (Upstream.Failure) -> NewPublisher

    /// Creates a publisher that continues with another one if the first fails.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are published first.
    ///   - handler: A closure that receives the error and returns the publisher to continue with.
    @inlinable
    public init(upstream: Upstream, handler: @escaping (Upstream.Failure) -> NewPublisher) {
      self.upstream = upstream
      self.handler = handler
    }

    /// Subscribes `subscriber` to the upstream and, if that fails, to the other publisher.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let conduit = Conduits.Catch(description: "Catch", downstream: subscriber, handler: handler) { error, conduit in
        // This handler throws nothing.
        guard let successor = try? conduit.handler(error) else { return }
        successor.subscribeLater(Conduits.SecondConstituent(of: conduit) { $0.receive(completion: $1) })
      }
      upstream.subscribeConduit(Conduits.FirstConstituent(of: conduit))
    }
  }

  /// A publisher that continues with another one if its upstream fails, or fails with an error that a closure throws.
  public struct TryCatch<Upstream: Publisher, NewPublisher: Publisher>: Publisher
  where Upstream.Output == NewPublisher.Output {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with: any error, the other publisher's or one that the closure
    /// throws.
    public typealias Failure = any Error

    /// The publisher whose elements are published first.
    public let upstream: Upstream

    /// A closure that receives the error and returns the publisher to continue with, or throws.
    public let handler: (Upstream.Failure) throws -> NewPublisher

    /// Creates a publisher that continues with another one if the first fails.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are published first.
    ///   - handler: A closure that receives the error and returns the publisher to continue with, or throws.
    @inlinable
    public init(upstream: Upstream, handler: @escaping (Upstream.Failure) throws -> NewPublisher) {
      self.upstream = upstream
      self.handler = handler
    }

    /// Subscribes `subscriber` to the upstream and, if that fails, to the other publisher.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      let conduit = Conduits.Catch(description: "TryCatch", downstream: subscriber, handler: handler) {
        error,
        conduit in
        do {
          try conduit.handler(error).subscribeLater(
            Conduits.SecondConstituent(of: conduit) { downstream, completion in
              downstream.receive(completion: completion.mapFailure { $0 })
            }
          )
        } catch {
          conduit.failReplacing(with: error)
        }
      }
      upstream.subscribeConduit(Conduits.FirstConstituent(of: conduit))
    }
  }
}

// MARK: Conduits

/// The part of a catch that is not generic.
///
/// The downstream may cancel between the two publishers, for example in the handler. The conduit then cancels the
/// subscription of the second publisher as soon as it arrives.
@usableFromInline
class CatchConduit: SuccessionConduit {

  @usableFromInline
  final let description: String

  @usableFromInline
  final let end = EndThread()

  @usableFromInline
  init(description: String) {
    self.description = description
    super.init()
  }

  /// Handles the failure of the original publisher.
  ///
  /// - Returns: Whether the caller must call the handler.
  @usableFromInline
  final func leaveOriginal() -> Bool {
    // The subscription of the original is released outside the lock.
    switch step({ $0.leaveFirst() }) {
    case .left: true
    case .ended: false
    case .outOfTurn: Misuse.trap(description, .failureOutOfTurn)
    }
  }

  /// Ends the conduit because the handler has thrown.
  ///
  /// - Returns: Whether the caller must notify the downstream.
  @usableFromInline
  final func failReplacing() -> Bool {
    step { state in
      let isReplacing = state.mirror == .between
      _ = state.end()
      return isReplacing
    }
  }

  @usableFromInline
  override final func cancel() {
    cancel { state in
      let subscription = state.mirror == .between ? state.end() : state.disconnect()
      if subscription != nil { end.note() }
      return subscription
    }
  }

  @usableFromInline
  override final func request(_ more: Subscribers.Demand) {
    more.assertNonZero(description)
    super.request(more)
  }
}

extension Conduits {

  /// The downstream's subscription to a catch, to which both publishers send.
  @usableFromInline
  final class Catch<OriginalFailure: Error, NewPublisher: Publisher, Downstream: Subscriber>: CatchConduit,
    SuccessionParent
  {

    @usableFromInline
    typealias FirstFailure = OriginalFailure

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let handler: (OriginalFailure) throws -> NewPublisher

    /// A function that calls the handler and subscribes to the publisher that it returns. It captures nothing.
    @usableFromInline
    let replace: (OriginalFailure, Catch) -> Void

    @inlinable
    init(
      description: String,
      downstream: Downstream,
      handler: @escaping (OriginalFailure) throws -> NewPublisher,
      replace: @escaping (OriginalFailure, Catch) -> Void
    ) {
      self.downstream = downstream
      self.handler = handler
      self.replace = replace
      super.init(description: description)
    }

    /// Receives an element of the original publisher.
    ///
    /// It is delivered in every state. After a cancellation, it is delivered only on the thread that has cancelled.
    @inlinable
    func receiveFirst(_ input: Downstream.Input) -> Subscribers.Demand {
      let phase = phase
      guard demand.take() else { return receiveFirstUnrequested(input, in: phase) }
      let more = gate.pass(input, to: downstream, unless: end.isElsewhere) { completeIfDue() }
      if more != .none { addReturned(more, since: phase) }
      return more
    }

    /// Handles an element beyond the demand.
    ///
    /// It is passed on if a publisher of this package has marked it as unrequested.
    @usableFromInline
    func receiveFirstUnrequested(_ input: Downstream.Input, in phase: SuccessionMachine.Phase) -> Subscribers.Demand {
      if !UnrequestedDelivery.isCurrent { Misuse.trap(description, .valueBeyondDemand) }
      // A first publisher that sends elements after its completion is invalid. Those elements are dropped.
      guard phase == .first else { return .none }
      unrequested.note()
      let more = gate.pass(input, to: downstream, unless: end.isElsewhere) { completeIfDue() }.afterUnrequestedValue
      if more != .none { addReturned(more, since: phase) }
      return more
    }

    @inlinable
    func receiveSecond(_ input: Downstream.Input) -> Subscribers.Demand {
      // Without the closure of `mark`, which would capture its variables in a debug build.
      let outer = unrequested.begin()
      let more = gate.pass(input, to: downstream, unless: end.isElsewhere) { completeIfDue() }
      UnrequestedDelivery.end(outer)
      return more
    }

    @inlinable
    func receiveFirst(completion: Subscribers.Completion<OriginalFailure>) {
      switch completion {
      case .finished:
        if endFirst() { complete(.finished) }
      case .failure(let error):
        if leaveOriginal() { replace(error, self) }
      }
    }

    @usableFromInline
    func failReplacing(with error: Downstream.Failure) {
      if failReplacing() { complete(.failure(error)) }
    }

    // Apart, as a debug build looks up all types of a function at its beginning.
    @inlinable
    @inline(never)
    func complete(_ completion: @autoclosure () -> Subscribers.Completion<Downstream.Failure>) {
      let completion = completion()
      complete(downstream, with: completion)
    }

    @usableFromInline
    var reflectedChildren: KeyValuePairs<String, Any> { ["downstream": downstream, "demand": demand.value] }
  }
}
