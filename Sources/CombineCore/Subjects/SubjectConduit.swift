import Synchronization

/// A ``SubjectSubscription`` that values can be sent through.
///
/// The class knows nothing of the downstream's type; it calls it through ``offer``, a function that was made where
/// the type was known and is therefore specialised for it. An overridden method would not be: the method table of a
/// generic class leads to code that looks up every type at run time, which costs more than all the rest of a send.
///
/// `Notes` is what the subject has to remember of each of its subscribers.
@usableFromInline
class SubjectConduit<Output, Failure: Error, Notes: SubjectNotes & ~Copyable>: SubjectSubscription {

  @usableFromInline
  typealias Offer = (SubjectConduit<Output, Failure, Notes>, Output, _ number: Int) -> Void

  /// Sends a value downstream if there is demand for it; else it is lost, or noted as missed where there are notes.
  /// Only for a traversal, which sees to it that the downstream is still there.
  @usableFromInline
  final let offer: Offer

  @usableFromInline
  final let notes = Notes()

  @inlinable
  init(table: SubjectTable, offer: @escaping Offer) {
    self.offer = offer
    super.init(table: table)
  }

  /// Runs `body` inside the gate around the deliveries; or not at all, if the connection ends while another thread is
  /// inside.
  func passGate(_ body: () -> Void) {
    fatalError("SubjectConduit is abstract")
  }

  /// As ``passGate(_:)``, but leaves it to the thread that is inside, if any, to answer a request.
  func passGateOrDelegate(_ body: () -> Void) {
    fatalError("SubjectConduit is abstract")
  }

  /// Sends a value downstream, unless that was let go.
  func deliverHeld(_ value: Output) -> Subscribers.Demand {
    fatalError("SubjectConduit is abstract")
  }

  /// Sends a completion downstream, unless that was let go.
  func deliverCompletion(_ completion: Subscribers.Completion<Failure>) {
    fatalError("SubjectConduit is abstract")
  }
}

/// What a subject remembers of each of its subscribers.
@usableFromInline
protocol SubjectNotes: ~Copyable {

  /// Whether there is anything to note of a delivery, inside the gate around it.
  static var areKept: Bool { get }

  init()

  /// Notes the number of the last value that came before the subscription.
  func start(after number: Int)

  /// Hands over the subscription.
  func deliveringSubscription(_ body: () -> Void)
}

/// What a subject remembers that only passes values on.
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

  /// Sends a value downstream if there is demand for it; else it is lost.
  @inlinable
  @inline(__always)
  final func offer(_ value: Output) {
    offer(self, value, 0)
  }
}

extension Conduits {

  /// A ``SubjectConduit`` that knows its downstream.
  @usableFromInline
  final class Subject<Downstream: Subscriber, Notes: SubjectNotes & ~Copyable>: SubjectConduit<
    Downstream.Input, Downstream.Failure, Notes
  >
  {
    /// Written once, when no traversal is inside that could read it, with the table's lock held; read with it held too, or by
    /// a traversal.
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

    /// Sends a value downstream if there is demand for it; else it is lost.
    @inlinable
    @inline(__always)
    func offerBorrowed(_ value: Downstream.Input) {
      if Downstream.isSink {
        guard demand.take() else { return }
        switch downstream {
        case .some(let downstream): downstream.base.receiveInGateOfSink(value)
        case nil: break
        }
      } else {
        // Whether there is demand is decided now, and not when another thread's delivery may have changed it.
        guard demand.take() else { return }
        let entry = gate.enter(unless: { demand.hasEnded })
        guard entry != .refused else { return }
        if !demand.hasEnded { demand.add(deliverBorrowed(value)) }
        if entry == .outermost { gate.leave() }
      }
    }

    /// Sends a value downstream if there is demand for it; else it is noted as missed. The notes are kept inside the
    /// gate, or inside the downstream's own if that is a sink.
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
        let entry = gate.enter(unless: { demand.hasEnded })
        guard entry != .refused else { return }
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
      // A sink requests while it is handed the subscription, and never again.
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
      // A traversal touches the downstream only inside the gate, where it first looks whether the demand has ended; it has. In
      // front of a sink a traversal does not pass this gate, but a sink that is cancelled releases its closures itself.
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
