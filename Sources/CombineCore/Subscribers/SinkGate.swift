// A gate costs one atomic operation for each value. A sink has one, for its closures; in front of it another one is spared.

extension Gate {

  /// Sends a value downstream inside this gate, or inside the downstream's own if that is a sink; not if it is too late.
  ///
  /// `work` is what another thread may have left to this one; see ``enterOrDelegate()``.
  ///
  /// Whoever makes it too late, by ending the downstream on another thread, has ended a sink before the sink could let
  /// the value in.
  @inlinable
  @inline(__always)
  func pass<S: Subscriber>(
    _ value: S.Input,
    to downstream: S,
    unless isTooLate: @autoclosure () -> Bool,
    delegated work: () -> Void = {}
  ) -> Subscribers.Demand {
    if S.isSink {
      if !isTooLate() { downstream.receiveInGateOfSink(value) }
      return .none
    }
    let entry = enter(unless: isTooLate)
    if entry == .refused { return .none }
    let returned = isTooLate() ? .none : downstream.receive(value)
    if entry == .outermost, leave() { work() }
    return returned
  }
}

extension Subscriber {

  @usableFromInline
  typealias SinkOfThisKind = Subscribers.Sink<Input, Failure>

  /// Whether this is a sink, which lets one value in at a time by itself. The compiler knows where it knows the type.
  @inlinable
  @inline(__always)
  static var isSink: Bool { Self.self == SinkOfThisKind.self }

  /// Sends a value to this subscriber, which is a sink, inside the sink's gate, if it turns out there to be due.
  ///
  /// - Parameter isDue: Whether the value is to be handed over; called inside the gate.
  @inlinable
  @inline(__always)
  func receiveInGateOfSink(_ input: Input, if isDue: () -> Bool = { true }) {
    unretainedSink._withUnsafeGuaranteedRef { $0.receiveInGate(input, if: isDue) }
  }

  /// This subscriber, which is a sink, as one. A cast would retain it; whoever sends holds it where it is.
  @inlinable
  @inline(__always)
  var unretainedSink: Unmanaged<SinkOfThisKind> {
    Unmanaged.fromOpaque(unsafeBitCast(self, to: UnsafeRawPointer.self))
  }
}
