import CombineCore

extension Collection where Element: Publisher {

  /// Combines the latest elements of all publishers into arrays.
  ///
  /// An array holds one element of each publisher, in the order of the collection. The first one is published when each
  /// publisher has published an element. Demand and completion are those of `combineLatest`.
  ///
  /// ```swift
  /// marbles(outputs: ["p": "ax", "q": "bx", "r": "by"]) {
  ///   "a---b----|"
  ///   "--x---y---|"
  ///   [$0[0], $0[1]].combineLatest().map { $0.joined() }
  ///   "--p-q-r---|"
  /// }
  /// ```
  ///
  /// - Returns: A publisher of arrays. It finishes at once if the collection is empty.
  @inlinable
  public func combineLatest() -> AnyPublisher<[Element.Output], Element.Failure> {
    joined { CombineLatestAll(upstreams: $0) }
  }

  /// Pairs the elements of all publishers into arrays: the first ones, the second ones, and so on.
  ///
  /// Demand and completion are those of `zip`.
  ///
  /// ```swift
  /// marbles(outputs: ["p": "ax", "q": "by"]) {
  ///   "a-b------|"
  ///   "--x---y---|"
  ///   [$0[0], $0[1]].zip().map { $0.joined() }
  ///   "--p---q--|"
  /// }
  /// ```
  ///
  /// - Returns: A publisher of arrays, in the order of the collection. It finishes at once if the collection is empty.
  @inlinable
  public func zip() -> AnyPublisher<[Element.Output], Element.Failure> {
    joined { ZipAll(upstreams: $0) }
  }

  /// Publishes the elements of all publishers as they arrive.
  ///
  /// Demand and completion are those of `merge`.
  ///
  /// ```swift
  /// marbles {
  ///   "a---b----|"
  ///   "--x---y---|"
  ///   [$0[0], $0[1]].merge()
  ///   "a-x-b-y---|"
  /// }
  /// ```
  ///
  /// - Returns: A publisher of all elements. It finishes at once if the collection is empty.
  @inlinable
  public func merge() -> AnyPublisher<Element.Output, Element.Failure> {
    isEmpty ? Empty().eraseToAnyPublisher() : Publishers.MergeMany(self).eraseToAnyPublisher()
  }

  /// One publisher alone gives arrays of one element, and none finishes.
  @inlinable
  func joined<Joined: Publisher<[Element.Output], Element.Failure>>(
    _ join: ([Element]) -> Joined
  ) -> AnyPublisher<[Element.Output], Element.Failure> {
    switch count {
    case 0: Empty().eraseToAnyPublisher()
    case 1: self[startIndex].map { [$0] }.eraseToAnyPublisher()
    default: join(Array(self)).eraseToAnyPublisher()
    }
  }
}

/// A zip of publishers of one type.
@usableFromInline
struct ZipAll<Upstream: Publisher>: Publisher {

  @usableFromInline
  typealias Output = [Upstream.Output]

  @usableFromInline
  typealias Failure = Upstream.Failure

  @usableFromInline
  let upstreams: [Upstream]

  @inlinable
  init(upstreams: [Upstream]) {
    self.upstreams = upstreams
  }

  @inlinable
  @inline(__always)
  func receive<S: Subscriber>(subscriber: S) where S.Input == [Upstream.Output], S.Failure == Upstream.Failure {
    Conduits.zipAll(upstreams, to: subscriber)
  }
}

/// A combine-latest of publishers of one type.
@usableFromInline
struct CombineLatestAll<Upstream: Publisher>: Publisher {

  @usableFromInline
  typealias Output = [Upstream.Output]

  @usableFromInline
  typealias Failure = Upstream.Failure

  @usableFromInline
  let upstreams: [Upstream]

  @inlinable
  init(upstreams: [Upstream]) {
    self.upstreams = upstreams
  }

  @inlinable
  @inline(__always)
  func receive<S: Subscriber>(subscriber: S) where S.Input == [Upstream.Output], S.Failure == Upstream.Failure {
    Conduits.combineLatestAll(upstreams, to: subscriber)
  }
}
