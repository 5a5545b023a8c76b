import CombineCore

extension Publisher {

  /// A publisher of some of the elements of this publisher.
  public typealias Partition = AnyPublisher<Output, Failure>

  /// Divides the elements between two publishers.
  ///
  /// Both share one subscription to this publisher, and the predicate is called once for each element. Sharing has its
  /// usual consequence: the first subscriber starts the upstream. An upstream that publishes everything at once has
  /// completed when the second one subscribes. The upstream is asked for everything, and an element for which its side
  /// has no demand is lost.
  ///
  /// ```swift
  /// marbles(of: Int.self) {
  ///   "1--2--3--4--|"
  ///   $0[0].partition { $0.isMultiple(of: 2) }.matches
  ///   "---2-----4--|"
  /// }
  /// marbles(of: Int.self) {
  ///   "1--2--3--4--|"
  ///   $0[0].partition { $0.isMultiple(of: 2) }.nonMatches
  ///   "1-----3-----|"
  /// }
  /// ```
  ///
  /// ```swift
  /// let numbers = PassthroughSubject<Int, Never>()
  /// let (even, odd) = numbers.partition { $0.isMultiple(of: 2) }
  /// let cancellables = [even.sink { print("even \($0)") }, odd.sink { print("odd \($0)") }]
  /// numbers.send(1)  // prints odd 1
  /// cancellables.forEach { $0.cancel() }
  /// ```
  ///
  /// - Parameter predicate: A closure that returns whether an element belongs to the matches.
  /// - Returns: A publisher of the elements that match, and one of the others.
  public func partition(
    _ predicate: @escaping (Output) -> Bool
  ) -> (matches: Partition, nonMatches: Partition) {
    let shared = map { (element: $0, isMatch: predicate($0)) }.share()
    return (
      shared.compactMap { $0.isMatch ? $0.element : nil }.eraseToAnyPublisher(),
      shared.compactMap { $0.isMatch ? nil : $0.element }.eraseToAnyPublisher()
    )
  }
}
