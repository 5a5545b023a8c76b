import CombineCore

/// The elements of a publisher that an operator makes for one subscriber, such as a group of `groupBy` or a window.
///
/// The elements wait for the first subscriber. Then they go to its subscription, ``ExtraConduits/UnicastMember``. The
/// operator sends them one after another.
@usableFromInline
final class Unicast<Value, Failure: Error> {

  private enum Stage {
    case waiting
    case subscribed(any UnicastReceiver<Value, Failure>)
    case closed
  }

  /// The conduit that sends the elements. It holds this object, and not the other way around, so that an abandoned
  /// upstream releases both.
  private weak var parent: (any UnicastParent<Value, Failure>)?

  /// The name of the operator.
  let description: String

  private let lock = ValueLock()

  @exclusivity(unchecked)  // These three: only with the lock held.
  private var stage = Stage.waiting

  @exclusivity(unchecked)
  private var waiting = Deque<Value>()

  @exclusivity(unchecked)
  private var completion: Subscribers.Completion<Failure>?

  init(parent: any UnicastParent<Value, Failure>) {
    self.parent = parent
    description = parent.description
  }

  func send(_ value: Value) {
    let receiver = lock.withLock { () -> (any UnicastReceiver<Value, Failure>)? in
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
  func send(completion: Subscribers.Completion<Failure>) {
    let receiver = lock.withLock { () -> (any UnicastReceiver<Value, Failure>)? in
      if self.completion == nil { self.completion = completion }
      guard case .subscribed(let receiver) = stage else { return nil }
      stage = .closed
      return receiver
    }
    receiver?.send(completion: completion)
  }

  /// Puts the elements so far into the queue of the first subscriber.
  ///
  /// - Returns: The completion if there is one already. Another subscriber gets a finish.
  func subscribe(_ receiver: some UnicastReceiver<Value, Failure>) -> Subscribers.Completion<Failure>? {
    var taken = Deque<Value>()
    return lock.withLock {
      guard case .waiting = stage else { return .finished }
      swap(&taken, &waiting)
      while let value = taken.popFirst() { receiver.enqueue(value) }
      stage = completion == nil ? .subscribed(receiver) : .closed
      return completion
    }
  }

  /// Closes this object if its subscriber has cancelled. Another subscriber, which got a finish only, changes nothing.
  func cancel(_ receiver: some UnicastReceiver<Value, Failure>) {
    let last = lock.withLock { () -> Stage? in
      guard case .subscribed(let current) = stage, current === receiver else { return nil }
      return exchange(&stage, with: .closed)
    }
    if last != nil { parent?.close(self) }
  }

  var isSubscribed: Bool {
    lock.withLock { if case .subscribed = stage { true } else { false } }
  }
}

/// The subscription to a ``Unicast``, as that object sees it.
protocol UnicastReceiver<Value, Failure>: AnyObject {

  associatedtype Value
  associatedtype Failure: Error

  /// Puts a value into the queue, before the downstream has its subscription.
  func enqueue(_ value: Value)

  func send(_ value: Value)

  func send(completion: Subscribers.Completion<Failure>)
}

/// The conduit that sends the elements of a ``Unicast``, as that object sees it.
protocol UnicastParent<Value, Failure>: AnyObject, CustomStringConvertible {

  associatedtype Value
  associatedtype Failure: Error

  /// Called when the subscriber has cancelled.
  func close(_ unicast: Unicast<Value, Failure>)
}

extension ExtraConduits {

  /// The subscription to a ``Unicast``. Elements that arrive without demand wait.
  final class UnicastMember<Downstream: Subscriber>: QueuedConduit<Downstream>, UnicastReceiver, DescribedByName {

    typealias Value = Downstream.Input
    typealias Failure = Downstream.Failure

    private let unicast: Unicast<Downstream.Input, Downstream.Failure>

    init(downstream: Downstream, unicast: Unicast<Downstream.Input, Downstream.Failure>) {
      self.unicast = unicast
      super.init(downstream: downstream)
    }

    func start() {
      if let completion = unicast.subscribe(self) { send(completion: completion) }
      open()
    }

    func enqueue(_ value: Downstream.Input) {
      send(value)
    }

    override func receive(demand: Subscribers.Demand) {}

    override func didEnd() {
      unicast.cancel(self)
    }

    var description: String { unicast.description }
  }
}
