import CombineThreads

extension Publisher {

  /// Publishes the given elements after this publisher has finished.
  ///
  /// ```swift
  /// marbles {
  ///   "a--b--|"
  ///   $0[0].append("x", "y")
  ///   "a--b--(xy|)"
  /// }
  /// ```
  ///
  /// If this publisher fails, the elements are not published.
  ///
  /// - Parameter elements: The elements to publish last. There may be none.
  /// - Returns: A publisher of the elements of this publisher, and then of the given ones. Outstanding demand carries
  ///   over.
  @inlinable
  public func append(_ elements: Output...) -> Publishers.Concatenate<Self, Publishers.Sequence<[Output], Failure>> {
    append(elements)
  }

  /// Publishes the elements of a sequence after this publisher has finished.
  ///
  /// ```swift
  /// marbles(of: Int.self) {
  ///   "1--2--|"
  ///   $0[0].append(stride(from: 4, to: 8, by: 2))
  ///   "1--2--(46|)"
  /// }
  /// ```
  ///
  /// If this publisher fails, those elements are not published. The operator iterates over the sequence only after this
  /// publisher has finished.
  ///
  /// - Parameter elements: The elements to publish last.
  /// - Returns: A publisher of the elements of this publisher, and then of the sequence. Outstanding demand carries
  ///   over.
  @inlinable
  public func append<S: Sequence>(
    _ elements: S
  ) -> Publishers.Concatenate<Self, Publishers.Sequence<S, Failure>> where Output == S.Element {
    append(Publishers.Sequence(sequence: elements))
  }

  /// Continues with another publisher after this one has finished.
  ///
  /// ```swift
  /// marbles {
  ///   "a--b--|"
  ///   "--x--y|"
  ///   $0[0].append($0.cold(1))
  ///   "a--b----x--y|"
  ///   "^"
  ///   "------^"
  /// }
  /// ```
  ///
  /// ```swift
  /// let cached = Just("cached")
  /// let fetched = Just("fetched")
  /// let cancellable = cached
  ///   .append(fetched)
  ///   .sink { print($0) }  // prints cached, fetched
  /// ```
  ///
  /// The operator subscribes to the other publisher when this one has finished. If this one fails, it never does. It
  /// requests the outstanding demand from the other publisher.
  ///
  /// - Parameter publisher: The publisher to continue with.
  /// - Returns: A publisher of the elements of this publisher, and then of the other.
  @inlinable
  public func append<P: Publisher>(_ publisher: P) -> Publishers.Concatenate<Self, P>
  where Failure == P.Failure, Output == P.Output {
    Publishers.Concatenate(prefix: self, suffix: publisher)
  }

  /// Publishes the given elements before those of this publisher.
  ///
  /// ```swift
  /// marbles {
  ///   "-----a--b--|"
  ///   $0[0].prepend("x", "y")
  ///   "(xy)-a--b--|"
  /// }
  /// ```
  ///
  /// - Parameter elements: The elements to publish first. There may be none.
  /// - Returns: A publisher of the given elements, and then of those of this publisher, which is subscribed to once all
  ///   given elements were requested. Outstanding demand carries over.
  @inlinable
  public func prepend(_ elements: Output...) -> Publishers.Concatenate<Publishers.Sequence<[Output], Failure>, Self> {
    prepend(elements)
  }

  /// Publishes the elements of a sequence before those of this publisher.
  ///
  /// ```swift
  /// marbles(of: Int.self) {
  ///   "-----3--4--|"
  ///   $0[0].prepend(1...2)
  ///   "(12)-3--4--|"
  /// }
  /// ```
  ///
  /// - Parameter elements: The elements to publish first.
  /// - Returns: A publisher of the elements of the sequence, and then of this publisher, which is subscribed to once
  ///   all of the sequence's elements were requested. Outstanding demand carries over.
  @inlinable
  public func prepend<S: Sequence>(
    _ elements: S
  ) -> Publishers.Concatenate<Publishers.Sequence<S, Failure>, Self> where Output == S.Element {
    prepend(Publishers.Sequence(sequence: elements))
  }

  /// Begins with another publisher, and continues with this one after the other has finished.
  ///
  /// ```swift
  /// marbles {
  ///   "a--b--|"
  ///   "--x--y|"
  ///   $0.cold(0).prepend($0.cold(1))
  ///   "--x--ya--b--|"
  ///   "------^"
  ///   "^"
  /// }
  /// ```
  ///
  /// ```swift
  /// let cancellable = Just("fetched")
  ///   .prepend(Just("cached"))
  ///   .sink { print($0) }  // prints cached, fetched
  /// ```
  ///
  /// The operator subscribes to this publisher when the other has finished. If the other fails, it never does. It
  /// requests the outstanding demand from this publisher.
  ///
  /// - Parameter publisher: The publisher to begin with.
  /// - Returns: A publisher of the elements of the other publisher, and then of this one.
  @inlinable
  public func prepend<P: Publisher>(_ publisher: P) -> Publishers.Concatenate<P, Self>
  where Failure == P.Failure, Output == P.Output {
    Publishers.Concatenate(prefix: publisher, suffix: self)
  }
}

