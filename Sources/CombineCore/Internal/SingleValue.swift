import Synchronization

extension Conduits {

  /// The subscription of a publisher of one value: delivers it, and `.finished`, at the first request.
  ///
  /// The class does not know the downstream's type: it holds it in ``delivery``, a function that is made, and so
  /// specialised, where the type is known. Methods of a class that is generic over the downstream are reached through
  /// the existential that the downstream holds and would look up every type at run time; so would its deinitialiser.
  @usableFromInline
  final class SingleValue<Value>: Subscription {

    /// Whose subscription it is.
    @usableFromInline
    enum Source: UInt8 {
      case just, optional, result
    }

    @usableFromInline
    let source: Source

    /// Set by the first request or cancel, which alone may use ``delivery`` from then on.
    @usableFromInline
    let isDone = Atomic<Bool>(false)

    /// Sends the value and `.finished` to the downstream, which it holds; nothing once that is let go.
    @exclusivity(unchecked)
    @usableFromInline
    var delivery: ((Value) -> Void)?

    @usableFromInline
    let value: Value

    @inlinable
    init<Downstream: Subscriber>(_ value: Value, of source: Source, downstream: Downstream)
    where Downstream.Input == Value {
      self.value = value
      self.source = source
      delivery = { value in
        _ = downstream.receive(value)
        downstream.receive(completion: .finished)
      }
    }

    @inlinable
    func request(_ demand: Subscribers.Demand) {
      demand.assertNonZero(publisherName)
      if let delivery = takeDelivery() { delivery(value) }
    }

    @inlinable
    func cancel() {
      _ = takeDelivery()
    }

    /// The publisher as a message names it.
    @usableFromInline
    var publisherName: String {
      switch source {
      case .just: "Just"
      case .optional: "Optional.Publisher"
      case .result: "Result.Publisher"
      }
    }

    @inlinable
    func takeDelivery() -> ((Value) -> Void)? {
      guard !isDone.exchange(true, ordering: .acquiringAndReleasing) else { return nil }
      let delivery = self.delivery
      self.delivery = nil
      return delivery
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
