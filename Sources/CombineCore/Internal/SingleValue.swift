import Synchronization

extension Conduits {

  /// The subscription of a publisher of one value: delivers it, and `.finished`, at the first request.
  @usableFromInline
  final class SingleValue<Downstream: Subscriber>: Subscription {

    /// Set by the first request or cancel, which alone may use `downstream` from then on.
    @usableFromInline
    let isDone = Atomic<Bool>(false)

    @exclusivity(unchecked)
    @usableFromInline
    var downstream: Downstream?

    @usableFromInline
    let value: Downstream.Input

    @usableFromInline
    let description: String

    /// Delivers. Made in `init`, where the types are known: called as a method, through the existential that the
    /// downstream holds, it would look up every type at run time.
    @usableFromInline
    let deliver: (SingleValue<Downstream>) -> Void

    @inlinable
    init(_ value: Downstream.Input, description: String, downstream: Downstream) {
      self.value = value
      self.description = description
      self.downstream = downstream
      deliver = { $0.deliverOnce() }
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
      demand.assertNonZero()
      deliver(self)
    }

    @inlinable
    func deliverOnce() {
      guard let downstream = takeDownstream() else { return }
      _ = downstream.receive(value)
      downstream.receive(completion: .finished)
    }

    @usableFromInline
    func cancel() {
      _ = takeDownstream()
    }

    @inlinable
    func takeDownstream() -> Downstream? {
      guard !isDone.exchange(true, ordering: .acquiringAndReleasing) else { return nil }
      return exchange(&downstream, with: nil)
    }
  }
}

extension Conduits.SingleValue: DescribedByName {

  @usableFromInline
  var customMirror: Mirror { Mirror(self, unlabeledChildren: [value]) }
}
