import CombineThreads
import Synchronization

/// The upstream half of an operator that accepts a completion now and delivers it later.
///
/// In between it is *ending*. It is still subscribed, so pending elements and the demand that they return pass. It
/// ignores further elements, requests and cancellations.
@usableFromInline
class EndingConduit: Conduit {

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
