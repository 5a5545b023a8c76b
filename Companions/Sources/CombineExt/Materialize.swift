import CombineExtras

extension Publisher {

  /// Publishes each event of this publisher as a value, and then finishes.
  ///
  /// The value for the completion needs demand like any other.
  ///
  /// - Returns: A publisher of ``Event`` values.
  public func materialize() -> Publishers.Materialize<Self> {
    Publishers.Materialize(upstream: self)
  }
}

extension Publisher where Output: EventConvertible, Failure == Never {

  /// Turns the values that `materialize()` publishes into the events that they describe.
  ///
  /// - Returns: A publisher of the events.
  public func dematerialize() -> Publishers.Dematerialize<Self> {
    Publishers.Dematerialize(upstream: self)
  }

  /// Publishes the values among the events, without the errors.
  ///
  /// - Returns: A publisher of the values.
  public func values() -> AnyPublisher<Output.Output, Never> {
    compactMap { if case .value(let value) = $0.event { value } else { nil } }.eraseToAnyPublisher()
  }

  /// Publishes the errors among the events.
  ///
  /// - Returns: A publisher of the errors.
  public func failures() -> AnyPublisher<Output.Failure, Never> {
    compactMap { if case .failure(let error) = $0.event { error } else { nil } }.eraseToAnyPublisher()
  }
}

extension Publishers {

  /// A publisher of the events of its upstream as values.
  public struct Materialize<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Event<Upstream.Output, Upstream.Failure>

    /// The kind of errors this publisher can fail with: none.
    public typealias Failure = Never

    private let upstream: Upstream

    /// Creates a publisher of the events of another publisher.
    ///
    /// - Parameter upstream: The publisher whose events are described.
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Event<Upstream.Output, Upstream.Failure>, S.Failure == Never {
      let signals = ExtraPublishers.MaterializedSignals(
        upstream: upstream,
        subscription: nil,
        input: { Event<Upstream.Output, Upstream.Failure>.value($0) },
        completion: { Event($0) }
      )
      signals.receive(subscriber: subscriber)
    }
  }

  /// A publisher of the events that the values of its upstream describe.
  public struct Dematerialize<Upstream: Publisher>: Publisher where Upstream.Output: EventConvertible {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Output.Failure

    private let upstream: Upstream

    /// Creates a publisher of the events that the values of another publisher describe.
    ///
    /// - Parameter upstream: The publisher of the descriptions. If it fails, the process ends.
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Upstream.Output.Output, S.Failure == Upstream.Output.Failure {
      let events = ExtraPublishers.DematerializedSignals(upstream: upstream.assertNoFailure("Dematerialize")) {
        switch $0.event {
        case .value(let value): Signal<Output, Failure>.input(value)
        case .failure(let error): .completion(.failure(error))
        case .finished: .completion(.finished)
        }
      }
      events.receive(subscriber: subscriber)
    }
  }
}
