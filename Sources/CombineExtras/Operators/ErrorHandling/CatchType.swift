import CombineCore

extension Publisher {

  /// Continues with another publisher after an error of one type. Other errors are passed on.
  ///
  /// After such a failure, the operator requests the outstanding demand from the publisher that `handler` returns.
  ///
  /// ```swift
  /// marbles { test in
  ///   "a--b--#"
  ///   test[0].catch(MarbleError.self) { _ in Just("z").setFailureType(to: MarbleError.self) }
  ///   "a--b--(z|)"
  /// }
  /// ```
  ///
  /// ```swift
  /// struct NotFound: Error {}
  /// let cancellable = Fail<String, any Error>(error: NotFound())
  ///   .catch(NotFound.self) { _ in Just("placeholder").setFailureType(to: (any Error).self) }
  ///   .sink(receiveCompletion: { _ in }, receiveValue: { print($0) })  // prints placeholder
  /// ```
  ///
  /// - Parameters:
  ///   - type: The type of the errors to catch.
  ///   - handler: A closure that returns the publisher to continue with.
  /// - Returns: A publisher of this publisher's elements, and then those of the other one.
  @inlinable
  public func `catch`<CaughtError, NewPublisher: Publisher>(
    _ type: CaughtError.Type,
    _ handler: @escaping (CaughtError) -> NewPublisher
  ) -> ExtraPublishers.CatchType<Self, CaughtError, NewPublisher>
  where NewPublisher.Output == Output, NewPublisher.Failure == Failure {
    ExtraPublishers.CatchType(upstream: self, handler: handler)
  }

  /// Continues with another publisher after any error.
  ///
  /// After the failure, the operator requests the outstanding demand from `fallback`. It is
  /// `catch { _ in fallback }`. The expression is evaluated after the failure only.
  ///
  /// ```swift
  /// marbles {
  ///   "a--b--#"
  ///   "x--y---z|"
  ///   $0[0].fallback(to: $0[1])
  ///   "a--b---z|"
  /// }
  /// ```
  ///
  /// ```swift
  /// let cancellable = Fail<String, URLError>(error: URLError(.timedOut))
  ///   .fallback(to: Just("cached"))
  ///   .sink { print($0) }  // prints cached
  /// ```
  ///
  /// - Parameter fallback: The publisher to continue with. Its failure is the failure of the result.
  /// - Returns: A publisher of this publisher's elements, and then those of the other one.
  @inlinable
  public func fallback<NewPublisher: Publisher>(
    to fallback: @autoclosure @escaping () -> NewPublisher
  ) -> Publishers.Catch<Self, NewPublisher> where NewPublisher.Output == Output {
    self.catch { _ in fallback() }
  }
}

extension ExtraPublishers {

  /// A publisher that continues with another publisher after an error of one type.
  public struct CatchType<Upstream: Publisher, CaughtError, NewPublisher: Publisher>: Publisher
  where NewPublisher.Output == Upstream.Output, NewPublisher.Failure == Upstream.Failure {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose failure is caught.
    public let upstream: Upstream

    /// A closure that returns the publisher to continue with.
    public let handler: (CaughtError) -> NewPublisher

    /// Creates a publisher that continues with another publisher after an error of one type.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose failure is caught.
    ///   - handler: A closure that returns the publisher to continue with.
    @inlinable
    public init(upstream: Upstream, handler: @escaping (CaughtError) -> NewPublisher) {
      self.upstream = upstream
      self.handler = handler
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream
        .catch { [handler] error -> EitherPublisher<NewPublisher, Fail<Output, Failure>> in
          if let caught = error as? CaughtError { .first(handler(caught)) } else { .second(Fail(error: error)) }
        }
        .subscribeConduit(subscriber)
    }
  }
}
