import CombineCore

extension Publisher {

  /// Subscribes to this publisher again each time it finishes, up to a number of subscriptions.
  ///
  /// The next subscription begins at once, with or without demand. Demand that is not served yet is requested from it.
  /// A failure is passed on, and ends the repetition. With a publisher that finishes without an element, an endless
  /// repetition never ends and publishes nothing. If such a publisher also finishes at once, the subscribing call
  /// returns only after a cancellation.
  ///
  /// ```swift
  /// marbles {
  ///   "--a--|"
  ///   $0.cold(0).repeat(2)
  ///   "--a----a--|"
  ///   "^----^"
  /// }
  /// ```
  ///
  /// ```swift
  /// let cancellable = [1, 2].publisher
  ///   .repeat(2)
  ///   .sink { print($0) }  // prints 1, 2, 1, 2
  /// ```
  ///
  /// - Parameter count: The number of subscriptions to this publisher. `nil` means no limit. With zero or less, the
  ///   publisher finishes without a subscription.
  /// - Returns: A publisher of the elements of each subscription, one after the other.
  @inlinable
  public func `repeat`(_ count: Int? = nil) -> ExtraPublishers.Repeat<Self> {
    ExtraPublishers.Repeat(upstream: self, count: count)
  }
}

extension ExtraPublishers {

  /// A publisher that subscribes to its upstream again each time it finishes.
  public struct Repeat<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that is subscribed to again.
    public let upstream: Upstream

    /// The number of subscriptions to the upstream. `nil` means no limit.
    public let count: Int?

    /// Creates a publisher that subscribes to another publisher again each time it finishes.
    ///
    /// - Parameters:
    ///   - upstream: The publisher that is subscribed to again.
    ///   - count: The number of subscriptions. `nil` means no limit.
    @inlinable
    public init(upstream: Upstream, count: Int?) {
      self.upstream = upstream
      self.count = count
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      var remaining = count.map { Swift.max($0, 0) }
      if remaining == 0 { return Empty().subscribeConduit(subscriber) }
      let operation = ResubscribingConduit<S>.Operation(
        subscribe: { [upstream] in upstream.subscribeLater($0) },
        decide: { completion, _ in
          guard case .finished = completion else { return .complete }
          remaining = remaining.map { $0 - 1 }
          return remaining == 0 ? .complete : .now
        }
      )
      ResubscribingConduit(downstream: subscriber, name: "Repeat", operation: operation).start()
    }
  }
}

extension ExtraPublishers.Repeat: Equatable where Upstream: Equatable {}

extension ExtraPublishers.Repeat: Sendable where Upstream: Sendable {}
