import CCombinePlatform

/// A stand-in for a conduit in the actions that a scheduler keeps.
///
/// A cancellation releases the conduit, and with it the downstream and the pending elements, however long the scheduler
/// keeps the actions.
///
/// The actions hold the relay, and the relay holds the conduit. An otherwise unreferenced conduit therefore lives until
/// its actions have run or the downstream has cancelled.
@usableFromInline
final class ActionRelay {

  private let lock = Lock()

  @exclusivity(unchecked)  // Only with the lock held.
  private var stored: Conduit?

  @usableFromInline
  init(_ conduit: Conduit) {
    stored = conduit
  }

  deinit {
    // Without a lock: nothing else has a reference.
    stored?.removeRelay(Unmanaged.passUnretained(self).toOpaque())
  }

  /// The conduit, or `nil` after its release.
  @usableFromInline
  var conduit: Conduit? {
    lock.lock()
    let current = stored
    lock.unlock()
    return current
  }

  /// An action that calls the conduit's `runAction()`, unless the conduit was released.
  ///
  /// It is made here, outside generic code. The schedulers keep it, and it holds nothing but the relay.
  @usableFromInline
  var action: () -> Void {
    { self.conduit?.runAction() }
  }

  /// Releases the conduit.
  @usableFromInline
  func release() {
    let released = lock.withLock { exchange(&stored, with: nil) }
    _ = released  // Released with the lock free.
  }

  /// Holds the conduit again.
  fileprivate func hold(_ conduit: Conduit) {
    lock.withLock { stored = conduit }
  }
}

/// The relay of a conduit.
///
/// While there are actions, only they retain the relay. A scheduler that drops an action therefore drops the relay, too, and
/// its references. Between two actions the relay is kept here, without the conduit.
///
/// This structure has no lock. The operator's lock guards it.
@usableFromInline
struct ActionRelayReference {

  /// The relay. It is not retained, and removed by its deinitializer with the operator's lock held; see
  /// ``remove(_:)``. So its memory is not freed before that.
  private var pointer: UnsafeMutableRawPointer?

  /// The relay, while no action holds it.
  private var idle: ActionRelay?

  @usableFromInline
  init() {}

  /// The relay, unless its deinitializer has begun.
  private var current: ActionRelay? {
    guard let pointer, let retained = swift_tryRetain(pointer) else { return nil }
    return Unmanaged.fromOpaque(retained).takeRetainedValue()
  }

  /// Returns the relay that a new action must hold.
  ///
  /// - Parameter conduit: The conduit that owns this reference.
  /// - Returns: The relay, and whether other actions hold it already.
  @usableFromInline
  mutating func relay(for conduit: Conduit) -> (relay: ActionRelay, isShared: Bool) {
    if let idle = exchange(&idle, with: nil) {
      idle.hold(conduit)
      return (idle, false)
    }
    if let current { return (current, true) }
    let relay = ActionRelay(conduit)
    pointer = Unmanaged.passUnretained(relay).toOpaque()
    return (relay, false)
  }

  /// Keeps the relay for the next action, because the last one is running. That action keeps the conduit alive.
  @usableFromInline
  mutating func rest() {
    guard idle == nil, let current else { return }
    current.release()
    idle = current
  }

  /// Removes and returns the relay.
  ///
  /// - Returns: The relay. The caller must make it release the conduit, with no lock held.
  @usableFromInline
  mutating func take() -> ActionRelay? {
    defer {
      pointer = nil
      idle = nil
    }
    return current
  }

  /// Forgets a relay that is being deinitialized.
  @usableFromInline
  mutating func remove(_ relay: UnsafeMutableRawPointer) {
    if pointer == relay { pointer = nil }
  }
}
