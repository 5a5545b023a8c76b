import CombineExtras

extension Publisher {

  /// Publishes the events of this publisher or of one of others, whichever sends an event first.
  ///
  /// ```swift
  /// marbles {
  ///   "---a--b--|"
  ///   "--x--y--|"
  ///   "----p--q--|"
  ///   $0[0].amb(with: $0[1], $0[2])
  ///   "--x--y--|"
  ///   "^-!"
  ///   "^"
  ///   "^-!"
  /// }
  /// ```
  ///
  /// - Parameter others: Other publishers.
  /// - Returns: A publisher of the events of the fastest publisher.
  public func amb<Other: Publisher>(with others: Other...) -> AnyPublisher<Output, Failure>
  where Other.Output == Output, Other.Failure == Failure {
    amb(with: others)
  }

  /// Publishes the events of this publisher or of one of a collection, whichever sends an event first.
  ///
  /// ```swift
  /// marbles {
  ///   "---a--b--|"
  ///   "--x--y--|"
  ///   "-#"
  ///   $0[0].amb(with: [$0[1], $0[2]])
  ///   "-#"
  ///   "^!"
  ///   "^!"
  /// }
  /// ```
  ///
  /// - Parameter others: Other publishers, which are subscribed to in order after this one.
  /// - Returns: A publisher of the events of the fastest publisher.
  public func amb<Others: Collection>(with others: Others) -> AnyPublisher<Output, Failure>
  where Others.Element: Publisher, Others.Element.Output == Output, Others.Element.Failure == Failure {
    others.reduce(eraseToAnyPublisher()) { $0.amb($1).eraseToAnyPublisher() }
  }
}
