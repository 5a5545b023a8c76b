import Synchronization

/// The subscribers of a publisher that sends to many. A send reads them without a lock or a retain. A change takes the
/// lock.
///
/// A send is a traversal: it counts itself in and out, with one atomic operation each, and reads an array of unretained
/// references in between. Adding and removing take constant amortized time, in any order.
///
/// ## Reclamation
///
/// A removed element is released when the traversals that began before its removal have ended; see ``TraversalCount``.
/// Later traversals do not delay that. So the elements that wait are at most those removed during the last two
/// traversals. This is the race:
///
///     sending thread                          removing thread
///     counts itself: traversals = 1
///     reads a reference from its slot
///                                             clears the slot
///                                             finds traversals > 0: keeps the element
///     calls the element, which is alive
///     counts itself out: traversals = 0
///     finds `hasRetired`: releases the element
///
/// If the sending thread counts itself after the removing thread has looked, it finds the slot cleared.
///
/// The class is not generic. Code that is not specialized, such as the removal in a cancel, would look up types at run
/// time, which takes longer than the removal. All elements of a table have one type, which the caller of a traversal
/// names.
@usableFromInline
package class SubscriberTable {

  /// The traversals that are running, on any thread and at any depth.
  @usableFromInline
  final let traversals = TraversalCount()

  /// The address of the current ``SubscriberSlots``; zero while there are none.
  @usableFromInline
  final let published = Atomic<UInt>(0)

  @usableFromInline
  final let hasRetired = Atomic<Bool>(false)

  /// The number of elements. Written with the lock held.
  @usableFromInline
  final let count = Atomic<Int>(0)

  /// Guards the following properties, and those that a subclass names.
  @usableFromInline
  final let lock = Lock()

  /// What was removed since the last turn of ``traversals``.
  @exclusivity(unchecked)  // These three: only with the lock held.
  private final var removed = Removed()

  /// What was removed before that turn. It waits for the traversals that began before the turn, too.
  @exclusivity(unchecked)
  private final var draining = Removed()

  /// The object that the elements keep alive together, while the table is not empty.
  @exclusivity(unchecked)
  private final var sustained: AnyObject?

  /// Removed elements and slots, to be released when no traversal can be inside them.
  private struct Removed {
    var elements: [SubscriberTableElement] = []
    var slots: [SubscriberSlots] = []

    var isEmpty: Bool { elements.isEmpty && slots.isEmpty }

    func freeSlots() {
      if slots.isEmpty { return }  // In a debug build the loop looks up the type of its iterator.
      for slots in slots { slots.free() }
    }

    static func += (left: inout Removed, right: Removed) {
      if left.isEmpty { return left = right }
      left.elements += right.elements
      left.slots += right.slots
    }
  }

  @usableFromInline
  package init() {}

  deinit {
    let elements = lock.withLock { takeAll() }
    removed.freeSlots()
    draining.freeSlots()
    withExtendedLifetime(elements) {}
  }

  /// Whether the table has elements at this moment.
  @inlinable
  final func hasElements() -> Bool { count.load(ordering: .relaxed) != 0 }

  @inlinable
  final func hasTraversals() -> Bool { traversals.areRunning }

  @usableFromInline
  final var liveCount: Int {
    get { count.load(ordering: .relaxed) }
    set { count.store(newValue, ordering: .relaxed) }
  }

  /// Calls `body` with each element that was in the table when the traversal began and was not removed since.
  ///
  /// - Parameters:
  ///   - type: The type of all elements of the table.
  ///   - prologue: A closure that is called before the first element, when the elements to visit are already fixed.
  ///   - body: A closure that is called with each element, in no particular order.
  /// - Complexity: O(*n*), without a lock, a retain or an allocation.
  @inlinable
  @inline(__always)
  package final func forEach<Element: SubscriberTableElement>(
    _ type: Element.Type,
    after prologue: () -> Void = {},
    _ body: (Element) -> Void
  ) {
    let traversal = beginTraversal()
    visit(type, after: prologue, body)
    end(traversal)
  }

  /// Runs a closure that visits the elements, perhaps more than once. A removed element stays alive until its end.
  @inlinable
  @inline(__always)
  package final func traverse(_ body: () -> Void) {
    let traversal = beginTraversal()
    body()
    end(traversal)
  }

  @inlinable
  @inline(__always)
  final func beginTraversal() -> TraversalCount.Traversal { traversals.begin() }

  /// Does the same as ``forEach(_:after:_:)``, for a caller that begins and ends the traversal.
  @inlinable
  @inline(__always)
  package final func visit<Element: SubscriberTableElement>(
    _ type: Element.Type,
    after prologue: () -> Void = {},
    _ body: (Element) -> Void
  ) {
    InterleavingPoint.atomicStep.reach()
    let address = published.load(ordering: .sequentiallyConsistent)
    guard let count = UnsafePointer<Atomic<UInt>>(bitPattern: address) else { return prologue() }
    InterleavingPoint.atomicStep.reach()
    let last = count + Int(count.pointee.load(ordering: .acquiring))
    prologue()
    var reference = count
    while reference != last {
      reference += 1
      InterleavingPoint.atomicStep.reach()
      let element = reference.pointee.load(ordering: .sequentiallyConsistent)
      if element != 0 { Self.withReference(element, as: type, body) }
    }
  }

  @inlinable
  @inline(__always)
  final func end(_ traversal: TraversalCount.Traversal) {
    InterleavingPoint.atomicStep.reach()
    if traversals.end(traversal), hasRetired.load(ordering: .sequentiallyConsistent) { releaseRetired() }
  }

  /// Calls `body` with the object at an address. The count of traversals keeps it alive, so it is not retained.
  @inlinable
  @inline(__always)
  static func withReference<T: AnyObject>(_ address: UInt, as type: T.Type, _ body: (T) -> Void) {
    // A debug build would call a generic function to unwrap `UnsafeRawPointer(bitPattern:)`.
    unsafeBitCast(address, to: Unmanaged<T>.self)._withUnsafeGuaranteedRef(body)
  }

  /// Adds an element. A running traversal does not see it. The caller calls ``tidy()`` afterwards, with no lock held.
  ///
  /// - Complexity: O(1) amortized.
  @usableFromInline
  package final func add(_ element: SubscriberTableElement) {
    lock.withLock { insert(element) }
  }

  /// Removes an element. A running traversal that has not reached it skips it. Removing it again does nothing.
  ///
  /// - Complexity: O(1) amortized.
  @usableFromInline
  package final func remove(_ element: SubscriberTableElement) {
    lock.lock()
    let isPresent = element.tableIndex >= 0
    let isReleasable = isPresent && vacateSlot(of: element)
    let sustained = isPresent && liveCount == 0 ? takeSustained() : nil
    lock.unlock()
    // With the lock free, as deinitializers may call this table.
    if isReleasable { element.releaseContents() } else { element.releaseContentsUnlessVisited() }
    tidy()
    if isReleasable { Unmanaged.passUnretained(element).release() }
    withExtendedLifetime(sustained) {}
  }

  /// Empties the table, calls `body` with each element that was in it, and then releases the elements.
  @inlinable
  package final func removeAll<Element: SubscriberTableElement>(_ type: Element.Type, _ body: (Element) -> Void) {
    // This counts as a traversal, so that the end of another one does not release an element before its visit.
    let traversal = beginTraversal()
    for element in retireAll() { body(_unsafeUncheckedDowncast(element, to: type)) }
    end(traversal)
    // Not earlier: an element may need the object when it is visited.
    releaseSustained()
  }

  @usableFromInline
  final func retireAll() -> [SubscriberTableElement] {
    lock.withLock {
      let removed = takeAll()
      if !removed.isEmpty { retire(removed) }
      return removed
    }
  }

  /// Releases the object that the elements kept alive, if there are none.
  @usableFromInline
  final func releaseSustained() {
    let released = lock.withLock { liveCount == 0 ? takeSustained() : nil }
    _ = released  // Released with the lock free.
  }

  // MARK: With the lock held

  /// Adds an element.
  ///
  /// - Parameters:
  ///   - element: The element.
  ///   - sustained: The object to keep alive while there is any element. It is the same for all.
  final func insert(_ element: SubscriberTableElement, sustaining sustained: AnyObject? = nil) {
    let slots = slotsWithRoom()
    let index = slots.usedCount
    element.tableIndex = Int32(index)
    slots.references[index].store(Self.retain(element), ordering: .releasing)
    InterleavingPoint.atomicStep.reach()
    slots.setUsedCount(index + 1)
    liveCount += 1
    if liveCount == 1 { self.sustained = sustained }
  }

  /// Removes an element that is in the table.
  ///
  /// - Returns: Whether the caller must release it. If not, it is kept until no traversal can be inside it.
  private final func vacateSlot(of element: SubscriberTableElement) -> Bool {
    guard let slots else { return false }
    let address = slots.references[Int(element.tableIndex)].exchange(0, ordering: .sequentiallyConsistent)
    InterleavingPoint.atomicStep.reach()
    element.tableIndex = -1
    liveCount -= 1
    if liveCount == 0 {
      clear(slots)
    } else if slots.capacity > Self.roomDuringTraversals, liveCount * 4 <= slots.usedCount {
      replaceSlots(capacity: liveCount * 2)
    }
    guard traversals.areRunning else { return true }
    InterleavingPoint.atomicStep.reach()
    retire(CollectionOfOne(Self.take(address)))
    return false
  }

  /// The current slots, which the table owns.
  private final var slots: SubscriberSlots? { SubscriberSlots(at: published.load(ordering: .relaxed)) }

  /// The object that the elements keep alive.
  final var sustainedObject: AnyObject? { sustained }

  /// Takes that object, to be released with the lock free.
  final func takeSustained() -> AnyObject? { exchange(&sustained, with: nil) }

  /// Clears all slots.
  ///
  /// - Returns: The elements that were in them.
  private final func takeAll() -> [SubscriberTableElement] {
    guard let slots else { return [] }
    var taken: [SubscriberTableElement] = []
    taken.reserveCapacity(liveCount)
    for index in 0..<slots.usedCount {
      let address = slots.references[index].exchange(0, ordering: .sequentiallyConsistent)
      guard address != 0 else { continue }
      InterleavingPoint.atomicStep.reach()
      let element = Self.take(address)
      element.tableIndex = -1
      taken.append(element)
    }
    liveCount = 0
    replaceSlots(capacity: 0)
    return taken
  }

  private static var roomDuringTraversals: Int { 64 }

  /// The current slots if they have room for one more element, else new ones.
  private final func slotsWithRoom() -> SubscriberSlots {
    if let slots, slots.usedCount < slots.capacity { return slots }
    // Half as much again, so that many subscribers waste little memory. While traversals are running, slots are not reused
    // and old arrays are kept. Then there is room for many subscribers that come and go.
    replaceSlots(capacity: max(traversals.areRunning ? Self.roomDuringTraversals : 2, liveCount + (liveCount + 1) / 2))
    return slots.unsafelyUnwrapped
  }

  /// Makes the current slots, which are cleared, usable again.
  private final func clear(_ slots: SubscriberSlots) {
    // A traversal that begins after this check and reads the old count finds cleared slots only. An element that it does
    // find was added by another thread meanwhile, and may or may not be visited.
    if slots.capacity <= Self.roomDuringTraversals, !traversals.areRunning {
      InterleavingPoint.atomicStep.reach()
      slots.setUsedCount(0)
    } else {
      replaceSlots(capacity: 0)
    }
  }

  /// Replaces the slots by new ones with the same elements, and retires the old ones.
  ///
  /// - Parameter capacity: The number of new slots; zero for none.
  private final func replaceSlots(capacity: Int) {
    let old = slots
    guard capacity > 0 else {
      published.store(0, ordering: .sequentiallyConsistent)
      if let old { retire(old) }
      return
    }
    let new = SubscriberSlots(capacity: capacity)
    var count = 0
    if let old {
      for index in 0..<old.usedCount {
        let address = old.references[index].load(ordering: .relaxed)
        guard address != 0 else { continue }
        new.references[count].store(address, ordering: .relaxed)
        Self.withReference(address, as: SubscriberTableElement.self) { $0.tableIndex = Int32(count) }
        count += 1
      }
    }
    new.setUsedCount(count)
    InterleavingPoint.atomicStep.reach()
    published.store(new.address, ordering: .sequentiallyConsistent)
    if let old { retire(old) }
  }

  private final func retire(_ slots: SubscriberSlots) {
    removed.slots.append(slots)
    hasRetired.store(true, ordering: .sequentiallyConsistent)
  }

  private final func retire(_ elements: some Sequence<SubscriberTableElement>) {
    removed.elements += elements
    hasRetired.store(true, ordering: .sequentiallyConsistent)
  }

  /// Takes what no traversal can be inside.
  ///
  /// An element is ready when each of the two counts was seen at zero after its removal. A traversal that could reach the
  /// element was counted in one of them before the removal, until its own end.
  private final func takeReleasable() -> Removed {
    var released = Removed()
    while true {
      InterleavingPoint.atomicStep.reach()
      guard !traversals.areRunningFromBeforeTheTurn else { break }
      released += exchange(&draining, with: Removed())
      guard !removed.isEmpty else { break }
      draining = exchange(&removed, with: Removed())
      traversals.turn()
    }
    if removed.isEmpty, draining.isEmpty { hasRetired.store(false, ordering: .sequentiallyConsistent) }
    return released
  }

  private static func retain(_ element: SubscriberTableElement) -> UInt {
    UInt(bitPattern: Unmanaged.passRetained(element).toOpaque())
  }

  private static func take(_ address: UInt) -> SubscriberTableElement {
    Unmanaged<SubscriberTableElement>.fromOpaque(UnsafeRawPointer(bitPattern: address).unsafelyUnwrapped)
      .takeRetainedValue()
  }

  // MARK: With the lock free

  /// Releases what was removed, if no traversal can be inside it.
  @usableFromInline
  package final func tidy() {
    if hasRetired.load(ordering: .sequentiallyConsistent) { releaseRetired() }
  }

  @inline(never)
  @usableFromInline
  final func releaseRetired() {
    let (released, isCrowded) = lock.withLock { (takeReleasable(), removed.elements.count > Self.crowd) }
    released.freeSlots()
    for element in released.elements { element.releaseContents() }
    withExtendedLifetime(released) {}
    // A thread may have lost its processor during a traversal. It should continue before this thread removes more.
    if isCrowded { Platform.yieldThread() }
  }

  /// The number of removed elements that may wait before a removing thread yields.
  private static var crowd: Int { 1000 }
}
