extension Publisher {

  /// Stops the process if the publisher fails.
  ///
  /// Use it where a failure would be a programming error.
  ///
  /// Demand and subscription pass through unchanged.
  ///
  /// ```swift
  /// marbles {
  ///   "a--b--|"
  ///   $0[0].assertNoFailure()  // A # would stop the process.
  ///   "a--b--|"
  /// }
  /// ```
  ///
  /// ```swift
  /// let cancellable = ["1", "2"].publisher
  ///   .tryMap { text -> Int in
  ///     guard let number = Int(text) else { throw CancellationError() }
  ///     return number
  ///   }
  ///   .assertNoFailure("the texts are numbers")
  ///   .sink { print($0) }  // prints 1, 2
  /// ```
  ///
  /// - Parameters:
  ///   - prefix: The text at the beginning of the message.
  ///   - file: The file that the message names.
  ///   - line: The line that the message names.
  /// - Returns: A publisher of the same elements that cannot fail.
  @inlinable
  public func assertNoFailure(
    _ prefix: String = "",
    file: StaticString = #file,
    line: UInt = #line
  ) -> Publishers.AssertNoFailure<Self> {
    Publishers.AssertNoFailure(upstream: self, prefix: prefix, file: file, line: line)
  }
}

extension Publishers {

  /// A publisher that stops the process if its upstream fails.
  public struct AssertNoFailure<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with: none, because a failure stops the process.
    public typealias Failure = Never

    /// The publisher that must not fail.
    public let upstream: Upstream

    /// The text at the beginning of the message.
    public let prefix: String

    /// The file that the message names.
    public let file: StaticString

    /// The line that the message names.
    public let line: UInt

    /// Creates a publisher that stops the process if another publisher fails.
    ///
    /// - Parameters:
    ///   - upstream: The publisher that must not fail.
    ///   - prefix: The text at the beginning of the message.
    ///   - file: The file that the message names.
    ///   - line: The line that the message names.
    @inlinable
    public init(upstream: Upstream, prefix: String, file: StaticString, line: UInt) {
      self.upstream = upstream
      self.prefix = prefix
      self.file = file
      self.line = line
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
      upstream.subscribeConduit(
        Conduits.AssertNoFailure<Upstream.Failure, S>(downstream: subscriber, prefix: prefix, file: file, line: line)
      )
    }
  }
}

extension Publishers.AssertNoFailure: Sendable where Upstream: Sendable {}

// MARK: Conduit

extension Conduits {

  @usableFromInline
  struct AssertNoFailure<Failure: Error, Downstream: Subscriber>: TransparentConduit
  where Downstream.Failure == Never {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let prefix: String

    @usableFromInline
    let file: StaticString

    @usableFromInline
    let line: UInt

    @usableFromInline
    let combineIdentifier: CombineIdentifier

    @inlinable
    init(downstream: Downstream, prefix: String, file: StaticString, line: UInt) {
      combineIdentifier = CombineIdentifier()
      self.downstream = downstream
      self.prefix = prefix
      self.file = file
      self.line = line
    }

    @usableFromInline
    func receive(completion: Subscribers.Completion<Failure>) {
      switch completion {
      case .finished:
        downstream.receive(completion: .finished)
      case .failure(let error):
        fatalError("\(prefix.isEmpty ? "" : prefix + ": ")\(error)", file: file, line: line)
      }
    }

    @usableFromInline
    var description: String { "AssertNoFailure" }

    @usableFromInline
    var reflectedChildren: KeyValuePairs<String, Any> { ["file": file, "line": line, "prefix": prefix] }
  }
}
