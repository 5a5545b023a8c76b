import Synchronization

/// The array of references of a ``SubscriberTable``. Traversals may read it while a writer, with the table's lock held,
/// appends to it or clears a slot.
///
/// It is an address, as an object would be retained and released at each use. The table frees it.
///
///     capacity | number of used slots | reference | reference | …
struct SubscriberSlots {

  /// The number of slots that are or were in use, which only grows. The references follow it.
  private let count: UnsafeMutablePointer<Atomic<UInt>>

  /// The address of the number of used slots.
  var address: UInt { UInt(bitPattern: count) }

  /// The slots at an address; `nil` if that is zero.
  init?(at address: UInt) {
    guard let count = UnsafeMutablePointer<Atomic<UInt>>(bitPattern: address) else { return nil }
    self.count = count
  }

  init(capacity: Int) {
    count = .allocate(capacity: 2 + capacity) + 1
    for index in -1...capacity {
      (count + index).initialize(to: Atomic(0))
    }
    count[-1].store(UInt(capacity), ordering: .relaxed)
  }

  func free() {
    (count - 1).deinitialize(count: 2 + capacity)
    (count - 1).deallocate()
  }

  var capacity: Int { Int(count[-1].load(ordering: .relaxed)) }

  /// References that the table owns while they are in their slots; zero in a cleared slot.
  var references: UnsafeMutablePointer<Atomic<UInt>> { count + 1 }

  var usedCount: Int { Int(count.pointee.load(ordering: .relaxed)) }

  func setUsedCount(_ newCount: Int) {
    count.pointee.store(UInt(newCount), ordering: .releasing)
  }
}
