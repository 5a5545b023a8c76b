extension Optional {

  /// A publisher of the value of this optional, or of nothing.
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
  /// A property of this name that a client declares itself, as code for early versions of Combine does, is preferred.
  @inlinable
  @_disfavoredOverload
  public var publisher: Publisher { Publisher(self) }

  /// A publisher that sends the value of an optional, if there is one, and finishes.
  ///
  /// The value, with `.finished` right after it, waits for demand; `.finished` alone does not.
  public struct Publisher: CombineCore.Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Wrapped

    /// An optional cannot fail.
    public typealias Failure = Never

    /// The value that is sent, if any.
    public let output: Wrapped?

    /// Creates a publisher of an optional's value.
    ///
    /// - Parameter output: The value; `nil` for a publisher that finishes at once.
    @inlinable
    public init(_ output: Wrapped?) {
      self.output = output
    }

    /// Attaches a subscriber, which gets the value and `.finished` when it first asks for something; without a value,
    /// `.finished` at once.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
      if let output {
        Conduits.SingleValue.send(output, of: .optional, to: subscriber)
      } else {
        subscriber.receive(subscription: Subscriptions.empty)
        subscriber.receive(completion: .finished)
      }
    }
  }
}

extension Optional.Publisher: Equatable where Wrapped: Equatable {}

extension Optional.Publisher: Sendable where Wrapped: Sendable {}
