// A gate costs one atomic operation for each element. `Sink` already serializes its closures, so a conduit directly in
// front of a sink needs no gate of its own. Without that, the benchmark rows `ten-subscribers`, `merge` and
// `current-value-subject` take 1.8, 1.3 and 1.2 times as long.

extension Gate {

  /// Sends an element downstream inside this gate, or inside the downstream's gate if that is a sink.
  ///
  /// It drops the element if `isTooLate` returns `true`.
  ///
  /// `work` is the work that another thread may have delegated to this one. See ``enterOrDelegate()``.
  ///
  /// Another thread may cancel meanwhile. The sink checks its phase again after taking the gate, so the element is
  /// dropped.
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

  /// Whether this subscriber is a sink, which serializes its elements itself.
  ///
  /// The compiler evaluates this where it knows the type.
  @inlinable
  @inline(__always)
  static var isSink: Bool { Self.self == SinkOfThisKind.self }

  /// Sends an element to this subscriber, which is a sink, inside the sink's gate.
  ///
  /// - Parameter isDue: A closure that returns whether the element is to be delivered. It is called inside the gate.
  @inlinable
  @inline(__always)
  func receiveInGateOfSink(_ input: Input, if isDue: () -> Bool = { true }) {
    unretainedSink._withUnsafeGuaranteedRef { $0.receiveInGate(input, if: isDue) }
  }

  /// This subscriber, which is a sink, as a `Sink`. A cast would retain it, and the sender holds it anyway.
  @inlinable
  @inline(__always)
  var unretainedSink: Unmanaged<SinkOfThisKind> {
    Unmanaged.fromOpaque(unsafeBitCast(self, to: UnsafeRawPointer.self))
  }
}
