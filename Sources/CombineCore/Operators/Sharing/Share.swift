extension Publisher {

  /// Shares one subscription to this publisher among all subscribers.
  ///
  /// ```swift
  /// marbles {
  ///   "--a-----b-----|"
  ///   let shared = $0.cold(0).share()
  ///   shared.merge(with: shared)
  ///   "--(aa)--(bb)--|"
  ///   "^"
  /// }
  /// ```
  ///
  /// ```swift
  /// let numbers = PassthroughSubject<Int, Never>()
  /// let shared = numbers
  ///   .handleEvents(receiveSubscription: { _ in print("subscribed") })  // printed once
  ///   .share()
  /// let first = shared.sink { print("first", $0) }
  /// let second = shared.sink { print("second", $0) }
  /// numbers.send(1)  // both print 1
  /// ```
  ///
  /// It subscribes when the first subscriber attaches and cancels when the last one does, and asks for everything as
  /// soon as any subscriber has asked for something. A subscriber misses what is sent before it attaches, and what
  /// exceeds its demand. It is ``multicast(_:)`` through a ``PassthroughSubject``, followed by
  /// ``ConnectablePublisher/autoconnect()``.
  ///
  /// - Returns: A publisher, of class type, that all subscribers share.
  @inlinable
  public func share() -> Publishers.Share<Self> {
    Publishers.Share(upstream: self)
  }
}

extension Publishers {

  /// A publisher that shares one subscription to its upstream among its subscribers.
  public final class Share<Upstream: Publisher>: Publisher, Equatable {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that is shared.
    public let upstream: Upstream

    @usableFromInline
    let shared: Autoconnect<Multicast<Upstream, PassthroughSubject<Output, Failure>>>

    /// Creates a publisher that shares one subscription to another one.
    ///
    /// - Parameter upstream: The publisher to share.
    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
      shared = upstream.multicast(subject: PassthroughSubject()).autoconnect()
    }

    /// Attaches a subscriber; the first one makes it subscribe to the upstream.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      shared.attach(subscriber)
    }

    /// Whether both are one object.
    public static func == (lhs: Share, rhs: Share) -> Bool {
      lhs === rhs
    }
  }
}

// The count, the connection and the subject guard themselves; a share makes its subject itself.
extension Publishers.Share: @unchecked Sendable where Upstream: Sendable, Upstream.Output: Sendable {}
