import CombineThreads
import CombineCore

/// A publisher of the elements of one window; see `window(_:every:)`.
///
/// Its elements wait for its first subscriber. Any other subscriber receives a finish only.
///
/// ```swift
/// let sums = [1, 2, 3, 4, 5].publisher.window(2).flatMap { $0.reduce(0, +) }
/// let cancellable = sums.sink { print($0) }  // prints 3, 7, 5
/// cancellable.cancel()
/// ```
public struct WindowPublisher<Output, Failure: Error>: Publisher {

  @usableFromInline
  let elements: Unicast<Output, Failure>

  @usableFromInline
  init(elements: Unicast<Output, Failure>) {
    self.elements = elements
  }

  /// Subscribes `subscriber` to the window, unless the window has a subscriber.
  @inlinable
  @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    ExtraConduits.UnicastMember(downstream: subscriber, unicast: elements).start()
  }
}

extension ExtraConduits {

  /// The conduit of windows as publishers.
  @usableFromInline
  final class Windows<Input, Downstream: Subscriber>: WindowConduit<Input, Downstream>, Subscriber, DescribedByName
  where Downstream.Input == WindowPublisher<Input, Downstream.Failure> {

    @usableFromInline
    typealias Window = Unicast<Input, Downstream.Failure>

    /// What is sent, in the order of the changes. Elements and the timers come on several threads.
    @usableFromInline
    enum Action {
      case open(Window)
      case send(Input, to: Window)
      case complete(Window, Completion)
      case completeAll(Completion)
    }

    @exclusivity(unchecked)  // These four: only with the lock held.
    @usableFromInline
    var actions = Deque<Action>()

    /// The thread that performs the actions, or zero. Others leave theirs to it.
    @exclusivity(unchecked)
    @usableFromInline
    var actingThread: UInt = 0

    /// The threads that have sent an element, and wait until the one that performs the actions has ended.
    @exclusivity(unchecked)
    @usableFromInline
    var waitingForActions: [WaitingSender] = []

    /// The open windows, with `nil` for those that opened after the downstream had cancelled.
    @exclusivity(unchecked)
    @usableFromInline
    var list: [Window?] = []

    // An upstream that is abandoned completes no window.
    @inlinable
    deinit {
      for case let window? in list { window.abandon() }
    }

    // MARK: With the lock held

    @inlinable
    override func apply(_ change: WindowChange) -> Machine.Delivery {
      apply(change, nil)
      return .nothing
    }

    @inlinable
    func apply(_ change: WindowChange, _ input: Input?) {
      close(change.expired)
      if change.opens { openWindow() }
      if let input {
        for case let window? in list { actions.append(.send(input, to: window)) }
      }
      close(change.filled)
      if change.reopens { openWindow() }
    }

    @inlinable
    override func apply(_ completion: Completion) -> Machine.Delivery {
      close(list.count, completion)
      actions.append(.completeAll(completion))
      return .nothing
    }

    @inlinable
    func openWindow() {
      let window = isClosedLocked ? nil : Window(description: "Window") { [weak self] _ in self?.cancelIfUnused() }
      list.append(window)
      if let window { actions.append(.open(window)) }
    }

    @inlinable
    func close(_ count: Int, _ completion: Completion = .finished) {
      guard count > 0 else { return }
      for case let window? in list.prefix(count) { actions.append(.complete(window, completion)) }
      list.removeFirst(min(count, list.count))
    }

    // MARK: With the lock free

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      _ = receiveElement { change in
        apply(change, input)
        return .nothing
      }
      performActions(waiting: true)
      return .none
    }

    @inlinable
    override func didChange() {
      performActions()
    }

    /// Performs the actions, unless another call does.
    ///
    /// - Parameter waits: Whether this thread then waits for that call, so that its elements do not pile up.
    @inlinable
    func performActions(waiting waits: Bool = false) {
      let thread = Platform.currentThread
      let (isOurs, sender) = lock.withLock { () -> (Bool, WaitingSender?) in
        if actions.isEmpty { return (false, nil) }
        if actingThread == 0 {
          actingThread = thread
          return (true, nil)
        }
        guard waits, actingThread != thread else { return (false, nil) }
        let sender = WaitingSender()
        waitingForActions.append(sender)
        return (false, sender)
      }
      sender?.wait()
      guard isOurs else { return }
      var count = 0
      var released: [WaitingSender] = []
      while let action = lock.withLock({ nextAction(after: count, releasing: &released) }) {
        perform(action)
        count += 1
      }
      for sender in released { sender.wake() }
    }

    /// The number of actions after which a thread leaves the rest to the next tick. Without it, a clock that ticks faster
    /// than this thread acts would keep the thread here for ever.
    @inlinable
    static var turn: Int { 1000 }

    @inlinable
    func nextAction(after count: Int, releasing released: inout [WaitingSender]) -> Action? {
      let mayLeave = count >= Self.turn && tickTimer != nil
      if !mayLeave, let action = actions.popFirst() { return action }
      actingThread = 0
      swap(&waitingForActions, &released)
      return nil
    }

    @inlinable
    func perform(_ action: Action) {
      switch action {
      case .open(let window):
        send(WindowPublisher(elements: window))
      case .send(let input, let window):
        window.send(input)
      case .complete(let window, let completion):
        window.send(completion: completion)
        cancelIfUnused()
      case .completeAll(let completion):
        send(completion: completion)
      }
    }

    @inlinable
    override func didEnd() {
      cancelIfUnused()
    }

    /// Cancels the upstream when neither the downstream nor the subscriber of a window is left.
    @inlinable
    func cancelIfUnused() {
      let (isClosed, candidates) = lock.withLock { (isClosedLocked, list) }
      guard isClosed, !candidates.contains(where: { $0?.isSubscribed == true }) else { return }
      cancelUpstream()
      for sender in lock.withLock({ exchange(&waitingForActions, with: []) }) { sender.wake() }
      // Only now, because a call that has seen the upstream may still store a timer before.
      cancelTimers()
      // A subscriber that comes later gets what has arrived.
      for case let window? in lock.withLock({ exchange(&list, with: []) }) { window.send(completion: .finished) }
    }

    @usableFromInline
    var description: String { "Window" }
  }
}
