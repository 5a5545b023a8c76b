/// A queue in a ring buffer. Appending an element and removing the first one take constant time.
///
/// It cannot be copied, so a change need not check whether the buffer is shared.
@usableFromInline
package struct Deque<Element>: ~Copyable {

  /// The ring. Its size is a power of two, or zero before the first element.
  @usableFromInline
  var base: UnsafeMutablePointer<Element>?

  @usableFromInline
  var capacity = 0

  /// The index of the first element.
  @usableFromInline
  var head = 0

  @usableFromInline
  package var count = 0

  @inlinable
  package init() {}

  // Inlinable: the optimizer fails where it inlines only the callers.
  @inlinable
  deinit {
    for offset in 0..<count { address(offset).deinitialize(count: 1) }
    base?.deallocate()
  }

  @inlinable
  package var isEmpty: Bool { count == 0 }

  @inlinable
  func address(_ offset: Int) -> UnsafeMutablePointer<Element> {
    base.unsafelyUnwrapped + ((head &+ offset) & (capacity &- 1))
  }

  /// Appends an element, in constant amortized time.
  @inlinable
  package mutating func append(_ element: consuming Element) {
    if count == capacity { grow() }
    address(count).initialize(to: element)
    count &+= 1
  }

  /// Removes and returns the first element, or `nil` if the queue is empty.
  @inlinable
  package mutating func popFirst() -> Element? {
    guard count > 0 else { return nil }
    let element = address(0).move()
    head = (head &+ 1) & (capacity &- 1)
    count &-= 1
    return element
  }

  /// Moves the first elements to the end of another queue. If they are all elements and the other queue is empty, the two
  /// queues exchange their buffers.
  @inlinable
  mutating func moveFirst(_ number: Int, to other: inout Deque<Element>) {
    guard number < count || !other.isEmpty else { return swap(&self, &other) }
    for _ in 0..<number {
      guard let element = popFirst() else { return }
      other.append(element)
    }
  }

  /// A copy of the first element, or `nil` if the queue is empty.
  @inlinable
  package var first: Element? { count > 0 ? address(0).pointee : nil }

  /// A copy of the elements.
  @inlinable
  package var elements: [Element] {
    (0..<count).map { address($0).pointee }
  }

  @inlinable
  @inline(never)
  mutating func grow() {
    let newCapacity = Swift.max(4, capacity * 2)
    let newBase = UnsafeMutablePointer<Element>.allocate(capacity: newCapacity)
    if let base {
      // The ring is full: the elements begin at `head` and continue at index 0.
      let front = capacity - head
      newBase.moveInitialize(from: base + head, count: front)
      (newBase + front).moveInitialize(from: base, count: head)
      base.deallocate()
    }
    base = newBase
    capacity = newCapacity
    head = 0
  }
}
