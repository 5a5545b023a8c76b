import CombineCore

/// Signals, each with the time at which a subscriber got it, or a publisher is to send it.
///
/// It is written as an array of pairs, and compared with another when values and failures can be compared.
///
/// ```swift
/// let expected: TestSequence<String, Never> = [
///   (200, .subscription),
///   (300, .input("A")),
///   (400, .completion(.finished)),
/// ]
/// print(expected.count)  // prints 3
/// ```
public struct TestSequence<Input, Failure: Error> {

  /// A time and what happens then.
  public typealias Element = (VirtualTime, Signal<Input, Failure>)

  private var elements: [Element]

  /// Creates a sequence without signals.
  public init() {
    elements = []
  }

  /// The sequence with each value replaced.
  ///
  /// ```swift
  /// let numbers: TestSequence<Int, Never> = [(100, .input(1)), (200, .input(2))]
  /// let texts: TestSequence<String, Never> = [(100, .input("1")), (200, .input("2"))]
  /// print(numbers.mapInput { "\($0)" } == texts)  // prints true
  /// ```
  ///
  /// - Parameter transform: Makes a new value of each.
  /// - Returns: A sequence with the same times.
  public func mapInput<T>(_ transform: (Input) -> T) -> TestSequence<T, Failure> {
    TestSequence<T, Failure>(elements.map { time, signal in (time, signal.mapInput(transform)) })
  }

  /// The sequence with the error of each failure replaced.
  ///
  /// It makes a sequence comparable whose errors are not.
  ///
  /// ```swift
  /// struct Refused: Error, Equatable {}
  /// let recorded: TestSequence<Int, any Error> = [(300, .completion(.failure(Refused())))]
  /// let comparable = recorded.mapFailure { $0 as! Refused }
  /// print(comparable == [(300, .completion(.failure(Refused())))])  // prints true
  /// ```
  ///
  /// - Parameter transform: Makes a new error of each.
  /// - Returns: A sequence with the same times.
  public func mapFailure<T: Error>(_ transform: (Failure) -> T) -> TestSequence<Input, T> {
    TestSequence<Input, T>(elements.map { time, signal in (time, signal.mapFailure(transform)) })
  }
}

extension TestSequence: ExpressibleByArrayLiteral {

  /// Creates a sequence from a literal.
  public init(arrayLiteral elements: Element...) {
    self.elements = elements
  }
}

extension TestSequence: RandomAccessCollection, RangeReplaceableCollection, MutableCollection {

  /// The position of the first signal: zero.
  public var startIndex: Int { elements.startIndex }

  /// The position after the last signal: the number of signals.
  public var endIndex: Int { elements.endIndex }

  /// The signal at a position and its time.
  public subscript(position: Int) -> Element {
    get { elements[position] }
    set { elements[position] = newValue }
  }

  /// Replaces the signals in a range of positions by others.
  ///
  /// - Parameters:
  ///   - subrange: The positions.
  ///   - newElements: The signals to put there.
  public mutating func replaceSubrange(_ subrange: Range<Int>, with newElements: some Collection<Element>) {
    elements.replaceSubrange(subrange, with: newElements)
  }
}

extension TestSequence: Equatable where Input: Equatable, Failure: Equatable {

  /// Whether both have the same signals at the same times in the same order.
  public static func == (lhs: TestSequence, rhs: TestSequence) -> Bool {
    lhs.elementsEqual(rhs, by: ==)
  }
}

extension TestSequence: Sendable where Input: Sendable, Failure: Sendable {}

extension TestSequence: CustomDebugStringConvertible {

  /// The sequence as it is written in code, a signal a line.
  public var debugDescription: String {
    literal(of: elements.map { time, signal in "(\(time), \(signal.debugDescription))" })
  }
}
