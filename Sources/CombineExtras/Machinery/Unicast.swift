import CombineThreads
import CombineCore

/// The elements of a publisher that an operator makes for one subscriber, such as a group of `groupBy` or a window.
///
/// The elements wait for the first subscriber. Then they go to its subscription, ``ExtraConduits/UnicastMember``. The
/// operator sends them one after another.
@usableFromInline
final class Unicast<Value, Failure: Error> {

  @usableFromInline
  typealias Receiver = QueuedReceiver<Value, Failure>

  @usableFromInline
  enum Stage {
    case waiting
    case subscribed(Receiver)
    case closed
  }

  /// A closure that is called when the subscriber has cancelled. It must not hold the conduit that sends the elements: the
  /// conduit holds this object.
  @usableFromInline
  let onCancel: (Unicast) -> Void

  /// The name of the operator.
  @usableFromInline
  let description: String

  @usableFromInline
  let lock = Lock()

  @exclusivity(unchecked)  // These three: only with the lock held.
  @usableFromInline
  var stage = Stage.waiting

  @exclusivity(unchecked)
  @usableFromInline
  var waiting = Deque<Value>()

  @exclusivity(unchecked)
  @usableFromInline
  var completion: Subscribers.Completion<Failure>?

  @inlinable
  init(description: String, onCancel: @escaping (Unicast) -> Void) {
    self.description = description
    self.onCancel = onCancel
  }

  @inlinable
  func send(_ value: Value) {
    let receiver = lock.withLock { () -> Receiver? in
      switch stage {
      case .waiting:
        if completion == nil { waiting.append(value) }
        return nil
      case .subscribed(let receiver):
        return receiver
      case .closed:
        return nil
      }
    }
    if let receiver { receiver.handle(receiver, .send(value)) }
  }

  /// Sends a completion. Only the first one counts.
  @inlinable
  func send(completion: Subscribers.Completion<Failure>) {
    let receiver = lock.withLock { () -> Receiver? in
      if self.completion == nil { self.completion = completion }
      guard case .subscribed(let receiver) = stage else { return nil }
      stage = .closed
      return receiver
    }
    if let receiver { receiver.handle(receiver, .complete(completion)) }
  }

  /// Puts the elements so far into the queue of the first subscriber.
  ///
  /// - Returns: The completion if there is one already. Another subscriber gets a finish.
  @inlinable
  func subscribe(_ receiver: Receiver) -> Subscribers.Completion<Failure>? {
    var taken = Deque<Value>()
    return lock.withLock {
      guard case .waiting = stage else { return .finished }
      swap(&taken, &waiting)
      while let value = taken.popFirst() { receiver.handle(receiver, .enqueue(value)) }
      stage = completion == nil ? .subscribed(receiver) : .closed
      return completion
    }
  }

  /// Closes this object if its subscriber has cancelled. Another subscriber, which got a finish only, changes nothing.
  @inlinable
  func cancel(_ receiver: Receiver) {
    let last = lock.withLock { () -> Stage? in
      guard case .subscribed(let current) = stage, current === receiver else { return nil }
      return exchange(&stage, with: .closed)
    }
    if last != nil { onCancel(self) }
  }

  /// Drops the subscriber without a completion.
  @inlinable
  func abandon() {
    let last = lock.withLock { () -> Stage? in
      guard case .subscribed = stage else { return nil }
      return exchange(&stage, with: .closed)
    }
    withExtendedLifetime(last) {}
  }

  @inlinable
  var isSubscribed: Bool {
    lock.withLock { if case .subscribed = stage { true } else { false } }
  }
}

extension ExtraConduits {

  /// The subscription to a ``Unicast``. Elements that arrive without demand wait.
  @usableFromInline
  final class UnicastMember<Downstream: Subscriber>: QueuedConduit<Downstream>, DescribedByName {

    @usableFromInline
    let unicast: Unicast<Downstream.Input, Downstream.Failure>

    @inlinable
    init(downstream: Downstream, unicast: Unicast<Downstream.Input, Downstream.Failure>) {
      self.unicast = unicast
      super.init(downstream: downstream)
    }

    @inlinable
    func start() {
      if let completion = unicast.subscribe(self) { send(completion: completion) }
      open()
    }

    @inlinable
    override func receive(demand: Subscribers.Demand) {}

    @inlinable
    override func didEnd() {
      unicast.cancel(self)
    }

    @inlinable
    var description: String { unicast.description }
  }
}
