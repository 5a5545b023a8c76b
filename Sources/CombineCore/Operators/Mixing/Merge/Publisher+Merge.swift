// OpenCombine has none of these, so its clients have their own. Disfavoring ours prefers those. The first one is an
// exception: `Publishers.Merge` and its relatives have a method of their own, to which it would then lose.
extension Publisher {

  /// Merges the elements of this publisher and another one of the same type, in the order of their arrival.
  ///
  /// ```swift
  /// marbles {
  ///   "a-----b-----|"
  ///   "---x-----y|"
  ///   $0[0].merge(with: $0[1])
  ///   "a--x--b--y--|"
  /// }
  /// ```
  ///
  /// - Parameter other: Another publisher of the same type.
  /// - Returns: A publisher of the elements of both upstreams. It behaves like ``Publishers/MergeMany``.
  @inlinable
  public func merge(with other: Self) -> Publishers.MergeMany<Self> {
    Publishers.MergeMany([self, other])
  }

  /// Merges the elements of this publisher and another one, in the order of their arrival.
  ///
  /// The result finishes once both upstreams have finished. It fails as soon as one fails, and cancels the other.
  /// Without demand it keeps the latest element of each upstream.
  ///
  /// ```swift
  /// marbles {
  ///   "a-----b-----|"
  ///   "---x----#"
  ///   $0[0].merge(with: $0[1].map { $0.uppercased() })
  ///   "a--X--b-#"
  ///   "^-------!"
  /// }
  /// ```
  ///
  /// - Parameter other: Another publisher, with the same kinds of values and errors.
  /// - Returns: A publisher of the elements of both upstreams.
  @_disfavoredOverload
  @inlinable
  public func merge<P: Publisher>(
    with other: P
  ) -> Publishers.Merge<Self, P>
  where P.Output == Output, P.Failure == Failure {
    Publishers.Merge(self, other)
  }

  /// Merges the elements of this publisher and two others, in the order of their arrival.
  ///
  /// ```swift
  /// marbles {
  ///   "a--|"
  ///   "-b--|"
  ///   "--c--|"
  ///   $0[0].merge(with: $0[1], $0[2])
  ///   "abc--|"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - b: Another publisher, with the same kinds of values and errors.
  ///   - c: Another publisher, with the same kinds of values and errors.
  /// - Returns: A publisher of the elements of all upstreams. It finishes once all have finished. It fails as soon as
  ///   one fails, and cancels the others. Without demand it keeps the latest element of each upstream.
  @_disfavoredOverload
  @inlinable
  public func merge<B: Publisher, C: Publisher>(
    with b: B,
    _ c: C
  ) -> Publishers.Merge3<Self, B, C>
  where B.Output == Output, B.Failure == Failure, C.Output == Output, C.Failure == Failure {
    Publishers.Merge3(self, b, c)
  }

  /// Merges the elements of this publisher and three others, in the order of their arrival.
  ///
  /// ```swift
  /// marbles {
  ///   "a--|"
  ///   "-b--|"
  ///   "--c--|"
  ///   "---d--|"
  ///   $0[0].merge(with: $0[1], $0[2], $0[3])
  ///   "abcd--|"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - b: Another publisher, with the same kinds of values and errors.
  ///   - c: Another publisher, with the same kinds of values and errors.
  ///   - d: Another publisher, with the same kinds of values and errors.
  /// - Returns: A publisher of the elements of all upstreams. It finishes once all have finished. It fails as soon as
  ///   one fails, and cancels the others. Without demand it keeps the latest element of each upstream.
  @_disfavoredOverload
  @inlinable
  public func merge<B: Publisher, C: Publisher, D: Publisher>(
    with b: B,
    _ c: C,
    _ d: D
  ) -> Publishers.Merge4<Self, B, C, D>
  where
    B.Output == Output, B.Failure == Failure, C.Output == Output, C.Failure == Failure, D.Output == Output,
    D.Failure == Failure
  {
    Publishers.Merge4(self, b, c, d)
  }

  /// Merges the elements of this publisher and four others, in the order of their arrival.
  ///
  /// ```swift
  /// marbles {
  ///   "a--|"
  ///   "-b--|"
  ///   "--c--|"
  ///   "---d--|"
  ///   "----e--|"
  ///   $0[0].merge(with: $0[1], $0[2], $0[3], $0[4])
  ///   "abcde--|"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - b: Another publisher, with the same kinds of values and errors.
  ///   - c: Another publisher, with the same kinds of values and errors.
  ///   - d: Another publisher, with the same kinds of values and errors.
  ///   - e: Another publisher, with the same kinds of values and errors.
  /// - Returns: A publisher of the elements of all upstreams. It finishes once all have finished. It fails as soon as
  ///   one fails, and cancels the others. Without demand it keeps the latest element of each upstream.
  @_disfavoredOverload
  @inlinable
  public func merge<B: Publisher, C: Publisher, D: Publisher, E: Publisher>(
    with b: B,
    _ c: C,
    _ d: D,
    _ e: E
  ) -> Publishers.Merge5<Self, B, C, D, E>
  where
    B.Output == Output, B.Failure == Failure, C.Output == Output, C.Failure == Failure, D.Output == Output,
    D.Failure == Failure, E.Output == Output, E.Failure == Failure
  {
    Publishers.Merge5(self, b, c, d, e)
  }

