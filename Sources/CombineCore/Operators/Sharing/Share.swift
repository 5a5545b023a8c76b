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
  ///   .handleEvents(receiveSubscription: { _ in print("subscribed") })
  ///   .share()
  /// let first = shared.sink { print("first", $0) }  // prints subscribed
  /// let second = shared.sink { print("second", $0) }
  /// numbers.send(1)  // prints first 1, second 1
  /// ```
  ///
  /// The operator subscribes to this publisher when the first subscriber subscribes, and cancels when the last one
  /// cancels. It requests unlimited demand as soon as any subscriber has requested something.
  ///
  /// A subscriber misses elements that are sent before it subscribes, and elements that exceed its demand.
  ///
  /// The operator is ``multicast(_:)`` through a ``PassthroughSubject``, followed by
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

    /// Creates a publisher that shares one subscription to another publisher.
    ///
    /// - Parameter upstream: The publisher that is shared.
    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
      shared = upstream.multicast(subject: PassthroughSubject()).autoconnect()
    }

    /// Subscribes `subscriber`, and with the first one also to the upstream.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      shared.subscribeConduit(subscriber)
    }

    /// Returns whether both references are to the same object.
    public static func == (lhs: Share, rhs: Share) -> Bool {
      lhs === rhs
    }
  }
}

// The count, the connection and the subject are thread-safe. A share creates its subject itself.
extension Publishers.Share: @unchecked Sendable where Upstream: Sendable, Upstream.Output: Sendable {}
