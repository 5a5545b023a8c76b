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

  /// The conduit, or `nil` after its release.
  @usableFromInline
  var conduit: Conduit? {
    lock.withLock { stored }
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
}

/// The relay of a conduit, while there are actions that hold it.
///
/// The conduit does not keep the relay alive. A scheduler that drops an action therefore drops the relay, too, and its
/// references. This structure has no lock. The operator's lock guards it.
@usableFromInline
struct ActionRelayReference {

  private weak var relay: ActionRelay?

  @usableFromInline
  init() {}

  /// Returns the relay that a new action must hold.
  ///
  /// - Parameter conduit: The conduit that owns this reference.
  @usableFromInline
  mutating func relay(for conduit: Conduit) -> ActionRelay {
    if let relay { return relay }
    let relay = ActionRelay(conduit)
    self.relay = relay
    return relay
  }

  /// Removes and returns the relay.
  ///
  /// - Returns: The relay. The caller must make it release the conduit, with no lock held.
  @usableFromInline
  mutating func take() -> ActionRelay? {
    defer { relay = nil }
    return relay
  }
}
