import Synchronization

/// A publisher that announces the changes of an observable object.
///
/// It never ends. A subscriber that has asked for anything gets every announcement, whatever its demand.
public final class ObservableObjectPublisher: Publisher {

  /// Announcements carry no value.
  public typealias Output = Void

  /// Announcements cannot fail.
  public typealias Failure = Never

  let table = SubscriberTable()

  /// Creates a publisher without subscribers.
  public init() {}

  /// Attaches a subscriber.
  ///
  /// - Parameter subscriber: The subscriber, which gets announcements after its first request.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Void, S.Failure == Never {
    let conduit = Conduits.ObservableObject(publisher: self, downstream: subscriber)
    table.add(conduit)
    table.tidy()
    subscriber.receive(subscription: conduit)
  }

  /// Announces a change to all subscribers.
  public func send() {
    table.forEach(ObservableObjectConduit.self) { $0.announce() }
  }
}

// The state is in atomics and behind locks.
extension ObservableObjectPublisher: @unchecked Sendable {}

/// One subscriber of an observable object's publisher, and its subscription.
class ObservableObjectConduit: SubscriberTableElement, Subscription {

  private final weak var publisher: ObservableObjectPublisher?

  /// Open from the first request until the cancel.
  private final let state = Atomic<State.RawValue>(State.closed.rawValue)

  private enum State: UInt8 {
    case closed, open, cancelled
  }

  init(publisher: ObservableObjectPublisher) {
    self.publisher = publisher
  }

  final func announce() {
    gate.pass {
      if state.load(ordering: .acquiring) == State.open.rawValue { deliver() }
    }
  }

  func deliver() {
    fatalError("ObservableObjectConduit is abstract")
  }

  final func request(_ demand: Subscribers.Demand) {
    _ = state.compareExchange(
      expected: State.closed.rawValue,
      desired: State.open.rawValue,
      ordering: .acquiringAndReleasing
    )
  }

  final func cancel() {
    let previous = state.exchange(State.cancelled.rawValue, ordering: .acquiringAndReleasing)
    if previous != State.cancelled.rawValue { publisher?.table.remove(self) }
  }
}

extension Conduits {

  final class ObservableObject<Downstream: Subscriber>: ObservableObjectConduit, DescribedByName
  where Downstream.Input == Void, Downstream.Failure == Never {

    private let downstream: Downstream

    init(publisher: ObservableObjectPublisher, downstream: Downstream) {
      self.downstream = downstream
      super.init(publisher: publisher)
    }

    override func deliver() {
      _ = downstream.receive(())
    }

    var description: String { "ObservableObjectPublisher" }

    var reflectedChildren: KeyValuePairs<String, Any> { ["downstream": downstream] }
  }
}
