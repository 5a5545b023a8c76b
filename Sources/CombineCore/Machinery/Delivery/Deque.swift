/// A queue in a ring buffer. Appending an element and removing the first one take constant time.
///
/// It cannot be copied, so a change need not check whether the buffer is shared.
@usableFromInline
package struct Deque<Element>: ~Copyable {

  /// The ring. Its size is a power of two, or zero before the first element.
  @usableFromInline
  var base: UnsafeMutableRawPointer?

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
    for offset in 0..<count { slot(offset).assumingMemoryBound(to: Element.self).deinitialize(count: 1) }
    base?.deallocate()
  }

  @inlinable
  package var isEmpty: Bool { count == 0 }

  /// The memory of an element. It has no type, as a debug build looks up a type that is made of another one. For the
  /// same reason `base`, which is there by then, is cast and not unwrapped.
  @inlinable
  func slot(_ offset: Int) -> UnsafeMutableRawPointer {
    unsafeBitCast(base, to: UnsafeMutableRawPointer.self).advanced(
      by: ((head &+ offset) & (capacity &- 1)) &* MemoryLayout<Element>.stride
    )
  }

  /// Appends an element, in constant amortized time.
  @inlinable
  package mutating func append(_ element: consuming Element) {
    if count == capacity { grow() }
    slot(count).initializeMemory(as: Element.self, to: element)
    count &+= 1
  }

  /// Puts an element before the others, in constant amortized time.
  @inlinable
  mutating func prepend(_ element: consuming Element) {
    if count == capacity { grow() }
    head = (head &- 1) & (capacity &- 1)
    slot(0).initializeMemory(as: Element.self, to: element)
    count &+= 1
  }

  /// Removes and returns the first element, or `nil` if the queue is empty.
  @inlinable
  package mutating func popFirst() -> Element? {
    count > 0 ? removeFirst() : nil
  }

  /// Removes and returns the first element of a queue that is not empty.
  @inlinable
  mutating func removeFirst() -> Element {
    let first = slot(0)
    head = (head &+ 1) & (capacity &- 1)
    count &-= 1
    return first.assumingMemoryBound(to: Element.self).move()
  }

  /// Removes and returns an element. The elements on its shorter side move up.
  @inlinable
  package mutating func remove(at offset: Int) -> Element {
    let element = slot(offset).assumingMemoryBound(to: Element.self).move()
    if offset < count / 2 {
      for other in (0..<offset).reversed() { move(other, to: other + 1) }
      head = (head &+ 1) & (capacity &- 1)
    } else {
      for other in offset + 1..<count { move(other, to: other - 1) }
    }
    count &-= 1
    return element
  }

  @inlinable
  func move(_ offset: Int, to other: Int) {
    slot(other).assumingMemoryBound(to: Element.self)
      .moveInitialize(from: slot(offset).assumingMemoryBound(to: Element.self), count: 1)
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
  package var first: Element? { count > 0 ? slot(0).assumingMemoryBound(to: Element.self).pointee : nil }

  /// A copy of an element.
  @inlinable
  package func element(at offset: Int) -> Element { slot(offset).assumingMemoryBound(to: Element.self).pointee }

  /// A copy of the elements.
  @inlinable
  package var elements: [Element] {
    (0..<count).map { slot($0).assumingMemoryBound(to: Element.self).pointee }
  }

  @inlinable
  @inline(never)
  mutating func grow() {
    let newCapacity = Swift.max(4, capacity * 2)
    let new = UnsafeMutablePointer<Element>.allocate(capacity: newCapacity)
    if let base {
      let old = base.assumingMemoryBound(to: Element.self)
      // The ring is full: the elements begin at `head` and continue at index 0.
      let front = capacity - head
      new.moveInitialize(from: old + head, count: front)
      (new + front).moveInitialize(from: old, count: head)
      old.deallocate()
    }
    base = UnsafeMutableRawPointer(new)
    capacity = newCapacity
    head = 0
  }
}
