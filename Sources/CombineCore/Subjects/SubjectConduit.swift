import Synchronization

/// A ``SubjectSubscription`` that values are sent through.
///
/// The class does not know the downstream's type. It sends through ``offer``, a closure that was made, and so
/// specialized, where the type was known. An overridden method would not be specialized: the method table of a generic
/// class leads to code that looks up every type at run time, which costs more than the rest of a send.
///
/// `Notes` is what the subject notes about each of its subscribers.
@usableFromInline
class SubjectConduit<Output, Failure: Error, Notes: SubjectNotes & ~Copyable>: SubjectSubscription {

  @usableFromInline
  typealias Offer = (SubjectConduit<Output, Failure, Notes>, Output, _ number: Int) -> Void

  /// Delivers a value if there is demand for it. Otherwise the value is dropped, or noted as missed if there are notes.
  /// It is called only during a traversal, which keeps the downstream alive.
  @usableFromInline
  final let offer: Offer

  @usableFromInline
  final let notes = Notes()

  @inlinable
  init(table: SubjectTable, offer: @escaping Offer) {
    self.offer = offer
    super.init(table: table)
  }

  /// Runs `body` inside the gate around the deliveries, or not at all if the subscription ends while another thread is
  /// inside.
  func passGate(_ body: () -> Void) {
    fatalError("SubjectConduit is abstract")
  }

  /// Does the same without waiting: a thread that is inside answers the request instead.
  func passGateOrDelegate(_ body: () -> Void) {
    fatalError("SubjectConduit is abstract")
  }

  /// Delivers a value, unless the downstream was released.
  func deliverHeld(_ value: Output) -> Subscribers.Demand {
    fatalError("SubjectConduit is abstract")
  }

  /// Delivers a completion, unless the downstream was released.
  func deliverCompletion(_ completion: Subscribers.Completion<Failure>) {
    fatalError("SubjectConduit is abstract")
  }
}

/// What a subject notes about each of its subscribers.
@usableFromInline
protocol SubjectNotes: ~Copyable {

  /// Whether deliveries are noted, inside the gate around them.
  static var areKept: Bool { get }

  init()

  /// Notes the number of the last value that came before the subscription.
  func start(after number: Int)

  /// Runs `body`, which delivers the subscription.
  func deliveringSubscription(_ body: () -> Void)
}

/// The notes of a subject without a current value: none.
@usableFromInline
struct NoNotes: SubjectNotes {

  @inlinable
  static var areKept: Bool { false }

  @inlinable
  init() {}

  @inlinable
  func start(after number: Int) {}

  @inlinable
  @inline(__always)
  func deliveringSubscription(_ body: () -> Void) { body() }
}

extension SubjectConduit where Notes == NoNotes {

  /// Delivers a value if there is demand for it. Otherwise the value is dropped.
  @inlinable
  @inline(__always)
  final func offer(_ value: Output) {
    offer(self, value, 0)
  }
}

extension Conduits {

