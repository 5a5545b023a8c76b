import CombineCore

/// Whether `prefix(while:behavior:)` publishes the element that ends it.
public enum PrefixWhileBehavior: Hashable, Sendable {

  /// The element that ends the prefix is published.
  case inclusive

  /// The element that ends the prefix is not published.
  case exclusive
}

extension Publisher {

  /// Publishes elements until one does not satisfy a predicate, and includes that one if wanted.
  ///
  /// The predicate is called once for each element. The element that ends the prefix needs no further demand for the
  /// finish: the upstream is cancelled and the publisher finishes directly after it.
  ///
  /// ```swift
  /// marbles(of: Int.self) {
  ///   "0-2-4-5-6-|"
  ///   $0[0].prefix(while: { $0.isMultiple(of: 2) }, behavior: .inclusive)
  ///   "0-2-4-(5|)"
  ///   "^-----!"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - predicate: A closure that returns whether to continue after an element.
  ///   - behavior: Whether to publish the element that ends the prefix. The default is `.exclusive`.
  /// - Returns: A publisher of the first elements.
  @inlinable
  public func prefix(
    while predicate: @escaping (Output) -> Bool,
    behavior: PrefixWhileBehavior = .exclusive
  ) -> AnyPublisher<Output, Failure> {
    switch behavior {
    case .exclusive: prefix(while: predicate).eraseToAnyPublisher()
    case .inclusive: ExtraPublishers.PrefixThrough(upstream: self, predicate: predicate).eraseToAnyPublisher()
    }
  }
}

extension ExtraPublishers {

  /// A publisher of the first elements of its upstream, including the first one that does not satisfy a predicate.
  public struct PrefixThrough<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose first elements are published.
    public let upstream: Upstream

    /// A closure that returns whether to continue after an element.
    public let predicate: (Upstream.Output) -> Bool

    /// Creates a publisher of the first elements of another publisher.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose first elements are published.
    ///   - predicate: A closure that returns whether to continue after an element.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribeConduit(ExtraConduits.PrefixThrough(downstream: subscriber, predicate: predicate))
    }
  }
}

extension ExtraConduits {

  /// The element that ends the prefix passes like any other, through the queue, and the finish follows it.
  @usableFromInline
  final class PrefixThrough<Downstream: Subscriber>: PassingConduit<Downstream>, DescribedByName {

    @usableFromInline
    let predicate: (Input) -> Bool

    /// Whether the last element has arrived. What the upstream sends inside its delivery is dropped.
    @exclusivity(unchecked)  // Only in the upstream's calls, which come one after another.
    @usableFromInline
    var hasLast = false

    @inlinable
    init(downstream: Downstream, predicate: @escaping (Input) -> Bool) {
      self.predicate = predicate
      super.init(downstream: downstream)
    }

    @inlinable
    override func receive(subscription: any Subscription) {
      if accept(subscription) { open() }
    }

    @inlinable
    override func receive(_ input: Input) -> Subscribers.Demand {
      guard !isClosed, !hasLast else { return .none }
      guard !predicate(input) else { return pass(input) }
      hasLast = true
      _ = pass(input)
      cancelUpstream()
      send(completion: .finished)
      return .none
    }

    @inlinable
    override func receive(completion: Subscribers.Completion<Failure>) {
      finishUpstream()
      if !hasLast { send(completion: completion) }
    }

    @usableFromInline
    var description: String { "PrefixWhile" }
  }
}
