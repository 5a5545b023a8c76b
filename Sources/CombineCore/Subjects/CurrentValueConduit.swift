import Synchronization

/// The subscription of a publisher with a current value.
@usableFromInline
final class CurrentValueConduit: SubjectSubscription {

  /// The greatest number of a value that was delivered, was missed, or came before the subscription. It changes inside the
  /// gate.
  @usableFromInline
  let last = Atomic<Int>(0)

  /// The raw value of the ``Presence``. Written with the core's lock held, or by ``admitsNewest(_:)``.
  @usableFromInline
  let presenceWord = Atomic<Int>(Presence.lacking(0).rawValue)

  /// The number of requests that are still to be answered with the current value. Written with the core's lock held.
  @usableFromInline
  let unansweredCount = Atomic<Int>(0)

  /// What is decided about the newest value that was offered to the downstream.
  @usableFromInline
  struct Presence: Equatable {

    /// The number of that value if the downstream has it or will have it, and otherwise a negative number.
    @usableFromInline
    let rawValue: Int

    @inlinable
    init(rawValue: Int) { self.rawValue = rawValue }

    @inlinable
    static func present(_ number: Int) -> Presence { Presence(rawValue: number) }

    /// The downstream has missed the value, or, with the number zero, has none yet. Its next request is answered with the
    /// current value.
    @inlinable
    static func lacking(_ number: Int) -> Presence { Presence(rawValue: -2 * number - 1) }

    /// The same, while a request is being answered.
    @inlinable
    static func owed(_ number: Int) -> Presence { Presence(rawValue: -2 * number - 2) }

    var number: Int { rawValue >= 0 ? rawValue : (-1 - rawValue) >> 1 }

    var isLacking: Bool { self == .lacking(number) }
  }

  @inlinable
  var presence: Presence {
    get { Presence(rawValue: presenceWord.load(ordering: .relaxed)) }
    set { presenceWord.store(newValue.rawValue, ordering: .relaxed) }
  }

  @inlinable
  @inline(__always)
  init<Downstream: Subscriber>(
    core: CurrentValueCore<Downstream.Input, Downstream.Failure>,
    downstream: Downstream
  ) {
    super.init(table: core, downstream: Self.hold(downstream))
    last.store(core.lastNumber, ordering: .relaxed)
  }

  /// Returns a downstream that can be answered.
  // Apart, as the closure would be called by a thunk where the initializer is inlined.
  @inlinable
  @inline(never)
  static func hold<Downstream: Subscriber>(_ downstream: Downstream) -> HeldSubscriber {
    HeldSubscriber {
      guard case .answer(let address, let thread) = $0 else { return HeldSubscriber.pass($0, to: downstream) }
      Unmanaged<CurrentValueConduit>.fromOpaque(address)._withUnsafeGuaranteedRef {
        $0.deliverAnswer(to: downstream, on: thread)
      }
      return .none
    }
  }

  @inlinable
  @inline(never)
  func deliverAnswer<Downstream: Subscriber>(to downstream: Downstream, on thread: UInt) {
    // The table stays alive with this object, so it is not retained.
    let core = Unmanaged.passUnretained(
      _unsafeUncheckedDowncast(table, to: CurrentValueCore<Downstream.Input, Downstream.Failure>.self)
    )
    guard let value = core._withUnsafeGuaranteedRef({ $0.answer(to: self, on: thread) }) else { return }
    let more = downstream.receive(value)
    core._withUnsafeGuaranteedRef { addReturned(more, with: $0.valueLock) }
  }

  /// Adds the demand that the downstream has returned, with the core's lock held; see ``admitsNewest(_:)``.
  @inlinable
  @inline(__always)
  func addReturned(_ more: Subscribers.Demand, with lock: borrowing Lock) {
    if more.rawValue != 0 { addSome(more, with: lock) }
  }

  @inline(never)
  @usableFromInline
  func addSome(_ more: Subscribers.Demand, with lock: borrowing Lock) {
    lock.withLock { demand.add(more) }
  }

  /// Delivers the current value for a request. Called inside the gate, and only if there is a current value.
  ///
  /// - Parameter thread: The thread that made the request, or zero if it is another one.
  func answerRequest(on thread: UInt) {
    _ = call(.answer(of: UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()), thread: thread))
  }

  /// Admits a value that is the newest so far, for unlimited demand. Called inside the gate.
  ///
  /// Demand becomes unlimited with the core's lock held. Once it is, nobody outside this gate changes the presence, unless the
  /// downstream lacks a value or is owed one.
  @inlinable
  @inline(__always)
  func admitsNewest(_ number: Int) -> Bool {
    guard hasUnlimitedDemand(), number > last.load(ordering: .relaxed),
      presenceWord.load(ordering: .relaxed) >= 0
    else { return false }
    last.store(number, ordering: .relaxed)
    presenceWord.store(number, ordering: .relaxed)
    return true
  }
}
