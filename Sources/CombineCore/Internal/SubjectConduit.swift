import Synchronization

/// One subscriber of a subject, as the subject's table holds it: what a value passes through on its way downstream.
///
/// The class knows nothing of the downstream's type; it calls it through ``deliver``, a function that was made where
/// the type was known and is therefore specialised for it. An overridden method would not be: the method table of a
/// generic class leads to code that looks up every type at run time, which costs more than all the rest of a send.
@usableFromInline
class SubjectConduit<Output, Failure: Error>: SubscriberTableElement {

  @usableFromInline
  typealias Deliver = (SubjectConduit<Output, Failure>, Output) -> Subscribers.Demand

  @usableFromInline
  final let gate = Gate()

  /// Demand not used up yet.
  @usableFromInline
  final let demand = DemandCounter()

  /// Set on completion and on cancel: nothing more goes downstream.
  @usableFromInline
  final let isEnded = Atomic<Bool>(false)

  /// What the downstream holds on to.
  @usableFromInline
  final let subscription: SubjectSubscription<Output, Failure>

  @usableFromInline
  final let deliver: Deliver

  @exclusivity(unchecked)  // The table's alone to touch, under its lock.
  @usableFromInline
  final var tableIndex = -1

  /// Whether the subject's current value was sent, and no later one was missed. Written with the subscription's lock
  /// held.
  @usableFromInline
  final let hasCurrentValue = Atomic<Bool>(false)

  /// The greatest number of a current value delivered, and the thread that sent it; zero if another thread's request
  /// delivered it. Touched only inside the gate.
  @exclusivity(unchecked)
  @usableFromInline
  final var lastNumber = 0

  @exclusivity(unchecked)
  @usableFromInline
  final var lastSender: UInt = 0

  /// What `lastNumber` was when a value was missed that nothing has made up for.
  @exclusivity(unchecked)
  @usableFromInline
  final var missedAfter = -1

  @inlinable
  init(subscription: SubjectSubscription<Output, Failure>, deliver: @escaping Deliver) {
    self.subscription = subscription
    self.deliver = deliver
  }

  /// Sends a value downstream if there is demand for it; else it is lost.
  @inlinable
  final func offer(_ value: Output) {
    let isOutermost = gate.enter()
    if !isEnded.load(ordering: .acquiring), demand.take() {
      demand.add(deliver(self, value))
    }
    if isOutermost { gate.leave() }
  }

  /// Sends a value that has become the subject's current one; without demand it is noted as missed.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - number: Grows with each value, so that threads that send at once neither send a value twice nor an older one
  ///     after a newer. Zero where the subject does not number its values.
  @inlinable
  final func offerCurrent(_ value: Output, number: Int) {
    let thread = Platform.currentThread
    let isOutermost = gate.enter(as: thread)
    // A newer value that this same thread sent was sent from inside this send: the older one follows, as in any
    // nested send.
    if !isEnded.load(ordering: .acquiring), isNews(number) || lastSender == thread {
      if takeDemandForCurrent() {
        note(number, sentBy: thread)
        demand.add(deliver(self, value))
      } else {
        missedAfter = lastNumber
      }
    }
    if isOutermost { gate.leave() }
  }

  @inlinable
  final func isNews(_ number: Int) -> Bool {
    number == 0 || number > lastNumber
  }

  @inlinable
  final func note(_ number: Int, sentBy thread: UInt) {
    guard number > lastNumber else { return }
    lastNumber = number
    lastSender = thread
  }

  @inlinable
  final func takeDemandForCurrent() -> Bool {
    // The mark stays set while demand is unlimited. It may not be set yet if demand has become so since a value was
    // missed.
    if demand.value.isUnlimited, hasCurrentValue.load(ordering: .relaxed) { return true }
    return takeDemandAndMark()
  }

  @usableFromInline
  final func takeDemandAndMark() -> Bool {
    subscription.lock.withLock {
      let isTaken = demand.take()
      hasCurrentValue.store(isTaken, ordering: .relaxed)
      return isTaken
    }
  }

  /// Adds demand, and answers it with the current value unless that was sent before.
  ///
  /// - Parameter current: Reads the current value, its number and the thread that sent it; called inside the gate.
  final func request(
    _ more: Subscribers.Demand,
    current: () -> (value: Output, number: Int, sender: UInt)
  ) {
    let isDue = subscription.lock.withLock {
      let isDue = !hasCurrentValue.exchange(true, ordering: .relaxed)
      // One element of this demand is the current value's; unlimited demand stays unlimited.
      demand.add(isDue ? more - 1 : more)
      return isDue
    }
    guard isDue else { return }
    gate.pass(unless: { isEnded.load(ordering: .acquiring) }) {
      guard !isEnded.load(ordering: .acquiring) else { return }
      let (value, number, sender) = current()
      guard isNews(number) || missedAfter == lastNumber else {
        // Another thread sent that value between the two steps: the element taken for it is owed again.
        return demand.add(.max(1))
      }
      missedAfter = -1
      // If the send of this value is another thread's and comes to offer it, it passes the downstream over. If this
      // request is made from inside that send, it does not, as in Combine.
      note(number, sentBy: sender == Platform.currentThread ? sender : 0)
      demand.add(deliver(self, value))
    }
  }

  /// Ends the subscription and tells the downstream, whatever its demand.
  final func finish(_ completion: Subscribers.Completion<Failure>) {
    guard end(), subscription.admit(completion) else { return }
    gate.pass { deliverCompletion(completion) }
  }

  /// Tells the downstream of a completion that came before it had its subscription.
  @usableFromInline
  final func finishHandover() {
    guard let completion = subscription.finishHandover() else { return }
    gate.pass { deliverCompletion(completion) }
  }

