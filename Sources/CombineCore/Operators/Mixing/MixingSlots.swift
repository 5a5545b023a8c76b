/// Holds the values of one upstream until they are combined with those of the others.
@usableFromInline
protocol MixingSlot: ~Copyable {

  associatedtype Value

  init()

  /// Whether there is no value to read.
  var isEmpty: Bool { get }

  /// Puts a value in.
  ///
  /// - Returns: The value that it replaces, to be released with the operator's lock free.
  mutating func put(_ value: Value) -> Value?

  /// Reads the next value. The slot must not be empty.
  mutating func read() -> Value

  /// The value to read next, for a mirror.
  var reflectedValue: Any? { get }
}

/// One slot for each upstream.
@usableFromInline
protocol MixingSlots: ~Copyable {

  /// A combination: one value of each slot.
  associatedtype Output

  init()

  /// The number of slots.
  var width: Int { get }

  /// Whether there is a value to read in each slot.
  var isComplete: Bool { get }

  func isEmpty(at index: Int) -> Bool

  /// Reads one value from each slot. All must have one.
  mutating func read() -> Output

  /// Exchanges the values with those of other slots.
  mutating func exchangeValues(with other: inout Self)

  /// The value to read next in each slot, for a mirror.
  var reflectedValues: [Any?] { get }
}

extension MixingSlots where Self: ~Copyable {

  @inlinable
  mutating func exchangeValues(with other: inout Self) {
    swap(&self, &other)
  }

  /// Whether one of some slots has no value to read.
  func hasEmptySlot(in slots: SlotSet) -> Bool {
    (0..<width).contains { slots.contains($0) && isEmpty(at: $0) }
  }
}

extension Deque: MixingSlot {

  @inlinable
  mutating func put(_ value: Element) -> Element? {
    append(value)
    return nil
  }

  /// Takes the oldest value.
  @inlinable
  mutating func read() -> Element {
    removeFirst()
  }

  @usableFromInline
  var reflectedValue: Any? { first }
}

/// A slot that keeps the latest value, which can be read repeatedly.
@usableFromInline
struct LatestValue<Value>: MixingSlot {

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

/// Two slots.
@usableFromInline
struct Slots2<A: MixingSlot & ~Copyable, B: MixingSlot & ~Copyable>: MixingSlots, ~Copyable {

  @usableFromInline
  var a = A()

  @usableFromInline
  var b = B()

  @inlinable
  init() {}

  @inlinable
  var width: Int { 2 }

  @inlinable
  var isComplete: Bool { !a.isEmpty && !b.isEmpty }

  @inlinable
  func isEmpty(at index: Int) -> Bool { index == 0 ? a.isEmpty : b.isEmpty }

  @inlinable
  mutating func read() -> (A.Value, B.Value) { (a.read(), b.read()) }

  @usableFromInline
  var reflectedValues: [Any?] { [a.reflectedValue, b.reflectedValue] }
}

extension Slots2: Copyable where A: Copyable, B: Copyable {}

/// Three slots.
@usableFromInline
struct Slots3<A: MixingSlot & ~Copyable, B: MixingSlot & ~Copyable, C: MixingSlot & ~Copyable>: MixingSlots, ~Copyable {

  @usableFromInline
  var a = A()

  @usableFromInline
  var b = B()

  @usableFromInline
  var c = C()

  @inlinable
  init() {}

  @inlinable
  var width: Int { 3 }

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

extension Slots3: Copyable where A: Copyable, B: Copyable, C: Copyable {}

/// Four slots.
@usableFromInline
struct Slots4<
  A: MixingSlot & ~Copyable,
  B: MixingSlot & ~Copyable,
  C: MixingSlot & ~Copyable,
  D: MixingSlot & ~Copyable
>:
  MixingSlots, ~Copyable
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
  var width: Int { 4 }

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

extension Slots4: Copyable where A: Copyable, B: Copyable, C: Copyable, D: Copyable {}
