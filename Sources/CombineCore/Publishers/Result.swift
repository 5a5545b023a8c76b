extension Result {

  /// A publisher of the value of this result, or of its failure.
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
  ///   receiveValue: { print($0) }  // prints 42
  /// )
  /// ```
  @inlinable
  public var publisher: Publisher { Publisher(self) }

  /// A publisher that sends the value of a result and finishes, or fails with its failure.
  ///
  /// The value, with `.finished` right after it, waits for demand; a failure does not.
  public struct Publisher: CombineCore.Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Success

    /// What each subscriber gets.
    public let result: Result<Success, Failure>

    /// Creates a publisher of a result.
    ///
    /// - Parameter result: What each subscriber gets.
    @inlinable
    public init(_ result: Result<Success, Failure>) {
      self.result = result
    }

    /// Creates a publisher of a success.
    ///
    /// - Parameter output: The value that each subscriber gets.
    @inlinable
    public init(_ output: Success) {
      self.init(.success(output))
    }

    /// Creates a publisher of a failure.
    ///
    /// - Parameter failure: The error that each subscriber gets.
    @inlinable
    public init(_ failure: Failure) {
      self.init(.failure(failure))
    }

    /// Attaches a subscriber, which gets the value and `.finished` when it first asks for something; or the failure
    /// at once.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      switch result {
      case .success(let output):
        Conduits.SingleValue.send(output, of: .result, to: subscriber)
      case .failure(let error):
        subscriber.receive(subscription: Subscriptions.empty)
        subscriber.receive(completion: .failure(error))
      }
    }
  }
}

extension Result.Publisher: Equatable where Success: Equatable, Failure: Equatable {}

extension Result.Publisher: Sendable where Success: Sendable {}
