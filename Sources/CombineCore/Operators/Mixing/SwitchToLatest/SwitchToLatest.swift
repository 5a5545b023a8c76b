extension Publisher where Output: Publisher, Output.Failure == Failure {

  /// Passes on the values of the latest publisher that the upstream has sent.
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
  /// - Returns: A publisher of the latest publisher's values; a new one cancels the one before, and is asked for the
  ///   demand that is left. It finishes when the upstream and the latest publisher have, and fails with either.
  @inlinable
  public func switchToLatest() -> Publishers.SwitchToLatest<Output, Self> {
    Publishers.SwitchToLatest(upstream: self)
  }
}

extension Publisher where Output: Publisher, Failure == Never {

  /// Passes on the values of the latest publisher that the upstream, which cannot fail, has sent.
  ///
  /// - Returns: A publisher of the latest publisher's values, which fails when that one does.
  @inlinable
  public func switchToLatest()
    -> Publishers.SwitchToLatest<Output, Publishers.SetFailureType<Self, Output.Failure>>
  {
    Publishers.SwitchToLatest(upstream: Publishers.SetFailureType(upstream: self))
  }
}

extension Publisher where Output: Publisher, Failure == Never, Output.Failure == Never {

  /// Passes on the values of the latest publisher that the upstream has sent. Nothing can fail.
  ///
  /// - Returns: A publisher of the latest publisher's values.
  @inlinable
  public func switchToLatest() -> Publishers.SwitchToLatest<Output, Self> {
    Publishers.SwitchToLatest(upstream: self)
  }
}

extension Publisher where Output: Publisher, Output.Failure == Never {

  /// Passes on the values of the latest publisher, which cannot fail, that the upstream has sent.
  ///
  /// - Returns: A publisher of the latest publisher's values, which fails when the upstream does.
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

  /// A publisher that passes on the values of the latest publisher that its upstream has sent.
  public struct SwitchToLatest<P: Publisher, Upstream: Publisher>: Publisher
  where P == Upstream.Output, P.Failure == Upstream.Failure {

    /// The kind of values: that of the publishers that the upstream sends.
    public typealias Output = P.Output

    /// The kind of errors: that of the upstream and of the publishers that it sends.
    public typealias Failure = P.Failure

    /// The publisher of publishers.
    public let upstream: Upstream

    /// Creates a publisher that passes on the values of the latest publisher that another one has sent.
    ///
    /// - Parameter upstream: The publisher of publishers.
    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    /// Attaches a subscriber: it gets its subscription, and then the upstream is subscribed to.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let conduit = Conduits.SwitchToLatest<P, S>(downstream: subscriber)
      subscriber.receive(subscription: conduit)
      upstream.attach(conduit)
    }
  }
}

extension Publishers.SwitchToLatest: Sendable where Upstream: Sendable {}
