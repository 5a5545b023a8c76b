import CombineCore

/// The last elements of a publisher, up to a number of them.
@usableFromInline
struct LastElements<Value>: ~Copyable {

  private let maxLength: Int
  private var values = Deque<Value>()

  @usableFromInline
  init(_ maxLength: Int) {
    self.maxLength = maxLength
  }

  /// Appends an element.
  ///
  /// - Returns: The element that is no longer one of the last, if there is one.
  @usableFromInline
  mutating func append(_ value: Value) -> Value? {
    if maxLength == 0 { return value }
    let oldest = values.count == maxLength ? values.popFirst() : nil
    values.append(value)
    return oldest
  }

  /// Removes and returns the oldest element.
  @usableFromInline
  mutating func popFirst() -> Value? {
    values.popFirst()
  }

  /// Removes and returns all elements.
  @usableFromInline
  mutating func removeAll() -> [Value] {
    let removed = values.elements
    values = Deque()
    return removed
  }
}
