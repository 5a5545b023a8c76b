import CombineCore

/// The last elements of a publisher, up to a number of them.
@usableFromInline
struct LastElements<Value>: ~Copyable {

  @usableFromInline
  let maxLength: Int
  @usableFromInline
  var values = Deque<Value>()

  @inlinable
  init(_ maxLength: Int) {
    self.maxLength = maxLength
  }

  /// Appends an element.
  ///
  /// - Returns: The element that is no longer one of the last, if there is one.
  @inlinable
  mutating func append(_ value: Value) -> Value? {
    if maxLength == 0 { return value }
    let oldest = values.count == maxLength ? values.popFirst() : nil
    values.append(value)
    return oldest
  }

  /// Removes and returns the oldest element.
  @inlinable
  mutating func popFirst() -> Value? {
    values.popFirst()
  }

  /// Removes and returns all elements.
  @inlinable
  mutating func removeAll() -> [Value] {
    let removed = values.elements
    values = Deque()
    return removed
  }
}
