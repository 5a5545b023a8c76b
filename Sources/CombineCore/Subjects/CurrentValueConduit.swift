import Synchronization

/// The conduit of a publisher with a current value.
@usableFromInline
class CurrentValueConduit: SubjectSubscription {

  /// The greatest number of a value that was delivered, was missed, or came before the subscription. It changes inside the
  /// gate.
  @usableFromInline
  final let last = Atomic<Int>(0)

  /// The number of the newest value that the downstream has or will have, if it has missed none since; otherwise
  /// ``lacking`` or ``owed``. Finite demand changes it with the core's lock held.
  @usableFromInline
  final let present = Atomic<Int>(-1)

  /// The number of requests that are still to be answered with the current value. It changes with the core's lock held.
  @usableFromInline
  final let unansweredCount = Atomic<Int>(0)

  /// The downstream has no value yet, or has missed one. Its next request is answered with the current value.
  @usableFromInline
  static var lacking: Int { -1 }

  /// A request is being answered with the current value.
  @usableFromInline
  static var owed: Int { -2 }

  /// - Parameter last: The number of the value before the subscription.
  @inlinable
  init(table: SubjectTable, last: Int, perform: @escaping (UnsafeRawPointer, Call) -> Void) {
    super.init(table: table, perform: perform)
    self.last.store(last, ordering: .relaxed)
  }

  /// Admits a value that is the newest so far, for unlimited demand. Called inside the gate.
  @inlinable
  @inline(__always)
  final func admitsNewest(_ number: Int) -> Bool {
    guard hasUnlimitedDemand(), number > last.load(ordering: .relaxed) else { return false }
    last.store(number, ordering: .relaxed)
    present.store(number, ordering: .relaxed)
    return true
  }
}

extension Conduits {

  /// A ``CurrentValueConduit`` with its downstream.
  @usableFromInline
  final class CurrentValue<Downstream: Subscriber>: CurrentValueConduit {

    @exclusivity(unchecked)  // As the type says.
    @usableFromInline
    var downstream: HeldSubscriber<Downstream>

    @inlinable
    init(core: CurrentValueCore<Downstream.Input, Downstream.Failure>, downstream: Downstream) {
      self.downstream = HeldSubscriber(downstream)
      super.init(table: core, last: core.lastNumber) {
        Self.perform($1, at: $0)
      }
    }

    @inlinable
    var core: CurrentValueCore<Downstream.Input, Downstream.Failure> {
      _unsafeUncheckedDowncast(table, to: CurrentValueCore<Downstream.Input, Downstream.Failure>.self)
    }

    @inlinable
    @inline(__always)
    static func perform(_ call: Call, at address: UnsafeRawPointer) {
      Unmanaged<CurrentValue>.fromOpaque(address)._withUnsafeGuaranteedRef { $0.perform(call) }
    }

    @inlinable
    @inline(__always)
    func perform(_ call: Call) {
      switch call {
      case .offer(let value, let number):
        offerBorrowed(value.assumingMemoryBound(to: Downstream.Input.self).pointee, number: number)
      case .deliver(let value):
        addDemand(downstream.receive(value.assumingMemoryBound(to: Downstream.Input.self).pointee))
      case .answerRequest(let thread):
        deliverAnswer(on: thread)
      case .complete(let completion):
        deliver(completionAt: completion)
      case .releaseContents(let leavesGate):
        releaseDownstream(leavesGate: leavesGate)
      }
    }

    /// The caller has seen to the values of other threads.
    @inlinable
    @inline(__always)
    func offerBorrowed(_ value: Downstream.Input, number: Int) {
      let isOutermost = enterGateIfFree()
      if !isOutermost, !hasEnteredGate() { return core.offerToOccupied(value, number: number, to: self) }
      if admits(number) {
        let outer = beginDelivery()
        addDemand(downstream.receive(value))
        CurrentDelivery.end(outer)
      }
      if isOutermost, leaveGate() { core.answerRequests(from: self) }
    }

    /// Decides whether a value is delivered. Called inside the gate.
    @inlinable
    @inline(__always)
    func admits(_ number: Int) -> Bool {
      if admitsNewest(number) { return true }
      if hasEnded() { return false }
      return core.admits(number, at: self)
    }

    @inlinable
    @inline(never)
    func deliverAnswer(on thread: UInt) {
      guard let value = core.answer(to: self, on: thread),
        // No traversal keeps the downstream alive here.
        let downstream = table.lock.withLock({ downstream.base })
      else { return }
      demand.add(downstream.receive(value))
    }

    @inlinable
    @inline(never)
    func deliver(completionAt address: UnsafeRawPointer) {
      let completion = address.assumingMemoryBound(to: Subscribers.Completion<Downstream.Failure>.self).pointee
      table.lock.withLock { downstream.base }?.receive(completion: completion)
    }

    @inlinable
    @inline(never)
    func releaseDownstream(leavesGate: Bool) {
      let taken = table.lock.withLock { downstream.take() }
      if leavesGate { gate.leave() }
      _ = consume taken
    }

    @usableFromInline
    override var reflectedDownstream: Any? { table.lock.withLock { downstream.base } }
  }
}
