extension Publisher {

  /// Publishes two properties of each element, as a tuple.
  ///
  /// The operator reads the properties in the order of the arguments. Demand, completion and subscription pass through
  /// unchanged.
  ///
  /// ```swift
  /// marbles(outputs: ["x": ("a", "b"), "y": ("c", "d")]) {
  ///   "a--b--c--d--|"
  ///   $0[0].collect(2).map(\.first!, \.last!)
  ///   "---x-----y--|"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - keyPath0: The key path of the first property.
  ///   - keyPath1: The key path of the second property.
  /// - Returns: A publisher of the properties' values.
  @inlinable
  public func map<T0, T1>(
    _ keyPath0: KeyPath<Output, T0>,
    _ keyPath1: KeyPath<Output, T1>
  ) -> Publishers.MapKeyPath2<Self, T0, T1> {
    Publishers.MapKeyPath2(upstream: self, keyPath0: keyPath0, keyPath1: keyPath1)
  }

  /// Publishes three properties of each element, as a tuple.
  ///
  /// The operator reads the properties in the order of the arguments. Demand, completion and subscription pass through
  /// unchanged.
  ///
  /// ```swift
  /// marbles(outputs: ["x": (2, "a", "b"), "y": (1, "c", "c")]) {
  ///   "a--b--c--|"
  ///   $0[0].collect(2).map(\.count, \.first!, \.last!)
  ///   "---x-----(y|)"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - keyPath0: The key path of the first property.
  ///   - keyPath1: The key path of the second property.
  ///   - keyPath2: The key path of the third property.
  /// - Returns: A publisher of the properties' values.
  @inlinable
  public func map<T0, T1, T2>(
    _ keyPath0: KeyPath<Output, T0>,
    _ keyPath1: KeyPath<Output, T1>,
    _ keyPath2: KeyPath<Output, T2>
  ) -> Publishers.MapKeyPath3<Self, T0, T1, T2> {
    Publishers.MapKeyPath3(upstream: self, keyPath0: keyPath0, keyPath1: keyPath1, keyPath2: keyPath2)
  }
}

extension Publishers {

  /// A publisher of one property of each element of its upstream.
  public struct MapKeyPath<Upstream: Publisher, Output>: Publisher {

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements have the property.
    public let upstream: Upstream

    /// The key path of the property.
    public let keyPath: KeyPath<Upstream.Output, Output>

    @inlinable
    init(upstream: Upstream, keyPath: KeyPath<Upstream.Output, Output>) {
      self.upstream = upstream
      self.keyPath = keyPath
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let keyPath = keyPath
      upstream.subscribeConduit(
        Conduits.MapKeyPath(downstream: subscriber, keyPaths: [keyPath]) { $0[keyPath: keyPath] }
      )
    }
  }

  /// A publisher of two properties of each element of its upstream.
  public struct MapKeyPath2<Upstream: Publisher, Output0, Output1>: Publisher {

    /// The kind of values this publisher publishes: a tuple of the two properties.
    public typealias Output = (Output0, Output1)

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements have the properties.
    public let upstream: Upstream

    /// The key path of the first property.
    public let keyPath0: KeyPath<Upstream.Output, Output0>

    /// The key path of the second property.
    public let keyPath1: KeyPath<Upstream.Output, Output1>

    @inlinable
    init(
      upstream: Upstream,
      keyPath0: KeyPath<Upstream.Output, Output0>,
      keyPath1: KeyPath<Upstream.Output, Output1>
    ) {
      self.upstream = upstream
      self.keyPath0 = keyPath0
      self.keyPath1 = keyPath1
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let (keyPath0, keyPath1) = (keyPath0, keyPath1)
      upstream.subscribeConduit(
        Conduits.MapKeyPath(downstream: subscriber, keyPaths: [keyPath0, keyPath1]) {
          ($0[keyPath: keyPath0], $0[keyPath: keyPath1])
        }
      )
    }
  }

  /// A publisher of three properties of each element of its upstream.
  public struct MapKeyPath3<Upstream: Publisher, Output0, Output1, Output2>: Publisher {

    /// The kind of values this publisher publishes: a tuple of the three properties.
    public typealias Output = (Output0, Output1, Output2)

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements have the properties.
    public let upstream: Upstream

    /// The key path of the first property.
    public let keyPath0: KeyPath<Upstream.Output, Output0>

    /// The key path of the second property.
    public let keyPath1: KeyPath<Upstream.Output, Output1>

    /// The key path of the third property.
    public let keyPath2: KeyPath<Upstream.Output, Output2>

    @inlinable
    init(
      upstream: Upstream,
      keyPath0: KeyPath<Upstream.Output, Output0>,
      keyPath1: KeyPath<Upstream.Output, Output1>,
      keyPath2: KeyPath<Upstream.Output, Output2>
    ) {
      self.upstream = upstream
      self.keyPath0 = keyPath0
      self.keyPath1 = keyPath1
      self.keyPath2 = keyPath2
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let (keyPath0, keyPath1, keyPath2) = (keyPath0, keyPath1, keyPath2)
      upstream.subscribeConduit(
        Conduits.MapKeyPath(downstream: subscriber, keyPaths: [keyPath0, keyPath1, keyPath2]) {
          ($0[keyPath: keyPath0], $0[keyPath: keyPath1], $0[keyPath: keyPath2])
        }
      )
    }
  }
}

// MARK: Conduit

extension Conduits {

  /// The conduit for any number of key paths. One closure reads all of them. It is made where their types are known.
  @usableFromInline
  struct MapKeyPath<Input, Downstream: Subscriber>: TransparentConduit {

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let downstream: Downstream

    /// The key paths in the order of the arguments, for the mirror.
    @usableFromInline
    let keyPaths: [AnyKeyPath]

    @usableFromInline
    let read: (Input) -> Downstream.Input

    @usableFromInline
    let combineIdentifier: CombineIdentifier

    @inlinable
    init(downstream: Downstream, keyPaths: [AnyKeyPath], read: @escaping (Input) -> Downstream.Input) {
      combineIdentifier = CombineIdentifier()
      self.downstream = downstream
      self.keyPaths = keyPaths
      self.read = read
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      downstream.receive(read(input))
    }

    @usableFromInline
    var description: String { keyPaths.count == 1 ? "ValueForKey" : "ValueForKeys" }

    @usableFromInline
    var customMirror: Mirror {
      let labels = keyPaths.count == 1 ? ["keyPath"] : keyPaths.indices.map { "keyPath\($0)" }
      return Mirror(self, children: zip(labels, keyPaths).map { (label: $0, value: $1) })
    }
  }
}
