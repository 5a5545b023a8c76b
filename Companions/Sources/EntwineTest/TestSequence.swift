import CombineFoundation
import CombineTesting

/// A sequence of signals with their times, either received by a subscriber or to be sent by a publisher.
public struct TestSequence<Input, Failure: Error> {

  /// A time and the signal at that time.
  public typealias Element = (VirtualTime, Signal<Input, Failure>)

  private var elements: [Element]

  /// Creates an empty sequence.
  public init() {
    elements = []
  }

  /// Returns this sequence with each value transformed.
  public func mapInput<T>(_ transform: (Input) -> T) -> TestSequence<T, Failure> {
    TestSequence<T, Failure>(elements.map { time, signal in (time, signal.mapInput(transform)) })
  }

  /// Returns this sequence with the error of each failure transformed.
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

  /// The position of the first signal.
  public var startIndex: Int { elements.startIndex }

  /// The position after the last signal.
  public var endIndex: Int { elements.endIndex }

  /// Accesses the signal at a position, with its time.
  public subscript(position: Int) -> Element {
    get { elements[position] }
    set { elements[position] = newValue }
  }

  /// Replaces the signals in a range of positions.
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
