/// An element of a ``SubscriberList``. Its properties are used with the lock of the list's owner held.
@usableFromInline
package class SubscriberListElement {

  /// The addresses of its neighbours; zero for none.
  @exclusivity(unchecked)
  fileprivate final var next: UInt = 0

  @exclusivity(unchecked)
  fileprivate final var previous: UInt = 0

  /// Its number in the list, which grows from element to element; zero before it was in a list.
  @exclusivity(unchecked)
  fileprivate(set) final var number: Int64 = 0

  /// The number of calls to the element that are running, each in one of the others.
  @exclusivity(unchecked)
  final var callCount: Int32 = 0

  // The last one, so that small properties of a subclass follow without a gap.
  @exclusivity(unchecked)
  fileprivate(set) final var isListed = false

  @usableFromInline
  package init() {}

  /// Releases what only calls need. It is called once, after the removal, when no call is running, with no lock held.
  @usableFromInline
  func releaseContents() {}
}

/// The subscribers of a publisher, in the order in which they came. Used with a lock held.
///
/// The list owns its elements. One thread at a time walks through them: it takes the next element with the lock held, and
/// calls it with the lock free. A walk may be nested in another one of that thread. Elements may come and go meanwhile. A
/// walk does not meet those that have come since it began.
struct SubscriberList: ~Copyable {

  /// A walk through the list. It lies on the stack of its thread.
  struct Walk {

    fileprivate var following: UInt = 0

    /// The number of the last element that was met.
    private(set) var position: Int64 = 0

    /// The number of the last element to be met, at most.
    fileprivate(set) var last: Int64

    /// The walk that this one is nested in.
    fileprivate(set) var outer: UnsafeMutablePointer<Walk>?

    init(upTo last: Int64 = .max) { self.last = last }

    /// Whether an element is still to be met.
    func isAhead(_ element: SubscriberListElement) -> Bool { element.number > position && element.number <= last }

    /// Whether an element was met, or is being called.
    func hasMet(_ element: SubscriberListElement) -> Bool { element.number <= position }

    /// The next element, which the list keeps alive. The caller steps to it, and counts a call before it releases the lock.
    var next: Unmanaged<SubscriberListElement>? {
      following == 0 ? nil : unsafeBitCast(following, to: Unmanaged<SubscriberListElement>.self)
    }

    /// Steps to the next element. If it has come after the walk began, the walk is over.
    ///
    /// - Returns: Whether it is met.
    mutating func step(to element: SubscriberListElement) -> Bool {
      if element.number > last {
        following = 0
        return false
      }
      position = element.number
      following = element.next
      return true
    }
  }

  private var first: UInt = 0
  private var last: UInt = 0

  private(set) var count = 0

  /// The number of the newest element. It has 64 bits on every platform, as numbers are compared and grow for ever.
  private(set) var lastNumber: Int64

  /// The innermost walk.
  private(set) var walk: UnsafeMutablePointer<Walk>?

  /// - Parameter lastNumber: The number before that of the first element.
  init(lastNumber: Int64 = 0) {
    self.lastNumber = lastNumber
  }

  /// Adds an element, and retains it.
  mutating func append(_ element: SubscriberListElement) {
    let address = UInt(bitPattern: Unmanaged.passRetained(element).toOpaque())
    lastNumber += 1
    element.number = lastNumber
    element.isListed = true
    element.previous = last
    if last == 0 { first = address } else { Self.use(last) { $0.next = address } }
    last = address
    count += 1
  }

  /// Removes an element that is in the list. The caller releases it, with the lock free.
  mutating func remove(_ element: SubscriberListElement) {
    let address = UInt(bitPattern: Unmanaged.passUnretained(element).toOpaque())
    let (next, previous) = (element.next, element.previous)
    if next == 0 { last = previous } else { Self.use(next) { $0.previous = previous } }
    if previous == 0 { first = next } else { Self.use(previous) { $0.next = next } }
    element.next = 0
    element.previous = 0
    element.isListed = false
    count -= 1
    var running = walk
    while let walk = running {
      if walk.pointee.following == address { walk.pointee.following = next }
      running = walk.pointee.outer
    }
  }

  // MARK: Walks

  /// Begins a walk. It ends at the newest element at the latest.
  mutating func begin(_ walk: UnsafeMutablePointer<Walk>) {
    if walk.pointee.last > lastNumber { walk.pointee.last = lastNumber }
    walk.pointee.following = first
    walk.pointee.outer = self.walk
    self.walk = walk
  }

  /// Ends the innermost walk.
  mutating func endWalk() { walk = walk?.pointee.outer }

  /// Calls `body` with each element, from the newest to the oldest, while it returns `true`.
  func forEachFromLast<Element: SubscriberListElement>(as type: Element.Type, while body: (Element) -> Bool) {
    var address = last
    while address != 0 {
      var goesOn = false
      unsafeBitCast(address, to: Unmanaged<Element>.self)._withUnsafeGuaranteedRef {
        goesOn = body($0)
        address = $0.previous
      }
      if !goesOn { return }
    }
  }

  private static func use(_ address: UInt, _ body: (SubscriberListElement) -> Void) {
    unsafeBitCast(address, to: Unmanaged<SubscriberListElement>.self)._withUnsafeGuaranteedRef(body)
  }
}
