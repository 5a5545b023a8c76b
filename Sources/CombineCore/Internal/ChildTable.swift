/// The children of an operator: publishers that it has subscribed to, each found, added and removed in constant time.
///
/// It has no lock. What it gives up is returned, to be released with the operator's lock free.
@usableFromInline
struct ChildTable: ~Copyable {

  /// Names one child; no child that comes later has the same key.
  @usableFromInline
  struct Key: Equatable {
    let slot: Int32
    let generation: UInt32
  }

  private struct Slot {

    /// Counts the comings and goings of children: odd while there is one.
    var generation: UInt32 = 0

    /// The next one in the list of free slots.
    var nextFree: Int32 = -1

    /// Whether the child's subscription has arrived.
    var hasSubscription = false

    // Not an optional: copying or destroying an optional existential goes through the runtime's type metadata.
    var subscription: any Subscription = NoSubscription()
  }

  // In memory of its own, as an element of an array is copied, subscription and all, when a part of it is looked at.
  private var slots: UnsafeMutablePointer<Slot>?
  private var slotCount: Int32 = 0
  private var capacity: Int32 = 0
  private var firstFree: Int32 = -1

  /// The number of children, whether their subscriptions have arrived or not.
  private(set) var count = 0

  init() {}

  deinit {
    slots?.deinitialize(count: Int(slotCount))
    slots?.deallocate()
  }

  private func slot(_ index: Int32) -> UnsafeMutablePointer<Slot> {
    slots.unsafelyUnwrapped + Int(index)
  }

  /// The slot of a child that is there.
  private func slot(of key: Key) -> UnsafeMutablePointer<Slot>? {
    let slot = slot(key.slot)
    return slot.pointee.generation == key.generation ? slot : nil
  }

  /// Adds a child whose subscription has not arrived.
  mutating func add() -> Key {
    count &+= 1
    let index = firstFree >= 0 ? firstFree : appendSlot()
    let slot = slot(index)
    firstFree = slot.pointee.nextFree
    slot.pointee.generation &+= 1
    return Key(slot: index, generation: slot.pointee.generation)
  }

  @inline(never)
  private mutating func appendSlot() -> Int32 {
    if slotCount == capacity {
      capacity = max(2, capacity * 2)
      let newSlots = UnsafeMutablePointer<Slot>.allocate(capacity: Int(capacity))
      if let slots {
        newSlots.moveInitialize(from: slots, count: Int(slotCount))
        slots.deallocate()
      }
      slots = newSlots
    }
    slotCount += 1
    slot(slotCount - 1).initialize(to: Slot())
    return slotCount - 1
  }

  /// The subscription of a child that is there and has one.
  subscript(key: Key) -> (any Subscription)? {
    guard let slot = slot(of: key), slot.pointee.hasSubscription else { return nil }
    return slot.pointee.subscription
  }

  /// Keeps a child's subscription.
  ///
  /// - Returns: Whether it was the first of a child that is there.
  mutating func accept(_ subscription: any Subscription, for key: Key) -> Bool {
    guard let slot = slot(of: key), !slot.pointee.hasSubscription else { return false }
    slot.pointee.hasSubscription = true
    slot.pointee.subscription = subscription
    return true
  }

  /// Removes a child if it is there.
  ///
  /// - Returns: Its subscription, to be released with the operator's lock free; one that does nothing if it has none.
  mutating func remove(_ key: Key) -> any Subscription {
    guard let slot = slot(of: key) else { return NoSubscription() }
    count &-= 1
    slot.pointee.generation &+= 1
    slot.pointee.hasSubscription = false
    slot.pointee.nextFree = firstFree
    firstFree = key.slot
    return exchange(&slot.pointee.subscription, with: NoSubscription())
  }

  /// The subscriptions of all children that have one.
  var live: [any Subscription] {
    (0..<slotCount).compactMap { slot($0).pointee.hasSubscription ? slot($0).pointee.subscription : nil }
  }

  /// Removes all children.
  ///
  /// - Returns: Their subscriptions.
  mutating func removeAll() -> [any Subscription] {
    let live = live
    for index in 0..<slotCount where slot(index).pointee.generation & 1 == 1 {
      _ = remove(Key(slot: index, generation: slot(index).pointee.generation))
    }
    return live
  }
}
