import Synchronization

extension Conduits {

  /// The conduit of a publisher that keeps no value.
  @usableFromInline
  final class Passthrough<Downstream: Subscriber>: SubjectSubscription {

    @exclusivity(unchecked)  // As the type says.
    @usableFromInline
    var downstream: HeldSubscriber<Downstream>

    @inlinable
    init(table: SubjectTable, downstream: Downstream) {
      self.downstream = HeldSubscriber(downstream)
      super.init(table: table) {
        Self.perform($1, at: $0, isAnnouncement: false)
      }
    }

    /// Creates a conduit that marks what it delivers as an announcement, which is delivered without demand.
    @inlinable
    init(announcingFrom table: SubjectTable, to downstream: Downstream) {
      self.downstream = HeldSubscriber(downstream)
      super.init(table: table) {
        Self.perform($1, at: $0, isAnnouncement: true)
      }
    }

    @inlinable
    @inline(__always)
    static func perform(_ call: Call, at address: UnsafeRawPointer, isAnnouncement: Bool) {
      Unmanaged<Passthrough>.fromOpaque(address)._withUnsafeGuaranteedRef {
        $0.perform(call, isAnnouncement: isAnnouncement)
      }
    }

    @inlinable
    @inline(__always)
    func perform(_ call: Call, isAnnouncement: Bool) {
      switch call {
      case .offer(let value, _):
        offerBorrowed(value.assumingMemoryBound(to: Downstream.Input.self).pointee, isAnnouncement: isAnnouncement)
      case .deliver, .answerRequest:
        break
      case .complete(let completion):
        deliver(completionAt: completion)
      case .releaseContents(let leavesGate):
        releaseDownstream(leavesGate: leavesGate)
      }
    }

    @inlinable
    @inline(__always)
    func offerBorrowed(_ value: Downstream.Input, isAnnouncement: Bool) {
      // Demand is decided when a value is sent, before another thread's delivery may change it.
      guard takeDemand() else { return }
      guard enterGateIfFree() else { return deliverToOccupied(value, isAnnouncement: isAnnouncement) }
      let outer = beginDelivery()
      deliver(value, isAnnouncement: isAnnouncement)
      CurrentDelivery.end(outer)
      leaveGate()
    }

    /// Delivers a value inside the gate.
    @inlinable
    @inline(__always)
    func deliver(_ value: Downstream.Input, isAnnouncement: Bool) {
      if hasEnded() { return }
      if isAnnouncement {
        let outer = UnrequestedDelivery.announcement.begin()
        _ = downstream.receive(value)
        UnrequestedDelivery.end(outer)
      } else {
        addDemand(downstream.receive(value))
      }
    }

    /// Delivers a value while a thread is inside the gate, maybe this one. Apart, so that the usual way is short.
    @inlinable
    @inline(never)
    func deliverToOccupied(_ value: Downstream.Input, isAnnouncement: Bool) {
      gate.pass(unless: { demand.hasEnded }) { deliver(value, isAnnouncement: isAnnouncement) }
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
