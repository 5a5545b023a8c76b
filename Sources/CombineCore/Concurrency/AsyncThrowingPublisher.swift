// Code for early versions of Combine, or for OpenCombine, may declare this itself. The client's own is preferred.
extension Publisher {

  /// The elements of this publisher, as an asynchronous sequence that throws the publisher's failure.
  ///
  /// ```swift
  /// func total(of prices: some Publisher<Int, any Error>) async throws -> Int {
  ///   var sum = 0
  ///   for try await price in prices.values { sum += price }
  ///   return sum
  /// }
  /// ```
  ///
  /// The loop requests one element at a time, when it is ready for it. Nothing is buffered. Elements that the publisher
  /// drops for lack of demand are lost, as those of a ``PassthroughSubject`` while the loop's body runs.
  ///
  /// A few publishers send elements that were not requested, for example ``ObservableObjectPublisher``. The sequence
  /// keeps those elements, in order, until the loop is ready. It keeps only one announcement of an
  /// ``ObservableObjectPublisher``.
  @_disfavoredOverload
  @inlinable
  public var values: AsyncThrowingPublisher<Self> { AsyncThrowingPublisher(self) }
}

/// An asynchronous sequence of the elements of a publisher, which throws the publisher's failure.
///
/// Each iterator has its own subscription. It ends when the publisher completes. Releasing the iterator cancels the
/// subscription, for example when a loop is left early. So does cancelling a task that waits for an element.
public struct AsyncThrowingPublisher<P: Publisher>: AsyncSequence {

  /// The type of the elements: the publisher's `Output`.
  public typealias Element = P.Output

  /// The type of the iterators.
  public typealias AsyncIterator = Iterator

  @usableFromInline
  let publisher: P

  /// Creates an asynchronous sequence of the elements of a publisher.
  ///
  /// - Parameter publisher: The publisher.
  @inlinable
  public init(_ publisher: P) {
    self.publisher = publisher
  }

  /// Subscribes to the publisher immediately, without requesting elements yet.
  ///
  /// - Returns: An iterator over the elements of this subscription.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(iteration: AsyncIteration(publisher))
  }

  /// An iterator over the elements of one subscription.
  ///
  /// Its copies share that subscription.
  public struct Iterator: AsyncIteratorProtocol {

    /// The type of the elements: the publisher's `Output`.
    public typealias Element = P.Output

    /// The kind of errors that the iteration can throw: any error, as with `throws`.
    ///
    /// It throws the publisher's failure.
    public typealias Failure = any Error

    @usableFromInline
    let iteration: AsyncIteration<P.Output, P.Failure>

    @inlinable
    init(iteration: AsyncIteration<P.Output, P.Failure>) {
      self.iteration = iteration
    }

    /// Requests one element from the publisher and waits for it.
    ///
    /// Several tasks may wait, in copies of one iterator. Each element goes to the task that has waited longest.
    /// Cancelling one of these tasks cancels the subscription, and ends the wait for all of them.
    ///
    /// - Returns: The element, or `nil` once the publisher has finished, its failure was thrown, or the task is
    ///   cancelled.
    /// - Throws: The failure of the publisher, once. The task that has waited longest throws it, or else the next call.
    // Code that can call either overload does better to stay on its own actor.
    @_disfavoredOverload
    @inlinable
    public mutating func next() async throws -> P.Output? {
      try await next(isolation: nil)
    }

    /// Requests one element from the publisher and waits for it, without leaving the caller's actor.
    ///
    /// A `for await` loop calls this method, and so does a direct call of `next()`. The element does not leave the
    /// actor, so it need not be `Sendable`. The request is made on that actor.
    ///
    /// - Parameter actor: The caller's actor.
    /// - Returns: The element, or `nil` once the publisher has finished, its failure was thrown, or the task is
    ///   cancelled.
    /// - Throws: The failure of the publisher, once. The task that has waited longest throws it, or else the next call.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> P.Output? {
      try await iteration.next(isolation: actor)
    }
  }
}

extension AsyncThrowingPublisher: Sendable where P: Sendable {}

// The publisher makes the subscription and the iterating task uses it, so it is sendable if both the publisher and its
// elements are.
extension AsyncThrowingPublisher.Iterator: Sendable where P: Sendable, P.Output: Sendable {}
