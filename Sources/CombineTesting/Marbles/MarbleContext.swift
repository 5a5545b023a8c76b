import CombineCore

/// What the publisher of a marble test is made of: the inputs that the diagrams draw, and the scheduler that their
/// clock is.
///
/// ```swift
/// marbles {
///   "a-----b-----|"
///   "--x-----y|"
///   $0[0].merge(with: $0[1])
///   "a-x---b-y---|"
/// }
/// ```
public struct MarbleContext<Value> {

  let board: MarbleBoard

  let values: MarbleValues<Value>

  /// The scheduler whose clock the diagrams show: one unit of virtual time is one tick, and zero is the subscription.
  public var scheduler: TestScheduler { board.scheduler }

  /// An input as a hot publisher: its events happen when the diagram says, whoever is subscribed.
  ///
  /// It behaves as a `PassthroughSubject` does. A subscriber sees what happens from its subscription on, a value for
  /// which it has not asked is lost to it, and after the end it is given the completion.
  ///
  /// - Parameter index: The number of the input's line, counted from zero. A line that is not there fails the test.
  public subscript(index: Int) -> MarbleInput<Value> {
    MarbleInput(board: board, index: index, isCold: false, values: values)
  }

  /// An input with values of its own kind as a hot publisher.
  ///
  /// As values may be publishers, this is how inner publishers get into a picture:
  ///
  /// ```swift
  /// marbles {
  ///   "-x-----y---|"
  ///   "--a-b-c-d-e-|"
  ///   "---1-2-3-4-5-|"
  ///   $0[0, values: ["x": $0[1], "y": $0[2]]].switchToLatest()
  ///   "--a-b-c3-4-5-|"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - index: The number of the input's line, counted from zero. A line that is not there fails the test.
  ///   - values: The values that the letters of the line stand for.
  public subscript<Other>(index: Int, values values: [Character: Other]) -> MarbleInput<Other> {
    MarbleInput(board: board, index: index, isCold: false, values: .dictionary(values))
  }

  /// An input as a cold publisher: its diagram begins anew with each subscription.
  ///
  /// What it draws at the time of the subscription happens in the same tick, after the subscription has arrived. As
  /// with the hot one, a value for which the subscriber has not asked is lost to it.
  ///
  /// ```swift
  /// marbles {
  ///   "--a--#"
  ///   $0.cold(0).retry(1)
  ///   "--a----a--#"
  /// }
  /// ```
  ///
  /// - Parameter index: The number of the input's line, counted from zero. A line that is not there, or that has events
  ///   before `^`, fails the test.
  /// - Returns: The publisher.
  public func cold(_ index: Int) -> MarbleInput<Value> {
    MarbleInput(board: board, index: index, isCold: true, values: values)
  }

  /// An input with values of its own kind as a cold publisher.
  ///
  /// ```swift
  /// marbles {
  ///   "2-1--|"
  ///   $0.cold(0, values: ["1": 1, "2": 2]).map { 2 * $0 }
  ///   "4-2--|"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - index: The number of the input's line, counted from zero. A line that is not there, or that has events before
  ///     `^`, fails the test.
  ///   - values: The values that the letters of the line stand for.
  /// - Returns: The publisher.
  public func cold<Other>(_ index: Int, values: [Character: Other]) -> MarbleInput<Other> {
    MarbleInput(board: board, index: index, isCold: true, values: .dictionary(values))
  }
}

/// The publisher that an input of a marble test is. See ``MarbleContext``.
public struct MarbleInput<Output>: Publisher {

  /// What `#` sends.
  public typealias Failure = MarbleError

  private let board: MarbleBoard
  private let index: Int
  private let isCold: Bool
  private let values: MarbleValues<Output>

  init(board: MarbleBoard, index: Int, isCold: Bool, values: MarbleValues<Output>) {
    self.board = board
    self.index = index
    self.isCold = isCold
    self.values = values
    board.use(MarbleBoard.Use(index: index, isCold: isCold, faultOfLetter: values.fault))
  }

  /// Attaches a subscriber, which gets the events that the input's line draws.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == MarbleError {
    // Without a line, or with one that has a fault, the test has failed already.
    board.events(ofInput: index, isCold: isCold)
      .compactMap { [values] in values[$0] }
      .subscribe(subscriber)
  }
}

/// The error that `#` stands for.
public struct MarbleError: Error, Hashable, Sendable, CustomStringConvertible {

  /// Creates the error, which is equal to all others of its type.
  public init() {}

  /// The name of its type.
  public var description: String { "MarbleError" }
}

/// What the letters of an input stand for.
enum MarbleValues<Value> {

  case dictionary([Character: Value])

  /// The value that is made of a letter, if there is one.
  case converted((Character) -> Value?)

  subscript(letter: Character) -> Value? {
    switch self {
    case .dictionary(let dictionary): dictionary[letter]
    case .converted(let convert): convert(letter)
    }
  }

  /// What is wrong with a letter, if anything.
  func fault(of letter: Character) -> String? {
    guard self[letter] == nil else { return nil }
    return switch self {
    case .dictionary: "'\(letter)' is not in the dictionary"
    case .converted: "'\(letter)' is not a value of type \(Value.self)"
    }
  }
}
