import CombineCore

/// The inputs of a marble test, and the scheduler whose clock the diagrams show.
///
/// The publisher under test is built from them.
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

  /// The scheduler whose clock the diagrams show. One column is one tick, and zero is the time of the subscription.
  public var scheduler: TestScheduler { board.scheduler }

  /// Accesses an input as a hot publisher, whose events occur at the times of the diagram even without a subscriber.
  ///
  /// The input behaves like a `PassthroughSubject`. A subscriber receives the events from its subscription on. It
  /// misses a value for which it has no demand. If it subscribes after the end, it receives the completion.
  ///
  /// - Parameter index: The number of the input's line, counted from zero. If there is no such line, the test fails.
  public subscript(index: Int) -> MarbleInput<Value> {
    MarbleInput(board: board, index: index, isCold: false, values: values)
  }

  /// Accesses an input with its own values as a hot publisher.
  ///
  /// Values may be publishers. This is how a diagram contains inner publishers:
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
  ///   - index: The number of the input's line, counted from zero. If there is no such line, the test fails.
  ///   - values: The values that the letters of the line stand for.
  public subscript<Other>(index: Int, values values: [Character: Other]) -> MarbleInput<Other> {
    MarbleInput(board: board, index: index, isCold: false, values: .dictionary(values))
  }

  /// Returns an input as a cold publisher, whose diagram starts again with each subscription.
  ///
  /// Events at the time of the subscription occur in the same tick, after the subscription has arrived. As with a hot
  /// input, a subscriber misses a value for which it has no demand.
  ///
  /// ```swift
  /// marbles {
  ///   "--a--#"
  ///   $0.cold(0).retry(1)
  ///   "--a----a--#"
  /// }
  /// ```
  ///
  /// - Parameter index: The number of the input's line, counted from zero. If there is no such line, or if it has
  ///   events before `^`, the test fails.
  /// - Returns: A publisher of the input's events.
  public func cold(_ index: Int) -> MarbleInput<Value> {
    MarbleInput(board: board, index: index, isCold: true, values: values)
  }

  /// Returns an input with its own values as a cold publisher.
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
  ///   - index: The number of the input's line, counted from zero. If there is no such line, or if it has events before
  ///     `^`, the test fails.
  ///   - values: The values that the letters of the line stand for.
  /// - Returns: A publisher of the input's events.
  public func cold<Other>(_ index: Int, values: [Character: Other]) -> MarbleInput<Other> {
    MarbleInput(board: board, index: index, isCold: true, values: .dictionary(values))
  }
}

/// A publisher of the events of an input in a marble test. See ``MarbleContext``.
public struct MarbleInput<Output>: Publisher {

  /// The error with which `#` fails.
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

  /// Subscribes `subscriber` to the events of the input's line.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == MarbleError {
    // If the line is missing or has a fault, the test has already failed.
    board.events(ofInput: index, isCold: isCold)
      .compactMap { [values] in values[$0] }
      .subscribe(subscriber)
  }
}

/// The error that `#` in an input stands for.
public struct MarbleError: Error, Hashable, Sendable, CustomStringConvertible {

  /// Creates the error, which equals all other errors of this type.
  public init() {}

  /// The name of the type.
  public var description: String { "MarbleError" }
}

/// The values that the letters of an input stand for.
enum MarbleValues<Value> {

  case dictionary([Character: Value])

  /// A closure that converts a letter into a value, or returns `nil`.
  case converted((Character) -> Value?)

  subscript(letter: Character) -> Value? {
    switch self {
    case .dictionary(let dictionary): dictionary[letter]
    case .converted(let convert): convert(letter)
    }
  }

  /// Returns the fault of a letter, or `nil` if it has a value.
  func fault(of letter: Character) -> String? {
    guard self[letter] == nil else { return nil }
    return switch self {
    case .dictionary: "'\(letter)' is not in the dictionary"
    case .converted: "'\(letter)' is not a value of type \(Value.self)"
    }
  }
}