  /// A ``SubjectConduit`` with its downstream.
  @usableFromInline
  final class Subject<Downstream: Subscriber, Notes: SubjectNotes & ~Copyable>: SubjectConduit<
    Downstream.Input, Downstream.Failure, Notes
  >
  {
    /// Written once, with the table's lock held, when no traversal can read it. Read with the lock held, or during a
    /// traversal.
    @exclusivity(unchecked)
    @usableFromInline
    var downstream: BorrowedSubscriber<Downstream>?

    @inlinable
    init(table: SubjectTable, downstream: Downstream) {
      self.downstream = BorrowedSubscriber(downstream)
      super.init(table: table) { conduit, value, number in
        let conduit = unsafeDowncast(conduit, to: Subject<Downstream, Notes>.self)
        if Notes.areKept {
          conduit.offerCurrentBorrowed(value, number: number)
        } else {
          conduit.offerBorrowed(value)
        }
      }
    }

    /// Delivers a value if there is demand for it. Otherwise the value is dropped.
    @inlinable
    @inline(__always)
    func offerBorrowed(_ value: Downstream.Input) {
      // Demand is decided when a value is sent, before another thread's delivery may change it.
      guard demand.take() else { return }
      if Downstream.isSink {
        switch downstream {
        case .some(let downstream): downstream.base.receiveInGateOfSink(value)
        case nil: break
        }
      } else {
        let entry = gate.enter(unless: { demand.hasEnded })
        guard entry != .refused else { return }
        if !demand.hasEnded { demand.add(deliverBorrowed(value)) }
        if entry == .outermost { gate.leave() }
      }
    }

    /// Delivers a value if there is demand for it. Otherwise the value is noted as missed. The notes are kept inside the
    /// gate, or inside the downstream's gate if that is a sink.
    @inlinable
    @inline(__always)
    func offerCurrentBorrowed(_ value: Downstream.Input, number: Int) {
      let keeper = unsafeDowncast(self, to: KeepingNotes.self)
      if Downstream.isSink {
        switch downstream {
        case .some(let downstream):
          downstream.base.receiveInGateOfSink(value) { keeper.admitCurrent(number) }
        case nil: break
        }
      } else {
        guard keeper.decidesBeforeWaiting(number) else { return }
        let entry = gate.enter(unless: { demand.hasEnded })
        guard entry != .refused else { return _ = keeper.takeDecision(number) }
        if keeper.admitCurrent(number) { demand.add(deliverBorrowed(value)) }
        if entry == .outermost, gate.leave() { table.answerRequests(from: self) }
      }
    }

    @usableFromInline
    typealias KeepingNotes = SubjectConduit<Downstream.Input, Downstream.Failure, CurrentValueNotes>

    @usableFromInline
    override func passGate(_ body: () -> Void) {
      guard Downstream.isSink else {
        return gate.pass(unless: { demand.hasEnded }, delegated: { table.answerRequests(from: self) }, body)
      }
      guard let sink = heldDownstream else { return }
      withExtendedLifetime(sink) {
        sink.unretainedSink._withUnsafeGuaranteedRef { $0.passGate(unless: { demand.hasEnded }, body) }
      }
    }

    @usableFromInline
    override func passGateOrDelegate(_ body: () -> Void) {
      // A sink requests while it receives the subscription, and never again.
      if Downstream.isSink { return passGate(body) }
      if gate.isEntered { return body() }
      guard gate.enterOrDelegate() else { return }
      body()
      if gate.leave() { table.answerRequests(from: self) }
    }

    @inlinable
    @inline(__always)
    func deliverBorrowed(_ value: Downstream.Input) -> Subscribers.Demand {
      switch downstream {
      case .some(let downstream): downstream.receive(value)
      case nil: .none
      }
    }

    private var heldDownstream: Downstream? {
      table.lock.withLock {
        switch downstream {
        case .some(let downstream): downstream.base
        case nil: nil
        }
      }
    }

    @usableFromInline
    override func releaseContents() {
      _ = takeDownstream()
    }

    @usableFromInline
    override func releaseContentsUnlessVisited() {
      // A traversal uses the downstream only inside the gate, and first checks whether the demand has ended. It has. In
      // front of a sink a traversal does not pass this gate, but a cancelled sink releases its closures itself.
      guard !Downstream.isSink, gate.tryEnter() else { return }
      let taken = takeDownstream()
      gate.leave()
      _ = consume taken
    }

    private func takeDownstream() -> BorrowedSubscriber<Downstream>? {
      var taken: BorrowedSubscriber<Downstream>?
      table.lock.withLock { swap(&taken, &downstream) }
      return taken
    }

    @usableFromInline
    override func deliverHeld(_ value: Downstream.Input) -> Subscribers.Demand {
      heldDownstream?.receive(value) ?? .none
    }

    @usableFromInline
    override func deliverCompletion(_ completion: Subscribers.Completion<Downstream.Failure>) {
      heldDownstream?.receive(completion: completion)
    }

    @usableFromInline
    override var reflectedDownstream: Any? { heldDownstream }
  }
}
