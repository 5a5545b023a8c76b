import CombineCore

/// A sequence of signals with their times, either received by a subscriber or to be sent by a publisher.
///
/// A sequence is written as an array literal of pairs. Two sequences can be compared if their values and errors are
/// equatable.
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

  /// A time and the signal at that time.
  public typealias Element = (VirtualTime, Signal<Input, Failure>)

  private var elements: [Element]

  /// Creates an empty sequence.
  public init() {
    elements = []
  }

  /// Returns this sequence with each value transformed.
  ///
  /// ```swift
  /// let numbers: TestSequence<Int, Never> = [(100, .input(1)), (200, .input(2))]
  /// let texts: TestSequence<String, Never> = [(100, .input("1")), (200, .input("2"))]
  /// print(numbers.mapInput { "\($0)" } == texts)  // prints true
  /// ```
  ///
  /// - Parameter transform: A closure that transforms each value.
  /// - Returns: A sequence with the same times.
  public func mapInput<T>(_ transform: (Input) -> T) -> TestSequence<T, Failure> {
    TestSequence<T, Failure>(elements.map { time, signal in (time, signal.mapInput(transform)) })
  }

  /// Returns this sequence with the error of each failure transformed.
  ///
  /// Use it to compare a sequence whose error type is not equatable.
  ///
  /// ```swift
  /// struct Refused: Error, Equatable {}
  /// let recorded: TestSequence<Int, any Error> = [(300, .completion(.failure(Refused())))]
  /// let comparable = recorded.mapFailure { $0 as! Refused }
  /// print(comparable == [(300, .completion(.failure(Refused())))])  // prints true
  /// ```
  ///
  /// - Parameter transform: A closure that transforms each error.
  /// - Returns: A sequence with the same times.
  public func mapFailure<T: Error>(_ transform: (Failure) -> T) -> TestSequence<Input, T> {
    TestSequence<Input, T>(elements.map { time, signal in (time, signal.mapFailure(transform)) })
  }
}

extension TestSequence: ExpressibleByArrayLiteral {

  /// Creates a sequence from an array literal of times and signals.
  public init(arrayLiteral elements: Element...) {
    self.elements = elements
  }
}

extension TestSequence: RandomAccessCollection, RangeReplaceableCollection, MutableCollection {

  /// The position of the first signal, which is zero.
  public var startIndex: Int { elements.startIndex }

  /// The position after the last signal, which is the number of signals.
  public var endIndex: Int { elements.endIndex }

  /// Accesses the signal at a position, with its time.
  public subscript(position: Int) -> Element {
    get { elements[position] }
    set { elements[position] = newValue }
  }

  /// Replaces the signals in a range of positions.
  ///
  /// - Parameters:
  ///   - subrange: The positions of the signals to replace.
  ///   - newElements: The new signals with their times.
  public mutating func replaceSubrange(_ subrange: Range<Int>, with newElements: some Collection<Element>) {
    elements.replaceSubrange(subrange, with: newElements)
  }
}

extension TestSequence: Equatable where Input: Equatable, Failure: Equatable {

  /// Returns whether two sequences have the same signals at the same times in the same order.
  public static func == (lhs: TestSequence, rhs: TestSequence) -> Bool {
    lhs.elementsEqual(rhs, by: ==)
  }
}

extension TestSequence: Sendable where Input: Sendable, Failure: Sendable {}

extension TestSequence: CustomDebugStringConvertible {

  /// The sequence as Swift code, with one signal on each line.
  public var debugDescription: String {
    literal(of: elements.map { time, signal in "(\(time), \(signal.literal))" })
  }
}
