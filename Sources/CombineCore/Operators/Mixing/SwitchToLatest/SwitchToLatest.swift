// Code for early versions of Combine, or for OpenCombine, declares some of these itself. Disfavoring all of them alike
// prefers the client's own, and leaves the choice among these as it is.
extension Publisher where Output: Publisher, Output.Failure == Failure {

  /// Publishes the elements of the latest publisher that the upstream has sent.
  ///
  /// A new inner publisher cancels the previous one, and receives the outstanding demand. The result finishes once the
  /// upstream and the latest inner publisher have finished. It fails if either fails.
  ///
  /// ```swift
  /// marbles {
  ///   "-x-----y---|"
  ///   "--a-b-c-d-e-|"
  ///   "---1-2-3-4-5-|"
  ///   $0[0, values: ["x": $0[1], "y": $0[2]]].switchToLatest()
  ///   "--a-b-c3-4-5-|"
  ///   "^"
  ///   "-^-----!"
  ///   "-------^"
  /// }
  /// ```
  ///
  /// ```swift
  /// let searches = PassthroughSubject<Just<String>, Never>()
  /// let cancellable = searches.switchToLatest().sink { print($0) }
  /// searches.send(Just("combine"))  // prints combine
  /// ```
  ///
  /// - Returns: A publisher of the latest inner publisher's elements.
  @_disfavoredOverload
  @inlinable
  public func switchToLatest() -> Publishers.SwitchToLatest<Output, Self> {
    Publishers.SwitchToLatest(upstream: self)
  }
}

extension Publisher where Output: Publisher, Failure == Never {

  /// Publishes the elements of the latest publisher that the upstream has sent.
  ///
  /// The upstream cannot fail.
  ///
  /// ```swift
  /// marbles {
  ///   "x---y----|"
  ///   "-a-b-c|"
  ///   "-1-#"
  ///   $0[0, values: ["x": $0.cold(1), "y": $0.cold(2)]].assertNoFailure().switchToLatest()
  ///   "-a-b-1-#"
  ///   "^------!"
  ///   "^---!"
  /// }
  /// ```
  ///
  /// - Returns: A publisher of the latest inner publisher's elements. It fails if that publisher fails.
  @_disfavoredOverload
  @inlinable
  public func switchToLatest()
    -> Publishers.SwitchToLatest<Output, Publishers.SetFailureType<Self, Output.Failure>>
  {
    Publishers.SwitchToLatest(upstream: Publishers.SetFailureType(upstream: self))
  }
}

extension Publisher where Output: Publisher, Failure == Never, Output.Failure == Never {

  /// Publishes the elements of the latest publisher that the upstream has sent.
  ///
  /// None of the publishers can fail.
  ///
  /// ```swift
  /// marbles {
  ///   "a---b---|"
  ///   "-1-2-3|"
  ///   $0[0].assertNoFailure()
  ///     .map { [inner = $0.cold(1).assertNoFailure()] _ in inner }
  ///     .switchToLatest()
  ///   "-1-2-1-2-3|"
  /// }
  /// ```
  ///
  /// - Returns: A publisher of the latest inner publisher's elements.
  @_disfavoredOverload
  @inlinable
  public func switchToLatest() -> Publishers.SwitchToLatest<Output, Self> {
    Publishers.SwitchToLatest(upstream: self)
  }
}

extension Publisher where Output: Publisher, Output.Failure == Never {

  /// Publishes the elements of the latest publisher that the upstream has sent.
  ///
  /// That publisher cannot fail.
  ///
  /// ```swift
  /// marbles {
  ///   "a---b-#"
  ///   "-1-2-3|"
  ///   $0[0].map { [inner = $0.cold(1).assertNoFailure()] _ in inner }
  ///     .switchToLatest()
  ///   "-1-2-1#"
  /// }
  /// ```
  ///
  /// - Returns: A publisher of the latest inner publisher's elements. It fails if the upstream fails.
  @_disfavoredOverload
  @inlinable
  public func switchToLatest()
    -> Publishers.SwitchToLatest<
      Publishers.SetFailureType<Output, Failure>, Publishers.Map<Self, Publishers.SetFailureType<Output, Failure>>
    >
  {
    Publishers.SwitchToLatest(
      upstream: Publishers.Map(upstream: self) { Publishers.SetFailureType(upstream: $0) }
    )
  }
}

extension Publishers {

  /// A publisher that publishes the elements of the latest publisher that its upstream has sent.
  public struct SwitchToLatest<P: Publisher, Upstream: Publisher>: Publisher
  where P == Upstream.Output, P.Failure == Upstream.Failure {

    /// The kind of values this publisher publishes.
    public typealias Output = P.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = P.Failure

    /// The publisher of inner publishers.
    public let upstream: Upstream

    /// Creates a publisher that publishes the elements of the latest publisher that another one has sent.
    ///
    /// - Parameter upstream: The publisher of inner publishers.
    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    /// Subscribes to the upstream, after `subscriber` has received its subscription.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let conduit = Conduits.SwitchToLatest<P, S>(downstream: subscriber)
      subscriber.receive(subscription: conduit)
      upstream.subscribeConduit(conduit)
    }
  }
}

extension Publishers.SwitchToLatest: Sendable where Upstream: Sendable {}
