import Synchronization

/// What is read of the machine of a merge, zip, combineLatest or flatMap without its lock.
@usableFromInline
struct MixingMirror: MachineMirror {

  @usableFromInline
  let rawValue: Int

  @inlinable
  init(rawValue: Int) {
    self.rawValue = rawValue
  }

  init(isUnlimited: Bool = false, hasEnded: Bool) {
    rawValue = (isUnlimited ? 1 : 0) | (hasEnded ? 2 : 0)
  }

  /// Whether a value may pass without a step, because the demand is unlimited.
  @inlinable
  var isUnlimited: Bool { rawValue & 1 != 0 }

  /// Whether the operator has completed or was cancelled.
  @inlinable
  var hasEnded: Bool { rawValue & 2 != 0 }
}

/// The part that the conduits of merge, zip, combineLatest, flatMap and switchToLatest share. It knows no types.
@usableFromInline
class MixingConduit<Machine: SteppedMachine & ~Copyable>: Stepped<Machine>, Subscription {

  /// Held around the calls to the downstream.
  @usableFromInline
  final let gate = Gate()

  @usableFromInline
  final var _gate: UnsafeRawPointer? { gate.address }

  /// Whether the downstream has cancelled, for threads that wait for the gate. Set with the lock held.
  @usableFromInline
  final let isCancelled = Atomic<Bool>(false)

  /// Demand that the downstream has requested from inside a delivery, for the end of that delivery. Only inside the gate.
  @exclusivity(unchecked)
  @usableFromInline
  final var pending = Subscribers.Demand.none

  @inlinable
  override init(_ machine: consuming Machine) {
    super.init(machine)
  }

  // These two are methods of this class, as an object that uses an inherited property retains itself in a debug build.

  @inlinable
  @inline(__always)
  final func enterGateIfFree() -> Bool { gate.enterIfFree() }

  /// Leaves the gate, unless there is pending demand.
  ///
  /// - Returns: Whether it did.
  @inlinable
  @inline(__always)
  final func leaveGateUnlessPending() -> Bool {
    guard pending.rawValue == 0 else { return false }
    gate.leave()
    return true
  }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    fatalError("MixingConduit is abstract")
  }

  @usableFromInline
  func cancel() {
    fatalError("MixingConduit is abstract")
  }

  /// Answers a subscription of an upstream.
  ///
  /// - Parameter demand: The demand to request from it; `nil` to cancel it.
  final func answer(_ subscription: any Subscription, with demand: Subscribers.Demand?) {
    guard let demand else { return subscription.cancel() }
    if demand > .none { subscription.request(demand) }
  }

  /// Takes the demand requested from inside a delivery. Only inside the gate.
  @inlinable
  final func takePending() -> Subscribers.Demand {
    let demand = pending
    if demand.rawValue != 0 { pending = .none }
    return demand
  }

  /// Cancels the upstreams before the downstream receives a completion.
  ///
  /// - Returns: Whether it is still to complete. The downstream may have cancelled meanwhile, in a nested call.
  final func cancelBeforeCompletion(_ upstreams: some Swift.Sequence<any Subscription>) -> Bool {
    gate.releaseWaiting()
    for upstream in upstreams { upstream.cancel() }
    return !isCancelled.load(ordering: .acquiring)
  }

  /// Tells the downstream of a completion inside the gate, unless it cancels first.
  @inlinable
  final func completeUnlessCancelled(_ deliver: () -> Void) {
    gate.pass(unless: { isCancelled.load(ordering: .acquiring) }) {
      if !isCancelled.load(ordering: .acquiring) { deliver() }
    }
  }
}
