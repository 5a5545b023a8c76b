extension Publisher {

  /// Publishes a property of each element.
  ///
  /// Demand, completion and subscription pass through unchanged.
  ///
  /// ```swift
  /// marbles(values: ["a": "one", "b": "three"]) {
  ///   "a--b--|"
  ///   $0[0].map(\.count)
  ///   "3--5--|"
  /// }
  /// ```
  ///
  /// - Parameter keyPath: The key path of the property.
  /// - Returns: A publisher of the property's values.
  // It stands before the overload with a closure, as the compiler tries them in the order of the sources. A key path is also a
  // function, at a worse score. If that comes first, the rest of the chain is searched with every operator and initializer:
  // `.map(\.self).scan(0) { $0 + $1 }.map { Double($0) / Double($0) }.filter { $0 > 10 }` takes 3.8 seconds, and now 0.14.
  @inlinable
  public func map<T>(_ keyPath: KeyPath<Output, T>) -> Publishers.MapKeyPath<Self, T> {
    Publishers.MapKeyPath(upstream: self, keyPath: keyPath)
  }

  /// Transforms each element with a closure.
  ///
  /// Demand, completion and subscription pass through unchanged.
  ///
  /// ```swift
  /// marbles(of: Int.self) {
  ///   "1--2--3--|"
  ///   $0[0].map { $0 * 2 }
  ///   "2--4--6--|"
  /// }
  /// ```
  ///
  /// ```swift
  /// let cancellable = [1, 2, 3].publisher
  ///   .map { "\($0)" }
  ///   .sink { print($0) }  // prints 1, 2, 3
  /// ```
  ///
  /// - Parameter transform: A closure that transforms each element.
  /// - Returns: A publisher of the new elements.
  @inlinable
  public func map<T>(_ transform: @escaping (Output) -> T) -> Publishers.Map<Self, T> {
    Publishers.Map(upstream: self, transform: transform)
  }

  /// Transforms each element with a closure that may throw.
  ///
  /// If the closure throws, the operator cancels the upstream and fails with that error.
  ///
  /// ```swift
  /// struct NotANumber: Error {}
  /// marbles(failure: NotANumber()) {
  ///   "1--2--x--3--|"
  ///   $0[0].tryMap { text in
  ///     guard let number = Int(text) else { throw NotANumber() }
  ///     return number
  ///   }
  ///   "1--2--#"
  ///   "^-----!"
  /// }
  /// ```
  ///
  /// - Parameter transform: A closure that transforms each element, or throws.
  /// - Returns: A publisher of the new elements.
  @inlinable
  public func tryMap<T>(_ transform: @escaping (Output) throws -> T) -> Publishers.TryMap<Self, T> {
    Publishers.TryMap(upstream: self, transform: transform)
  }
}

extension Publishers {

  /// A publisher that transforms each element of its upstream.
  public struct Map<Upstream: Publisher, Output>: Publisher {

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are transformed.
    public let upstream: Upstream

    /// A closure that transforms each element.
    public let transform: (Upstream.Output) -> Output

    /// Creates a publisher that transforms each element of another publisher.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are transformed.
    ///   - transform: A closure that transforms each element.
    @inlinable
    public init(upstream: Upstream, transform: @escaping (Upstream.Output) -> Output) {
      self.upstream = upstream
      self.transform = transform
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribeConduit(Conduits.Map(downstream: subscriber, transform: transform))
    }
  }

  /// A publisher that transforms each element of its upstream with a closure that may throw.
  public struct TryMap<Upstream: Publisher, Output>: Publisher {

    /// The kind of errors this publisher can fail with: any error, the upstream's or one that the closure throws.
    public typealias Failure = any Error

    /// The publisher whose elements are transformed.
    public let upstream: Upstream

    /// A closure that transforms each element, or throws.
    public let transform: (Upstream.Output) throws -> Output

    /// Creates a publisher that transforms each element of another publisher.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are transformed.
    ///   - transform: A closure that transforms each element, or throws.
    @inlinable
    public init(upstream: Upstream, transform: @escaping (Upstream.Output) throws -> Output) {
      self.upstream = upstream
      self.transform = transform
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      upstream.subscribeConduit(
        Conduits.TryMap<Upstream.Output, Upstream.Failure, S>(downstream: subscriber, transform: transform)
      )
    }
  }
}

// MARK: Fusing

extension Publishers.Map {

