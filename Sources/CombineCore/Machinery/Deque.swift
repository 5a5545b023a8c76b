/// A queue in a ring buffer: elements are appended at the end and taken from the front, in constant time each.
///
/// It cannot be copied, so a change never has to ask whether the buffer is shared.
@usableFromInline
struct Deque<Element>: ~Copyable {

  /// The ring; its size is a power of two, or zero before the first element.
  @usableFromInline
  var base: UnsafeMutablePointer<Element>?

  @usableFromInline
  var capacity = 0

  /// Where the first element is.
  @usableFromInline
  var head = 0

  @usableFromInline
  var count = 0

  @inlinable
  init() {}

  // Inlinable, or the optimiser, which inlines it into what replaces a queue, trips over it.
  @inlinable
  deinit {
    for offset in 0..<count { address(offset).deinitialize(count: 1) }
    base?.deallocate()
  }

  @inlinable
  var isEmpty: Bool { count == 0 }

  @inlinable
  func address(_ offset: Int) -> UnsafeMutablePointer<Element> {
    base.unsafelyUnwrapped + ((head &+ offset) & (capacity &- 1))
  }

  /// Appends an element. Amortised constant time.
  @inlinable
  mutating func append(_ element: consuming Element) {
    if count == capacity { grow() }
    address(count).initialize(to: element)
    count &+= 1
  }

  /// Takes the first element; `nil` when there is none.
  @inlinable
  mutating func popFirst() -> Element? {
    guard count > 0 else { return nil }
    let element = address(0).move()
    head = (head &+ 1) & (capacity &- 1)
    count &-= 1
    return element
  }

  /// Takes the first elements and appends them to another queue. With all of them and an empty other queue, that is
  /// an exchange of the two buffers.
  @inlinable
  mutating func moveFirst(_ number: Int, to other: inout Deque<Element>) {
    guard number < count || !other.isEmpty else { return swap(&self, &other) }
    for _ in 0..<number {
      guard let element = popFirst() else { return }
      other.append(element)
    }
  }

  /// A copy of the elements, for a mirror.
  var elements: [Element] {
    (0..<count).map { address($0).pointee }
  }

  @inlinable
  @inline(never)
  mutating func grow() {
    let newCapacity = Swift.max(4, capacity * 2)
    let newBase = UnsafeMutablePointer<Element>.allocate(capacity: newCapacity)
    if let base {
      // The ring is full: it runs from `head` to its end and on from its beginning.
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
