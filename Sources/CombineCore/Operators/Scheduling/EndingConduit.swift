import Synchronization

/// The upstream half of an operator that takes a completion now and delivers it later.
///
/// Between the two it is *ending*: still connected, so that elements on their way and the demand they bring back pass,
/// but deaf to further elements, requests and cancels.
@usableFromInline
class EndingConduit: Conduit {

  private final let isEndingFlag = Atomic<Bool>(false)

  /// Whether the upstream has completed, and the downstream may not know it yet.
  @usableFromInline
  final var isEnding: Bool {
    isEndingFlag.load(ordering: .acquiring)
  }

  /// Whether events from upstream count: connected and not ending. An element path looks at this and takes no lock.
  @usableFromInline
  final var isOpen: Bool {
    phase == .subscribed && !isEnding
  }

  /// Takes a completion from upstream.
  ///
  /// - Returns: Whether it counts, so that its delivery is to be scheduled.
  @usableFromInline
  final func beginEnding() -> Bool {
    lock.withLock { beginEndingLocked() }
  }

  /// As ``beginEnding()``, for a caller that holds the lock.
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
