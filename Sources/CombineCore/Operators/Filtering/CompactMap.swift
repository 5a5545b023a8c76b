// Some publishers have their own operator of the same name, which always wins. Disfavoring the general operator changes
// no outcome. It saves the type checker two choices for each operator of a chain, which are 2ⁿ in all.
extension Publisher {

  /// Transforms each element with a closure and publishes the results that are not `nil`.
  ///
  /// For each dropped element, the operator requests one more from the upstream. Otherwise demand, completion and
  /// subscription pass through unchanged.
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
  /// - Parameter transform: A closure that transforms each element, or returns `nil`.
  /// - Returns: A publisher of the new elements.
  @_disfavoredOverload
  @inlinable
  public func compactMap<T>(_ transform: @escaping (Output) -> T?) -> Publishers.CompactMap<Self, T> {
    Publishers.CompactMap(upstream: self, transform: transform)
  }

  /// Transforms each element with a closure that may throw and publishes the results that are not `nil`.
  ///
  /// For each dropped element, the operator requests one more from the upstream. If the closure throws, the operator
  /// cancels the upstream and fails with that error.
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
  /// - Parameter transform: A closure that transforms each element, returns `nil`, or throws.
  /// - Returns: A publisher of the new elements.
  @_disfavoredOverload
  @inlinable
  public func tryCompactMap<T>(_ transform: @escaping (Output) throws -> T?) -> Publishers.TryCompactMap<Self, T> {
    Publishers.TryCompactMap(upstream: self, transform: transform)
  }
}

extension Publishers {

  /// A publisher that transforms each element of its upstream and drops results that are `nil`.
  public struct CompactMap<Upstream: Publisher, Output>: Publisher {

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are transformed.
    public let upstream: Upstream

    /// A closure that transforms each element, or returns `nil`.
    public let transform: (Upstream.Output) -> Output?

    /// Creates a publisher that transforms each element of another publisher and drops results that are `nil`.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are transformed.
    ///   - transform: A closure that transforms each element, or returns `nil`.
    @inlinable
    public init(upstream: Upstream, transform: @escaping (Upstream.Output) -> Output?) {
      self.upstream = upstream
      self.transform = transform
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribeConduit(Conduits.CompactMap(downstream: subscriber, transform: transform))
    }
  }

  /// A publisher that transforms each element with a closure that may throw and drops results that are `nil`.
  public struct TryCompactMap<Upstream: Publisher, Output>: Publisher {

    /// The kind of errors this publisher can fail with: any error, the upstream's or one that the closure throws.
    public typealias Failure = any Error

    /// The publisher whose elements are transformed.
    public let upstream: Upstream

    /// A closure that transforms each element, returns `nil`, or throws.
    public let transform: (Upstream.Output) throws -> Output?

    /// Creates a publisher that transforms each element of another publisher and drops results that are `nil`.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are transformed.
    ///   - transform: A closure that transforms each element, returns `nil`, or throws.
    @inlinable
    public init(upstream: Upstream, transform: @escaping (Upstream.Output) throws -> Output?) {
      self.upstream = upstream
      self.transform = transform
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      upstream.subscribeConduit(
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
  ///
  /// ```swift
  /// marbles {
  ///   "1--x--3--|"
  ///   $0[0].compactMap { Int($0) }.compactMap { $0 > 2 ? $0 : nil }
  ///   "------3--|"
  /// }
  /// ```
  @inlinable
  public func compactMap<T>(_ transform: @escaping (Output) -> T?) -> Publishers.CompactMap<Upstream, T> {
    let first = self.transform
    return Publishers.CompactMap<Upstream, T>(upstream: upstream) { first($0).flatMap(transform) }
  }

  /// Adds another transformation.
  ///
  /// The result is one publisher over the same upstream. It applies the second closure only to elements that the first
  /// one keeps.
  ///
  /// ```swift
  /// marbles {
  ///   "1--x--3--|"
  ///   $0[0].compactMap { Int($0) }.map { $0 + 1 }
  ///   "2-----4--|"
  /// }
  /// ```
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
  ///
  /// ```swift
  /// struct Unreadable: Error {}
  /// marbles(failure: Unreadable()) {
  ///   "1--3--x--z--|"
  ///   $0[0].tryCompactMap { text in
  ///     if text == "z" { throw Unreadable() }
  ///     return Int(text)
  ///   }
  ///   .compactMap { $0 > 2 ? $0 : nil }
  ///   "---3-----#"
  /// }
  /// ```
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
