extension Publisher where Failure == Never {

  /// Changes the failure type of a publisher that cannot fail, so that it matches publishers that can.
  ///
  /// Demand and subscription pass through unchanged.
  ///
  /// ```swift
  /// marbles {
  ///   "a-----b--|"
  ///   "--c-#"
  ///   $0[0].assertNoFailure().setFailureType(to: MarbleError.self).merge(with: $0[1])
  ///   "a-c-#"
  /// }
  /// ```
  ///
  /// ```swift
  /// struct Refused: Error {}
  /// let publisher = [1, 2].publisher.setFailureType(to: Refused.self)  // its failure type is Refused
  /// let cancellable = publisher.sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
  /// ```
  ///
  /// - Parameter failureType: The new failure type.
  /// - Returns: A publisher of the same elements, which never fails.
  @inlinable
  public func setFailureType<E: Error>(to failureType: E.Type) -> Publishers.SetFailureType<Self, E> {
    Publishers.SetFailureType(upstream: self)
  }
}

extension Publishers {

  /// A publisher with a new failure type.
  ///
  /// It never fails, because its upstream cannot fail.
  public struct SetFailureType<Upstream: Publisher, Failure: Error>: Publisher where Upstream.Failure == Never {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The publisher that cannot fail.
    public let upstream: Upstream

    /// Creates a publisher with a new failure type.
    ///
    /// - Parameter upstream: The publisher that cannot fail.
    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    /// Subscribes `subscriber` to the upstream.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribeConduit(Conduits.SetFailureType(downstream: subscriber))
    }
  }
}

extension Publishers.SetFailureType: Equatable where Upstream: Equatable {}

extension Publishers.SetFailureType: Sendable where Upstream: Sendable {}

// MARK: Fusing

extension Publishers.SetFailureType {

  /// Replaces the failure type with another one.
  ///
  /// The result is one publisher over the same upstream.
  ///
  /// ```swift
  /// struct Refused: Error {}
  /// struct Lost: Error {}
  /// let numbers = PassthroughSubject<Int, Never>()
  /// let refusing = numbers.setFailureType(to: Refused.self)
  /// let losing = refusing.setFailureType(to: Lost.self)
  /// ```
  ///
  /// - Parameter failure: The new failure type.
  /// - Returns: A publisher of the same elements, which never fails.
  @inlinable
  public func setFailureType<E: Error>(to failure: E.Type) -> Publishers.SetFailureType<Upstream, E> {
    Publishers.SetFailureType<Upstream, E>(upstream: upstream)
  }
}

// MARK: Conduit

extension Conduits {

  @usableFromInline
  struct SetFailureType<Downstream: Subscriber>: TransparentConduit {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    typealias Failure = Never

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let combineIdentifier: CombineIdentifier

    @inlinable
    init(downstream: Downstream) {
      combineIdentifier = CombineIdentifier()
      self.downstream = downstream
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Never>) {
      downstream.receive(completion: .finished)
    }

    @usableFromInline
    var description: String { "SetFailureType" }
  }
}
