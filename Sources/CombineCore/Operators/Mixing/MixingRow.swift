/// Holds the values of one upstream until they are joined with the others'.
@usableFromInline
protocol MixingCell: ~Copyable {

  associatedtype Value

  init()

  /// Whether there is no value to read.
  var isEmpty: Bool { get }

  /// Puts a value in.
  ///
  /// - Returns: The value that it replaces, to be released with the operator's lock free.
  mutating func put(_ value: Value) -> Value?

  /// Reads the next value; only if the cell is not empty.
  mutating func read() -> Value

  /// The value to read next, for a mirror.
  var reflectedValue: Any? { get }
}

/// One cell for each upstream.
@usableFromInline
protocol MixingRow: ~Copyable {

  /// The values of all cells.
  associatedtype Output

  init()

  /// How many cells there are.
  static var width: Int { get }

  /// Whether there is a value to read in each cell.
  var isComplete: Bool { get }

  func isEmpty(at index: Int) -> Bool

  /// Reads one value from each cell; only if the row is complete.
  mutating func read() -> Output

  /// The value to read next in each cell, for a mirror.
  var reflectedValues: [Any?] { get }
}

extension MixingRow where Self: ~Copyable {

  /// Whether there is no value to read in one of some cells, given as one bit each.
  @usableFromInline
  func hasEmptyCell(in cells: UInt64) -> Bool {
    (0..<Self.width).contains { cells & (1 << UInt64($0)) != 0 && isEmpty(at: $0) }
  }
}

extension Deque: MixingCell {

  @inlinable
  mutating func put(_ value: Element) -> Element? {
    append(value)
    return nil
  }

  /// Takes the value that has waited longest.
  @inlinable
  mutating func read() -> Element {
    popFirst().unsafelyUnwrapped
  }

  @usableFromInline
  var reflectedValue: Any? { isEmpty ? nil : address(0).pointee }
}

/// A cell that holds the latest value, which can be read again and again.
@usableFromInline
struct LatestValue<Value>: MixingCell {

  @usableFromInline
  var value: Value?

  @inlinable
  init() {}

  @inlinable
  var isEmpty: Bool { value == nil }

  @inlinable
  mutating func put(_ value: Value) -> Value? {
    exchange(&self.value, with: value)
  }

  @inlinable
  mutating func read() -> Value {
    value.unsafelyUnwrapped
  }

  @usableFromInline
  var reflectedValue: Any? { value }
}

/// A row of two cells.
@usableFromInline
struct Row2<A: MixingCell & ~Copyable, B: MixingCell & ~Copyable>: MixingRow, ~Copyable {

  @usableFromInline
  var a = A()

  @usableFromInline
  var b = B()

  @inlinable
  init() {}

  @inlinable
  static var width: Int { 2 }

  @inlinable
  var isComplete: Bool { !a.isEmpty && !b.isEmpty }

  @inlinable
  func isEmpty(at index: Int) -> Bool { index == 0 ? a.isEmpty : b.isEmpty }

  @inlinable
  mutating func read() -> (A.Value, B.Value) { (a.read(), b.read()) }

  @usableFromInline
  var reflectedValues: [Any?] { [a.reflectedValue, b.reflectedValue] }
}

extension Row2: Copyable where A: Copyable, B: Copyable {}

/// A row of three cells.
@usableFromInline
struct Row3<A: MixingCell & ~Copyable, B: MixingCell & ~Copyable, C: MixingCell & ~Copyable>: MixingRow, ~Copyable {

  @usableFromInline
  var a = A()

  @usableFromInline
  var b = B()

  @usableFromInline
  var c = C()

  @inlinable
  init() {}

  @inlinable
  static var width: Int { 3 }

  @inlinable
  var isComplete: Bool { !a.isEmpty && !b.isEmpty && !c.isEmpty }

  @inlinable
  func isEmpty(at index: Int) -> Bool {
    switch index {
    case 0: a.isEmpty
    case 1: b.isEmpty
    default: c.isEmpty
    }
  }

  @inlinable
  mutating func read() -> (A.Value, B.Value, C.Value) { (a.read(), b.read(), c.read()) }

  @usableFromInline
  var reflectedValues: [Any?] { [a.reflectedValue, b.reflectedValue, c.reflectedValue] }
}

extension Row3: Copyable where A: Copyable, B: Copyable, C: Copyable {}

/// A row of four cells.
@usableFromInline
struct Row4<A: MixingCell & ~Copyable, B: MixingCell & ~Copyable, C: MixingCell & ~Copyable, D: MixingCell & ~Copyable>:
  MixingRow, ~Copyable
{

  @usableFromInline
  var a = A()

  @usableFromInline
  var b = B()

  @usableFromInline
  var c = C()

  @usableFromInline
  var d = D()

  @inlinable
  init() {}

  @inlinable
  static var width: Int { 4 }

  @inlinable
  var isComplete: Bool { !a.isEmpty && !b.isEmpty && !c.isEmpty && !d.isEmpty }

  @inlinable
  func isEmpty(at index: Int) -> Bool {
    switch index {
    case 0: a.isEmpty
    case 1: b.isEmpty
    case 2: c.isEmpty
    default: d.isEmpty
    }
  }

  @inlinable
  mutating func read() -> (A.Value, B.Value, C.Value, D.Value) { (a.read(), b.read(), c.read(), d.read()) }

  @usableFromInline
  var reflectedValues: [Any?] { [a.reflectedValue, b.reflectedValue, c.reflectedValue, d.reflectedValue] }
}

extension Row4: Copyable where A: Copyable, B: Copyable, C: Copyable, D: Copyable {}
