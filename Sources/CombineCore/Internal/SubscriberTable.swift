import Synchronization

/// The subscribers of a subject: read by every send without a lock or a retain, changed under a lock.
///
/// A send counts itself in and out (one atomic operation each) and walks an array of unretained references between the
/// two. What is removed meanwhile stays alive until a moment at which no send is inside, and is released then. Adding
/// and removing are O(1) amortised, in any order.
@usableFromInline
final class SubscriberTable<Element: SubscriberTableElement> {

  /// How many walks are inside, on any thread and at any depth.
  @usableFromInline
  let walkers = Atomic<Int>(0)

  /// The present slots, an unretained reference kept alive by ``owner``; zero while there are none.
  @usableFromInline
  let published = Atomic<UInt>(0)

  @usableFromInline
  let hasRetired = Atomic<Bool>(false)

  private let lock = Lock()

  // These three: only with the lock held.
  @exclusivity(unchecked)
  private var owner: Slots?

  @exclusivity(unchecked)
  private var liveCount = 0

  @exclusivity(unchecked)
  private var retired: [AnyObject] = []

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
    for element in removeAll() { _ = element }
  }

  /// Calls `body` with each element that was in the table when the walk began and was not removed since.
  ///
  /// - Parameters:
  ///   - prologue: Called before any element, when those to be visited are fixed already.
  ///   - body: Called with each element, in no particular order.
  /// - Complexity: O(*n*), without a lock, a retain or an allocation.
  @inlinable
  @inline(__always)
  func forEach(after prologue: () -> Void = {}, _ body: (Element) -> Void) {
    walkers.wrappingAdd(1, ordering: .sequentiallyConsistent)
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
          if element != 0 { Self.withReference(element, as: Element.self, body) }
        }
      }
    }
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
  func add(_ element: Element) {
    lock.withLock {
      let slots = slotsWithRoom()
      let index = slots.count.load(ordering: .relaxed)
      element.tableIndex = index
      slots.references[index].store(Self.retain(element), ordering: .sequentiallyConsistent)
      InterleavingPoint.atomicStep.reach()
      slots.count.store(index + 1, ordering: .sequentiallyConsistent)
      liveCount += 1
    }
  }

  /// Removes an element; a walk in progress that has not reached it passes it over. Removing it again does nothing.
  ///
  /// - Complexity: O(1) amortised.
  @usableFromInline
  func remove(_ element: Element) {
    let released: Element? = lock.withLock {
      guard let slots = owner, element.tableIndex >= 0 else { return nil }
      let address = slots.references[element.tableIndex].exchange(0, ordering: .sequentiallyConsistent)
      InterleavingPoint.atomicStep.reach()
      element.tableIndex = -1
      liveCount -= 1
      if liveCount == 0 {
        clearSlots()
      } else if slots.capacity > 16, liveCount * 4 <= slots.count.load(ordering: .relaxed) {
        replaceSlots(capacity: liveCount * 2)
      }
      return retireOrTake(Self.take(address))
    }
    tidy()
    _ = released  // Released here, with the lock free: its downstream's deinitialiser may call back.
  }

  /// Empties the table.
  ///
  /// - Returns: What was in it.
  @usableFromInline
  func removeAll() -> [Element] {
    let removed: [Element] = lock.withLock {
      guard let slots = owner else { return [] }
      var removed: [Element] = []
      removed.reserveCapacity(liveCount)
      for index in 0..<slots.count.load(ordering: .relaxed) {
        let address = slots.references[index].exchange(0, ordering: .sequentiallyConsistent)
        guard address != 0 else { continue }
        InterleavingPoint.atomicStep.reach()
        let element = Self.take(address)
        element.tableIndex = -1
        removed.append(element)
        _ = retireOrTake(element)
      }
      liveCount = 0
      replaceSlots(capacity: 0)
      return removed
    }
    tidy()
    return removed
  }

  // MARK: With the lock held

  /// The present slots if there is room for one more; else larger or tidied ones.
  private func slotsWithRoom() -> Slots {
    if let slots = owner, slots.count.load(ordering: .relaxed) < slots.capacity { return slots }
    replaceSlots(capacity: max(2, liveCount * 2))
    return owner.unsafelyUnwrapped
  }

  /// Starts the slots over, all of them being clear.
  private func clearSlots() {
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
  private func replaceSlots(capacity: Int) {
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
        Unmanaged<Element>.fromOpaque(UnsafeRawPointer(bitPattern: address).unsafelyUnwrapped)
          .takeUnretainedValue().tableIndex = count
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

  private func retire(_ object: AnyObject) {
    retired.append(object)
    hasRetired.store(true, ordering: .sequentiallyConsistent)
  }

  /// Hands an element that was just cleared back to the caller, or keeps it for the last walker to release.
  private func retireOrTake(_ element: Element) -> Element? {
    if walkers.load(ordering: .sequentiallyConsistent) == 0 { return element }
    InterleavingPoint.atomicStep.reach()
    retire(element)
    return nil
  }

  private static func retain(_ element: Element) -> UInt {
    UInt(bitPattern: Unmanaged.passRetained(element).toOpaque())
  }

  private static func take(_ address: UInt) -> Element {
    Unmanaged<Element>.fromOpaque(UnsafeRawPointer(bitPattern: address).unsafelyUnwrapped).takeRetainedValue()
  }

  // MARK: With the lock free

  /// Releases what was removed, once no walk is inside.
  @usableFromInline
  func tidy() {
    if hasRetired.load(ordering: .sequentiallyConsistent) { releaseRetired() }
  }

  /// Releases what was removed, unless a walk is inside: its end will do it.
  @inline(never)
  @usableFromInline
  func releaseRetired() {
    // Whoever enters after this check reads what is published now, which holds none of the retired.
    let released: [AnyObject] = lock.withLock {
      guard walkers.load(ordering: .sequentiallyConsistent) == 0 else { return [] }
      InterleavingPoint.atomicStep.reach()
      hasRetired.store(false, ordering: .sequentiallyConsistent)
      return exchange(&retired, with: [])
    }
    _ = released
  }
}

// What walks read is in atomics, what changes do is behind the lock. Elements are called on the threads that walk.
extension SubscriberTable: @unchecked Sendable {}

/// An element of a ``SubscriberTable``, which remembers its place so that it can be removed in constant time.
@usableFromInline
protocol SubscriberTableElement: AnyObject {

  /// The index of the slot; negative while in none. The table's alone to touch, under its lock.
  var tableIndex: Int { get set }
}

/// Puts a new value in a place and returns the old one.
@inlinable
package func exchange<T>(_ place: inout T, with value: T) -> T {
  let old = place
  place = value
  return old
}
