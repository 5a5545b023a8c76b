/// When a result that is made of the whole upstream can be sent: the pure state machine of ``DeferredResultConduit``.
///
/// The result comes in its own time, the demand for it in the downstream's; the later of the two sends it, once.
@usableFromInline
enum DeferredResult: Equatable {

  /// Neither the result nor demand is there.
  case awaiting

  /// The downstream has asked.
  case requested

  /// The result is there.
  case ready

  /// Sent, or not wanted any more.
  case done

  /// Takes the downstream's demand.
  ///
  /// - Returns: Whether the caller is to send the result now.
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

  /// Takes note that the result is complete.
  ///
  /// - Returns: Whether the caller is to send it now.
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

  /// Takes note that nobody wants the result.
  mutating func cancel() {
    self = .done
  }
}

/// The upstream half of an operator that sends one result, when there is demand for it.
///
/// Not generic, so that this code exists once; ``ReducingConduit`` adds the path of the elements. A subclass overrides
/// ``request(_:)`` to send the result when ``takeRequest(_:)`` says so.
@usableFromInline
class DeferredResultConduit: Conduit {

  // Touched only with the lock held, so accesses never overlap.
  @exclusivity(unchecked)
  private final var result = DeferredResult.awaiting

  @usableFromInline
  override init() {
    super.init()
  }

  /// Takes a request, of whatever size, at any time.
  ///
  /// - Returns: Whether the caller is to send the result now.
  @usableFromInline
  final func takeRequest(_ demand: Subscribers.Demand) -> Bool {
    demand.assertNonZero(String(describing: self))
    return lock.withLock { result.request() }
  }

  /// Ends the connection because the result is complete; does nothing unless connected.
  ///
  /// - Returns: The subscription if connected, for the caller to cancel or to let go, and whether to send the result
  ///   after that.
  @usableFromInline
  final func complete() -> (subscription: any Subscription, isRequested: Bool)? {
    lock.withLock {
      guard let subscription = disconnectLocked() else { return nil }
      return (subscription, result.complete())
    }
  }

  // Before a subscription this leaves no trace. After the upstream's end it forgets a result that waits for demand.
  @usableFromInline
  override final func cancel() {
    let subscription: (any Subscription)? = lock.withLock {
      if phase != .awaiting { result.cancel() }
      return acceptCancelLocked()
    }
    subscription?.cancel()
  }
}
