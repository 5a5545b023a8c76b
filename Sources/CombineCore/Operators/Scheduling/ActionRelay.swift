/// Stands for a conduit in the actions that a scheduler keeps, so that a cancel releases the conduit, and with it the
/// downstream and the values in flight, however long the scheduler keeps the actions.
///
/// The actions hold the relay, and the relay holds the conduit. So actions keep a conduit alive that nobody else does,
/// until they have run or the downstream has cancelled.
@usableFromInline
final class ActionRelay {

  private let lock = Lock()

  @exclusivity(unchecked)  // Only with the lock held.
  private var stored: Conduit?

  @usableFromInline
  init(_ conduit: Conduit) {
    stored = conduit
  }

  /// The conduit, until it was released.
  @usableFromInline
  var conduit: Conduit? {
    lock.withLock { stored }
  }

  /// An action that has the conduit run its own, unless that was released.
  ///
  /// It is made here, where no types are known: the schedulers keep it, and it holds nothing but the relay.
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
/// The conduit does not keep it alive: a scheduler that drops an action drops the relay, too, and what that holds. It
/// has no lock: the operator's guards it.
@usableFromInline
struct ActionRelayReference {

  private weak var relay: ActionRelay?

  @usableFromInline
  init() {}

  /// The relay that a new action is to hold.
  ///
  /// - Parameter conduit: The conduit that owns this reference.
  @usableFromInline
  mutating func relay(for conduit: Conduit) -> ActionRelay {
    if let relay { return relay }
    let relay = ActionRelay(conduit)
    self.relay = relay
    return relay
  }

  /// Gives up the relay.
  ///
  /// - Returns: The relay, to be told to release the conduit with no lock held.
  @usableFromInline
  mutating func take() -> ActionRelay? {
    defer { relay = nil }
    return relay
  }
}
