extension Publisher where Failure == Never {

  /// Makes this publisher wait until a client connects it.
  ///
  /// ```swift
  /// marbles {
  ///   "a--b--|"
  ///   $0[0].assertNoFailure().makeConnectable().autoconnect()  // Which connects for its first subscriber.
  ///   "a--b--|"
  /// }
  /// ```
  ///
  /// ```swift
  /// let numbers = [1, 2].publisher.makeConnectable()
  /// let first = numbers.sink { print("first", $0) }
  /// let second = numbers.sink { print("second", $0) }
  /// let connection = numbers.connect()
  /// // prints first 1, second 1, first 2, second 2
  /// ```
  ///
  /// It is a ``Publishers/Multicast`` through a ``PassthroughSubject``.
  ///
  /// - Returns: A publisher of the same elements that sends nothing before it is connected.
  @inlinable
  public func makeConnectable() -> Publishers.MakeConnectable<Self> {
    Publishers.MakeConnectable(upstream: self)
  }
}

extension Publishers {

  /// A publisher that sends nothing before it is connected.
  ///
  /// Its copies share their subscribers and connections.
  public struct MakeConnectable<Upstream: Publisher>: ConnectablePublisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    @usableFromInline
    let multicast: Multicast<Upstream, PassthroughSubject<Output, Failure>>

    /// Creates a publisher that makes another one wait until it is connected.
    ///
    /// - Parameter upstream: The publisher that waits for the connection.
    @inlinable
    public init(upstream: Upstream) {
      multicast = upstream.multicast(subject: PassthroughSubject())
    }

    /// Subscribes `subscriber`, without an effect on the upstream.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      multicast.subscribeConduit(subscriber)
    }

    /// Subscribes to the upstream, for all subscribers.
    ///
    /// - Returns: A cancellable. Cancelling or releasing it ends this connection. The subscribers stay subscribed.
    @inlinable
    @inline(__always)
    public func connect() -> any Cancellable {
      multicast.connect()
    }
  }
}

// The multicast and its subject are thread-safe. The closure that returns the subject captures nothing else.
extension Publishers.MakeConnectable: @unchecked Sendable where Upstream: Sendable, Upstream.Output: Sendable {}

extension Publishers.MakeConnectable: CompletionReporting {

  func hasCompleted(_ connection: any Cancellable) -> Bool { multicast.hasCompleted(connection) }
}
