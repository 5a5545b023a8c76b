/// The children of an operator: publishers that it has subscribed to, each found, added and removed in constant time.
///
/// A plain value without a lock. What it gives up is returned, to be released with the operator's lock free.
@usableFromInline
struct ChildTable {

  /// Names one child; no child that comes later has the same key.
  @usableFromInline
  struct Key: Equatable {
    let slot: Int32
    let generation: UInt32
  }

  private struct Entry {

    /// Counts the children that the slot has had. Odd while it has one.
    var generation: UInt32 = 0

    /// The next slot in the list of free ones.
    var nextFree: Int32 = -1
    var subscription: (any Subscription)?
  }

  private var entries: [Entry] = []
  private var firstFree: Int32 = -1

  /// The number of children, whether their subscriptions have arrived or not.
  private(set) var count = 0

  /// Adds a child whose subscription has not arrived.
  mutating func add() -> Key {
    count += 1
    let slot: Int32
    if firstFree >= 0 {
      slot = firstFree
      firstFree = entries[Int(slot)].nextFree
    } else {
      slot = Int32(entries.count)
      entries.append(Entry())
    }
    entries[Int(slot)].generation &+= 1
    return Key(slot: slot, generation: entries[Int(slot)].generation)
  }

  func contains(_ key: Key) -> Bool {
    entries[Int(key.slot)].generation == key.generation
  }

  /// The subscription of a child that is there and has one.
  subscript(key: Key) -> (any Subscription)? {
    contains(key) ? entries[Int(key.slot)].subscription : nil
  }

  /// Keeps a child's subscription.
  ///
  /// - Returns: Whether it was the first of a child that is there.
  mutating func accept(_ subscription: any Subscription, for key: Key) -> Bool {
    guard contains(key), entries[Int(key.slot)].subscription == nil else { return false }
    entries[Int(key.slot)].subscription = subscription
    return true
  }

  /// Removes a child.
  ///
  /// - Returns: Its subscription if it had one.
  mutating func remove(_ key: Key) -> (any Subscription)? {
    guard contains(key) else { return nil }
    count -= 1
    entries[Int(key.slot)].generation &+= 1
    entries[Int(key.slot)].nextFree = firstFree
    firstFree = key.slot
    return exchange(&entries[Int(key.slot)].subscription, with: nil)
  }

  /// The subscriptions of all children that have one.
  var live: [any Subscription] {
    entries.compactMap(\.subscription)
  }

  /// Removes all children.
  ///
  /// - Returns: Their subscriptions.
  mutating func removeAll() -> [any Subscription] {
    let live = live
    for slot in entries.indices where entries[slot].generation & 1 == 1 {
      _ = remove(Key(slot: Int32(slot), generation: entries[slot].generation))
    }
    return live
  }
}
