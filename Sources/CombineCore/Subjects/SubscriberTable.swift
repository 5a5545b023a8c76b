import Synchronization

/// The subscribers of a publisher that sends to many: read by every send without a lock or a retain, changed under a
/// lock.
///
/// A send counts itself in and out (one atomic operation each) and traversals an array of unretained references between the
/// two. Adding and removing are O(1) amortised, in any order.
///
/// What is removed is released once no traversal that began before the removal is still running; see ``TraversalCount``. Walks that
/// begin later do not hold it back, so what waits is bounded: it is what was removed during the last two traversals.
///
/// No type parameter concerns the table: what is not specialised for one, as the removal that a cancel leads to, would
/// look up types at run time, which takes longer than all that it does. All elements of a table have one type, which a
/// traversal is told.
@usableFromInline
class SubscriberTable {

  /// How many traversals are running, on any thread and at any depth.
  @usableFromInline
  final let traversals = TraversalCount()

  /// The present slots, an unretained reference kept alive by ``owner``; zero while there are none.
  @usableFromInline
  final let published = Atomic<UInt>(0)

  @usableFromInline
  final let hasRetired = Atomic<Bool>(false)

  /// How many elements there are. Written with the lock held.
  @usableFromInline
  final let count = Atomic<Int>(0)

  /// Guards what follows, and what a subclass says.
  @usableFromInline
  final let lock = Lock()

  // These four: only with the lock held.
  @exclusivity(unchecked)
  private final var owner: Slots?

  /// What was removed since the last turn of ``traversals``.
  @exclusivity(unchecked)
  private final var removed = Removed()

  /// What was removed before it, and waits for the traversals that began before it too.
  @exclusivity(unchecked)
  private final var draining = Removed()

  /// What the elements keep alive, together: there while the table is not empty.
  @exclusivity(unchecked)
  private final var sustained: AnyObject?

  /// What is to be released when no traversal can be inside it.
  private struct Removed {
    var elements: [SubscriberTableElement] = []
    var slots: [Slots] = []

    var isEmpty: Bool { elements.isEmpty && slots.isEmpty }

    static func += (left: inout Removed, right: Removed) {
      if left.isEmpty { return left = right }
      left.elements += right.elements
      left.slots += right.slots
    }
  }

  @usableFromInline
  init() {}

  /// An array of references that readers may traversal while a writer appends to it or clears a slot.
  @usableFromInline
  final class Slots {

    let capacity: Int

    /// How many slots are in use or were; grows only.
    @usableFromInline
    let count = Atomic<Int>(0)

    /// References, each owned by the table while in its slot; zero once cleared.
    @usableFromInline
    let references: UnsafeMutablePointer<Atomic<UInt>>

    init(capacity: Int) {
      self.capacity = capacity
      references = .allocate(capacity: capacity)
      for index in 0..<capacity {
        (references + index).initialize(to: Atomic(0))
      }
    }

    deinit {
      references.deinitialize(count: capacity)
      references.deallocate()
    }
  }

  deinit {
    for element in lock.withLock({ takeAll() }) { _ = element }
  }

  /// Whether the table is empty; it may not be any more soon after.
  @inlinable
  final var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

  @usableFromInline
  final var liveCount: Int {
    get { count.load(ordering: .relaxed) }
    set { count.store(newValue, ordering: .relaxed) }
  }

  /// Calls `body` with each element that was in the table when the traversal began and was not removed since.
  ///
  /// - Parameters:
  ///   - type: What all elements of the table are.
  ///   - prologue: Called before any element, when those to be visited are fixed already.
  ///   - body: Called with each element, in no particular order.
  /// - Complexity: O(*n*), without a lock, a retain or an allocation.
  @inlinable
  @inline(__always)
  final func forEach<Element: SubscriberTableElement>(
    _ type: Element.Type,
    after prologue: () -> Void = {},
    _ body: (Element) -> Void
  ) {
    let traversal = traversals.begin()
    visit(type, after: prologue, body)
    end(traversal)
  }

  /// As ``forEach(_:after:_:)``, for a caller that has begun a traversal and ends it.
  @inlinable
  @inline(__always)
  final func visit<Element: SubscriberTableElement>(
    _ type: Element.Type,
    after prologue: () -> Void = {},
    _ body: (Element) -> Void
  ) {
    InterleavingPoint.atomicStep.reach()
    let address = published.load(ordering: .sequentiallyConsistent)
    if address == 0 {
      prologue()
    } else {
      Self.withReference(address, as: Slots.self) { slots in
        InterleavingPoint.atomicStep.reach()
        let count = slots.count.load(ordering: .acquiring)
        prologue()
        for index in 0..<count {
          InterleavingPoint.atomicStep.reach()
          let element = slots.references[index].load(ordering: .sequentiallyConsistent)
          if element != 0 { Self.withReference(element, as: type, body) }
        }
      }
    }
  }