extension Publishers {

  /// A publisher of the elements of one publisher and, after that has finished, of another.
  public struct Concatenate<Prefix: Publisher, Suffix: Publisher>: Publisher
  where Prefix.Failure == Suffix.Failure, Prefix.Output == Suffix.Output {

    /// The kind of values this publisher publishes.
    public typealias Output = Suffix.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Suffix.Failure

    /// The publisher whose elements are published first.
    public let prefix: Prefix

    /// The publisher whose elements follow when the first has finished.
    public let suffix: Suffix

    /// Creates a publisher of the elements of two publishers, one after the other.
    ///
    /// - Parameters:
    ///   - prefix: The publisher whose elements are published first.
    ///   - suffix: The publisher whose elements follow when the first has finished.
    @inlinable
    public init(prefix: Prefix, suffix: Suffix) {
      self.prefix = prefix
      self.suffix = suffix
    }

    /// Subscribes `subscriber` to the prefix and, once that has finished, to the suffix.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let suffix = suffix
      let conduit = Conduits.Concatenate(downstream: subscriber) { conduit in
        suffix.subscribeLater(Conduits.SecondConstituent(of: conduit) { $0.receive(completion: $1) })
      }
      prefix.subscribeConduit(Conduits.FirstConstituent(of: conduit))
    }
  }
}

extension Publishers.Concatenate: Equatable where Prefix: Equatable, Suffix: Equatable {}

extension Publishers.Concatenate: Sendable where Prefix: Sendable, Suffix: Sendable {}

// MARK: Conduits

extension Conduits {

  /// The subscription of a concatenation, to which both publishers send.
  @usableFromInline
  final class Concatenate<Downstream: Subscriber>: SuccessionConduit, SuccessionParent {

    @usableFromInline
    typealias FirstFailure = Downstream.Failure

    @usableFromInline
    let downstream: Downstream

    /// A closure that subscribes to the suffix, and holds it until a cancel. Used only in a step of the machine.
    @exclusivity(unchecked)
    private var subscribeToSuffix: ((Concatenate<Downstream>) -> Void)?

    @usableFromInline
    init(downstream: Downstream, subscribeToSuffix: @escaping (Concatenate<Downstream>) -> Void) {
      self.downstream = downstream
      self.subscribeToSuffix = subscribeToSuffix
      super.init()
    }

    @inlinable
    func receiveFirst(_ input: Downstream.Input) -> Subscribers.Demand {
      guard phase == .first else { return .none }
      guard demand.take() else { return receiveFirstUnrequested(input) }
      let more = gate.pass(input, to: downstream, unless: phase != .first) { completeIfDue() }
      if more != .none { addReturned(more, since: .first) }
      return more
    }

    /// Takes a value beyond the demand. It is delivered if a publisher of this package may send it, else dropped.
    @usableFromInline
    func receiveFirstUnrequested(_ input: Downstream.Input) -> Subscribers.Demand {
      guard UnrequestedDelivery.isCurrent else { return .none }
      unrequested.note()
      let more = gate.pass(input, to: downstream, unless: phase != .first) { completeIfDue() }.afterUnrequestedValue
      if more != .none { addReturned(more, since: .first) }
      return more
    }

    @inlinable
    func receiveSecond(_ input: Downstream.Input) -> Subscribers.Demand {
      // Without the closure of `mark`, which would capture its variables in a debug build.
      let outer = unrequested.begin()
      let more = gate.pass(input, to: downstream, unless: phase != .second) { completeIfDue() }
      UnrequestedDelivery.end(outer)
      return more
    }

    @usableFromInline
    func receiveFirst(completion: Subscribers.Completion<Downstream.Failure>) {
      switch completion {
      case .finished:
        leavePrefix()?(self)
      case .failure:
        if endFirst() { complete(downstream, with: completion) }
      }
    }

    /// Takes the finish of the prefix, and releases its subscription.
    ///
    /// - Returns: The closure that subscribes to the suffix, if it is to be called now.
    private func leavePrefix() -> ((Concatenate<Downstream>) -> Void)? {
      let (departure, subscribe) = step { ($0.leaveFirst(), subscribeToSuffix) }
      guard case .left = departure else { return nil }
      return subscribe
    }

    /// Cancels the current upstream, and releases the suffix, whose deinitializer may call any code.
    @usableFromInline
    override func cancel() {
      var suffix: ((Concatenate<Downstream>) -> Void)?
      cancel { state in
        suffix = exchange(&subscribeToSuffix, with: nil)
        return state.end()
      }
      withExtendedLifetime(suffix) {}  // Released with the lock free.
    }

    @usableFromInline
    var description: String { "Concatenate" }
  }
}
