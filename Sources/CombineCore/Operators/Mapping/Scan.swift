extension Publisher {

  /// Combines each element with the result so far, and publishes every new result.
  ///
  /// It publishes one result for each element. Demand, completion and subscription pass through unchanged.
  ///
  /// ```swift
  /// marbles(of: Int.self) {
  ///   "1--2--3--|"
  ///   $0[0].scan(0) { $0 + $1 }
  ///   "1--3--6--|"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - initialResult: The result before the first element. It is not published itself.
  ///   - nextPartialResult: A closure that combines the result so far with an element.
  /// - Returns: A publisher of the results.
  @inlinable
  public func scan<T>(
    _ initialResult: T,
    _ nextPartialResult: @escaping (T, Output) -> T
  ) -> Publishers.Scan<Self, T> {
    Publishers.Scan(upstream: self, initialResult: initialResult, nextPartialResult: nextPartialResult)
  }

  /// Combines each element with the result so far, with a closure that may throw, and publishes every new result.
  ///
  /// It publishes one result for each element. If the closure throws, the operator cancels the upstream and fails with
  /// that error.
  ///
  /// ```swift
  /// struct Overdrawn: Error {}
  /// marbles(of: Int.self, failure: Overdrawn()) {
  ///   "2--4--5--1--|"
  ///   $0[0].tryScan(9) { balance, payment in
  ///     guard payment <= balance else { throw Overdrawn() }
  ///     return balance - payment
  ///   }
  ///   "7--3--#"
  ///   "^-----!"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - initialResult: The result before the first element. It is not published itself.
  ///   - nextPartialResult: A closure that combines the result so far with an element, or throws.
  /// - Returns: A publisher of the results.
  @inlinable
  public func tryScan<T>(
    _ initialResult: T,
    _ nextPartialResult: @escaping (T, Output) throws -> T
  ) -> Publishers.TryScan<Self, T> {
    Publishers.TryScan(upstream: self, initialResult: initialResult, nextPartialResult: nextPartialResult)
  }
}

extension Publishers {

  /// A publisher that combines each element of its upstream with the result so far.
  public struct Scan<Upstream: Publisher, Output>: Publisher {

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are combined.
    public let upstream: Upstream

    /// The result before the first element.
    public let initialResult: Output

    /// A closure that combines the result so far with an element.
    public let nextPartialResult: (Output, Upstream.Output) -> Output

    /// Creates a publisher that combines each element of another publisher with the result so far.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are combined.
    ///   - initialResult: The result before the first element.
    ///   - nextPartialResult: A closure that combines the result so far with an element.
    @inlinable
    public init(
      upstream: Upstream,
      initialResult: Output,
      nextPartialResult: @escaping (Output, Upstream.Output) -> Output
    ) {
      self.upstream = upstream
      self.initialResult = initialResult
      self.nextPartialResult = nextPartialResult
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    ///
    /// Each subscription starts from the initial result.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribeConduit(
        Conduits.Scan(downstream: subscriber, initialResult: initialResult, nextPartialResult: nextPartialResult)
      )
    }
  }

  /// A publisher that combines each element of its upstream with the result so far, with a closure that may throw.
  public struct TryScan<Upstream: Publisher, Output>: Publisher {

    /// The kind of errors this publisher can fail with: any error, the upstream's or one that the closure throws.
    public typealias Failure = any Error

    /// The publisher whose elements are combined.
    public let upstream: Upstream

    /// The result before the first element.
    public let initialResult: Output

    /// A closure that combines the result so far with an element, or throws.
    public let nextPartialResult: (Output, Upstream.Output) throws -> Output

    /// Creates a publisher that combines each element of another publisher with the result so far.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are combined.
    ///   - initialResult: The result before the first element.
    ///   - nextPartialResult: A closure that combines the result so far with an element, or throws.
    @inlinable
    public init(
      upstream: Upstream,
      initialResult: Output,
      nextPartialResult: @escaping (Output, Upstream.Output) throws -> Output
    ) {
      self.upstream = upstream
      self.initialResult = initialResult
      self.nextPartialResult = nextPartialResult
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    ///
    /// Each subscription starts from the initial result.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      upstream.subscribeConduit(
        Conduits.TryScan<Upstream.Output, Upstream.Failure, S>(
          downstream: subscriber,
          initialResult: initialResult,
          nextPartialResult: nextPartialResult
        )
      )
    }
  }
}

// MARK: Conduits

extension Conduits {

  /// This is a class only because the result changes. The subscription passes through, and nothing needs a lock.
  @usableFromInline
  final class Scan<Input, Downstream: Subscriber>: TransparentConduit {

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let nextPartialResult: (Downstream.Input, Input) -> Downstream.Input

    // An upstream sends one element at a time. No access is in progress while the closure or the downstream runs.
    @exclusivity(unchecked)
    @usableFromInline
    var result: Downstream.Input

    @inlinable
    init(
      downstream: Downstream,
      initialResult: Downstream.Input,
      nextPartialResult: @escaping (Downstream.Input, Input) -> Downstream.Input
    ) {
      self.downstream = downstream
      self.result = initialResult
      self.nextPartialResult = nextPartialResult
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      let next = nextPartialResult(result, input)
      result = next
      return downstream.receive(next)
    }

    @usableFromInline
    var description: String { "Scan" }

    @usableFromInline
    var reflectedChildren: KeyValuePairs<String, Any> { ["downstream": downstream, "result": result] }
  }

  @usableFromInline
  final class TryScan<Input, Failure: Error, Downstream: Subscriber>: Conduit, RequestPassingConduit
  where Downstream.Failure == any Error {

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let nextPartialResult: (Downstream.Input, Input) throws -> Downstream.Input

    // An upstream sends one element at a time. No access is in progress while the closure or the downstream runs.
    @exclusivity(unchecked)
    @usableFromInline
    var result: Downstream.Input

    @inlinable
    init(
      downstream: Downstream,
      initialResult: Downstream.Input,
      nextPartialResult: @escaping (Downstream.Input, Input) throws -> Downstream.Input
    ) {
      self.downstream = downstream
      self.result = initialResult
      self.nextPartialResult = nextPartialResult
    }

    // The state is not checked. An element that an invalid upstream sends late is combined and delivered, too. Only an
    // error is not delivered again.
    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      do {
        let next = try nextPartialResult(result, input)
        result = next
        return downstream.receive(next)
      } catch {
        fail(with: error)
        return .none
      }
    }

    // The conduit stays subscribed, as in Combine. A cancellation after the completion still reaches the upstream.
    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      guard phase == .subscribed else { return }
      downstream.receive(completion: completion.erasingFailure())
    }

    @usableFromInline
    var description: String { "TryScan" }

    @usableFromInline
    var reflectedChildren: KeyValuePairs<String, Any> {
      ["downstream": downstream, "status": reflectedPhase, "result": result]
    }
  }
}
