extension Publisher {

  /// Continues with another publisher when this one fails.
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

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = NewPublisher.Failure

    /// The publisher whose elements are published first.
    public let upstream: Upstream

    /// Makes the publisher to continue with, of the error.
    public let handler: (Upstream.Failure) -> NewPublisher

    /// Creates a publisher that continues with another one when the first fails.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are published first.
    ///   - handler: Makes the publisher to continue with, of the error.
    @inlinable
    public init(upstream: Upstream, handler: @escaping (Upstream.Failure) -> NewPublisher) {
      self.upstream = upstream
      self.handler = handler
    }

    /// Subscribes `subscriber` to the upstream and, if that fails, to the other publisher.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let handler = handler
      let conduit = Conduits.Catch<Upstream.Failure, S>(description: "Catch", downstream: subscriber) {
        error,
        conduit in
        handler(error).attach(Conduits.SecondSide(of: conduit) { $0 })
      }
      upstream.attach(Conduits.FirstSide(of: conduit))
    }
  }

  /// A publisher that continues with another one when its upstream fails, or fails with an error that a closure throws.
  public struct TryCatch<Upstream: Publisher, NewPublisher: Publisher>: Publisher
  where Upstream.Output == NewPublisher.Output {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with: any error, the other publisher's or one that the closure
    /// throws.
    public typealias Failure = any Error

    /// The publisher whose elements are published first.
    public let upstream: Upstream

    /// Makes the publisher to continue with, of the error, or throws.
    public let handler: (Upstream.Failure) throws -> NewPublisher

    /// Creates a publisher that continues with another one when the first fails.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are published first.
    ///   - handler: Makes the publisher to continue with, of the error, or throws.
    @inlinable
    public init(upstream: Upstream, handler: @escaping (Upstream.Failure) throws -> NewPublisher) {
      self.upstream = upstream
      self.handler = handler
    }

    /// Subscribes `subscriber` to the upstream and, if that fails, to the other publisher.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      let handler = handler
      let conduit = Conduits.Catch<Upstream.Failure, S>(description: "TryCatch", downstream: subscriber) {
        error,
        conduit in
        try handler(error).attach(Conduits.SecondSide(of: conduit) { $0 })
      }
      upstream.attach(Conduits.FirstSide(of: conduit))
    }
  }
}

// MARK: Conduits

/// The half of a catch that knows no types. A cancel between the two publishers, from inside the handler for example,
/// cancels the subscription of the second as soon as it arrives.
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

  /// Takes the original's failure.
  ///
  /// - Returns: Whether the handler is to be called.
  @usableFromInline
  final func leaveOriginal() -> Bool {
    // The subscription of the original is released with the lock free.
    switch step({ $0.leaveFirst() }) {
    case .left: true
    case .ended: false
    case .outOfTurn: Misuse.trap(description, .failureOutOfTurn)
    }
  }

  /// Ends all, as the handler has thrown.
  ///
  /// - Returns: Whether the downstream is to be told.
  @usableFromInline
  final func failReplacing() -> Bool {
    step { state in
      let isReplacing = state.phase == .between
      _ = state.end()
      return isReplacing
    }
  }

  @usableFromInline
  override final func cancel() {
    let subscription = step { state in
      let subscription = state.phase == .between ? state.end() : state.disconnect()
      if subscription != nil { end.note() }
      return subscription
    }
    subscription?.cancel()
  }

  @usableFromInline
  override final func request(_ more: Subscribers.Demand) {
    more.assertNonZero(description)
    super.request(more)
  }
}

extension Conduits {

  /// What the downstream of a catch holds on to, and what both of its publishers send to.
  @usableFromInline
  final class Catch<OriginalFailure: Error, Downstream: Subscriber>: CatchConduit, SuccessionParent {

    @usableFromInline
    typealias FirstFailure = OriginalFailure

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

    /// A value of the original, delivered in every state but, after a cancel, from another thread.
    @inlinable
    func receiveFirst(_ input: Downstream.Input) -> Subscribers.Demand {
      let phase = phase
      guard demand.take() else { return receiveFirstUnasked(input, in: phase) }
      guard !end.isElsewhere else { return .none }
      let more = downstream.receive(input)
      if more != .none { addReturned(more, since: phase) }
      return more
    }

    /// A value beyond the demand: passed on if it comes from a publisher of ours that may send it.
    @inlinable
    @inline(never)
    func receiveFirstUnasked(_ input: Downstream.Input, in phase: SuccessionState.Phase) -> Subscribers.Demand {
      if !UnaskedDelivery.isCurrent { Misuse.trap(description, .valueBeyondDemand) }
      // A first publisher that sends after its end is mistaken; what it sends then is dropped.
      guard phase == .first, !end.isElsewhere else { return .none }
      let more = downstream.receive(input).afterUnaskedValue
      if more != .none { addReturned(more, since: phase) }
      return more
    }

    @inlinable
    func receiveSecond(_ input: Downstream.Input) -> Subscribers.Demand {
      end.isElsewhere ? .none : downstream.receive(input)
    }

    @inlinable
    func receiveFirst(completion: Subscribers.Completion<OriginalFailure>) {
      switch completion {
      case .finished:
        if endFirst() { downstream.receive(completion: .finished) }
      case .failure(let error):
        guard leaveOriginal() else { return }
        do {
          try replace(error, self)
        } catch {
          if failReplacing() { downstream.receive(completion: .failure(error)) }
        }
      }
    }

    @usableFromInline
    var reflectedChildren: KeyValuePairs<String, Any> { ["downstream": downstream, "demand": demand.value] }
  }
}
