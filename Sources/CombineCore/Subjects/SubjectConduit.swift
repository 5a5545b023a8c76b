import Synchronization

/// A ``SubjectSubscription`` that values are sent through.
///
/// The class does not know the downstream's type. A subclass does its work in a closure that was made, and so specialized,
/// where the type was known. An overridden method would not be specialized: the method table of a generic class leads to
/// code that looks up every type at run time, which costs more than the rest of a send or of a cancel.
///
/// The closure gets the subclass by `_unsafeUncheckedDowncast`. In a debug build, `unsafeDowncast` searches the superclasses.
@usableFromInline
class SubjectConduit<Output, Failure: Error>: SubjectSubscription {

  @usableFromInline
  enum Call {

    /// Delivers a value if there is demand for it. Otherwise the value is dropped, or missed. It is called only during a
    /// traversal, which keeps the downstream alive.
    ///
    /// The value comes by its address: a closure that took it would be wrapped in another one, which converts it. The
    /// number is that of a current value, and zero elsewhere.
    case offer(UnsafePointer<Output>, number: Int)

    /// Delivers the current value for a request. It is called inside the gate, and only if there is a current value.
    ///
    /// The thread is the one that made the request, or zero if it is another one.
    case answerRequest(thread: UInt)

    /// See ``SubscriberTableElement/releaseContents(leavesGate:)``.
    case releaseContents(leavesGate: Bool)
  }

  @usableFromInline
  final let perform: (SubjectConduit<Output, Failure>, Call) -> Void

  @inlinable
  init(table: SubjectTable, perform: @escaping (SubjectConduit<Output, Failure>, Call) -> Void) {
    self.perform = perform
    super.init(table: table)
  }

  @inlinable
  @inline(__always)
  final func offer(_ value: UnsafePointer<Output>, number: Int = 0) {
    perform(self, .offer(value, number: number))
  }

  /// Delivers the current value for a request.
  ///
  /// - Parameter thread: The thread that made the request, or zero if it is another one.
  final func answerRequest(on thread: UInt) {
    perform(self, .answerRequest(thread: thread))
  }

  @usableFromInline
  final override func releaseContents(leavesGate: Bool) {
    perform(self, .releaseContents(leavesGate: leavesGate))
  }

  /// Delivers a completion, unless the downstream was released.
  func deliverCompletion(_ completion: Subscribers.Completion<Failure>) {
    fatalError("SubjectConduit is abstract")
  }
}

extension Conduits {

  /// The conduit of a publisher that keeps no value.
  @usableFromInline
  final class Passthrough<Downstream: Subscriber>: SubjectConduit<Downstream.Input, Downstream.Failure> {

    @exclusivity(unchecked)  // As the type says.
    @usableFromInline
    var downstream: HeldSubscriber<Downstream>

    @inlinable
    init(table: SubjectTable, downstream: Downstream) {
      self.downstream = HeldSubscriber(downstream)
      super.init(table: table) {
        _unsafeUncheckedDowncast($0, to: Passthrough<Downstream>.self).perform($1, isAnnouncement: false)
      }
    }

    /// Creates a conduit that marks what it delivers as an announcement, which is delivered without demand.
    @inlinable
    init(announcingFrom table: SubjectTable, to downstream: Downstream) {
      self.downstream = HeldSubscriber(downstream)
      super.init(table: table) {
        _unsafeUncheckedDowncast($0, to: Passthrough<Downstream>.self).perform($1, isAnnouncement: true)
      }
    }

    @inlinable
    @inline(__always)
    func perform(_ call: Call, isAnnouncement: Bool) {
      switch call {
      case .offer(let value, _): offerBorrowed(value.pointee, isAnnouncement: isAnnouncement)
      case .answerRequest: break
      case .releaseContents(let leavesGate): releaseDownstream(leavesGate: leavesGate)
      }
    }

    @inlinable
    @inline(__always)
    func offerBorrowed(_ value: Downstream.Input, isAnnouncement: Bool) {
      // Demand is decided when a value is sent, before another thread's delivery may change it.
      guard demand.take() else { return }
      guard gate.enterIfFree() else { return deliverToOccupied(value, isAnnouncement: isAnnouncement) }
      CurrentDelivery.enter(gate.address) { deliver(value, isAnnouncement: isAnnouncement) }
      gate.leave()
    }

    /// Delivers a value inside the gate.
    @inlinable
    @inline(__always)
    func deliver(_ value: Downstream.Input, isAnnouncement: Bool) {
      if demand.hasEnded { return }
      if isAnnouncement {
        UnrequestedDelivery.announcement.mark { _ = downstream.receive(value) }
      } else {
        demand.add(downstream.receive(value))
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
    func releaseDownstream(leavesGate: Bool) {
      let taken = table.lock.withLock { downstream.take() }
      if leavesGate { gate.leave() }
      _ = consume taken
    }

    @usableFromInline
    override func deliverCompletion(_ completion: Subscribers.Completion<Downstream.Failure>) {
      table.lock.withLock { downstream.base }?.receive(completion: completion)
    }

    @usableFromInline
    override var reflectedDownstream: Any? { table.lock.withLock { downstream.base } }
  }
}
