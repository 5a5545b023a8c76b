import CombineExtras

extension Collection where Element: Publisher {

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
  public func flatMapBatches(of size: Int) -> AnyPublisher<[Element.Output], Element.Failure> {
    precondition(size > 0, "flatMapBatches: size must be positive, is \(size)")
    let publishers = Array(self)
    return stride(from: 0, to: publishers.count, by: size).publisher
      .setFailureType(to: Element.Failure.self)
      .flatMap(maxPublishers: .max(1)) { start in
        publishers[start..<Swift.min(start + size, publishers.count)].zip()
      }
      .eraseToAnyPublisher()
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
  public func zip<Other: Publisher>(with others: Other...) -> AnyPublisher<[Output], Failure>
  where Other.Output == Output, Other.Failure == Failure {
    followed(by: others).zip()
  }

  private func followed<Others: Collection>(by others: Others) -> [AnyPublisher<Output, Failure>]
  where Others.Element: Publisher, Others.Element.Output == Output, Others.Element.Failure == Failure {
    [eraseToAnyPublisher()] + others.map { $0.eraseToAnyPublisher() }
  }
}
