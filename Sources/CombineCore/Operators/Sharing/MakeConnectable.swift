extension Publisher where Failure == Never {

  /// Holds this publisher back until it is told to connect.
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
  /// let connection = numbers.connect()  // now both print 1 and 2
  /// ```
  ///
  /// It is a ``Publishers/Multicast`` through a ``PassthroughSubject``.
  ///
  /// - Returns: A publisher of the same values that sends nothing before it is connected.
  @inlinable
  public func makeConnectable() -> Publishers.MakeConnectable<Self> {
    Publishers.MakeConnectable(upstream: self)
  }
}

extension Publishers {

  /// A publisher that sends nothing before it is connected. Its copies share their subscribers and connections.
  public struct MakeConnectable<Upstream: Publisher>: ConnectablePublisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    @usableFromInline
    let multicast: Multicast<Upstream, PassthroughSubject<Output, Failure>>

    /// Creates a publisher that holds another one back until it is connected.
    ///
    /// - Parameter upstream: The publisher to hold back.
    @inlinable
    public init(upstream: Upstream) {
      multicast = upstream.multicast(subject: PassthroughSubject())
    }

    /// Attaches a subscriber. Nothing happens upstream.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      multicast.attach(subscriber)
    }

    /// Subscribes to the upstream, for all subscribers.
    ///
    /// - Returns: A cancellable; cancelling or dropping it ends this connection. The subscribers stay attached.
    @inlinable
    @inline(__always)
    public func connect() -> any Cancellable {
      multicast.connect()
    }
  }
}

// The multicast and its subject guard themselves; the closure that hands the subject out captures nothing else.
extension Publishers.MakeConnectable: @unchecked Sendable where Upstream: Sendable, Upstream.Output: Sendable {}
