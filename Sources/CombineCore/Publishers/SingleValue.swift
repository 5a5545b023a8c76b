import Synchronization

extension Conduits {

  /// The subscription of a publisher of one value. It delivers the value and `.finished` at the first request.
  @usableFromInline
  final class SingleValue<Downstream: Subscriber>: Subscription {

    @usableFromInline
    let value: Downstream.Input

    @usableFromInline
    let source: SingleValueSource

    /// Set by the first request or cancel, whose call alone uses `downstream` from then on.
    @usableFromInline
    let isDone = Atomic<Bool>(false)

    @exclusivity(unchecked)  // Only by the call that has set `isDone`.
    @usableFromInline
    var downstream: Downstream?

    @inlinable
    init(_ value: Downstream.Input, of source: SingleValueSource, downstream: Downstream) {
      self.value = value
      self.source = source
      self.downstream = downstream
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
      guard let downstream = takeDownstream() else { return }
      _ = downstream.receive(value)
      downstream.receive(completion: .finished)
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
