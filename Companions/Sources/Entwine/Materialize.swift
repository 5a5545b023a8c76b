import CombineExtras

extension Publisher {

  /// Publishes each event of this publisher as a signal, and then finishes.
  ///
  /// The first signal is `.subscription`. Each signal needs demand.
  ///
  /// - Returns: A publisher of signals.
  public func materialize() -> Publishers.Materialize<Self> {
    Publishers.Materialize(upstream: self)
  }
}

extension Publisher where Output: SignalConvertible, Failure == Never {

  /// Turns signals into the events that they describe.
  ///
  /// The publisher fails with `.outOfSequence` if the first signal is not `.subscription`, or if a later one is.
  ///
  /// - Returns: A publisher of the events.
  public func dematerialize() -> Publishers.Dematerialize<Self> {
    Publishers.Dematerialize(upstream: self)
  }
}

extension Publisher where Failure: DematerializationErrorConvertible {

  /// Replaces each error by the error of the source.
  ///
  /// A signal out of sequence ends the process.
  ///
  /// - Returns: A publisher that fails with the errors of the source.
  public func assertNoDematerializationFailure() -> Publishers.MapError<Self, Failure.SourceError> {
    mapError { error in
      switch error.dematerializationError {
      case .sourceError(let error): error
      case .outOfSequence: preconditionFailure("dematerialize: a signal is out of sequence.")
      }
    }
  }
}

/// An error of `dematerialize()`.
public enum DematerializationError<SourceError: Error>: Error {

  /// A signal came where the order of events does not allow it.
  case outOfSequence

  /// The source has failed.
  case sourceError(SourceError)
}

extension DematerializationError: Equatable where SourceError: Equatable {}

/// A type whose values describe an error of `dematerialize()`.
public protocol DematerializationErrorConvertible {

  /// The kind of errors of the source.
  associatedtype SourceError: Error

  /// The error that this value describes.
  var dematerializationError: DematerializationError<SourceError> { get }
}

extension DematerializationError: DematerializationErrorConvertible {

  /// This error.
  public var dematerializationError: DematerializationError<SourceError> { self }
}

extension Publishers {

  /// A publisher of the events of its upstream as signals.
  public struct Materialize<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Signal<Upstream.Output, Upstream.Failure>

    /// The kind of errors this publisher can fail with: none.
    public typealias Failure = Never

    let upstream: Upstream

    /// Subscribes `subscriber` to the upstream through this operator.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Signal<Upstream.Output, Upstream.Failure>, S.Failure == Never {
      let signals: ExtraPublishers.MaterializedSignals<Upstream, Output> = ExtraPublishers.MaterializedSignals(
        upstream: upstream,
        subscription: .subscription,
        input: { .input($0) },
        completion: { .completion($0) }
      )
      signals.receive(subscriber: subscriber)
    }
  }

  /// A publisher of the events that the signals of its upstream describe.
  public struct Dematerialize<Upstream: Publisher>: Publisher
  where Upstream.Output: SignalConvertible, Upstream.Failure == Never {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output.Input

    /// The kind of errors this publisher can fail with.
    public typealias Failure = DematerializationError<Upstream.Output.Failure>

    let upstream: Upstream

    /// Subscribes `subscriber` to the upstream through this operator.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Upstream.Output.Input, S.Failure == DematerializationError<Upstream.Output.Failure> {
      let events = ExtraPublishers.DematerializedSignals(upstream: upstream, outOfSequence: Failure.outOfSequence) {
        $0.signal.mapFailure { Failure.sourceError($0) }
      }
      events.receive(subscriber: subscriber)
    }
  }
}
