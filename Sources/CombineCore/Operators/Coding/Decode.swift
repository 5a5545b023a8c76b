extension Publisher {

  /// Decodes a value from each element.
  ///
  /// If decoding throws, the operator cancels the upstream and fails with that error.
  ///
  /// ```swift
  /// import Foundation
  ///
  /// marbles(values: ["a": Data("[1]".utf8), "b": Data("[2".utf8)], outputs: ["x": [1]]) {
  ///   "a--b--|"
  ///   $0[0].decode(type: [Int].self, decoder: JSONDecoder())
  ///   "x--#"
  ///   "^--!"
  /// }
  /// ```
  ///
  /// ```swift
  /// import Foundation
  ///
  /// struct Point: Decodable { let x: Int }
  /// let cancellable = Just(Data(#"{"x":1}"#.utf8))
  ///   .decode(type: Point.self, decoder: JSONDecoder())
  ///   .sink(receiveCompletion: { print($0) }, receiveValue: { print($0.x) })  // prints 1, finished
  /// ```
  ///
  /// - Parameters:
  ///   - type: The type of the decoded values.
  ///   - decoder: The decoder that decodes each element.
  /// - Returns: A publisher of the decoded values.
  @inlinable
  public func decode<Item: Decodable, Coder: TopLevelDecoder>(
    type: Item.Type,
    decoder: Coder
  ) -> Publishers.Decode<Self, Item, Coder> where Output == Coder.Input {
    Publishers.Decode(upstream: self, decoder: decoder)
  }
}

extension Publishers {

  /// A publisher that decodes a value from each element of its upstream.
  public struct Decode<Upstream: Publisher, Output: Decodable, Coder: TopLevelDecoder>: Publisher
  where Upstream.Output == Coder.Input {

    /// The kind of errors this publisher can fail with: any error, the upstream's or the decoder's.
    public typealias Failure = any Error

    /// The publisher whose elements are decoded.
    public let upstream: Upstream

    @usableFromInline
    let decoder: Coder

    /// Creates a publisher that decodes a value from each element of another publisher.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are decoded.
    ///   - decoder: The decoder that decodes each element.
    @inlinable
    public init(upstream: Upstream, decoder: Coder) {
      self.upstream = upstream
      self.decoder = decoder
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      upstream.subscribeConduit(Conduits.Decode<Upstream.Failure, Coder, S>(downstream: subscriber, decoder: decoder))
    }
  }
}

extension Publishers.Decode: Sendable where Upstream: Sendable, Coder: Sendable {}

// MARK: Conduit

extension Conduits {

  @usableFromInline
  final class Decode<Failure: Error, Coder: TopLevelDecoder, Downstream: Subscriber>: Conduit, CodingConduit
  where Downstream.Input: Decodable, Downstream.Failure == any Error {

    @usableFromInline
    typealias Input = Coder.Input

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let decoder: Coder

    @inlinable
    init(downstream: Downstream, decoder: Coder) {
      self.downstream = downstream
      self.decoder = decoder
    }

    @inlinable
    func code(_ input: Input) throws -> Downstream.Input {
      try decoder.decode(Downstream.Input.self, from: input)
    }

    @usableFromInline
    var description: String { "Decode" }
  }
}
