import CombineThreads
import Synchronization

/// The upstream half of an operator that accepts a completion now and delivers it later, maybe on another thread.
///
/// In between it is *ending*. It is still subscribed, so pending elements and the demand that they return pass. It
/// ignores further elements, requests and cancellations.
@usableFromInline
class EndingConduit: Conduit {

  /// Held around the calls to the downstream.
  @usableFromInline
  final let gate = Gate()

  @usableFromInline
  final override var _gate: UnsafeRawPointer? { gate.address }

  @usableFromInline
  final override var _isDelivering: Bool { gate.mayBeEnteredByOther }

  private final let isEndingFlag = Atomic<Bool>(false)

  /// Whether the upstream has completed. The downstream may not have received the completion yet.
  @usableFromInline
  final var isEnding: Bool {
    isEndingFlag.load(ordering: .acquiring)
  }

  /// Whether events from the upstream count: the conduit is subscribed and not ending.
  ///
  /// An element path reads this and takes no lock.
  @usableFromInline
  final var isOpen: Bool {
    isSubscribed ? !isEnding : false
  }

  /// Handles a completion from the upstream. The lock is held.
  ///
  /// - Returns: Whether it counts, so that the caller must schedule its delivery.
  @usableFromInline
  final func beginEndingLocked() -> Bool {
    guard isOpen else { return false }
    isEndingFlag.store(true, ordering: .releasing)
    return true
  }

  /// Enters the gate, unless the connection ends while another thread is inside.
  @usableFromInline
  final func enterToDeliver() -> Gate.Entry {
    if gate.enterIfFree() { return .outermost }
    let entry = gate.enter(unless: { self.phase != .subscribed })
    if case .refused = entry { DeliveryReceipt.refuse() }
    return entry
  }

  @usableFromInline
  final func leaveGate(after entry: Gate.Entry) {
    if case .outermost = entry { gate.leave() }
  }

  /// See ``CurrentDelivery/begin(_:)``. The caller is inside the gate.
  @usableFromInline
  final func beginDelivery() -> UnsafeRawPointer? { CurrentDelivery.begin(gate.address) }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    if !isEnding { super.request(demand) }
  }

  @usableFromInline
  override func cancel() {
    let subscription = lock.withLock { isEnding ? nil : disconnectLocked() }
    subscription?.cancel()
  }
}
