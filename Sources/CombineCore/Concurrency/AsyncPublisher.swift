extension Publisher where Failure == Never {

  /// The values of this publisher as an asynchronous sequence.
  ///
  /// ```swift
  /// func total(of prices: some Publisher<Int, Never>) async -> Int {
  ///   var sum = 0
  ///   for await price in prices.values { sum += price }
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
  public var values: AsyncPublisher<Self> { AsyncPublisher(self) }
}

/// An asynchronous sequence of the values of a publisher that cannot fail.
///
/// Each iterator is a subscription of its own. It ends when the publisher finishes, and cancels the subscription when
/// it is released, as on leaving a loop early, or when a task that waits in it is cancelled.
public struct AsyncPublisher<P: Publisher>: AsyncSequence where P.Failure == Never {

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

    /// The iteration cannot fail.
    public typealias Failure = Never

    @usableFromInline
    let iteration: AsyncIteration<P.Output, Never>

    @inlinable
    init(iteration: AsyncIteration<P.Output, Never>) {
      self.iteration = iteration
    }

    /// Asks the publisher for a value and waits for it.
    ///
    /// Where several tasks wait, in copies of one iterator, each value goes to the one that has waited longest. If one
    /// of these tasks is cancelled, the subscription is, and the wait is over for all.
    ///
    /// - Returns: The value; `nil` once the publisher has finished or the task is cancelled.
    // Code that could call either is better off on its own actor.
    @_disfavoredOverload
    @inlinable
    public mutating func next() async -> P.Output? {
      await next(isolation: nil)
    }

    /// Asks the publisher for a value and waits for it, without leaving the caller's actor.
    ///
    /// It is what a loop calls, and what `next()` means where it is called directly. As the value does not leave the
    /// actor, it need not be `Sendable`; and the publisher is asked on that actor.
    ///
    /// - Parameter actor: The actor of the caller.
    /// - Returns: The value; `nil` once the publisher has finished or the task is cancelled.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> P.Output? {
      await iteration.next(isolation: actor)
    }
  }
}

extension AsyncPublisher: Sendable where P: Sendable {}

// The subscription is made by the publisher and used by whoever iterates, so it takes that both may change threads.
extension AsyncPublisher.Iterator: Sendable where P: Sendable, P.Output: Sendable {}