  /// Ends the subscription.
  ///
  /// - Returns: Whether it had not ended before.
  final func end() -> Bool {
    guard !isEnded.exchange(true, ordering: .acquiringAndReleasing) else { return false }
    subscription.detach(lastDemand: demand.value)
    return true
  }

  func deliverCompletion(_ completion: Subscribers.Completion<Failure>) {
    fatalError("SubjectConduit is abstract")
  }

  /// The downstream, for a mirror.
  var reflectedDownstream: Any {
    fatalError("SubjectConduit is abstract")
  }
}

extension Conduits {

  /// A ``SubjectConduit`` that knows its downstream, which lives as long as the conduit.
  @usableFromInline
  final class Subject<Downstream: Subscriber>: SubjectConduit<Downstream.Input, Downstream.Failure> {

    @usableFromInline
    let downstream: Downstream

    @inlinable
    init(subscription: SubjectSubscription<Downstream.Input, Downstream.Failure>, downstream: Downstream) {
      self.downstream = downstream
      super.init(subscription: subscription) { conduit, value in
        unsafeDowncast(conduit, to: Subject<Downstream>.self).downstream.receive(value)
      }
    }

    @usableFromInline
    override func deliverCompletion(_ completion: Subscribers.Completion<Downstream.Failure>) {
      downstream.receive(completion: completion)
    }

    @usableFromInline
    override var reflectedDownstream: Any { downstream }
  }
}

/// What a subscription needs of its subject.
@usableFromInline
protocol SubjectParent<Output, Failure>: AnyObject {

  associatedtype Output
  associatedtype Failure: Error

  /// Adds demand to one subscriber's.
  func request(_ demand: Subscribers.Demand, from conduit: SubjectConduit<Output, Failure>)

  /// Forgets a subscriber that has cancelled.
  func remove(_ conduit: SubjectConduit<Output, Failure>)
}

/// The subscription that a subject hands to a subscriber.
///
/// It is apart from the conduit so that the downstream is let go on completion and on cancel though somebody still
/// holds the subscription, while the conduit can keep it as a constant that is called without a lock or a retain.
@usableFromInline
final class SubjectSubscription<Output, Failure: Error>: Subscription {

  /// Guards what follows, and the conduit's note of the current value.
  let lock = Lock()

  @exclusivity(unchecked)  // These three: only with the lock held.
  private var link: Link?

  @exclusivity(unchecked)
  private var lastDemand = Subscribers.Demand.none

  @exclusivity(unchecked)
  private var delivery = Delivery.open

  @usableFromInline
  let description: String

  private struct Link {
    var parent: any SubjectParent<Output, Failure>
    var conduit: SubjectConduit<Output, Failure>
  }

  /// Whether a completion may go downstream: not before the subscription, though another thread may end the subject
  /// at any moment, and not after a cancel.
  private enum Delivery {

    /// A thread is handing the subscription over.
    case handingOver(thread: UInt)

    /// As before, and another thread has ended the subject meanwhile.
    case completed(Subscribers.Completion<Failure>)

    case open
    case cancelled
  }

  @usableFromInline
  init(description: String) {
    self.description = description
  }

  /// Ties subject and conduit to this subscription, until it ends.
  @usableFromInline
  func attach(to parent: any SubjectParent<Output, Failure>, conduit: SubjectConduit<Output, Failure>) {
    lock.withLock {
      link = Link(parent: parent, conduit: conduit)
      delivery = .handingOver(thread: Platform.currentThread)
    }
  }

  /// Decides whether a completion goes downstream now. If not, it does when the subscription is handed over, or never.
  func admit(_ completion: Subscribers.Completion<Failure>) -> Bool {
    lock.withLock {
      switch delivery {
      case .handingOver(let thread) where thread != Platform.currentThread:
        delivery = .completed(completion)
        return false
      case .handingOver, .open:
        return true
      case .completed, .cancelled:
        return false
      }
    }
  }

  /// Notes that the downstream has the subscription.
  ///
  /// - Returns: The completion that it is to be told now, if any.
  func finishHandover() -> Subscribers.Completion<Failure>? {
    lock.withLock {
      switch delivery {
      case .handingOver, .open:
        delivery = .open
        return nil
      case .completed(let completion):
        delivery = .open
        return completion
      case .cancelled:
        return nil
      }
    }
  }

  /// Lets go of subject and conduit.
  func detach(lastDemand: Subscribers.Demand) {
    let link = lock.withLock {
      self.lastDemand = lastDemand
      return exchange(&self.link, with: nil)
    }
    _ = link  // Released with the lock free.
  }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    demand.assertNonZero(description)
    let link = lock.withLock {
      // Who requests has the subscription, even if it is still inside the call that brings it.
      if case .handingOver = delivery { delivery = .open }
      return self.link
    }
    guard let link else { return }
    link.parent.request(demand, from: link.conduit)
  }

  @usableFromInline
  func cancel() {
    let (link, last) = lock.withLock { (self.link, exchange(&delivery, with: .cancelled)) }
    _ = last  // Released with the lock free.
    guard let link, link.conduit.end() else { return }
    link.parent.remove(link.conduit)
  }
}

extension SubjectSubscription: DescribedByName {

  @usableFromInline
  var reflectedChildren: KeyValuePairs<String, Any> {
    let (link, lastDemand) = lock.withLock { (self.link, self.lastDemand) }
    let parent: (any SubjectParent<Output, Failure>)? = link?.parent
    let downstream: Any? = link?.conduit.reflectedDownstream
    return [
      "parent": parent as Any,
      "downstream": downstream as Any,
      "demand": link?.conduit.demand.value ?? lastDemand,
      "subject": parent as Any,
    ]
  }
}
