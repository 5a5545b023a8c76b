extension Result {

  /// A publisher of this result: its value, or its failure.
  ///
  /// ```swift
  /// marbles { _ in
  ///   Result<String, MarbleError>.success("a").publisher
  ///   "(a|)"
  /// }
  /// marbles { _ in
  ///   Result<String, MarbleError>.failure(MarbleError()).publisher
  ///   "#"
  /// }
  /// ```
  ///
  /// ```swift
  /// struct NotANumber: Error {}
  /// let parsed = Int("42").map(Result.success) ?? .failure(NotANumber())
  /// let cancellable = parsed.publisher.sink(
  ///   receiveCompletion: { print($0) },
  ///   receiveValue: { print($0) }  // prints 42, finished
  /// )
  /// ```
  @inlinable
  public var publisher: Publisher { Publisher(self) }

  /// A publisher that sends the value of a result and then finishes, or fails with its error.
  ///
  /// The value waits for demand, and `.finished` follows it immediately. A failure needs no demand.
  public struct Publisher: CombineCore.Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Success

    /// The result that each subscriber receives.
    public let result: Result<Success, Failure>

    /// Creates a publisher of a result.
    ///
    /// - Parameter result: The result that each subscriber receives.
    @inlinable
    public init(_ result: Result<Success, Failure>) {
      self.result = result
    }

    /// Creates a publisher of a success.
    ///
    /// - Parameter output: The value that each subscriber receives.
    @inlinable
    public init(_ output: Success) {
      self.init(.success(output))
    }

    /// Creates a publisher of a failure.
    ///
    /// - Parameter failure: The error that each subscriber receives.
    @inlinable
    public init(_ failure: Failure) {
      self.init(.failure(failure))
    }

    /// Subscribes `subscriber`, which receives the value and `.finished` at its first request.
    ///
    /// If the result is a failure, the subscriber receives it immediately.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      switch result {
      case .success(let output):
        SingleValueSource.result.send(output, to: subscriber)
      case .failure(let error):
        subscriber.receive(subscription: Subscriptions.empty)
        subscriber.receive(completion: .failure(error))
      }
    }
  }
}

extension Result.Publisher: Equatable where Success: Equatable, Failure: Equatable {}

extension Result.Publisher: Sendable where Success: Sendable {}
