import Synchronization

/// The subscribers of a publisher that sends to many: read by every send without a lock or a retain, changed under a
/// lock.
///
/// A send counts itself in and out (one atomic operation each) and walks an array of unretained references between the
/// two. What is removed meanwhile stays alive until a moment at which no send is inside, and is released then. Adding
/// and removing are O(1) amortised, in any order.
///
/// No type parameter concerns the table: what is not specialised for one, as the removal that a cancel leads to, would
/// look up types at run time, which takes longer than all that it does. All elements of a table have one type, which a
/// walk is told.
@usableFromInline
class SubscriberTable {

  /// How many walks are inside, on any thread and at any depth.
  @usableFromInline
  final let walkers = Atomic<Int>(0)

  /// The present slots, an unretained reference kept alive by ``owner``; zero while there are none.
  @usableFromInline
  final let published = Atomic<UInt>(0)

  @usableFromInline
  final let hasRetired = Atomic<Bool>(false)

  /// Guards what follows, and what a subclass says.
  @usableFromInline
  final let lock = Lock()

  // These five: only with the lock held.
  @exclusivity(unchecked)
  private final var owner: Slots?

  @exclusivity(unchecked)
  private final var liveCount = 0

  @exclusivity(unchecked)
  private final var retiredElements: [SubscriberTableElement] = []

  @exclusivity(unchecked)
  private final var retiredSlots: [Slots] = []

  /// What the elements keep alive, together: there while the table is not empty.
  @exclusivity(unchecked)
  private final var sustained: AnyObject?

  @usableFromInline
  init() {}

  /// An array of references that readers may walk while a writer appends to it or clears a slot.
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

  /// Calls `body` with each element that was in the table when the walk began and was not removed since.
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
    enter()
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
    leave()
  }

  @inlinable
  @inline(__always)
  final func enter() {
    walkers.wrappingAdd(1, ordering: .sequentiallyConsistent)
  }

  @inlinable
  @inline(__always)
  final func leave() {
    InterleavingPoint.atomicStep.reach()
    let remaining = walkers.wrappingSubtract(1, ordering: .sequentiallyConsistent).newValue
    if remaining == 0, hasRetired.load(ordering: .sequentiallyConsistent) { releaseRetired() }
  }

  /// Calls `body` with the object at an address, without retaining it: the walker count keeps it alive.
  @inlinable
  @inline(__always)
  static func withReference<T: AnyObject>(_ address: UInt, as type: T.Type, _ body: (T) -> Void) {
    Unmanaged<T>.fromOpaque(UnsafeRawPointer(bitPattern: address).unsafelyUnwrapped)._withUnsafeGuaranteedRef(body)
  }

  /// Adds an element; a walk in progress does not see it. Call ``tidy()`` after it, with no lock held.
  ///
  /// - Complexity: O(1) amortised.
  @usableFromInline
  final func add(_ element: SubscriberTableElement) {
    lock.withLock { insert(element) }
  }

  /// Removes an element; a walk in progress that has not reached it passes it over. Removing it again does nothing.
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
      } else if slots.capacity > 16, liveCount * 4 <= slots.count.load(ordering: .relaxed) {
        replaceSlots(capacity: liveCount * 2)
      }
      return (retireOrTake(Self.take(address)), liveCount == 0 ? exchange(&self.sustained, with: nil) : nil)
    }
    tidy()
    // Let go of here, with the lock free: deinitialisers may call back.
    removed?.letGo()
    withExtendedLifetime((removed, sustained)) {}
  }

  /// Empties the table, and calls `body` with each element that was in it. They are let go of afterwards.
  @inlinable
  final func removeAll<Element: SubscriberTableElement>(_ type: Element.Type, _ body: (Element) -> Void) {
    // Inside as a walk is, so that no other walk's end lets go of an element that is still to be visited.
    enter()
    for element in retireAll() { body(unsafeDowncast(element, to: type)) }
    leave()
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

  /// The present slots if there is room for one more; else larger or tidied ones.
  private final func slotsWithRoom() -> Slots {
    if let slots = owner, slots.count.load(ordering: .relaxed) < slots.capacity { return slots }
    // Half as much again: of what a crowd takes, little is for those who have not come.
    replaceSlots(capacity: max(2, liveCount + (liveCount + 1) / 2))
    return owner.unsafelyUnwrapped
  }

  /// Starts the slots over, all of them being clear.
  private final func clearSlots() {
    // A walk that enters after this check and still sees the old count finds clear slots only, so it calls nobody
    // that could add to them: what it finds there was added by another thread meanwhile, which may go either way.
    if let slots = owner, slots.capacity <= 16, walkers.load(ordering: .sequentiallyConsistent) == 0 {
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
    retiredSlots.append(slots)
    hasRetired.store(true, ordering: .sequentiallyConsistent)
  }

  private final func retire(_ elements: some Sequence<SubscriberTableElement>) {
    retiredElements += elements
    hasRetired.store(true, ordering: .sequentiallyConsistent)
  }

  /// Hands an element that was just cleared back to the caller, or keeps it for the last walker to release.
  private final func retireOrTake(_ element: SubscriberTableElement) -> SubscriberTableElement? {
    if walkers.load(ordering: .sequentiallyConsistent) == 0 { return element }
    InterleavingPoint.atomicStep.reach()
    retire(CollectionOfOne(element))
    return nil
  }

  private static func retain(_ element: SubscriberTableElement) -> UInt {
    UInt(bitPattern: Unmanaged.passRetained(element).toOpaque())
  }

  private static func take(_ address: UInt) -> SubscriberTableElement {
    Unmanaged<SubscriberTableElement>.fromOpaque(UnsafeRawPointer(bitPattern: address).unsafelyUnwrapped)
      .takeRetainedValue()
  }

  // MARK: With the lock free

  /// Releases what was removed, once no walk is inside.
  @usableFromInline
  final func tidy() {
    if hasRetired.load(ordering: .sequentiallyConsistent) { releaseRetired() }
  }

  /// Lets go of what was removed, unless a walk is inside: its end will do it.
  @inline(never)
  @usableFromInline
  final func releaseRetired() {
    // Whoever enters after this check reads what is published now, which holds none of the retired.
    let (elements, slots) = lock.withLock { () -> ([SubscriberTableElement], [Slots]) in
      guard walkers.load(ordering: .sequentiallyConsistent) == 0 else { return ([], []) }
      InterleavingPoint.atomicStep.reach()
      hasRetired.store(false, ordering: .sequentiallyConsistent)
      return (exchange(&retiredElements, with: []), exchange(&retiredSlots, with: []))
    }
    for element in elements { element.letGo() }
    withExtendedLifetime(slots) {}
  }
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

  /// Releases what only walks need. Called once, when the element was removed and no walk can be inside it, with no
  /// lock held.
  @usableFromInline
  func letGo() {}
}

/// Puts a new value in a place and returns the old one.
@inlinable
package func exchange<T>(_ place: inout T, with value: T) -> T {
  let old = place
  place = value
  return old
}
