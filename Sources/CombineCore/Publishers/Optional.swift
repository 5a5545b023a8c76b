extension Optional {

  /// A publisher of this optional's value, if there is one.
  ///
  /// ```swift
  /// marbles { _ in
  ///   Optional("a").publisher
  ///   "(a|)"
  /// }
  /// marbles { _ in
  ///   String?.none.publisher
  ///   "|"
  /// }
  /// ```
  ///
  /// ```swift
  /// let cancellable = Int("42").publisher.sink { print($0) }  // prints 42
  /// ```
  ///
  /// A client may declare a property of this name itself, as code for early versions of Combine does. That property is
  /// preferred.
  @inlinable
  @_disfavoredOverload
  public var publisher: Publisher { Publisher(self) }

  /// A publisher that sends the value of an optional, if there is one, and then finishes.
  ///
  /// The value waits for demand, and `.finished` follows it immediately. Without a value, `.finished` needs no demand.
  public struct Publisher: CombineCore.Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Wrapped

    /// The kind of errors this publisher can fail with: none.
    public typealias Failure = Never

    /// The value that the publisher sends, if any.
    public let output: Wrapped?

    /// Creates a publisher of an optional's value.
    ///
    /// - Parameter output: The value. With `nil`, the publisher finishes immediately.
    @inlinable
    public init(_ output: Wrapped?) {
      self.output = output
    }

    /// Subscribes `subscriber`, which receives the value and `.finished` at its first request.
    ///
    /// Without a value it receives `.finished` immediately.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
      if let output {
        SingleValueSource.optional.send(output, to: subscriber)
      } else {
        subscriber.receive(subscription: Subscriptions.empty)
        subscriber.receive(completion: .finished)
      }
    }
  }
}

extension Optional.Publisher: Equatable where Wrapped: Equatable {}

extension Optional.Publisher: Sendable where Wrapped: Sendable {}