  @inlinable
  @inline(__always)
  final func end(_ traversal: TraversalCount.Traversal) {
    InterleavingPoint.atomicStep.reach()
    if traversals.end(traversal), hasRetired.load(ordering: .sequentiallyConsistent) { releaseRetired() }
  }

  /// Calls `body` with the object at an address, without retaining it: the walker count keeps it alive.
  @inlinable
  @inline(__always)
  static func withReference<T: AnyObject>(_ address: UInt, as type: T.Type, _ body: (T) -> Void) {
    Unmanaged<T>.fromOpaque(UnsafeRawPointer(bitPattern: address).unsafelyUnwrapped)._withUnsafeGuaranteedRef(body)
  }

  /// Adds an element; a traversal in progress does not see it. Call ``tidy()`` after it, with no lock held.
  ///
  /// - Complexity: O(1) amortised.
  @usableFromInline
  final func add(_ element: SubscriberTableElement) {
    lock.withLock { insert(element) }
  }

  /// Removes an element; a traversal in progress that has not reached it passes it over. Removing it again does nothing.
  ///
  /// - Complexity: O(1) amortised.
  @usableFromInline
  final func remove(_ element: SubscriberTableElement) {
    let (removed, sustained) = lock.withLock { () -> (SubscriberTableElement?, AnyObject?) in
      guard let slots = owner, element.tableIndex >= 0 else { return (nil, nil) }
      let address = slots.references[Int(element.tableIndex)].exchange(0, ordering: .sequentiallyConsistent)
      InterleavingPoint.atomicStep.reach()
      element.tableIndex = -1
      liveCount -= 1
      if liveCount == 0 {
        clearSlots()
      } else if slots.capacity > Self.roomDuringTraversals, liveCount * 4 <= slots.count.load(ordering: .relaxed) {
        replaceSlots(capacity: liveCount * 2)
      }
      return (retireOrTake(Self.take(address)), liveCount == 0 ? exchange(&self.sustained, with: nil) : nil)
    }
    // With the lock free: deinitialisers may call back.
    if let removed { removed.releaseContents() } else { element.releaseContentsUnlessVisited() }
    tidy()
    withExtendedLifetime((removed, sustained)) {}
  }

