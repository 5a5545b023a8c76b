import CombineThreads

/// The pure state machine of ``DeferredResultConduit``: when to send a result that depends on the whole upstream.
///
/// The upstream completes the result, and the downstream requests it. The later of the two events sends it, once.
@usableFromInline
enum DeferredResult: Equatable {

  /// The result is neither complete nor requested.
  case awaiting

  /// The downstream has requested something.
  case requested

  /// The result is complete.
  case ready

  /// The result was sent, or the downstream has cancelled.
  case done

  /// Handles the downstream's demand.
  ///
  /// - Returns: Whether the caller must send the result now.
  mutating func request() -> Bool {
    switch self {
    case .awaiting: self = .requested
    case .ready:
      self = .done
      return true
    case .requested, .done: break
    }
    return false
  }

  /// Notes that the result is complete.
  ///
  /// - Returns: Whether the caller must send the result now.
  mutating func complete() -> Bool {
    switch self {
    case .awaiting: self = .ready
    case .requested:
      self = .done
      return true
    case .ready, .done: break
    }
    return false
  }

  /// Notes that the result is no longer wanted.
  mutating func cancel() {
    self = .done
  }
}

/// The upstream half of an operator that sends one result, when there is demand for it.
///
/// The class is not generic, so that this code exists once. ``ReducingConduit`` adds the path of the elements. A
/// subclass overrides ``request(_:)`` to send the result when ``takeRequest(_:)`` returns `true`.
@usableFromInline
class DeferredResultConduit: Conduit {

  // Touched only with the lock held, so accesses never overlap.
  @exclusivity(unchecked)
  private final var result = DeferredResult.awaiting

  @usableFromInline
  override init() {
    super.init()
  }

  /// Handles a request of any size, at any time.
  ///
  /// - Returns: Whether the caller must send the result now.
  @usableFromInline
  final func takeRequest(_ demand: Subscribers.Demand) -> Bool {
    demand.assertNonZero(String(describing: self))
    return lock.withLock { result.request() }
  }

  /// Disconnects from the upstream because the result is complete. It does nothing unless subscribed.
  ///
  /// - Returns: The subscription, if there was one, and whether to send the result afterwards. The caller must cancel
  ///   or release the subscription.
  @usableFromInline
  final func complete() -> (subscription: any Subscription, isRequested: Bool)? {
    lock.withLock {
      guard let subscription = disconnectLocked() else { return nil }
      return (subscription, result.complete())
    }
  }

  // A cancellation before a subscription leaves no trace. After the upstream's completion it drops a result that waits
  // for demand.
  @usableFromInline
  override final func cancel() {
    let subscription: (any Subscription)? = lock.withLock {
      if phase != .awaiting { result.cancel() }
      return acceptCancelLocked()
    }
    subscription?.cancel()
  }
}
