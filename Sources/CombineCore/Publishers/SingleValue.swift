import Synchronization

extension Conduits {

  /// The subscription of a publisher of one value. It delivers the value and `.finished` at the first request.
  ///
  /// `Value` is the input of the downstream. If it were written so, the first subscription of each type would look up
  /// the conformance of the downstream, among those of all libraries of the program.
  @usableFromInline
  final class SingleValue<Value, Downstream: Subscriber>: Subscription {

    @usableFromInline
    let value: Value

    @usableFromInline
    let source: SingleValueSource

    /// Set by the first request or cancel, whose call alone uses `downstream` from then on.
    @usableFromInline
    let isDone = Atomic<Bool>(false)

    @exclusivity(unchecked)  // Only by the call that has set `isDone`.
    @usableFromInline
    var downstream: Downstream?

    /// A function that sends the value and the completion. It is made where the types are known, and is therefore
    /// specialized. ``request(_:)``, which the downstream calls through a protocol, never is.
    @usableFromInline
    let deliver: (SingleValue, Downstream) -> Void

    @inlinable
    init(_ value: Value, of source: SingleValueSource, downstream: Downstream) where Downstream.Input == Value {
      self.value = value
      self.source = source
      self.downstream = downstream
      deliver = { conduit, downstream in
        _ = downstream.receive(conduit.value)
        downstream.receive(completion: .finished)
      }
    }

    /// Takes the downstream; `nil` after the first call.
    @inlinable
    func takeDownstream() -> Downstream? {
      if isDone.exchange(true, ordering: .acquiringAndReleasing) { return nil }
      return exchange(&downstream, with: nil)
    }

    @inlinable
    func request(_ demand: Subscribers.Demand) {
      demand.assertNonZero(source.publisherName)
      if let downstream = takeDownstream() { deliver(self, downstream) }
    }

    @inlinable
    func cancel() {
      _ = takeDownstream()
    }
  }
}

/// A publisher of one value, which its subscription shows.
@usableFromInline
enum SingleValueSource {
  case just, optional, result

  /// Sends a subscriber the value, or a subscription to it.
  @inlinable
  @inline(__always)
  func send<Downstream: Subscriber>(_ value: Downstream.Input, to downstream: Downstream) {
    let isSent = downstream._receiveAll(until: { nil }) {
      _ = downstream.receive(value)
      downstream.receive(completion: .finished)
    }
    if isSent { return }
    downstream.receive(subscription: Conduits.SingleValue(value, of: self, downstream: downstream))
  }

  /// The publisher as a message names it.
  @usableFromInline
  var publisherName: String {
    switch self {
    case .just: "Just"
    case .optional: "Optional.Publisher"
    case .result: "Result.Publisher"
    }
  }
}

extension Conduits.SingleValue: DescribedByName {

  @usableFromInline
  var description: String {
    switch source {
    case .just: "Just"
    case .optional: "Optional"
    case .result: "Once"
    }
  }

  @usableFromInline
  var customMirror: Mirror { Mirror(self, unlabeledChildren: [value]) }
}
