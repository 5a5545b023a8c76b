import Synchronization

/// The subscription of a publisher with a current value.
@usableFromInline
final class CurrentValueConduit: SubjectSubscription {

  /// The greatest number of a value that was delivered, was missed, or came before the subscription. It changes inside the
  /// gate.
  @usableFromInline
  let last = Atomic<Int>(0)

  /// The number of the newest value that the downstream has or will have, if it has missed none since; otherwise
  /// ``lacking`` or ``owed``. Finite demand changes it with the core's lock held.
  @usableFromInline
  let present = Atomic<Int>(-1)

  /// The number of requests that are still to be answered with the current value. Written with the core's lock held.
  @usableFromInline
  let unansweredCount = Atomic<Int>(0)

  /// The downstream has no value yet, or has missed one. Its next request is answered with the current value.
  @usableFromInline
  static var lacking: Int { -1 }

  /// A request is being answered with the current value.
  @usableFromInline
  static var owed: Int { -2 }

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
    demand.add(downstream.receive(value))
  }

  /// Delivers the current value for a request. Called inside the gate, and only if there is a current value.
  ///
  /// - Parameter thread: The thread that made the request, or zero if it is another one.
  func answerRequest(on thread: UInt) {
    _ = call(.answer(of: UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()), thread: thread))
  }

  /// Admits a value that is the newest so far, for unlimited demand. Called inside the gate.
  @inlinable
  @inline(__always)
  func admitsNewest(_ number: Int) -> Bool {
    guard hasUnlimitedDemand(), number > last.load(ordering: .relaxed) else { return false }
    last.store(number, ordering: .relaxed)
    present.store(number, ordering: .relaxed)
    return true
  }
}
