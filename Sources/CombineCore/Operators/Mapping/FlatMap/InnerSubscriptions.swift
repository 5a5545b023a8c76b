/// The inner publishers that an operator has subscribed to. Each is found, added and removed in constant time.
///
/// It has no lock. It returns what it drops, to be released with the operator's lock free.
@usableFromInline
struct InnerSubscriptions: ~Copyable {

  /// The key of an inner publisher. No later one has the same key.
  @usableFromInline
  struct Key: Equatable {
    let slot: Int32
    let generation: UInt32
  }

  private struct Slot {

    /// The number of times that the slot was filled or emptied: odd while it is in use.
    var generation: UInt32 = 0

    /// The next slot in the list of free slots.
    var nextFree: Int32 = -1

    /// Whether the subscription has arrived.
    var hasSubscription = false
  }

  private var slots: UnsafeMutablePointer<Slot>?

  /// One for each slot, initialized where the slot has a subscription. In an array of optionals each access would go
  /// through the runtime's type metadata.
  private var subscriptions: UnsafeMutablePointer<any Subscription>?
  private var slotCount: Int32 = 0
  private var capacity: Int32 = 0
  private var firstFree: Int32 = -1

  /// The number of inner publishers, with and without a subscription.
  private(set) var count = 0

  init() {}

  deinit {
    for index in 0..<slotCount where slot(index).pointee.hasSubscription {
      subscription(index).deinitialize(count: 1)
    }
    slots?.deallocate()
    subscriptions?.deallocate()
  }

  private func slot(_ index: Int32) -> UnsafeMutablePointer<Slot> {
    slots.unsafelyUnwrapped + Int(index)
  }

  private func subscription(_ index: Int32) -> UnsafeMutablePointer<any Subscription> {
    subscriptions.unsafelyUnwrapped + Int(index)
  }

  /// The slot of an inner publisher, unless it was removed.
  private func slot(of key: Key) -> UnsafeMutablePointer<Slot>? {
    let slot = slot(key.slot)
    return slot.pointee.generation == key.generation ? slot : nil
  }

  /// Adds an inner publisher whose subscription has not arrived.
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
    if slotCount == capacity { grow() }
    slotCount += 1
    slot(slotCount - 1).initialize(to: Slot())
    return slotCount - 1
  }

  private mutating func grow() {
    capacity = max(2, capacity * 2)
    let newSlots = UnsafeMutablePointer<Slot>.allocate(capacity: Int(capacity))
    let newSubscriptions = UnsafeMutablePointer<any Subscription>.allocate(capacity: Int(capacity))
    for index in 0..<slotCount {
      (newSlots + Int(index)).initialize(to: slot(index).pointee)
      if slot(index).pointee.hasSubscription {
        (newSubscriptions + Int(index)).moveInitialize(from: subscription(index), count: 1)
      }
    }
    slots?.deallocate()
    subscriptions?.deallocate()
    slots = newSlots
    subscriptions = newSubscriptions
  }

  /// The subscription of an inner publisher, if it has arrived and was not removed.
  subscript(key: Key) -> (any Subscription)? {
    guard let slot = slot(of: key), slot.pointee.hasSubscription else { return nil }
    return subscription(key.slot).pointee
  }

  /// Keeps the subscription of an inner publisher.
  ///
  /// - Returns: Whether it was the first one, and the inner publisher was not removed.
  mutating func accept(_ subscription: any Subscription, for key: Key) -> Bool {
    guard let slot = slot(of: key), !slot.pointee.hasSubscription else { return false }
    slot.pointee.hasSubscription = true
    self.subscription(key.slot).initialize(to: subscription)
    return true
  }

  /// What was removed. To see that there is nothing to release is cheap, unlike with an optional.
  @usableFromInline
  enum Removed: ~Copyable {
    case nothing
    case subscription(any Subscription)

    /// The subscription, if there is one.
    consuming func take() -> (any Subscription)? {
      switch consume self {
      case .nothing: nil
      case .subscription(let subscription): subscription
      }
    }
  }

  /// Removes an inner publisher.
  ///
  /// - Returns: Its subscription, to be released with the operator's lock free.
  mutating func remove(_ key: Key) -> Removed {
    guard let slot = slot(of: key) else { return .nothing }
    count &-= 1
    let hadSubscription = slot.pointee.hasSubscription
    slot.pointee.generation &+= 1
    slot.pointee.hasSubscription = false
    slot.pointee.nextFree = firstFree
    firstFree = key.slot
    return hadSubscription ? .subscription(subscription(key.slot).move()) : .nothing
  }

  /// The subscriptions that have arrived.
  var live: [any Subscription] {
    (0..<slotCount).compactMap { slot($0).pointee.hasSubscription ? subscription($0).pointee : nil }
  }

  /// Removes all inner publishers.
  ///
  /// - Returns: Their subscriptions.
  mutating func removeAll() -> [any Subscription] {
    var removed: [any Subscription] = []
    for index in 0..<slotCount where slot(index).pointee.generation & 1 == 1 {
      if let subscription = remove(Key(slot: index, generation: slot(index).pointee.generation)).take() {
        removed.append(subscription)
      }
    }
    return removed
  }
}
