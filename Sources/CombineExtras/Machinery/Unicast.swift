import CombineCore

/// The elements of a publisher that an operator makes for one subscriber, such as a group of `groupBy` or a window.
///
/// The elements wait for the first subscriber. Then they go to its subscription, ``ExtraConduits/UnicastMember``. The
/// operator sends them one after another.
@usableFromInline
final class Unicast<Value, Failure: Error> {

  @usableFromInline
  typealias Receiver = UnicastReceiver<Value, Failure>

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
  let lock = ValueLock()

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
    receiver?.send(value)
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
    receiver?.complete(completion)
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
      while let value = taken.popFirst() { receiver.send(value) }
      stage = completion == nil ? .subscribed(receiver) : .closed
      return completion
    }
  }

  /// Closes this object if its subscriber has cancelled. Another subscriber, which got a finish only, changes nothing.
  @inlinable
  func cancel(_ owner: ObjectIdentifier) {
    let last = lock.withLock { () -> Stage? in
      guard case .subscribed(let current) = stage, current.owner == owner else { return nil }
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

/// The subscription to a ``Unicast``, as that object sees it.
///
/// Its closures are made where the type of the downstream is known. A call through a protocol would reach code that is not
/// specialized.
@usableFromInline
final class UnicastReceiver<Value, Failure: Error> {

  /// The subscription.
  @usableFromInline
  let owner: ObjectIdentifier

  /// A closure that sends a value. Before the downstream has its subscription, it puts the value into the queue only.
  @usableFromInline
  let send: (Value) -> Void

  @usableFromInline
  let complete: (Subscribers.Completion<Failure>) -> Void

  @inlinable
  init(
    owner: ObjectIdentifier,
    send: @escaping (Value) -> Void,
    complete: @escaping (Subscribers.Completion<Failure>) -> Void
  ) {
    self.owner = owner
    self.send = send
    self.complete = complete
  }
}

extension ExtraConduits {

  /// The subscription to a ``Unicast``. Elements that arrive without demand wait.
  @usableFromInline
  final class UnicastMember<Downstream: Subscriber>: QueuedConduit<Downstream>, DescribedByName {

    @usableFromInline
    typealias Value = Downstream.Input
    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let unicast: Unicast<Downstream.Input, Downstream.Failure>

    @inlinable
    init(downstream: Downstream, unicast: Unicast<Downstream.Input, Downstream.Failure>) {
      self.unicast = unicast
      super.init(downstream: downstream)
    }

    @inlinable
    func start() {
      let receiver = UnicastReceiver<Value, Failure>(
        owner: ObjectIdentifier(self),
        send: { self.send($0) },
        complete: { self.send(completion: $0) }
      )
      if let completion = unicast.subscribe(receiver) { send(completion: completion) }
      open()
    }

    @inlinable
    override func receive(demand: Subscribers.Demand) {}

    @inlinable
    override func didEnd() {
      unicast.cancel(ObjectIdentifier(self))
    }

    @inlinable
    var description: String { unicast.description }
  }
}
