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

  /// Subscribes to some of the publishers at a time, and publishes arrays of their elements.
  ///
  /// The publishers are divided into batches of consecutive ones, of which the last may be smaller. The publishers of a
  /// batch are zipped. A batch is subscribed to when the one before it has finished.
  ///
  /// ```swift
  /// marbles(outputs: ["x": ["a", "1"], "y": ["p"]]) {
  ///   "-a-|"
  ///   "--1--|"
  ///   "-p-|"
  ///   [$0.cold(0), $0.cold(1), $0.cold(2)].flatMapBatches(of: 2)
  ///   "--x-y-|"
  ///   "^"
  ///   "^--!"
  ///   "---^"
  /// }
  /// ```
  ///
  /// - Parameter size: The number of publishers of a batch. It must be positive.
  /// - Returns: A publisher of arrays. It finishes at once if the collection is empty.
  @inlinable
  public func flatMapBatches(of size: Int) -> AnyPublisher<[Element.Output], Element.Failure> {
    requirePositive(size, "flatMapBatches: size")
    let publishers = Array(self)
    return stride(from: 0, to: publishers.count, by: size).publisher
      .setFailureType(to: Element.Failure.self)
      .flatMap(maxPublishers: .max(1)) { start in
        publishers[start..<Swift.min(start + size, publishers.count)].zip()
      }
      .eraseToAnyPublisher()
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

extension Publisher {

  /// Combines the latest elements of this publisher and others into arrays.
  ///
  /// ```swift
  /// marbles(outputs: ["x": ["a", "1", "p"], "y": ["b", "1", "p"], "z": ["b", "1", "q"]]) {
  ///   "a----b---|"
  ///   "-1-------|"
  ///   "---p---q-|"
  ///   $0[0].combineLatest(with: [$0[1], $0[2]])
  ///   "---x-y-z-|"
  /// }
  /// ```
  ///
  /// - Parameter others: Other publishers.
  /// - Returns: A publisher of arrays, which begin with the element of this publisher.
  @inlinable
  public func combineLatest<Others: Collection>(with others: Others) -> AnyPublisher<[Output], Failure>
  where Others.Element: Publisher, Others.Element.Output == Output, Others.Element.Failure == Failure {
    followed(by: others).combineLatest()
  }

  /// Combines the latest elements of this publisher and others into arrays.
  ///
  /// ```swift
  /// marbles(outputs: ["x": ["a", "1", "p"], "y": ["b", "1", "p"], "z": ["b", "1", "q"]]) {
  ///   "a----b---|"
  ///   "-1-------|"
  ///   "---p---q-|"
  ///   $0[0].combineLatest(with: $0[1], $0[2])
  ///   "---x-y-z-|"
  /// }
  /// ```
  ///
  /// - Parameter others: Other publishers.
  /// - Returns: A publisher of arrays, which begin with the element of this publisher.
  @inlinable
  public func combineLatest<Other: Publisher>(with others: Other...) -> AnyPublisher<[Output], Failure>
  where Other.Output == Output, Other.Failure == Failure {
    followed(by: others).combineLatest()
  }

  /// Pairs the elements of this publisher and others into arrays.
  ///
  /// ```swift
  /// marbles(outputs: ["x": ["a", "1", "p"], "y": ["b", "2", "q"]]) {
  ///   "a-b-----|"
  ///   "-1--2---|"
  ///   "---p--q-|"
  ///   $0[0].zip(with: [$0[1], $0[2]])
  ///   "---x--y-|"
  /// }
  /// ```
  ///
  /// - Parameter others: Other publishers.
  /// - Returns: A publisher of arrays, which begin with the element of this publisher.
  @inlinable
  public func zip<Others: Collection>(with others: Others) -> AnyPublisher<[Output], Failure>
  where Others.Element: Publisher, Others.Element.Output == Output, Others.Element.Failure == Failure {
    followed(by: others).zip()
  }

  /// Pairs the elements of this publisher and others into arrays.
  ///
  /// ```swift
  /// marbles(outputs: ["x": ["a", "1", "p"], "y": ["b", "2", "q"]]) {
  ///   "a-b-----|"
  ///   "-1--2---|"
  ///   "---p--q-|"
  ///   $0[0].zip(with: $0[1], $0[2])
  ///   "---x--y-|"
  /// }
  /// ```
  ///
  /// - Parameter others: Other publishers.
  /// - Returns: A publisher of arrays, which begin with the element of this publisher.
  @inlinable
  public func zip<Other: Publisher>(with others: Other...) -> AnyPublisher<[Output], Failure>
  where Other.Output == Output, Other.Failure == Failure {
    followed(by: others).zip()
  }

  @inlinable
  func followed<Others: Collection>(by others: Others) -> [AnyPublisher<Output, Failure>]
  where Others.Element: Publisher, Others.Element.Output == Output, Others.Element.Failure == Failure {
    [eraseToAnyPublisher()] + others.map { $0.eraseToAnyPublisher() }
  }
}
