/// A slot in an object of its own, so that a pack of slots of different types can be changed one by one.
@usableFromInline
protocol BoxedSlot: AnyObject {

  associatedtype Value

  init()

  /// Whether there is no value to read.
  var isEmpty: Bool { get }

  /// Puts a value in; see ``MixingSlot/put(_:)``.
  func put(_ value: Value) -> Value?

  /// Reads the next value. The slot must not be empty.
  func read() -> Value

  /// Exchanges the values of two slots.
  func exchangeValue(with other: Self)

  /// The value to read next, for a mirror.
  var reflectedValue: Any? { get }
}

/// A slot in an object of its own. Only with the operator's lock held.
@usableFromInline
final class SlotBox<Slot: MixingSlot & ~Copyable>: BoxedSlot {

  @exclusivity(unchecked)  // Only with the operator's lock held.
  @usableFromInline
  var slot = Slot()

  @inlinable
  init() {}

  @inlinable
  var isEmpty: Bool { slot.isEmpty }

  @inlinable
  func put(_ value: Slot.Value) -> Slot.Value? { slot.put(value) }

  @inlinable
  func read() -> Slot.Value { slot.read() }

  @inlinable
  func exchangeValue(with other: SlotBox<Slot>) { swap(&slot, &other.slot) }

  @usableFromInline
  var reflectedValue: Any? { slot.reflectedValue }
}

/// Slots that are boxes.
@usableFromInline
protocol PackedSlots: MixingSlots {

  /// The number of slots without a value to read.
  var emptyCount: Int { get set }
}

extension PackedSlots {

  @inlinable
  var isComplete: Bool { emptyCount == 0 }

  /// Puts a value into one of the slots.
  ///
  /// - Returns: The value that it replaces.
  @inlinable
  mutating func put<Box: BoxedSlot>(_ value: Box.Value, into box: Box) -> Box.Value? {
    if box.isEmpty { emptyCount -= 1 }
    return box.put(value)
  }
}

/// Any number of slots.
@usableFromInline
struct SlotPack<each Box: BoxedSlot>: PackedSlots {

  @usableFromInline
  let boxes: (repeat each Box)

  @usableFromInline
  var emptyCount: Int

  /// The number of slots, counted while they are created. In optimized code of Swift 6.3 a loop over the pack that only
  /// counts gives one, however long the pack is.
  @usableFromInline
  let width: Int

  @inlinable
  init() {
    var count = 0
    boxes = (repeat Self.box((each Box).self, counting: &count))
    emptyCount = count
    width = count
  }

  @inlinable
  static func box<B: BoxedSlot>(_ type: B.Type, counting count: inout Int) -> B {
    count += 1
    return B()
  }

  @inlinable
  func isEmpty(at index: Int) -> Bool {
    var next = 0
    for box in repeat each boxes {
      if next == index { return box.isEmpty }
      next += 1
    }
    return true
  }

  @inlinable
  mutating func read() -> (repeat (each Box).Value) {
    let values = (repeat (each boxes).read())
    emptyCount = 0
    for box in repeat each boxes { emptyCount += box.isEmpty ? 1 : 0 }
    return values
  }

  /// Exchanges the values. The constituents keep the boxes, so the boxes stay where they are.
  @inlinable
  mutating func exchangeValues(with other: inout SlotPack) {
    swap(&emptyCount, &other.emptyCount)
    repeat (each boxes).exchangeValue(with: each other.boxes)
  }

  @usableFromInline
  var reflectedValues: [Any?] {
    var values: [Any?] = []
    for box in repeat each boxes { values.append(box.reflectedValue) }
    return values
  }
}

/// Slots for values of one type.
@usableFromInline
struct SlotArray<Slot: MixingSlot & ~Copyable>: PackedSlots {

  @usableFromInline
  var boxes: [SlotBox<Slot>] = []

  @usableFromInline
  var emptyCount = 0

  @inlinable
  init() {}

  @inlinable
  init(width: Int) {
    boxes = (0..<width).map { _ in SlotBox() }
    emptyCount = width
  }

  @inlinable
  var width: Int { boxes.count }

  @inlinable
  func isEmpty(at index: Int) -> Bool { boxes[index].isEmpty }

  @inlinable
  mutating func read() -> [Slot.Value] {
    let values = boxes.map { $0.read() }
    emptyCount = boxes.reduce(0) { $1.isEmpty ? $0 + 1 : $0 }
    return values
  }

  /// Moves the values to the other slots, which are empty. The constituents keep the boxes.
  @inlinable
  mutating func exchangeValues(with other: inout SlotArray) {
    other = SlotArray(width: width)
    for (mine, others) in Swift.zip(boxes, other.boxes) { mine.exchangeValue(with: others) }
    emptyCount = width
  }

  @usableFromInline
  var reflectedValues: [Any?] { boxes.map(\.reflectedValue) }
}
