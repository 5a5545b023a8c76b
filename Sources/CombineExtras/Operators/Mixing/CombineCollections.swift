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
  public func combineLatest() -> AnyPublisher<[Element.Output], Element.Failure> {
    joined { $0.combineLatest($1) { $0 + $1 }.eraseToAnyPublisher() }
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
  public func zip() -> AnyPublisher<[Element.Output], Element.Failure> {
    joined { $0.zip($1) { $0 + $1 }.eraseToAnyPublisher() }
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
  public func merge() -> AnyPublisher<Element.Output, Element.Failure> {
    Publishers.MergeMany(self).eraseToAnyPublisher()
  }

  /// Subscribes to some of the publishers at a time, and publishes arrays of their elements.
  ///
  /// The publishers are divided into batches of consecutive ones, of which the last may be smaller. The publishers of a
  /// batch are zipped. A batch is subscribed to when the one before it has finished.
  ///
  /// ```swift
  /// let numbers = (1...5).map { Just($0) }
  /// let cancellable = numbers.flatMapBatches(of: 2).sink { print($0, terminator: " ") }  // prints [1, 2] [3, 4] [5]
  /// cancellable.cancel()
  /// ```
  ///
  /// - Parameter size: The number of publishers of a batch. It must be positive.
  /// - Returns: A publisher of arrays. It finishes at once if the collection is empty.
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

  /// Joins publishers of arrays two by two until one remains, so that the depth grows with the logarithm of their number.
  private func joined(
    _ join: (
      AnyPublisher<[Element.Output], Element.Failure>, AnyPublisher<[Element.Output], Element.Failure>
    ) -> AnyPublisher<[Element.Output], Element.Failure>
  ) -> AnyPublisher<[Element.Output], Element.Failure> {
    var publishers = map { $0.map { [$0] }.eraseToAnyPublisher() }
    if publishers.isEmpty { return Empty().eraseToAnyPublisher() }
    while publishers.count > 1 {
      publishers = stride(from: 0, to: publishers.count, by: 2).map { index in
        index + 1 < publishers.count ? join(publishers[index], publishers[index + 1]) : publishers[index]
      }
    }
    return publishers[0]
  }
}

extension Publisher {

  /// Combines the latest elements of this publisher and others into arrays.
  ///
  /// ```swift
  /// let cancellable = Just(1).combineLatest(with: [Just(2), Just(3)]).sink { print($0) }  // prints [1, 2, 3]
  /// cancellable.cancel()
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
  /// let cancellable = Just(1).combineLatest(with: Just(2), Just(3)).sink { print($0) }  // prints [1, 2, 3]
  /// cancellable.cancel()
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
  /// let cancellable = Just(1).zip(with: [Just(2), Just(3)]).sink { print($0) }  // prints [1, 2, 3]
  /// cancellable.cancel()
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
  /// let cancellable = Just(1).zip(with: Just(2), Just(3)).sink { print($0) }  // prints [1, 2, 3]
  /// cancellable.cancel()
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