  /// Adds another transformation.
  ///
  /// The result is one publisher over the same upstream, which applies both closures.
  ///
  /// ```swift
  /// marbles(of: Int.self) {
  ///   "1--2--3--|"
  ///   $0[0].map { $0 * 2 }.map { $0 + 1 }
  ///   "3--5--7--|"
  /// }
  /// ```
  @inlinable
  public func map<T>(_ transform: @escaping (Output) -> T) -> Publishers.Map<Upstream, T> {
    let first = self.transform
    return Publishers.Map<Upstream, T>(upstream: upstream) { transform(first($0)) }
  }

  /// Adds another transformation.
  ///
  /// The result is one publisher over the same upstream, which applies both closures.
  ///
  /// ```swift
  /// struct TooLarge: Error {}
  /// marbles(of: Int.self, failure: TooLarge()) {
  ///   "1--2--3--|"
  ///   $0[0].map { $0 * 2 }.tryMap { number in
  ///     if number > 5 { throw TooLarge() }
  ///     return number + 1
  ///   }
  ///   "3--5--#"
  /// }
  /// ```
  @inlinable
  public func tryMap<T>(_ transform: @escaping (Output) throws -> T) -> Publishers.TryMap<Upstream, T> {
    let first = self.transform
    return Publishers.TryMap<Upstream, T>(upstream: upstream) { try transform(first($0)) }
  }
}

extension Publishers.TryMap {

  /// Adds another transformation.
  ///
  /// The result is one publisher over the same upstream, which applies both closures.
  ///
  /// ```swift
  /// struct TooLarge: Error {}
  /// marbles(of: Int.self, failure: TooLarge()) {
  ///   "1--2--3--|"
  ///   $0[0].tryMap { number in
  ///     if number > 2 { throw TooLarge() }
  ///     return number * 2
  ///   }
  ///   .map { $0 + 1 }
  ///   "3--5--#"
  /// }
  /// ```
  @inlinable
  public func map<T>(_ transform: @escaping (Output) -> T) -> Publishers.TryMap<Upstream, T> {
    let first = self.transform
    return Publishers.TryMap<Upstream, T>(upstream: upstream) { try transform(first($0)) }
  }

  /// Adds another transformation.
  ///
  /// The result is one publisher over the same upstream, which applies both closures.
  ///
  /// ```swift
  /// struct TooLarge: Error {}
  /// marbles(of: Int.self, failure: TooLarge()) {
  ///   "1--2--3--|"
  ///   $0[0].tryMap { number in
  ///     if number > 4 { throw TooLarge() }
  ///     return number * 2
  ///   }
  ///   .tryMap { number in
  ///     if number > 5 { throw TooLarge() }
  ///     return number + 1
  ///   }
  ///   "3--5--#"
  /// }
  /// ```
  @inlinable
  public func tryMap<T>(_ transform: @escaping (Output) throws -> T) -> Publishers.TryMap<Upstream, T> {
    let first = self.transform
    return Publishers.TryMap<Upstream, T>(upstream: upstream) { try transform(try first($0)) }
  }
}

// MARK: Conduits

extension Conduits {

  @usableFromInline
  struct Map<Input, Downstream: Subscriber>: TransparentConduit {

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let transform: (Input) -> Downstream.Input

    @usableFromInline
    let combineIdentifier: CombineIdentifier

    @inlinable
    init(downstream: Downstream, transform: @escaping (Input) -> Downstream.Input) {
      combineIdentifier = CombineIdentifier()
      self.downstream = downstream
      self.transform = transform
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      downstream.receive(transform(input))
    }

    @usableFromInline
    var description: String { "Map" }
  }

  @usableFromInline
  final class TryMap<Input, Failure: Error, Downstream: Subscriber>: Conduit, RequestPassingConduit
  where Downstream.Failure == any Error {

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let transform: (Input) throws -> Downstream.Input

    @inlinable
    init(downstream: Downstream, transform: @escaping (Input) throws -> Downstream.Input) {
      self.downstream = downstream
      self.transform = transform
    }

    // The state is not checked. An element that an invalid upstream sends late is transformed and delivered, too.
    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      do {
        return downstream.receive(try transform(input))
      } catch {
        terminate().subscription?.cancel()
        if !wasCancelled { downstream.receive(completion: .failure(error)) }
        return .none
      }
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      guard disconnect() != nil else { return }
      downstream.receive(completion: completion.erasingFailure())
    }

    @usableFromInline
    var description: String { "TryMap" }
  }
}