  /// Merges the elements of this publisher and five others, in the order of their arrival.
  ///
  /// ```swift
  /// marbles {
  ///   "a--|"
  ///   "-b--|"
  ///   "--c--|"
  ///   "---d--|"
  ///   "----e--|"
  ///   "-----f--|"
  ///   $0[0].merge(with: $0[1], $0[2], $0[3], $0[4], $0[5])
  ///   "abcdef--|"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - b: Another publisher, with the same kinds of values and errors.
  ///   - c: Another publisher, with the same kinds of values and errors.
  ///   - d: Another publisher, with the same kinds of values and errors.
  ///   - e: Another publisher, with the same kinds of values and errors.
  ///   - f: Another publisher, with the same kinds of values and errors.
  /// - Returns: A publisher of the elements of all upstreams. It finishes once all have finished. It fails as soon as
  ///   one fails, and cancels the others. Without demand it keeps the latest element of each upstream.
  @_disfavoredOverload
  @inlinable
  public func merge<B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher>(
    with b: B,
    _ c: C,
    _ d: D,
    _ e: E,
    _ f: F
  ) -> Publishers.Merge6<Self, B, C, D, E, F>
  where
    B.Output == Output, B.Failure == Failure, C.Output == Output, C.Failure == Failure, D.Output == Output,
    D.Failure == Failure, E.Output == Output, E.Failure == Failure, F.Output == Output, F.Failure == Failure
  {
    Publishers.Merge6(self, b, c, d, e, f)
  }

  /// Merges the elements of this publisher and six others, in the order of their arrival.
  ///
  /// ```swift
  /// marbles {
  ///   "a--|"
  ///   "-b--|"
  ///   "--c--|"
  ///   "---d--|"
  ///   "----e--|"
  ///   "-----f--|"
  ///   "------g--|"
  ///   $0[0].merge(with: $0[1], $0[2], $0[3], $0[4], $0[5], $0[6])
  ///   "abcdefg--|"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - b: Another publisher, with the same kinds of values and errors.
  ///   - c: Another publisher, with the same kinds of values and errors.
  ///   - d: Another publisher, with the same kinds of values and errors.
  ///   - e: Another publisher, with the same kinds of values and errors.
  ///   - f: Another publisher, with the same kinds of values and errors.
  ///   - g: Another publisher, with the same kinds of values and errors.
  /// - Returns: A publisher of the elements of all upstreams. It finishes once all have finished. It fails as soon as
  ///   one fails, and cancels the others. Without demand it keeps the latest element of each upstream.
  @_disfavoredOverload
  @inlinable
  public func merge<B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher>(
    with b: B,
    _ c: C,
    _ d: D,
    _ e: E,
    _ f: F,
    _ g: G
  ) -> Publishers.Merge7<Self, B, C, D, E, F, G>
  where
    B.Output == Output, B.Failure == Failure, C.Output == Output, C.Failure == Failure, D.Output == Output,
    D.Failure == Failure, E.Output == Output, E.Failure == Failure, F.Output == Output, F.Failure == Failure,
    G.Output == Output, G.Failure == Failure
  {
    Publishers.Merge7(self, b, c, d, e, f, g)
  }

  /// Merges the elements of this publisher and seven others, in the order of their arrival.
  ///
  /// ```swift
  /// marbles {
  ///   "a--|"
  ///   "-b--|"
  ///   "--c--|"
  ///   "---d--|"
  ///   "----e--|"
  ///   "-----f--|"
  ///   "------g--|"
  ///   "-------h--|"
  ///   $0[0].merge(with: $0[1], $0[2], $0[3], $0[4], $0[5], $0[6], $0[7])
  ///   "abcdefgh--|"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - b: Another publisher, with the same kinds of values and errors.
  ///   - c: Another publisher, with the same kinds of values and errors.
  ///   - d: Another publisher, with the same kinds of values and errors.
  ///   - e: Another publisher, with the same kinds of values and errors.
  ///   - f: Another publisher, with the same kinds of values and errors.
  ///   - g: Another publisher, with the same kinds of values and errors.
  ///   - h: Another publisher, with the same kinds of values and errors.
  /// - Returns: A publisher of the elements of all upstreams. It finishes once all have finished. It fails as soon as
  ///   one fails, and cancels the others. Without demand it keeps the latest element of each upstream.
  @_disfavoredOverload
  @inlinable
  public func merge<B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher, H: Publisher>(
    with b: B,
    _ c: C,
    _ d: D,
    _ e: E,
    _ f: F,
    _ g: G,
    _ h: H
  ) -> Publishers.Merge8<Self, B, C, D, E, F, G, H>
  where
    B.Output == Output, B.Failure == Failure, C.Output == Output, C.Failure == Failure, D.Output == Output,
    D.Failure == Failure, E.Output == Output, E.Failure == Failure, F.Output == Output, F.Failure == Failure,
    G.Output == Output, G.Failure == Failure, H.Output == Output, H.Failure == Failure
  {
    Publishers.Merge8(self, b, c, d, e, f, g, h)
  }
}