  /// Empties the table, and calls `body` with each element that was in it. They are let go of afterwards.
  @inlinable
  final func removeAll<Element: SubscriberTableElement>(_ type: Element.Type, _ body: (Element) -> Void) {
    // A traversal of its own, so that no other traversal's end lets go of an element that is still to be visited.
    let traversal = traversals.begin()
    for element in retireAll() { body(unsafeDowncast(element, to: type)) }
    end(traversal)
    // Not before: those that are still to be visited may need it.
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

  /// Releases what the elements kept alive, if there are none.
  @usableFromInline
  final func releaseSustained() {
    let released = lock.withLock { liveCount == 0 ? exchange(&sustained, with: nil) : nil }
    _ = released  // Released with the lock free.
  }

  // MARK: With the lock held

  /// Adds an element.
  ///
  /// - Parameters:
  ///   - element: The element.
  ///   - sustained: What is kept alive while there is any element; the same for all.
  final func insert(_ element: SubscriberTableElement, sustaining sustained: AnyObject? = nil) {
    let slots = slotsWithRoom()
    let index = slots.count.load(ordering: .relaxed)
    element.tableIndex = Int32(index)
    slots.references[index].store(Self.retain(element), ordering: .sequentiallyConsistent)
    InterleavingPoint.atomicStep.reach()
    slots.count.store(index + 1, ordering: .sequentiallyConsistent)
    liveCount += 1
    if liveCount == 1 { self.sustained = sustained }
  }

  /// What the elements keep alive.
  final var sustainedObject: AnyObject? { sustained }

  /// Clears all slots.
  ///
  /// - Returns: What was in them.
  private final func takeAll() -> [SubscriberTableElement] {
    guard let slots = owner else { return [] }
    var taken: [SubscriberTableElement] = []
    taken.reserveCapacity(liveCount)
    for index in 0..<slots.count.load(ordering: .relaxed) {
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

  /// The present slots if there is room for one more; else larger or tidied ones.
  private final func slotsWithRoom() -> Slots {
    if let slots = owner, slots.count.load(ordering: .relaxed) < slots.capacity { return slots }
    // Half as much again: of what a crowd takes, little is for those who have not come. While traversals are running, places
    // are not used twice and old slots are kept: then there is room for many that come and go.
    replaceSlots(capacity: max(traversals.areRunning ? Self.roomDuringTraversals : 2, liveCount + (liveCount + 1) / 2))
    return owner.unsafelyUnwrapped
  }

  /// Starts the slots over, all of them being clear.
  private final func clearSlots() {
    // A traversal that enters after this check and still sees the old count finds clear slots only, so it calls nobody
    // that could add to them: what it finds there was added by another thread meanwhile, which may go either way.
    if let slots = owner, slots.capacity <= Self.roomDuringTraversals, !traversals.areRunning {
      InterleavingPoint.atomicStep.reach()
      slots.count.store(0, ordering: .sequentiallyConsistent)
    } else {
      replaceSlots(capacity: 0)
    }
  }

  /// Publishes new slots with the live elements of the old ones, which are retired; none for a capacity of zero.
  private final func replaceSlots(capacity: Int) {
    let old = owner
    guard capacity > 0 else {
      published.store(0, ordering: .sequentiallyConsistent)
      owner = nil
      if let old { retire(old) }
      return
    }
    let new = Slots(capacity: capacity)
    var count = 0
    if let old {
      for index in 0..<old.count.load(ordering: .relaxed) {
        let address = old.references[index].load(ordering: .relaxed)
        guard address != 0 else { continue }
        new.references[count].store(address, ordering: .relaxed)
        Self.withReference(address, as: SubscriberTableElement.self) { $0.tableIndex = Int32(count) }
        count += 1
      }
    }
    new.count.store(count, ordering: .relaxed)
    InterleavingPoint.atomicStep.reach()
    published.store(
      UInt(bitPattern: Unmanaged.passUnretained(new).toOpaque()),
      ordering: .sequentiallyConsistent
    )
    owner = new
    if let old { retire(old) }
  }

  private final func retire(_ slots: Slots) {
    removed.slots.append(slots)
    hasRetired.store(true, ordering: .sequentiallyConsistent)
  }

  private final func retire(_ elements: some Sequence<SubscriberTableElement>) {
    removed.elements += elements
    hasRetired.store(true, ordering: .sequentiallyConsistent)
  }

  /// Hands an element that was just cleared back to the caller, or keeps it until no traversal can be inside it.
  private final func retireOrTake(_ element: SubscriberTableElement) -> SubscriberTableElement? {
    guard traversals.areRunning else { return element }
    InterleavingPoint.atomicStep.reach()
    retire(CollectionOfOne(element))
    return nil
  }

  /// Takes what no traversal can be inside any more.
  ///
  /// What was removed is ready once each of the two counts was seen at zero after the removal: a traversal that could meet it
  /// was counted in one of them before the removal, and until its end.
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

  /// Releases what was removed and no traversal can be inside.
  @usableFromInline
  final func tidy() {
    if hasRetired.load(ordering: .sequentiallyConsistent) { releaseRetired() }
  }

  @inline(never)
  @usableFromInline
  final func releaseRetired() {
    let (released, isCrowded) = lock.withLock { (takeReleasable(), removed.elements.count > Self.crowd) }
    for element in released.elements { element.releaseContents() }
    withExtendedLifetime(released) {}
    // A thread may have been taken off its processor during a traversal. It should get one, rather than this thread make more.
    if isCrowded { Platform.yieldThread() }
  }

  /// How many removed elements may wait before a thread that removes one lets other threads run.
  private static var crowd: Int { 1000 }
}

/// An element of a ``SubscriberTable``, which remembers its place so that it can be removed in constant time.
@usableFromInline
class SubscriberTableElement {

  /// For those that need one around the calls to their downstream. It is here so that the index has its room beside
  /// it, and not a word to itself.
  @usableFromInline
  final let gate = Gate()

  /// The index of the slot; negative while in none. The table's alone to touch, under its lock.
  @exclusivity(unchecked)
  @usableFromInline
  final var tableIndex: Int32 = -1

  @usableFromInline
  init() {}

  /// Releases what only traversals need. Called once, when the element was removed and no traversal can be inside it, with no
  /// lock held.
  @usableFromInline
  func releaseContents() {}

  /// The same, if it is certain that no traversal is inside it or will be. Called when the element was removed while traversals are
  /// running, with no lock held, so that what it keeps alive need not wait for them.
  @usableFromInline
  func releaseContentsUnlessVisited() {}
}
