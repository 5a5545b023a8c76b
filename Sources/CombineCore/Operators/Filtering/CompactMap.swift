// Some publishers have an operator of the same name of their own, which always wins. Disfavoring the general one changes
// no outcome, but spares the type checker two choices for each operator of a chain: 2ⁿ in all.
extension Publisher {

  /// Transforms each value with a closure and publishes the results that are not `nil`.
  ///
  /// ```swift
  /// marbles {
  ///   "1--x--3--|"
  ///   $0[0].compactMap { Int($0) }
  ///   "1-----3--|"
  /// }
  /// ```
  ///
  /// ```swift
  /// let cancellable = ["1", "x", "3"].publisher
  ///   .compactMap { Int($0) }
  ///   .sink { print($0) }  // prints 1, 3
  /// ```
  ///
  /// - Parameter transform: Makes the new value of a value, or `nil`.
  /// - Returns: A publisher of the new values. For a value that is dropped, one more is asked for; otherwise demand,
  ///   completion and subscription are the upstream's.
  @_disfavoredOverload
  @inlinable
  public func compactMap<T>(_ transform: @escaping (Output) -> T?) -> Publishers.CompactMap<Self, T> {
    Publishers.CompactMap(upstream: self, transform: transform)
  }

  /// Transforms each value with a closure that may throw and publishes the results that are not `nil`.
  ///
  /// ```swift
  /// struct Unreadable: Error {}
  /// marbles(failure: Unreadable()) {
  ///   "1--x--z--4--|"
  ///   $0[0].tryCompactMap { text in
  ///     if text == "z" { throw Unreadable() }
  ///     return Int(text)
  ///   }
  ///   "1-----#"
  ///   "^-----!"
  /// }
  /// ```
  ///
  /// - Parameter transform: Makes the new value of a value, or `nil`; or throws.
  /// - Returns: A publisher of the new values. For a value that is dropped, one more is asked for. When the closure
  ///   throws, the upstream is cancelled and the error sent.
  @_disfavoredOverload
  @inlinable
  public func tryCompactMap<T>(_ transform: @escaping (Output) throws -> T?) -> Publishers.TryCompactMap<Self, T> {
    Publishers.TryCompactMap(upstream: self, transform: transform)
  }
}

extension Publishers {

  /// A publisher that transforms each value of its upstream and drops what becomes `nil`.
  public struct CompactMap<Upstream: Publisher, Output>: Publisher {

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are transformed.
    public let upstream: Upstream

    /// Makes the new value of a value, or `nil`.
    public let transform: (Upstream.Output) -> Output?

    /// Creates a publisher that transforms each value of another one and drops what becomes `nil`.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are transformed.
    ///   - transform: Makes the new value of a value, or `nil`.
    @inlinable
    public init(upstream: Upstream, transform: @escaping (Upstream.Output) -> Output?) {
      self.upstream = upstream
      self.transform = transform
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.attach(Conduits.CompactMap(downstream: subscriber, transform: transform))
    }
  }

  /// A publisher that transforms each value of its upstream with a closure that may throw and drops what becomes `nil`.
  public struct TryCompactMap<Upstream: Publisher, Output>: Publisher {

    /// The kind of errors this publisher can fail with: any error, the upstream's or one that the closure throws.
    public typealias Failure = any Error

    /// The publisher whose elements are transformed.
    public let upstream: Upstream

    /// Makes the new value of a value, or `nil`; or throws.
    public let transform: (Upstream.Output) throws -> Output?

    /// Creates a publisher that transforms each value of another one and drops what becomes `nil`.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are transformed.
    ///   - transform: Makes the new value of a value, or `nil`; or throws.
    @inlinable
    public init(upstream: Upstream, transform: @escaping (Upstream.Output) throws -> Output?) {
      self.upstream = upstream
      self.transform = transform
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      upstream.attach(
        Conduits.TryCompactMap<Upstream.Output, Upstream.Failure, S>(downstream: subscriber, transform: transform)
      )
    }
  }
}

// MARK: Fusing

extension Publishers.CompactMap {

  /// Adds another transformation.
  ///
  /// The result is one publisher over the same upstream. It applies the second closure only to elements that the first
  /// one keeps.
  @inlinable
  public func compactMap<T>(_ transform: @escaping (Output) -> T?) -> Publishers.CompactMap<Upstream, T> {
    let first = self.transform
    return Publishers.CompactMap<Upstream, T>(upstream: upstream) { first($0).flatMap(transform) }
  }

  /// Adds another transformation.
  ///
  /// The result is one publisher over the same upstream. It applies the second closure only to elements that the first
  /// one keeps.
  @inlinable
  public func map<T>(_ transform: @escaping (Output) -> T) -> Publishers.CompactMap<Upstream, T> {
    let first = self.transform
    return Publishers.CompactMap<Upstream, T>(upstream: upstream) { first($0).map(transform) }
  }
}

extension Publishers.TryCompactMap {

  /// Adds another transformation.
  ///
  /// The result is one publisher over the same upstream. It applies the second closure only to elements that the first
  /// one keeps.
  @inlinable
  public func compactMap<T>(_ transform: @escaping (Output) throws -> T?) -> Publishers.TryCompactMap<Upstream, T> {
    let first = self.transform
    return Publishers.TryCompactMap<Upstream, T>(upstream: upstream) { try first($0).flatMap(transform) }
  }
}

// MARK: Conduits

extension Conduits {

  @usableFromInline
  struct CompactMap<Input, Downstream: Subscriber>: TransparentConduit {

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let transform: (Input) -> Downstream.Input?

    @usableFromInline
    let combineIdentifier: CombineIdentifier

    @inlinable
    init(downstream: Downstream, transform: @escaping (Input) -> Downstream.Input?) {
      combineIdentifier = CombineIdentifier()
      self.downstream = downstream
      self.transform = transform
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      guard let output = transform(input) else { return .max(1) }
      return downstream.receive(output)
    }

    @usableFromInline
    var description: String { "CompactMap" }
  }

  @usableFromInline
  final class TryCompactMap<Input, Failure: Error, Downstream: Subscriber>: StrictConduit, FilteringConduit
  where Downstream.Failure == any Error {

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let transform: (Input) throws -> Downstream.Input?

    @inlinable
    init(downstream: Downstream, transform: @escaping (Input) throws -> Downstream.Input?) {
      self.downstream = downstream
      self.transform = transform
    }

    @inlinable
    func filter(_ input: Input) throws -> Downstream.Input? {
      try transform(input)
    }

    @usableFromInline
    var description: String { "TryCompactMap" }
  }
}
