import Synchronization

/// The conduit of a publisher with a current value.
@usableFromInline
class CurrentValueConduit<Output, Failure: Error>: SubjectConduit<Output, Failure> {

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

  @inlinable
  init(
    core: CurrentValueCore<Output, Failure>,
    perform: @escaping (SubjectConduit<Output, Failure>, Call) -> Void
  ) {
    super.init(table: core, perform: perform)
    last.store(core.lastNumber, ordering: .relaxed)
  }

  @inlinable
  final var core: CurrentValueCore<Output, Failure> {
    _unsafeUncheckedDowncast(table, to: CurrentValueCore<Output, Failure>.self)
  }

  /// Delivers a value in a traversal.
  func deliver(_ value: Output) {
    fatalError("CurrentValueConduit is abstract")
  }
}

extension Conduits {

  /// A ``CurrentValueConduit`` with its downstream.
  @usableFromInline
  final class CurrentValue<Downstream: Subscriber>: CurrentValueConduit<Downstream.Input, Downstream.Failure> {

    @exclusivity(unchecked)  // As the type says.
    @usableFromInline
    var downstream: HeldSubscriber<Downstream>

    @inlinable
    init(core: CurrentValueCore<Downstream.Input, Downstream.Failure>, downstream: Downstream) {
      self.downstream = HeldSubscriber(downstream)
      super.init(core: core) { _unsafeUncheckedDowncast($0, to: CurrentValue<Downstream>.self).perform($1) }
    }

    // A method: in a debug build, each use of a constant in place of `self` retains the object.
    @inlinable
    @inline(__always)
    func perform(_ call: Call) {
      switch call {
      case .offer(let value, let number): offerBorrowed(value.pointee, number: number)
      case .answerRequest(let thread): deliverAnswer(on: thread)
      case .releaseContents(let leavesGate): releaseDownstream(leavesGate: leavesGate)
      }
    }

    /// The caller has seen to the values of other threads.
    @inlinable
    @inline(__always)
    func offerBorrowed(_ value: Downstream.Input, number: Int) {
      let isOutermost = gate.enterIfFree()
      guard isOutermost || gate.isEntered else { return core.offerToOccupied(value, number: number, to: self) }
      if admits(number) { demand.add(CurrentDelivery.enter(gate.address) { downstream.receive(value) }) }
      if isOutermost, gate.leave() { core.answerRequests(from: self) }
    }

    /// Decides whether a value is delivered. Called inside the gate.
    @inlinable
    @inline(__always)
    func admits(_ number: Int) -> Bool {
      guard demand.isUnlimited, number > last.load(ordering: .relaxed) else {
        return !demand.hasEnded && core.admits(number, at: self)
      }
      last.store(number, ordering: .relaxed)
      present.store(number, ordering: .relaxed)
      return true
    }

    @usableFromInline
    override func deliver(_ value: Downstream.Input) {
      demand.add(downstream.receive(value))
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
