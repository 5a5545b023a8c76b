import CombineThreads
import Synchronization

/// A machine, and the gate in front of a downstream that several publishers feed: the mixing operators, successions, and
/// `drop(untilOutputFrom:)`. It knows no types.
@usableFromInline
class GatedConduit<Machine: SteppedMachine & ~Copyable>: Stepped<Machine>, Subscription {

  /// Held around the calls to the downstream.
  @usableFromInline
  final let gate = Gate()

  @usableFromInline
  final var _gate: UnsafeRawPointer? { gate.address }

  @usableFromInline
  final var _isDelivering: Bool { gate.mayBeEnteredByOther }

  /// Whether the downstream has cancelled, for threads that wait for the gate. Set with the lock held.
  @usableFromInline
  final let isCancelled = Atomic<Bool>(false)

  /// Demand that the downstream has requested from inside a delivery, for the end of that delivery. Only inside the gate.
  @exclusivity(unchecked)
  @usableFromInline
  final var pending = Subscribers.Demand.none

  /// Closures that deliver completions, which wait for the gate. There is one but for an operator that passes on a second one.
  @exclusivity(unchecked)  // Only with the lock held.
  private final var dueCompletions: [() -> Void] = []

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
    if gate.leave() { completeIfDue() }
    return true
  }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    fatalError("GatedConduit is abstract")
  }

  @usableFromInline
  func cancel() {
    fatalError("GatedConduit is abstract")
  }

  /// Answers a subscription of an upstream.
  ///
  /// - Parameter demand: The demand to request from it; `nil` to cancel it.
  final func answer(_ subscription: any Subscription, with demand: Subscribers.Demand?) {
    guard let demand else { return subscription.cancel() }
    if demand > .none { subscription.request(demand) }
  }

  /// Ends the machine because the downstream has cancelled, and then cancels the upstreams in their order.
  ///
  /// - Parameter end: A closure that ends the machine, with the lock held, and returns the upstreams.
  final func cancelUpstreams(_ end: (inout Machine) -> [any Subscription]) {
    let upstreams = step { machine in
      isCancelled.store(true, ordering: .releasing)
      return end(&machine)
    }
    gate.releaseWaiting()
    for upstream in upstreams { upstream.cancel() }
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
  ///
  /// It never waits. The thread that brings the end of one publisher must not wait for a value of another one:
  ///
  ///     thread A                                thread B, on a queue
  ///     delivers a value of the first upstream
  ///                                             the second upstream fails: the completion is due
  ///     waits for the queue
  ///                                             returns, so that the queue goes on
  ///     leaves the gate: delivers the completion
  @usableFromInline
  final func complete(_ deliver: @escaping () -> Void) {
    lock.withLock { dueCompletions.append(deliver) }
    completeIfDue()
  }

  /// Tells a downstream of a completion in the same way.
  @inlinable
  final func complete<S: Subscriber>(_ downstream: S, with completion: Subscribers.Completion<S.Failure>) {
    complete { downstream.receive(completion: completion) }
  }

  /// Delivers a completion that is due, or leaves it to the thread inside the downstream. Whoever leaves the gate calls it for
  /// delegated work.
  @inline(never)
  @usableFromInline
  final func completeIfDue() {
    guard lock.withLock({ !dueCompletions.isEmpty }) else { return }
    gate.passOrDelegate {
      for deliver in lock.withLock({ exchange(&dueCompletions, with: []) })
      where !isCancelled.load(ordering: .acquiring) {
        deliver()
      }
    }
  }
}
