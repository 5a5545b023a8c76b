extension Publisher where Output: Encodable {

  /// Encodes each element.
  ///
  /// If encoding throws, the operator cancels the upstream and fails with that error.
  ///
  /// ```swift
  /// import Foundation
  ///
  /// marbles(values: ["a": [1], "b": [2]], outputs: ["x": Data("[1]".utf8), "y": Data("[2]".utf8)]) {
  ///   "a--b--|"
  ///   $0[0].encode(encoder: JSONEncoder())
  ///   "x--y--|"
  /// }
  /// ```
  ///
  /// ```swift
  /// import Foundation
  ///
  /// struct Point: Encodable { let x: Int }
  /// let cancellable = Just(Point(x: 1))
  ///   .encode(encoder: JSONEncoder())
  ///   .sink(receiveCompletion: { print($0) }, receiveValue: { print($0.count) })  // prints 7, finished
  /// ```
  ///
  /// - Parameter encoder: The encoder that encodes each element.
  /// - Returns: A publisher of the encoded elements.
  @inlinable
  public func encode<Coder: TopLevelEncoder>(encoder: Coder) -> Publishers.Encode<Self, Coder> {
    Publishers.Encode(upstream: self, encoder: encoder)
  }
}

extension Publishers {

  /// A publisher that encodes each element of its upstream.
  public struct Encode<Upstream: Publisher, Coder: TopLevelEncoder>: Publisher where Upstream.Output: Encodable {

    /// The type that the encoder produces.
    public typealias Output = Coder.Output

    /// The kind of errors this publisher can fail with: any error, the upstream's or the encoder's.
    public typealias Failure = any Error

    /// The publisher whose elements are encoded.
    public let upstream: Upstream

    @usableFromInline
    let encoder: Coder

    /// Creates a publisher that encodes each element of another publisher.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are encoded.
    ///   - encoder: The encoder that encodes each element.
    @inlinable
    public init(upstream: Upstream, encoder: Coder) {
      self.upstream = upstream
      self.encoder = encoder
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      upstream.subscribeConduit(
        Conduits.Encode<Upstream.Output, Upstream.Failure, Coder, S>(downstream: subscriber, encoder: encoder)
      )
    }
  }
}

extension Publishers.Encode: Sendable where Upstream: Sendable, Coder: Sendable {}

// MARK: Conduit

extension Conduits {

  @usableFromInline
  final class Encode<Input: Encodable, Failure: Error, Coder: TopLevelEncoder, Downstream: Subscriber>: Conduit,
    CodingConduit
  where Downstream.Input == Coder.Output, Downstream.Failure == any Error {

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let encoder: Coder

    @inlinable
    init(downstream: Downstream, encoder: Coder) {
      self.downstream = downstream
      self.encoder = encoder
    }

    @inlinable
    func code(_ input: Input) throws -> Downstream.Input {
      try encoder.encode(input)
    }

    @usableFromInline
    var description: String { "Encode" }
  }
}
