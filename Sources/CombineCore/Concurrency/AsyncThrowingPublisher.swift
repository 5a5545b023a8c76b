extension Publisher {

  /// The values of this publisher as an asynchronous sequence, which throws the publisher's failure.
  ///
  /// ```swift
  /// func total(of prices: some Publisher<Int, any Error>) async throws -> Int {
  ///   var sum = 0
  ///   for try await price in prices.values { sum += price }
  ///   return sum
  /// }
  /// ```
  ///
  /// The loop asks the publisher for one value at a time, when it is ready for it. Nothing is buffered: what the
  /// publisher drops for lack of demand, as a ``PassthroughSubject`` does while the loop's body runs, is lost.
  ///
  /// A few publishers send values that were not requested, for example ``ObservableObjectPublisher``. The sequence keeps
  /// those values, in order, until the loop is ready. It keeps a single announcement of an ``ObservableObjectPublisher``.
  @inlinable
  public var values: AsyncThrowingPublisher<Self> { AsyncThrowingPublisher(self) }
}

/// An asynchronous sequence of the values of a publisher, which throws the publisher's failure.
///
/// Each iterator is a subscription of its own. It ends when the publisher completes, and cancels the subscription when
/// it is released, as on leaving a loop early, or when a task that waits in it is cancelled.
public struct AsyncThrowingPublisher<P: Publisher>: AsyncSequence {

  /// The type of the elements: the publisher's `Output`.
  public typealias Element = P.Output

  /// The kind of iterators.
  public typealias AsyncIterator = Iterator

  @usableFromInline
  let publisher: P

  /// Creates an asynchronous sequence of the values of a publisher.
  ///
  /// - Parameter publisher: The publisher.
  @inlinable
  public init(_ publisher: P) {
    self.publisher = publisher
  }

  /// Subscribes to the publisher, at once, without asking it for anything yet.
  ///
  /// - Returns: An iterator over what this subscription brings.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(iteration: AsyncIteration(publisher))
  }

  /// An iterator over the values that one subscription brings. Its copies share that subscription.
  public struct Iterator: AsyncIteratorProtocol {

    /// The type of the elements: the publisher's `Output`.
    public typealias Element = P.Output

    /// Any error, as with `throws`; what is thrown is the publisher's failure.
    public typealias Failure = any Error

    @usableFromInline
    let iteration: AsyncIteration<P.Output, P.Failure>

    @inlinable
    init(iteration: AsyncIteration<P.Output, P.Failure>) {
      self.iteration = iteration
    }

    /// Asks the publisher for a value and waits for it.
    ///
    /// Where several tasks wait, in copies of one iterator, each value goes to the one that has waited longest. If one
    /// of these tasks is cancelled, the subscription is, and the wait is over for all.
    ///
    /// - Returns: The value; `nil` once the publisher has finished, its failure was thrown, or the task is cancelled.
    /// - Throws: The failure of the publisher, once: to the task that has waited longest, or to the next to ask.
    // Code that could call either is better off on its own actor.
    @_disfavoredOverload
    @inlinable
    public mutating func next() async throws -> P.Output? {
      try await next(isolation: nil)
    }

    /// Asks the publisher for a value and waits for it, without leaving the caller's actor.
    ///
    /// It is what a loop calls, and what `next()` means where it is called directly. As the value does not leave the
    /// actor, it need not be `Sendable`; and the publisher is asked on that actor.
    ///
    /// - Parameter actor: The actor of the caller.
    /// - Returns: The value; `nil` once the publisher has finished, its failure was thrown, or the task is cancelled.
    /// - Throws: The failure of the publisher, once: to the task that has waited longest, or to the next to ask.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> P.Output? {
      try await iteration.next(isolation: actor)
    }
  }
}

extension AsyncThrowingPublisher: Sendable where P: Sendable {}

// The subscription is made by the publisher and used by whoever iterates, so it takes that both may change threads.
extension AsyncThrowingPublisher.Iterator: Sendable where P: Sendable, P.Output: Sendable {}
